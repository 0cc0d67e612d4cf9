"""Whom an author wrote with: the keys ("j smith") of the other authors of the same reference.

In scope `reference` these are the authors in all other places. In scope `author` dirty data may list the
author among his own co-authors: an entry with his key is dropped if it has the same first name or if one of
the two is only an initial. At most the first hundred are kept: a list of thousands says little about each of
its authors, and its pairs would fill the memory.
"""

from __future__ import annotations

import polars as pl

FIRST_COAUTHORS = 100


def coauthors(slots: pl.DataFrame) -> pl.DataFrame:
    """Columns row, slot, coauthors for every slot that is a mention and has co-authors.

    `slots` has one row for each author of each reference: row, slot, focus (null in scope `reference`),
    first, key.

    >>> slots = pl.DataFrame({"row": [0, 0], "slot": [0, 1], "focus": [None, None],
    ...     "first": ["ada", "jo"], "key": ["a dam", "j lee"]}, schema_overrides={"focus": pl.Int64})
    >>> coauthors(slots)["coauthors"].to_list()
    [['j lee'], ['a dam']]
    """
    is_author = pl.col("focus").is_not_null()
    return pl.concat([_of_every_slot(slots.filter(~is_author)), _of_focus(slots.filter(is_author))])


def _of_every_slot(slots: pl.DataFrame) -> pl.DataFrame:
    keys = slots.group_by("row").agg(keys=pl.col("key").head(FIRST_COAUTHORS + 1))
    place = pl.int_range(pl.len()).over("row")
    others = pl.concat_list(
        pl.col("keys").list.head(pl.col("place")), pl.col("keys").list.slice(pl.col("place") + 1)
    )
    return (
        slots.select("row", "slot", place=place)
        .join(keys, on="row", how="left", maintain_order="left")
        .select("row", "slot", coauthors=others.list.head(FIRST_COAUTHORS))
    )


def _of_focus(slots: pl.DataFrame) -> pl.DataFrame:
    is_focus = pl.col("slot") == pl.col("focus")
    focus = slots.filter(is_focus).select("row", own_first="first", own_key="key")
    is_initial = (pl.col("first").str.len_chars() < 2) | (pl.col("own_first").str.len_chars() < 2)
    is_self = (pl.col("key") == pl.col("own_key")) & (is_initial | (pl.col("first") == pl.col("own_first")))
    return (
        slots.filter(~is_focus)
        .join(focus, on="row", maintain_order="left")
        .filter(~is_self)
        .group_by("row", maintain_order=True)
        .agg(slot=pl.col("focus").first(), coauthors=pl.col("key").head(FIRST_COAUTHORS))
    )
