"""The names that need a look: where the model itself expects most mistakes.

A mention belongs where it stands with its probability p; the expected number of wrongly placed mentions of a person, or
of all persons of one name, is the sum of 1 - p. Mentions without a probability say nothing, and are not counted.
"""

from __future__ import annotations

import polars as pl

from samehand.normalise.mentions import author_mentions
from samehand.publish.ballots import of_kind

WORTH_A_LOOK = 0.1
"""Fewer expected mistakes than this are not listed."""

PERSONS = pl.Schema({"entity": pl.String(), "expected": pl.Float64(), "mentions": pl.UInt32()})
NAMES = pl.Schema(
    {"name": pl.String(), "expected": pl.Float64(), "mentions": pl.UInt32(), "persons": pl.UInt32()}
)


def uncertain_persons(mentions: pl.DataFrame) -> pl.DataFrame:
    """Persons by expected number of wrongly placed mentions, most first; schema `PERSONS`.

    >>> from samehand.publish.example import mentions
    >>> uncertain_persons(mentions()).row(0)
    ('aada', 0.1, 2)
    """
    return _listed(_doubts(mentions).group_by("entity").agg(_expected(), mentions=pl.len()), PERSONS)


def uncertain_names(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Names (blocks of mentions that were compared) in the same order; schema `NAMES`.

    >>> from samehand.publish.example import mentions, references
    >>> uncertain_names(references(), mentions()).row(0)
    ('a lovelace', 0.1, 2, 1)
    """
    doubts = _doubts(mentions)
    if doubts.is_empty():
        return NAMES.to_frame()
    blocks = author_mentions(references).select("id", name=pl.coalesce("given_block", "block"))
    named = doubts.drop("name").join(blocks, on="id", maintain_order="left").group_by("name")
    return _listed(named.agg(_expected(), mentions=pl.len(), persons=pl.col("entity").n_unique()), NAMES)


def _doubts(mentions: pl.DataFrame) -> pl.DataFrame:
    """Author mentions whose probability is known."""
    return of_kind(mentions, "author").filter(pl.col("probability").is_not_nan())


def _expected() -> pl.Expr:
    return (1.0 - pl.col("probability")).sum().round(9).alias("expected")


def _listed(table: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    listed = table.filter(pl.col("expected") >= WORTH_A_LOOK)
    ordered = listed.sort("expected", "mentions", listed.columns[0], descending=[True, False, False])
    return ordered.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
