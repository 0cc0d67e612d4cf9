"""Gives every reference an identifier that is unique, and the same whenever the same input is read.

An identifier of the input's own is kept where it can be. Its repeat within a source gets "~2", "~3", ...;
where another source used it before, it becomes "source:id". A record without one is "source:key", or
"source:line". Whatever still collides gets "~2", ... until nothing does.
"""

from __future__ import annotations

import polars as pl


def identify(references: pl.DataFrame) -> pl.DataFrame:
    """The references with `id` filled in and unique, in the order given.

    >>> from samehand.records import Reference, references_frame
    >>> frame = references_frame([Reference(*place, id="x") for place in (("a", 1), ("a", 2), ("b", 1))])
    >>> identify(frame)["id"].to_list()
    ['x', 'x~2', 'b:x']
    """
    own = pl.col("id").is_not_null()
    first_source = pl.col("source").first().over("id")
    elsewhere = own & (pl.col("source") != first_source)
    place = pl.col("source") + ":"
    wanted = (
        pl.when(elsewhere)
        .then(place + pl.col("id"))
        .when(own)
        .then(pl.col("id"))
        .otherwise(place + pl.coalesce("key", pl.col("line").cast(pl.String)))
    )
    kept = own & pl.col("id").is_first_distinct()
    chosen = references.select(wanted.alias("id"), kept.alias("kept"))
    return references.with_columns(_unique(chosen))


def _unique(chosen: pl.DataFrame) -> pl.Series:
    """Numbers repeats until there are none; an identifier of the input's own has precedence.

    Every round leaves the first of each group alone and makes the others longer, so it comes to an end.
    """
    while chosen["id"].is_duplicated().any():
        later = (~pl.col("kept")).cast(pl.Int8)
        rank = later.rank("ordinal").over("id").cast(pl.Int64)
        repeated = pl.when(rank > 1).then(pl.col("id") + "~" + rank.cast(pl.String)).otherwise(pl.col("id"))
        chosen = chosen.with_columns(repeated.alias("id"))
    return chosen["id"]
