"""What a table must be before a library takes it."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from samehand.errors import UsageError
from samehand.records import KINDS, Kind


def checked(frame: pl.DataFrame, schema: pl.Schema, what: str) -> pl.DataFrame:
    """The columns of the schema with its types, or a UsageError that says what is amiss."""
    missing = [name for name in schema if name not in frame.columns]
    if missing:
        raise UsageError(f"the table of {what} lacks the column {', '.join(missing)}")
    try:
        return frame.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
    except pl.exceptions.PolarsError as error:
        raise UsageError(f"the table of {what} has a column of a wrong type: {error}") from None


def check_complete(mentions: pl.DataFrame, clusterings: Mapping[Kind, pl.DataFrame]) -> None:
    """Every mention once, and in the clustering of its kind once; nothing else in a clustering."""
    if not clusterings:
        raise UsageError("a run has at least one clustering; there is none to save")
    unknown = set(clusterings) - set(KINDS)
    if unknown:
        raise UsageError(f"no kind is called {', '.join(sorted(unknown))}; there are: {', '.join(KINDS)}")
    if mentions["id"].n_unique() < mentions.height:
        twice = mentions.filter(~pl.col("id").is_first_distinct())["id"][0]
        raise UsageError(f"the mention {twice!r} stands twice in the table of mentions")
    for kind in mentions["kind"].unique().to_list():
        if kind not in clusterings:
            raise UsageError(f"there are mentions of kind {kind}, but no clustering of them")
    for kind, clustering in clusterings.items():
        expected = mentions.filter(pl.col("kind") == kind)["id"]
        found = clustering["mention"]
        same = expected.len() == found.len() == found.n_unique() and found.is_in(expected.implode()).all()
        if not same:
            raise UsageError(f"the clustering of kind {kind} does not hold each {kind} mention exactly once")
