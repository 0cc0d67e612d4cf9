"""Learning the author model: gains are those of B-cubed, fits recover what made the data, training teaches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from persons_world import blocked, invented
from typer.testing import CliRunner

import samehand
from samehand.cli import app
from samehand.curate.constraints import NONE
from samehand.errors import UsageError
from samehand.evaluate import bcubed
from samehand.evaluate.contingency import contingency
from samehand.infer.run import Run
from samehand.models.persons import resolve_with
from samehand.models.persons.layout import BLOCK, EVIDENCE, FEATURES
from samehand.models.persons.learn import SIGNS, b3_f1, fit, learn, observe_set
from samehand.models.persons.observe import true_gain
from samehand.models.persons.train import cut_to_initials, labelled, train, train_on_decisions
from samehand.models.persons.weights import default, load
from samehand.records import Reference, references_frame, rejects_frame


def b3_sums(truth: np.ndarray, found: np.ndarray) -> float:
    """B-cubed precision and recall added up over mentions."""
    sums = bcubed.sums(contingency(truth, np.unique(found, return_inverse=True)[1]))
    return float(sums["precision"].sum() + sums["recall"].sum())


@given(st.lists(st.integers(0, 3), min_size=4, max_size=12), st.data())
def test_the_gain_of_a_join_is_the_change_of_b_cubed(truth: list[int], data: st.DataObject) -> None:
    found = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth))))
    persons, true = np.unique(truth, return_inverse=True)
    firsts = {label: int(np.flatnonzero(found == label)[0]) for label in np.unique(found)}
    parent = np.array([firsts[label] for label in found], np.int32)
    if len(firsts) < 2:
        return
    a, b = list(firsts.values())[:2]
    tally = np.zeros((len(persons), 2), np.int64)
    gain = true_gain(parent, true.astype(np.int64), np.bincount(true).astype(np.int64), tally, a, b)
    joined = np.where(parent == b, a, parent)
    assert gain == pytest.approx(b3_sums(true, joined) - b3_sums(true, parent), abs=1e-9)
    assert not tally.any()


def test_a_fit_recovers_the_weights_that_made_the_data() -> None:
    draw = np.random.default_rng(5)
    rows = draw.normal(size=(20_000, len(FEATURES)))
    true = np.where(SIGNS == 0, 0.5, SIGNS)
    right = (draw.random(len(rows)) < 1 / (1 + np.exp(-rows @ true))).astype(float)
    found = fit(rows, right, np.full(len(rows), 1 / len(rows)), np.zeros(len(FEATURES)), 1e-9)
    assert found == pytest.approx(true, abs=0.12)


def test_no_weight_gets_an_absurd_sign() -> None:
    draw = np.random.default_rng(6)
    rows = draw.normal(size=(2_000, len(FEATURES)))
    true = np.where(SIGNS == 0, 0.5, -SIGNS)
    right = (draw.random(len(rows)) < 1 / (1 + np.exp(-rows @ true))).astype(float)
    found = fit(rows, right, np.full(len(rows), 1 / len(rows)), np.zeros(len(FEATURES)))
    assert (found * SIGNS >= 0).all()


def two_lees(papers: int, surnames: tuple[str, ...] = ("Lee",)) -> tuple[list[Reference], pl.DataFrame]:
    """Two persons called J. Lee, who write about different things with different people, and the truth about them."""
    draw = np.random.default_rng(7)
    made, truth = [], []
    for surname in surnames:
        for number in range(papers):
            who = f"{surname} {number % 2}"
            title = " ".join(f"word{who[-1]}{surname}{i}" for i in draw.integers(0, 5, 3))
            others = [f"Ada {chr(65 + i)}aa{who[-1]}{surname}" for i in draw.choice(4, 2, replace=False)]
            authors = [f"J. {surname}", *others]
            made.append(
                Reference("a.bib", 1, id=f"{surname}{number}", title=title, authors=authors, year=2000)
            )
            truth.append({"id": f"{surname}{number}/author/1", "cluster": who})
    return made, pl.DataFrame(truth)


def test_learning_teaches() -> None:
    references, truth = two_lees(16, ("Lee", "Dam", "Fox", "Ito", "Eck", "Jay", "Kim", "Orr"))
    ignorant = replace(default(), features=np.zeros(len(FEATURES)))
    ignorant.features[BLOCK] = -1.0
    lesson = labelled(blocked(references), truth)
    before, after = b3_f1(lesson, ignorant), b3_f1(lesson, learn([lesson], ignorant))
    assert before < 0.5 < 0.9 < after


def test_features_left_out_get_no_weight() -> None:
    references, truth = two_lees(12)
    found = learn([labelled(blocked(references), truth)], default(), without=["title", "gap"])
    assert found.features[FEATURES.index("title")] == found.features[FEATURES.index("gap")] == 0.0


@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_what_is_observed_is_what_the_search_does(seed: int) -> None:
    work = labelled(blocked(invented(seed, 10)), None)
    truth = np.arange(len(work.truth)) % 3
    seen = observe_set(replace(work, truth=truth), default())
    plain = resolve_with(default(), blocked(invented(seed, 10)), NONE, Run(0, 1))
    again = pl.DataFrame({"mention": work.work.mentions, "label": seen.labels}).join(plain, on="mention")
    assert again.select(pl.struct("label", "cluster").n_unique()).item() == plain["cluster"].n_unique()
    assert seen.weight.sum() == pytest.approx(1.0) or len(seen.weight) == 0


def test_first_names_cut_to_initials_stand_in_blocks_of_initial_and_last_name() -> None:
    cut = cut_to_initials(
        blocked([Reference("a.bib", 1, id="a", authors=["Jo Ann Lee", "Jan van Dam"])])
    ).mentions
    assert cut.select("first", "middle", "block").rows() == [("j", "a", "j lee"), ("j", "", "j vandam")]


def test_training_from_files_and_using_the_weights(tmp_path) -> None:
    references, truth = two_lees(24)
    names = {r.id: " and ".join(r.authors) for r in references}
    (tmp_path / "a.bib").write_text(
        "".join(
            f"@article{{{r.id}, title={{{r.title}}}, author={{{names[r.id]}}}, year=2000}}\n"
            for r in references
        )
    )
    file = str(tmp_path / "a.bib")
    truth.with_columns(id=pl.lit(f"{file}:") + pl.col("id")).write_csv(tmp_path / "truth.csv")
    weights = tmp_path / "weights.toml"
    run = CliRunner().invoke(app, ["train", str(tmp_path / "truth.csv"), file, "-o", str(weights), "--quiet"])
    assert run.exit_code == 0, run.output
    load(weights)
    assert samehand.resolve(file, only="author", weights=weights).authors.height > 0


def test_training_on_decisions(tmp_path) -> None:
    references, _ = two_lees(12)
    records = samehand.Records(references_frame(references), rejects_frame([]))
    with samehand.Library(tmp_path / "my.library") as library:
        samehand.resolve(records, library=library, only="author")
        with pytest.raises(UsageError, match="nothing to learn from"):
            train_on_decisions(library)
        library.decide("different", "Lee0/author/1", "Lee1/author/1")
        library.decide("same", "Lee0/author/1", "Lee2/author/1")
        learned = train_on_decisions(library)
    assert learned.features.shape == default().features.shape
    assert (learned.features[:EVIDENCE] >= 0).all()


def test_truth_that_names_no_mention_is_refused() -> None:
    references, _ = two_lees(4)
    records = samehand.Records(references_frame(references), rejects_frame([]))
    with pytest.raises(UsageError, match="ids those of author mentions"):
        train(pl.DataFrame({"id": ["nobody"], "cluster": ["1"]}), records)
    with pytest.raises(UsageError, match="columns id and cluster"):
        train(pl.DataFrame({"name": ["nobody"]}), records)
