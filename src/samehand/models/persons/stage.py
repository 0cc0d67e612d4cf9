"""The stage on which two authors of a library are compared: their block, opened, with the whole library behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from samehand.curate.constraints import Constraints, positions
from samehand.errors import UsageError
from samehand.infer.union import connected
from samehand.models.persons.backdrop import Backdrop
from samehand.models.persons.layout import Floats, Ints, Longs
from samehand.models.persons.opened import OpenBlock
from samehand.models.persons.shared_words import words_of
from samehand.models.persons.sheets import make_sheet
from samehand.models.persons.variant_keys import ALIGNED
from samehand.models.persons.variant_search import align_names
from samehand.models.persons.variants import relation
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work, joined_blocks, sort_sheet, work_of

if TYPE_CHECKING:
    from samehand.library import Library


class Stage:
    """Author mentions of a library (`ids`), named by their positions in the block that holds them all.

    Where they stand in several blocks, these are put together as if a curator had said "same".
    """

    def __init__(
        self, library: Library, weights: Weights, ids: list[str], backdrop: Backdrop | None = None
    ) -> None:
        behind = backdrop or Backdrop.of(library.references())
        decisions = library.decisions().filter(kind="author")
        self._authors, self._references = behind.blocks(_concerned(behind.mentions, decisions, ids))
        constraints = positions(decisions, self._authors["id"])
        rows = _rows(self._authors["id"], ids)
        work = _laid_out(self._authors, self._references, behind, _together(constraints, rows))
        place = np.argsort(work.row)
        number = int(np.searchsorted(work.starts, place[rows[0]], side="right")) - 1
        part = work.block(number)
        self._work, self._start = work, part.start
        self.key = work.keys[number]
        self.compared = _one_block(self._authors["block"], constraints, rows)
        self.same, self.apart = (
            _inside(place[pairs], part) for pairs in (constraints.same, constraints.different)
        )
        self.opened = OpenBlock(work, number, weights)
        self._positions = {
            id: int(place[row]) - part.start for id, row in zip(ids, rows.tolist(), strict=True)
        }

    def positions(self, ids: Sequence[str]) -> list[int]:
        """Where mentions stand in the block."""
        return [self._positions[id] for id in ids]

    def variant(self, left: Sequence[int], right: Sequence[int]) -> tuple[int, int] | None:
        """The kind of variant (a place in KINDS) that the names of two sides are, and a form.

        None if they have a block in common, so that no variant is needed to compare them, or are of no kind.
        """
        if self.compared or self._blocks(left) & self._blocks(right):
            return None
        sides = [
            self._rows_of(side)
            .select("first", "middle", "last", "literal")
            .with_columns(
                person=pl.lit(number, pl.Int64),
                block=pl.lit(number, pl.Int64),
                form=pl.Series(self._work.evidence.forms.of_mention[self._numbers(side)]),
            )
            for number, side in enumerate((left, right))
        ]
        names = pl.concat(sides).filter(~pl.col("literal")).drop("literal").unique(maintain_order=True)
        return relation(names)

    def features(self, left: Sequence[int], right: Sequence[int]) -> Floats:
        """The features of joining two sides; of variants that say how the first names relate, these count as equal."""
        found = self.opened.features(left, right)
        kind = self.variant(left, right)
        if kind is not None and ALIGNED[kind[0]]:
            forms = self._work.evidence.forms
            first = int(forms.words[kind[1], 0])
            align_names(found, float(forms.rarity[first]) if first >= 0 else 0.0)
        return found

    def are_compared(self, left: Sequence[int], right: Sequence[int]) -> bool:
        """Whether the model compares two sides: they have a block in common, or their names are variants."""
        near = self.compared or bool(self._blocks(left) & self._blocks(right))
        return near or self.variant(left, right) is not None

    def by_block(self, members: Sequence[int]) -> list[list[int]]:
        """The mentions by the blocks they were found in, the largest group first."""
        found: dict[str, list[int]] = {}
        for member, key in zip(members, self._rows_of(members)["block"], strict=True):
            found.setdefault(key, []).append(member)
        return sorted(found.values(), key=lambda group: (-len(group), group))

    def described(self, members: Sequence[int]) -> pl.DataFrame:
        """The mentions at these positions: id and name as written, first, middle and last as compared, year if known."""
        numbers = self._numbers(members)
        compared = self._work.names.select("first", "middle", "last")[self._work.name[numbers]]
        year = pl.Series("year", self._work.evidence.year[numbers]).replace(0, None)
        return self._rows_of(members).select("id", "name").hstack(compared).with_columns(year)

    def words(self, members: Sequence[int]) -> dict[int, str]:
        """The tokens of these mentions, as numbered in the evidence, in words."""
        own = self._rows_of(members)
        about = self._references.filter(pl.col("id").is_in(own["reference"].implode()))
        known, found = words_of(own, about), self._work.evidence
        numbers = self._numbers(members)
        tokens = np.unique(
            np.concatenate([found.tokens[found.starts[m] : found.starts[m + 1]] for m in numbers.tolist()])
        )
        hashes = found.vocabulary[tokens].tolist()
        return {
            token: known[hash] for token, hash in zip(tokens.tolist(), hashes, strict=True) if hash in known
        }

    def _blocks(self, members: Sequence[int]) -> set[str]:
        return set(self._rows_of(members)["block"])

    def _rows_of(self, members: Sequence[int]) -> pl.DataFrame:
        return self._authors[self._work.row[self._numbers(members)]]

    def _numbers(self, members: Sequence[int]) -> Longs:
        return np.asarray(members, np.int64) + np.int64(self._start)


def _concerned(mentions: pl.DataFrame, decisions: pl.DataFrame, ids: list[str]) -> pl.Series:
    """The blocks of these mentions, and those that a curator's "same" has put together with them."""
    named = pl.concat([pl.Series(ids, dtype=pl.String), decisions["left"], decisions["right"]]).unique()
    there = mentions.filter(pl.col("id").is_in(named.implode())).select("id", "block")
    group = joined_blocks(there["block"], positions(decisions, there["id"]))
    own = group.filter(there["id"].is_in(pl.Series(ids, dtype=pl.String).implode()))
    return there["block"].filter(group.is_in(own.implode())).unique()


