"""A whole library behind one open block: what any two of its authors are compared against, made once for many."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from samehand.block import block
from samehand.models.persons.sheets import make_sheet
from samehand.models.persons.statistics import Statistics
from samehand.models.persons.work import sort_sheet, statistics_of
from samehand.normalise.mentions import author_mentions


@dataclass(frozen=True)
class Backdrop:
    """The references of a library, its author mentions with their blocks, and the statistics of all of them."""

    references: pl.DataFrame
    mentions: pl.DataFrame
    whole: Statistics

    @staticmethod
    def of(references: pl.DataFrame) -> Backdrop:
        """The backdrop of these references; decisions are no part of it."""
        mentions = block("author", author_mentions(references), references).mentions
        sheet = make_sheet(mentions, references)
        whole, _ = statistics_of(sheet, sort_sheet(sheet))
        return Backdrop(references, mentions, whole)

    def blocks(self, keys: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The mentions of some blocks, and their references."""
        mentions = self.mentions.filter(pl.col("block").is_in(keys.implode()))
        return mentions, self.references.filter(pl.col("id").is_in(mentions["reference"].implode()))
