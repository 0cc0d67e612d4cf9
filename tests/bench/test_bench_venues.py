"""The venue paper's experiments on small invented and drawn sets."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from samehand.bench import Options, venue_pictures, venues
from samehand.bench.venue_pictures import METHODS, draw, rename_two
from samehand.bench.venues import Effort, drawn_mentions
from samehand.models.venues.simulate import simulate

SMALL = Effort(2, 4, 40, 40)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(venues, "QUICK", SMALL)
    monkeypatch.setattr(venue_pictures, "QUICK", SMALL)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one labelled set without titles, half of it labelled."""
    (tmp_path / "venues").mkdir()
    rows = simulate(30, 3, beta=5.0, words=20, seed=1)
    lines = "".join(json.dumps({"id": row[0], "venue": row[1]}) + "\n" for row in rows.iter_rows())
    (tmp_path / "venues" / "own.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    truth = rows.head(15).select("id", "cluster").write_csv()
    (tmp_path / "venues" / "own.truth.csv.gz").write_bytes(gzip.compress(truth.encode()))
    return tmp_path


def test_every_method_has_a_row_with_means_and_deviations():
    rows = list(venues.run(Options(quick=True, set="drawn")))
    assert [row["method"] for row in rows if row["method"] != "links"] == list(venues.METHODS[:-1])
    chains = next(row for row in rows if row["method"] == "dpvt-split-merge")
    assert 0.0 <= chains["b3_f1_low"] <= chains["b3_f1_high"] <= 1.0
    assert chains["b3_f1_deviation"] >= 0.0
    assert (chains["alpha"], chains["sweeps"]) == (0.1, SMALL.sweeps)
    spiked = next(row for row in rows if row["method"] == "dpvt-spiked")
    assert spiked["beta"] == 0.6 < chains["beta"]
    assert chains["seconds_per_1000_sweeps"] > 0.0


def test_a_set_without_titles_is_for_the_string_models_and_scored_where_labelled(data):
    rows = list(venues.run(Options(data=data, quick=True, set="own")))
    strings_only = {method for method in venues.METHODS if method.startswith(("str", "dpv-"))}
    assert {row["method"] for row in rows} - {"links"} == strings_only
    assert all(row["mentions"] == 15 for row in rows)


def test_one_method_of_one_set_is_the_same_for_the_same_seed():
    options = Options(quick=True, set="drawn", method="dpvsw-learned", seed=4)
    one, other = (next(venues.run(options)) for _ in range(2))
    assert {key: one[key] for key in one if "seconds" not in key} == {
        key: other[key] for key in other if "seconds" not in key
    }
    third = next(venues.run(replace(options, seed=5)))
    assert third["b3_f1"] != one["b3_f1"]


def test_the_pictures_have_rows_and_are_drawn(tmp_path):
    rows = list(venue_pictures.run(Options(quick=True, set="drawn")))
    assert {row["method"] for row in rows} == set(METHODS)
    samplers = {row["sampler"] for row in rows if row["method"] == "sweeps"}
    assert samplers == {"almost-gibbs", "split-merge", "split-merge-alone"}
    draw(rows, tmp_path)
    for name in ("venues-sweeps.svg", "venues-sensitivity.svg"):
        svg = (tmp_path / name).read_text()
        assert svg.startswith("<svg")
        assert "b3 F1" in svg


def test_two_venues_are_renamed_and_some_mentions_keep_the_full_name():
    drawn = simulate(60, 3, beta=5.0, words=20, seed=1)
    references = drawn_mentions(drawn).references
    renamed, two = rename_two(references, drawn.select("id", "cluster"))
    assert two["cluster"].n_unique() == 2
    inside = renamed.join(two, on="id")
    shares = inside.group_by("cluster").agg(share=(pl.col("venue") == venue_pictures.RENAMED).mean())["share"]
    assert shares.is_between(0.65, 0.8).all()
    outside = renamed.join(two, on="id", how="anti")
    assert not (outside["venue"] == venue_pictures.RENAMED).any()
