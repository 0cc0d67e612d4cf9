"""The works that appear at venues, as the items of the link model share them.

The work of a mention is its paper, by its title and year: the report and the article of one title appear at different
venues, in different years. Where the string is all there is, the editions that its numbers name
stand in: "25th Symposium" and "Symposium '93" are works 25 and 93.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.models.venues.links_strings import Floats, Longs, Words

TELLING_TITLE = 3
"""Titles of fewer words ("Preface") name no work."""

MOST_HOLDERS = 50
"""A title under more strings than this ("Conference on hands, the programme") names no work."""


class Works(NamedTuple):
    """See `links_forest.Links`, which has these fields."""

    mentions: Floats
    own_works: Floats
    work_starts: Longs
    works: Longs
    holder_starts: Longs
    holders: Longs


def titles_of(mentions: pl.DataFrame, string: Longs) -> pl.DataFrame:
    """The titles that name works: columns `mention`, `string`, `work`.

    >>> table = pl.DataFrame({"title_key": ["on the hand", "preface", ""], "year": [1990, 1990, None]})
    >>> titles_of(table, np.array([7, 7, 8])).rows()
    [(0, 7, 'on the hand|1990')]
    """
    title = pl.col("title_key")
    version = pl.concat_str(title, pl.col("year").cast(pl.String), separator="|", ignore_nulls=True)
    found = (
        mentions.select(work=version, words=title.str.count_matches(" ") + 1)
        .with_row_index("mention")
        .with_columns(string=pl.Series(string))
        .filter(pl.col("words") >= TELLING_TITLE)
    )
    holders = pl.col("string").n_unique().over("work")
    return found.filter(holders <= MOST_HOLDERS).select("mention", "string", "work")


def editions_of(written: list[Words]) -> pl.DataFrame:
    """The numbers that stand in for titles: columns `mention`, `work`.

    >>> editions_of([("soh",), ("#25", "soh", "#93")]).rows()
    [(1, '#25'), (1, '#93')]
    """
    rows = [
        (mention, word)
        for mention, words in enumerate(written)
        for word in dict.fromkeys(words)
        if word[0] == "#"
    ]
    return pl.DataFrame(rows, schema={"mention": pl.UInt32, "work": pl.String}, orient="row")


def sharing_pairs(titles: pl.DataFrame) -> Longs:
    """Pairs of strings under which one title appears, the lower number first; shape (n, 2)."""
    held = titles.select("string", "work").unique()
    pairs = held.join(held, on="work").filter(pl.col("string") < pl.col("string_right"))
    return pairs.select("string", "string_right").unique().sort("string", "string_right").to_numpy()


def lay_out_works(works: pl.DataFrame, item: Longs, count: int) -> Works:
    """The works (columns `mention`, `work`) of `count` items as arrays; `item[m]` is that of mention m."""
    placed = works.select(
        item=pl.Series(item[works["mention"].to_numpy()], dtype=pl.Int64), work=pl.col("work").rank("dense")
    )
    held = placed.group_by("item", "work").agg(times=pl.len()).sort("item", "work")
    held = held.with_columns(holders=pl.len().over("work"))
    mentions, own = np.zeros(count), np.zeros(count)
    items = held["item"].to_numpy()
    np.add.at(mentions, items, held["times"].to_numpy())
    np.add.at(own, items, (held["holders"] == 1).to_numpy())
    common = held.filter(pl.col("holders") > 1).with_columns(pl.col("work").rank("dense").cast(pl.Int64) - 1)
    by_work = common.sort("work", "item")
    kinds = common["work"].n_unique()
    return Works(
        mentions,
        own,
        _starts(common["item"], count),
        common["work"].to_numpy().astype(np.int64),
        _starts(by_work["work"], kinds),
        by_work["item"].to_numpy().astype(np.int64),
    )


def _starts(sorted_numbers: pl.Series, count: int) -> Longs:
    """Where each of the numbers 0 .. count - 1 starts in a sorted column, and its length at the end."""
    return np.searchsorted(sorted_numbers.to_numpy(), np.arange(count + 1)).astype(np.int64)