def _laid_out(
    authors: pl.DataFrame, references: pl.DataFrame, behind: Backdrop, constraints: Constraints
) -> Work:
    """The work of a few blocks, with the whole library behind them."""
    block = joined_blocks(authors["block"], constraints)
    laid = sort_sheet(make_sheet(authors.with_columns(block=block), references))
    alike = laid.portraits(behind.whole.words, behind.whole.manner)
    return work_of(laid, alike, behind.whole, constraints)


def _rows(mentions: pl.Series, ids: list[str]) -> Longs:
    """The rows of these mentions; an error where the library has changed since they were resolved."""
    table = mentions.alias("id").to_frame().with_row_index("row")
    found = pl.DataFrame({"id": ids}).join(table, on="id", how="left", maintain_order="left")
    gone = found.filter(pl.col("row").is_null())["id"]
    if gone.len():
        raise UsageError(
            f"{gone[0]}: its reference has left the library since the last run; resolve the library again"
        )
    return found["row"].to_numpy().astype(np.int64)


def _one_block(block: pl.Series, constraints: Constraints, rows: Longs) -> bool:
    """Whether these rows stand in one block, or in several that a curator has put together."""
    number = block.rank("dense").cast(pl.Int64).to_numpy() - 1
    group = connected(int(number.max()) + 1, (), same=number[constraints.same])
    return len(np.unique(group[number[rows]])) == 1


def _together(constraints: Constraints, rows: Longs) -> Constraints:
    """The constraints, and all rows the same."""
    pairs = np.stack([np.full(len(rows), rows[0]), rows], axis=1)
    return Constraints(np.concatenate([constraints.same, pairs]), constraints.different)


def _inside(pairs: Longs, part: slice) -> Ints:
    """Pairs of mentions of one block, as positions within it."""
    inside = ((pairs >= part.start) & (pairs < part.stop)).all(axis=1)
    return np.asarray(pairs[inside] - part.start, np.int32)
