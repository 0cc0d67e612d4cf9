"""What the author model itself doubts: joins it might not have made, and joins it nearly made, under all decisions.

The blocks in which the last run expects mistakes are opened again. Of every person, the joins that made it have a
probability each: a weak one may be a mistake (a split). Of any two persons of a block, the join that was not made has
one too: a likely one may be missing (a merge). Decisions made since bind the search, so that an answer changes what is
doubted next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from samehand.block import block
from samehand.curate.constraints import Constraints, positions
from samehand.models.persons.explain import last_weights
from samehand.models.persons.history import Joins, pieces
from samehand.models.persons.layout import Ints, Longs
from samehand.models.persons.opened import OpenBlock
from samehand.models.persons.work import lay_out
from samehand.normalise.mentions import author_mentions

if TYPE_CHECKING:
    from samehand.library import Library

MOST_BLOCKS = 200
MOST_PERSONS = 40
"""Of a block with more persons, the largest are compared with one another."""
SURE = 0.97
"""Joins at least so probable are not doubted; nor are joins not made, if at most 1 - SURE."""


@dataclass(frozen=True)
class Doubt:
    """Two groups of mentions, how probable it is that they are one person, and whether the model joins them."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    probability: float
    together: bool


@dataclass
class _Looked:
    """A block as the model divides it under some decisions (`mark`), and what was found doubtful in it so far.

    `missing` are joins between persons of more than `more_than` mentions.
    """

    mark: bytes
    apart: Ints
    joins: Joins
    weak: list[Doubt] | None = None
    missing: list[Doubt] | None = None
    more_than: float = 0.0


class Survey:
    """The doubtful blocks of a library, opened once; joins may be asked for again after every decision."""

    def __init__(self, library: Library) -> None:
        references = library.references()
        blocked = block("author", author_mentions(references), references)
        self._ids = blocked.mentions["id"]
        self._weights = last_weights(library)
        constraints = positions(_about_authors(library.decisions()), self._ids)
        self._work = lay_out(blocked, constraints)
        self._place: Longs = np.argsort(self._work.row)
        self._opened: dict[int, OpenBlock] = {}
        self._found: dict[int, _Looked] = {}
        self._named: tuple[int, list[str]] = (-1, [])
        self._blocks = self._doubtful(library.mentions("author")) if self._ids.len() else []

    def covers(self, decisions: pl.DataFrame) -> bool:
        """Whether no decision joins blocks that were apart when the survey was made."""
        blocks = self._block_of(positions(_about_authors(decisions), self._ids).same)
        return bool((blocks[:, 0] == blocks[:, 1]).all())

    def weak_joins(self, decisions: pl.DataFrame) -> Iterator[Doubt]:
        """The doubtful joins that the model makes under these decisions, block by block."""
        for number, looked in self._all(decisions):
            if looked.weak is None:
                looked.weak = list(self._weak(number, looked.joins))
            yield from looked.weak

    def missing_joins(self, decisions: pl.DataFrame, more_than: float = 0.0) -> Iterator[Doubt]:
        """Joins it nearly makes, between persons who have more than so many mentions each."""
        for number, looked in self._all(decisions):
            if looked.missing is None or more_than < looked.more_than:
                # With some in reserve: as questions are answered, smaller ones come to be asked.
                looked.more_than = more_than / 2
                looked.missing = list(self._missing(number, looked))
            yield from (one for one in looked.missing if min(len(one.left), len(one.right)) > more_than)

    def _all(self, decisions: pl.DataFrame) -> Iterator[tuple[int, _Looked]]:
        """The doubtful blocks as the model divides them under these decisions."""
        constraints = positions(_about_authors(decisions), self._ids)
        for number in self._blocks:
            same, apart = self._inside(number, constraints)
            mark = same.tobytes() + b"|" + apart.tobytes()
            if number not in self._found or self._found[number].mark != mark:
                self._found[number] = _Looked(mark, apart, self._open(number).search(same, apart))
            yield number, self._found[number]

    def _doubtful(self, mentions: pl.DataFrame) -> list[int]:
        """The blocks by expected mistakes in the last run, most first."""
        known = mentions.select("id", doubt=1.0 - pl.col("probability"))
        table = self._ids.alias("id").to_frame().join(known, on="id", how="left", maintain_order="left")
        doubt = table["doubt"].fill_null(0.0).fill_nan(0.0).to_numpy()
        blocks = np.searchsorted(self._work.starts, self._place, side="right") - 1
        expected = np.bincount(blocks, weights=doubt, minlength=len(self._work.keys))
        order = np.argsort(-expected, kind="stable")[:MOST_BLOCKS]
        return [int(number) for number in order if expected[number] > 1.0 - SURE]

    def _block_of(self, pairs: Longs) -> Longs:
        found: Longs = np.searchsorted(self._work.starts, self._place[pairs], side="right") - 1
        return found

    def _inside(self, number: int, constraints: Constraints) -> tuple[Ints, Ints]:
        """Decided pairs of a block, as positions within it."""
        part = self._work.block(number)
        found = []
        for pairs in (constraints.same, constraints.different):
            places = self._place[pairs]
            mine = places[((places >= part.start) & (places < part.stop)).all(axis=1)]
            found.append(np.asarray(mine - part.start, np.int32))
        return found[0], found[1]

    def _open(self, number: int) -> OpenBlock:
        if number not in self._opened:
            self._opened[number] = OpenBlock(self._work, number, self._weights)
        return self._opened[number]

    def _missing(self, number: int, looked: _Looked) -> Iterator[Doubt]:
        opened = self._open(number)
        persons = pieces(looked.joins, range(opened.size))[:MOST_PERSONS]
        for left, right in combinations(persons, 2):
            if min(len(left), len(right)) <= looked.more_than:
                continue
            probability = self._probability(opened.score(left, right))
            if probability > 1.0 - SURE and not _crossed(looked.apart, left, right):
                yield self._doubt(number, left, right, probability, together=False)

    def _weak(self, number: int, joins: Joins) -> Iterator[Doubt]:
        held = {member: [member] for member in range(len(joins.labels))}
        for (kept, gone), strength in zip(joins.nodes.tolist(), joins.strengths.tolist(), strict=True):
            left, right = held[kept], held.pop(gone)
            probability = self._probability(strength)
            if probability < SURE:
                yield self._doubt(number, sorted(left), sorted(right), probability, together=True)
            # The shorter list is the one that is copied: a person of many mentions is made one by one.
            long, short = (left, right) if len(left) >= len(right) else (right, left)
            long += short
            held[kept] = long

    def _probability(self, score: float) -> float:
        return float(1.0 / (1.0 + np.exp(-score / self._weights.temperature)))

    def _doubt(
        self, number: int, left: Sequence[int], right: Sequence[int], probability: float, *, together: bool
    ) -> Doubt:
        ids = self._ids_of(number)
        one, other = (tuple(ids[member] for member in side) for side in (left, right))
        return Doubt(one, other, probability, together)

    def _ids_of(self, number: int) -> list[str]:
        """The mentions of a block."""
        if self._named[0] != number:
            self._named = (number, self._work.mentions[self._work.block(number)].to_list())
        return self._named[1]


def _about_authors(decisions: pl.DataFrame) -> pl.DataFrame:
    return decisions.filter(kind="author")


def _crossed(pairs: Ints, left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether one of the pairs lies across two groups."""
    one, other = set(left), set(right)
    return any((a in one and b in other) or (a in other and b in one) for a, b in pairs.tolist())
