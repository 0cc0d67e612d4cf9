"""The benchmark of the metrics runs, and its generated data are what it says."""

from __future__ import annotations

from samehand.bench import Options
from samehand.bench.evaluate import generate, run


def test_quick_run_gives_rows_under_the_agreed_names() -> None:
    rows = list(run(Options(quick=True)))
    assert [(row["bench"], row["set"], row["method"]) for row in rows] == [
        ("evaluate", "100k", "figures"),
        ("evaluate", "100k", "figures-intervals"),
    ]
    assert all(row["mentions"] == 100_000 and row["seconds"] > 0 for row in rows)
    assert 0.5 < rows[0]["b3_f1"] == rows[1]["b3_f1"] < 1


def test_generated_tables_are_reproducible_and_name_the_same_mentions() -> None:
    predicted, truth = generate(2000, seed=4)
    assert predicted.equals(generate(2000, seed=4)[0])
    assert set(predicted["id"]) == set(truth["id"])
    assert truth["id"].n_unique() == truth.height == 2000
