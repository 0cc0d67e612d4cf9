"""The list of worst errors names the right clusters, sizes and losses."""

from __future__ import annotations

import orjson
import polars as pl

from samehand.evaluate import evaluate
from samehand.evaluate.mistakes import ERRORS, PIECES

IDS = list("abcdefg")
TRUTH = pl.DataFrame({"id": IDS, "cluster": ["x", "x", "x", "x", "y", "y", "z"]})
PREDICTED = pl.DataFrame(
    {
        "id": IDS,
        "entity": ["1", "1", "2", "3", "3", "3", "4"],
        "name": ["A. B.", "A. B.", "Ann B.", "C. D.", "C. D.", "Cy D.", "E. F."],
    }
)


def test_splits_and_merges_by_lost_pairs() -> None:
    rows = evaluate(PREDICTED, TRUTH).errors.select("error", "cluster", "size", "parts", "lost_pairs").rows()
    assert rows == [("split", "x", 4, 3, 5), ("merged", "3", 3, 2, 2)]


def test_pieces_are_largest_first_with_their_commonest_names() -> None:
    split, merged = evaluate(PREDICTED, TRUTH).errors.to_dicts()
    assert split["name"] == "A. B."
    assert split["pieces"] == [
        {"cluster": "1", "size": 2, "name": "A. B."},
        {"cluster": "2", "size": 1, "name": "Ann B."},
        {"cluster": "3", "size": 1, "name": "C. D."},
    ]
    assert merged["pieces"] == [
        {"cluster": "y", "size": 2, "name": "C. D."},
        {"cluster": "x", "size": 1, "name": "C. D."},
    ]


def test_without_names_they_are_null() -> None:
    errors = evaluate(PREDICTED.drop("name"), TRUTH).errors
    assert errors["name"].to_list() == [None, None]


def test_only_the_worst_are_kept_and_the_schema_always_holds() -> None:
    assert evaluate(PREDICTED, TRUTH, worst=1).errors["cluster"].to_list() == ["x"]
    assert evaluate(PREDICTED, TRUTH, worst=0).errors.schema == ERRORS
    perfect = evaluate(TRUTH, TRUTH).errors
    assert perfect.is_empty()
    assert perfect.schema == ERRORS


def test_a_shattered_cluster_lists_a_few_pieces_only() -> None:
    whole = TRUTH.with_columns(cluster=pl.lit("x"))
    [row] = evaluate(TRUTH.with_columns(cluster="id"), whole).errors.to_dicts()
    assert (row["parts"], len(row["pieces"]), row["lost_pairs"]) == (7, PIECES, 21)


def test_json_holds_figures_intervals_and_errors() -> None:
    found = evaluate(PREDICTED, TRUTH)
    content = orjson.loads(found.to_json())
    assert content["b3_f1"] == found.figures["b3_f1"]
    assert content["mentions"] == 7
    assert content["intervals"]["b3_f1"] == list(found.intervals["b3_f1"])
    assert content["errors"][0]["pieces"][0]["cluster"] == "1"
