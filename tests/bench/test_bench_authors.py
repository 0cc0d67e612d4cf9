"""Benchmarks of the author model: its steps are timed, its ingredients are features, its errors are counted."""

from __future__ import annotations

import polars as pl
import pytest

from samehand.bench.ablation import INGREDIENTS
from samehand.bench.author_errors import _kinds
from samehand.bench.author_sets import blocks_alike
from samehand.bench.author_speed import steps
from samehand.models.persons.layout import FEATURES


def test_blocks_alike_have_one_name_and_one_size() -> None:
    blocked = blocks_alike(40, 3, seed=0)
    assert blocked.mentions["name"].n_unique() == 1
    assert blocked.mentions.group_by("block").len()["len"].to_list() == [40] * 3


def test_every_step_is_timed() -> None:
    rows = list(steps("alike", blocks_alike(30, 2, seed=0), seed=0))
    assert [row["method"] for row in rows] == ["lay-out", "search", "posterior", "variants"]
    assert all(row["seconds"] > 0 and row["mentions"] == 60 for row in rows)
    shares = {row["method"]: row["share"] for row in rows}
    assert shares["lay-out"] + shares["posterior"] + shares["variants"] == pytest.approx(1.0)


def test_every_ingredient_left_out_is_a_feature() -> None:
    for features in INGREDIENTS.values():
        assert set(features) <= set(FEATURES)


def test_wrong_parts_are_counted_by_kind() -> None:
    rows = [
        ("p", "1", "a lee", "ann", ["bo day"], 2001),
        ("p", "1", "a lee", "ann", ["bo day"], 2002),
        ("q", "1", "a lee", "ann", ["bo day"], 2003),  # split from p, though a co-author is shared
        ("p", "2", "a lee", "ann", ["cy fox"], 2004),  # mixed into p, with the same full first name
    ]
    table = pl.DataFrame(
        rows, schema=["person", "cluster", "block", "first", "coauthors", "year"], orient="row"
    ).with_columns(name=pl.lit("Ann Lee"), title=pl.lit("Hands"))
    found = _kinds(table).group_by("kind").agg(pl.col("size").sum()).sort("kind")
    assert found.rows() == [("mixed: same full first name", 1), ("split: though co-authors are shared", 1)]
