"""Blocks: which mentions may corefer at all.

Authors stand in blocks of first initial and last name (or in the block the input gives), venues under their
normalised string, papers in overlapping canopies of similar titles. Each comes with statistics a person can
look at: sizes, the largest, what was cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from samehand.block.canopies import Canopies, WordIndex, canopies, index_words
from samehand.records import Kind

BLOCKS = pl.Schema({"kind": pl.String, "block": pl.String, "size": pl.Int64, "note": pl.String})

WORDS_TO_COMPARE = 3
"""Titles of fewer words say too little to be compared by their words."""


@dataclass(frozen=True)
class Blocked:
    """A table of mentions of one kind, and its blocks.

    `index` and `canopies` are for papers: they speak of positions in `compared`, the distinct records long
    enough to compare, whose column `position` points into `mentions`.
    """

    kind: Kind
    mentions: pl.DataFrame
    references: pl.DataFrame  # schema records.REFERENCES: what else is said where a mention stands
    statistics: pl.DataFrame  # schema BLOCKS, the largest first
    compared: pl.DataFrame | None = None
    index: WordIndex | None = None
    canopies: Canopies | None = None


def block(kind: Kind, mentions: pl.DataFrame, references: pl.DataFrame) -> Blocked:
    """Divide the mentions of one kind into blocks."""
    if kind == "paper":
        return _block_papers(mentions, references)
    if kind == "author":
        mentions = mentions.with_columns(block=pl.coalesce("given_block", "block"))
    else:
        mentions = mentions.with_columns(block="key")
    sizes = mentions.group_by("block").agg(size=pl.len())
    return Blocked(kind, mentions, references, _statistics(kind, sizes))


def _block_papers(papers: pl.DataFrame, references: pl.DataFrame) -> Blocked:
    compared = (
        papers.with_row_index("position")
        .filter(pl.col("title_tokens").list.len() >= WORDS_TO_COMPARE)
        .unique(["title_key", "first_author", "year"], keep="first", maintain_order=True)
    )
    index = index_words(compared["title_tokens"])
    built = canopies(index)
    centres = compared["title_key"].gather(built.members[built.starts[:-1]])
    sizes = pl.DataFrame({"block": centres, "size": built.sizes})
    cut = built.cut.select(block="word", size="mentions")
    statistics = pl.concat(
        [_statistics("paper", sizes), _statistics("paper", cut, "word too common to bring candidates")]
    )
    return Blocked("paper", papers, references, statistics, compared, index, built)


def _statistics(kind: Kind, sizes: pl.DataFrame, note: str = "") -> pl.DataFrame:
    table = sizes.select(
        kind=pl.lit(kind), block="block", size=pl.col("size").cast(pl.Int64), note=pl.lit(note)
    )
    return table.sort("size", "block", descending=[True, False])
