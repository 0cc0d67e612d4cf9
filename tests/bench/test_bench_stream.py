"""The stream benchmark on an invented set of the right shape, and on the real one where it is at hand."""

from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import numpy as np
import pytest

from samehand.bench import Options
from samehand.bench.stream import METHODS, NAMES, load_library, run
from samehand.bench.stream_figures import Curator
from samehand.bench.stream_pictures import draw
from samehand.errors import UsageError


@pytest.fixture(scope="module")
def invented(tmp_path_factory) -> Path:
    """25 names, each of four persons with co-authors and words of their own; the last two appear late."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "authors").mkdir()
    chance = random.Random(1)
    rows, truth = [], ["id,cluster"]
    for name in NAMES:
        for number in range(24):
            person = chance.randrange(2) if number < 14 else chance.randrange(4)
            key = f"{name}-{number}".replace(" ", "-")
            friends = [f"Fay{chance.randrange(3)} Friend{NAMES.index(name)}of{person}" for _ in range(2)]
            words = [f"topic{NAMES.index(name) % 7}of{person}n{chance.randrange(9)}" for _ in range(5)]
            rows.append(
                {"id": key, "name": name, "title": " ".join(words), "year": 1990 + number // 2,
                 "coauthors": sorted(set(friends)), "venue": f"venue {person}", "block": name}
            )  # fmt: skip
            truth.append(f"{key},{name}{person}")
    with gzip.open(folder / "authors/arnetminer.jsonl.gz", "wt") as records:
        records.write("\n".join(map(json.dumps, rows)))
    with gzip.open(folder / "authors/arnetminer.truth.csv.gz", "wt") as labels:
        labels.write("\n".join(truth))
    return folder


def rows_of(folder: Path, **wanted) -> list[dict]:
    return list(run(Options(data=folder, quick=True, **wanted)))


def test_a_method_has_a_row_for_each_name_and_one_of_means(invented):
    rows = rows_of(invented, set="T0=3", method="evidence")
    assert [row["set"] for row in rows] == [*(f"T0=3/{name}" for name in NAMES), "T0=3"]
    assert rows[-1]["mean_f1"] == pytest.approx(np.mean([row["mean_f1"] for row in rows[:-1]]))
    assert rows[-1]["mean_f1"] > 0.95
    assert rows[-1]["records"] == 6 * len(NAMES)
    assert {"mean_f1_lenient", "persons", "true_persons", "seconds_per_record", "runs"} <= set(rows[-1])


def test_random_methods_are_repeated_and_reproducible(invented, monkeypatch):
    monkeypatch.setattr("samehand.bench.stream.QUICK_RUNS", 2)
    first, again = (rows_of(invented, set="T0=2", method="particles")[-1] for _ in range(2))
    assert first["runs"] == 2
    assert first["mean_f1"] == again["mean_f1"]


def test_questions_stay_within_their_share_and_help(invented):
    asked = rows_of(invented, set="T0=3", method="evidence-ask-20")[0]
    assert asked["asked"] <= 0.2
    assert asked["mean_f1"] >= rows_of(invented, set="T0=3", method="evidence")[-1]["mean_f1"]


def test_every_method_of_the_issue_is_there():
    competitors = {"bernounaive-hac", "nnmf-svm-hac", "qian", "khabsa", "all-new", "most-coauthors"}
    assert competitors | {"gibbs", "particles", "particles-optimal", "evidence"} <= set(METHODS)


def test_a_curator_names_a_new_person_by_the_label_that_is_mostly_his(invented):
    name = load_library(invented).names(3)[0]
    known, truth = name.known, name.truth
    new = next(number for number, person in enumerate(truth) if person >= known)
    curator = Curator(name)
    assert curator.answer(np.empty(0, np.int64)) == (truth[0] if truth[0] < known else known)
    assert curator.answer(np.zeros(new, np.int64)) == known + new
    assert curator.asked == 2


def test_pictures_are_drawn_from_rows(invented, tmp_path):
    rows = [
        *rows_of(invented, set="figure-4"),
        *rows_of(invented, set="T0=2", method="most-coauthors"),
        {"set": "figure-2", "method": "gibbs", "features": "co-authors", "mean_f1": 0.5},
        {"set": "figure-3", "method": "gibbs", "parameter": "rank", "value": 5, "mean_f1": 0.5},
        {"set": "figure-5", "method": "particles", "asked": 0.5, "mean_f1": 0.5},
        {"set": "asking", "method": "margin", "years": 2, "asked": 0.5, "mean_f1": 0.9},
        {"set": "arnetminer-by-year", "method": "samehand-ask-5", "asked": 0.05, "b3_f1": 0.9},
        {"set": "arnetminer-over-time", "method": "no-repair", "year": 2000, "records": 9, "b3_f1": 0.9},
    ]
    written = draw(rows, tmp_path)
    assert len(written) == 8
    assert all(path.read_text(encoding="utf-8").startswith("<svg") for path in written)


def test_a_library_is_filled_year_by_year_and_questions_help(invented):
    rows = {
        method: rows_of(invented, set="arnetminer-by-year", method=method)[-1]
        for method in ("samehand-ask-0", "samehand-ask-20", "samehand-runs")
    }
    for method, row in rows.items():
        assert row["mentions"] == 24 * len(NAMES), method
        assert row["asked"] <= 0.2, method
    assert rows["samehand-ask-0"]["b3_f1"] > 0.9
    assert rows["samehand-ask-20"]["b3_f1"] >= rows["samehand-ask-0"]["b3_f1"]
    assert rows["samehand-ask-20"]["keys"] >= rows["samehand-ask-20"]["asked"] * 24 * len(NAMES)
    assert rows["samehand-ask-0"]["keys"] == 0


def test_the_library_over_time_has_a_row_every_fifth_year(invented):
    rows = rows_of(invented, set="arnetminer-over-time", method="no-repair")
    assert [row["year"] for row in rows] == [1990, 1995, 2000, 2001]
    assert [row["records"] for row in rows] == [2 * len(NAMES) * years for years in (1, 6, 11, 12)]


def test_missing_data_is_said_clearly(tmp_path):
    with pytest.raises(UsageError, match="arnetminer"):
        list(run(Options(data=tmp_path, set="T0=2", method="evidence")))


@pytest.mark.data
def test_real_figures():
    folder = os.environ.get("SAMEHAND_DATA")
    if not folder:
        pytest.skip("SAMEHAND_DATA names no folder of labelled sets")
    for years, trivial, reached in ((2, 0.845, 0.89), (3, 0.853, 0.88)):
        rows = rows_of(Path(folder), set=f"T0={years}", method="most-coauthors")
        assert rows[-1]["mean_f1"] == pytest.approx(trivial, abs=0.005)
        assert rows_of(Path(folder), set=f"T0={years}", method="evidence")[-1]["mean_f1"] >= reached
    kai = load_library(Path(folder)).names(2)[0]
    assert (kai.initial, len(kai.truth)) == (42, 24)
