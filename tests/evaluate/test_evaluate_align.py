"""Which rows are scored, and what is refused, by name and with a remedy."""

from __future__ import annotations

import polars as pl
import pytest

from samehand.errors import UsageError
from samehand.evaluate import evaluate
from samehand.evaluate.align import align

TRUTH = pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["x", "x", "y"]})


def test_unlabelled_ids_are_left_out() -> None:
    predicted = pl.DataFrame({"id": ["a", "b", "c", "z"], "entity": [1, 1, 2, 1]})
    found = evaluate(predicted, TRUTH).figures
    assert (found["mentions"], found["b3_f1"], found["clusters"]) == (3, 1.0, 2)


def test_a_null_cluster_in_the_truth_is_unlabelled() -> None:
    predicted = pl.DataFrame({"id": ["a", "b", "c"], "entity": [1, 1, 2]})
    partial = pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["x", "x", None]})
    assert evaluate(predicted, partial).figures["mentions"] == 2


@pytest.mark.parametrize(
    "predicted",
    [
        pl.DataFrame({"id": ["a"], "entity": [1]}),
        pl.DataFrame({"id": ["a", "b", "c"], "entity": [1, None, None]}),
    ],
)
def test_a_missing_prediction_is_a_singleton_and_counted(predicted: pl.DataFrame) -> None:
    found = evaluate(predicted, TRUTH)
    assert (found.figures["missing_predictions"], found.figures["clusters"]) == (2, 3)
    assert found.figures["pairwise_recall"] == 0.0
    assert found.errors["pieces"].to_list()[0][1] == {"cluster": None, "size": 1, "name": None}


def test_columns_have_synonyms_and_ids_any_type() -> None:
    predicted = pl.DataFrame({"mention": [1, 2], "label": [5, 5]})
    truth = pl.DataFrame({"mention": ["1", "2"], "entity": ["q", "q"]})
    assert evaluate(predicted, truth).figures["exact_clusters"] == 1.0


def test_the_kind_that_the_truth_names_is_scored() -> None:
    kinds = pl.DataFrame(
        {"id": ["a", "b", "c", "p"], "kind": ["author"] * 3 + ["paper"], "entity": ["1", "1", "2", "1"]}
    )
    assert evaluate(kinds, TRUTH).figures["b3_f1"] == 1.0
    same_ids = pl.concat([kinds, kinds.with_columns(id=pl.lit("p") + pl.col("id"), kind=pl.lit("venue"))])
    assert evaluate(same_ids, TRUTH).figures["b3_f1"] == 1.0


def test_a_truth_that_names_several_kinds_is_refused() -> None:
    kinds = pl.DataFrame({"id": ["a", "b", "c"], "kind": ["author", "author", "paper"], "entity": "1"})
    with pytest.raises(UsageError, match=r"several kinds in predicted \(2 author, 1 paper\)"):
        evaluate(kinds, TRUTH)


def test_missing_columns_are_named_with_those_found() -> None:
    with pytest.raises(
        UsageError, match="predicted: needs a column 'entity' or 'cluster' or 'label'; it has: id, x"
    ):
        evaluate(pl.DataFrame({"id": ["a"], "x": [1]}), TRUTH)
    with pytest.raises(UsageError, match="truth: needs a column 'id' or 'mention'; it has: none"):
        evaluate(TRUTH, pl.DataFrame())


@pytest.mark.parametrize("wrong", ["predicted", "truth"])
def test_duplicate_ids_are_refused(wrong: str) -> None:
    twice = pl.concat([TRUTH, TRUTH.head(1)])
    with pytest.raises(UsageError, match=f"{wrong}: 1 ids occur more than once, such as 'a'"):
        evaluate(*((twice, TRUTH) if wrong == "predicted" else (TRUTH, twice)))


def test_no_common_id_is_refused_with_examples_of_both() -> None:
    with pytest.raises(UsageError, match=r"no id in common: predicted has 'k1'; truth has 'a', 'b', 'c'"):
        evaluate(pl.DataFrame({"id": ["k1"], "entity": [1]}), TRUTH)


def test_tables_without_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="truth has none"):
        evaluate(TRUTH, TRUTH.clear())
    with pytest.raises(UsageError, match="predicted has none"):
        evaluate(TRUTH.clear(), TRUTH)


def test_rows_without_an_id_are_refused() -> None:
    with pytest.raises(UsageError, match=r"truth: 1 of 2 rows have no 'id' \(the first is row 2\)"):
        evaluate(TRUTH, pl.DataFrame({"id": ["a", None], "cluster": ["x", "y"]}))


def test_a_nested_id_is_refused() -> None:
    with pytest.raises(UsageError, match="holds lists or objects"):
        evaluate(TRUTH, pl.DataFrame({"id": [["a"]], "cluster": ["x"]}))


def test_no_replicates_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        evaluate(TRUTH, TRUTH, replicates=0)


def test_numbers_follow_the_order_of_the_truth() -> None:
    predicted = pl.DataFrame({"id": ["c", "b", "a"], "entity": ["late", "early", "early"]})
    aligned = align(predicted, TRUTH)
    assert aligned.mentions.select("true", "predicted").rows() == [(0, 0), (0, 0), (1, 1)]
    assert aligned.predicted_labels.to_list() == ["early", "late"]


def test_order_of_rows_does_not_matter() -> None:
    predicted = pl.DataFrame({"id": ["a", "b", "c"], "entity": [1, 2, 2]})
    assert evaluate(predicted, TRUTH).figures == evaluate(predicted.reverse(), TRUTH).figures
