"""Voting: the one way in which an entity gets one value out of the many its references give."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from samehand.normalise.tokens import fold_series


def vote(
    ballots: pl.DataFrame,
    value: str,
    *,
    key: str | None = None,
    looks: Sequence[str] = (),
    weight: Sequence[str] = (),
) -> pl.DataFrame:
    """One `value` per `entity`: that of the `key` with the most ballots; nulls do not vote.

    `ballots` has the columns `entity`, `row` (input order), `value`, the `key` under which spellings of one
    value count together (the value itself unless given), and those of `looks` and `weight`, of which larger
    is better. A tie between keys goes to the better looks, the heavier ballot, the earlier row; within the
    winning key the spelling is shown that has the better looks, is more frequent, has the heavier ballot,
    comes first.

    >>> ballots = pl.DataFrame({"entity": ["p", "p", "p"], "row": [0, 1, 2], "year": [1999, 2001, 2001]})
    >>> vote(ballots, "year").to_dicts()
    [{'entity': 'p', 'year': 2001}]
    """
    key = key or value
    merits = [*looks, *weight]
    spellings = (
        ballots.filter(pl.col(value).is_not_null())
        .group_by(list(dict.fromkeys(["entity", key, value])))
        .agg(pl.len().alias("_count"), pl.col("row").min(), *(pl.col(name).max() for name in merits))
        .with_columns(
            pl.col("_count").sum().over("entity", key).alias("_votes"),
            pl.col("row").min().over("entity", key).alias("_row"),
            *(pl.col(name).max().over("entity", key).alias(f"_{name}") for name in merits),
        )
    )
    best = ["_votes", *(f"_{name}" for name in merits)]
    order = ["entity", *best, "_row", *looks, "_count", *weight, "row"]
    ascending = {"entity", "_row", "row"}
    return (
        spellings.sort(order, descending=[name not in ascending for name in order])
        .unique("entity", keep="first", maintain_order=True)
        .select("entity", value)
    )


def spelling_key(texts: pl.Series) -> pl.Series:
    """The same key for texts that differ only in case, accents and punctuation.

    >>> spelling_key(pl.Series(["On Hands.", "ON HÄNDS"])).to_list()
    ['on hands', 'on hands']
    """
    return fold_series(texts).str.replace_all(r"[^a-z0-9]+", " ").str.strip_chars()


def tally(mentions: pl.DataFrame, name: str, limit: int, *, counts: bool) -> pl.DataFrame:
    """Per `entity`, the distinct values of `name` as a list, the most frequent first, at most `limit`.

    With `counts`, each stands as "name (count)".

    >>> table = pl.DataFrame({"entity": ["v", "v", "v"], "name": ["ICML", "Proc. ICML", "ICML"]})
    >>> tally(table, "name", 5, counts=True).to_dicts()
    [{'entity': 'v', 'name': ['ICML (2)', 'Proc. ICML (1)']}]
    """
    shown = pl.format("{} ({})", pl.col(name), pl.col("_count")) if counts else pl.col(name)
    return (
        mentions.filter(pl.col(name).is_not_null())
        .group_by("entity", name)
        .agg(pl.len().alias("_count"))
        .sort("entity", "_count", name, descending=[False, True, False])
        .with_columns(shown.alias(name))
        .group_by("entity", maintain_order=True)
        .agg(pl.col(name).head(limit))
    )
