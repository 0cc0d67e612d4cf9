"""The paper rules of the baseline for a few papers, in plain Python: the same answer as models/baseline/papers.py,
without what it costs to set up tables (some 40 ms, however few papers there are)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from rapidfuzz import fuzz

from samehand.block import WORDS_TO_COMPARE
from samehand.block.canopies import LOOSE, TIGHT
from samehand.infer.union import connected
from samehand.models.baseline.papers import NEARLY_EQUAL_TITLES, SAME_IDENTIFIER_TITLES
from samehand.models.stream.keys import IDENTIFIERS
from samehand.models.stream.plain import last_name
from samehand.models.stream.plain_others import title_words

Edge = tuple[int, int]


@dataclass(frozen=True)
class Paper:
    """What the rules look at; `row` is a row of a table with schema `records.REFERENCES`."""

    row: Mapping[str, Any]
    words: list[str]
    title: str
    first_author: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Paper:
        """The paper of a reference."""
        words = title_words(row)
        author = last_name(row["authors"][0]) if row["authors"] else ""
        return cls(row, words, " ".join(words), author or None)

    @property
    def is_long(self) -> bool:
        """Whether the title says enough to be compared."""
        return len(self.words) >= WORDS_TO_COMPARE


def same_papers(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """A label for each reference: those with the same one are the same paper.

    >>> from samehand.records import Reference, references_frame
    >>> titles = ["On Left Hands", "On left hands.", "Feet of all kinds"]
    >>> same_papers(references_frame([Reference("a", 1, title=title) for title in titles]).to_dicts())
    [0, 0, 1]
    """
    papers = [Paper.of(row) for row in rows]
    edges = [*_by_identifier(papers), *_by_equal_record(papers), *_within_canopies(papers)]
    return [int(label) for label in connected(len(papers), edges)]


def _chain(keys: Iterable[tuple[int, Hashable | None]]) -> Iterator[Edge]:
    """Edges between neighbours with the same key; None is no key."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in keys:
        if key is not None:
            groups.setdefault(key, []).append(place)
    for places in groups.values():
        yield from pairwise(places)


def _by_identifier(papers: Sequence[Paper]) -> Iterator[Edge]:
    ordered = sorted(range(len(papers)), key=lambda place: papers[place].title)
    for name in IDENTIFIERS:
        for one, other in _chain((place, papers[place].row[name]) for place in ordered):
            titles = papers[one].title, papers[other].title
            if not all(titles) or fuzz.token_set_ratio(*titles) >= SAME_IDENTIFIER_TITLES:
                yield one, other


def _by_equal_record(papers: Sequence[Paper]) -> Iterator[Edge]:
    return _chain((place, _record_key(paper)) for place, paper in enumerate(papers))


def _record_key(paper: Paper) -> Hashable | None:
    """What equal records have in common; a short title needs author, year and pages."""
    year, pages = paper.row["year"], paper.row["pages"]
    if paper.is_long:
        return (paper.title, paper.first_author or "", year or 0, "")
    is_complete = paper.title and paper.first_author is not None and year is not None and pages is not None
    return (paper.title, paper.first_author, year, pages) if is_complete else None


def _within_canopies(papers: Sequence[Paper]) -> Iterator[Edge]:
    places = _distinct(papers)
    overlap = _Overlap([papers[place].words for place in places])
    for one, other in sorted({pair for canopy in _canopies(overlap) for pair in _pairs(canopy)}):
        pair = places[one], places[other]
        left, right = papers[pair[0]], papers[pair[1]]
        if _may_be_one_author(left, right) and overlap.of(one, other) >= TIGHT and _agree(left, right):
            yield pair


def _distinct(papers: Sequence[Paper]) -> list[int]:
    """The first of equal papers with titles long enough to compare."""
    found: dict[Hashable, int] = {}
    for place, paper in enumerate(papers):
        if paper.is_long:
            found.setdefault((paper.title, paper.first_author, paper.row["year"]), place)
    return list(found.values())


class _Overlap:
    """The weighted Jaccard index of block/canopies.py."""

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        self.words = [{*mine} for mine in words]
        frequency = Counter(word for mine in self.words for word in mine)
        self._weights = {word: math.log1p(len(words) / count) for word, count in frequency.items()}
        self._totals = [self._weight(mine) for mine in self.words]

    def of(self, one: int, other: int) -> float:
        shared = self._weight(self.words[one] & self.words[other])
        return shared / (self._totals[one] + self._totals[other] - shared)

    def _weight(self, words: Iterable[str]) -> float:
        return math.fsum(self._weights[word] for word in words)


def _canopies(overlap: _Overlap) -> Iterator[list[int]]:
    is_centre = [True] * len(overlap.words)
    for centre in range(len(is_centre)):
        if is_centre[centre]:
            near = {place: overlap.of(centre, place) for place in range(len(is_centre)) if place != centre}
            for place, found in near.items():
                is_centre[place] &= found < TIGHT
            yield [centre, *(place for place, found in near.items() if found >= LOOSE)]


def _pairs(canopy: Sequence[int]) -> Iterator[Edge]:
    yield from ((min(pair), max(pair)) for pair in combinations(canopy, 2))


def _may_be_one_author(left: Paper, right: Paper) -> bool:
    return left.first_author == right.first_author or None in (left.first_author, right.first_author)


def _agree(left: Paper, right: Paper) -> bool:
    """Two raw citations, or two records whose titles, their numbers and years agree (rule 3 of the baseline)."""
    citations = [paper.row["scope"] == "citation" for paper in (left, right)]
    if any(citations):
        return all(citations)
    if fuzz.ratio(left.title, right.title) < NEARLY_EQUAL_TITLES:
        return False
    years = [paper.row["year"] for paper in (left, right)]
    numbers, others = (re.findall(r"\b\d+\b", paper.title) for paper in (left, right))
    is_nameless = None in (left.first_author, right.first_author)
    return (
        (None in years or abs(years[0] - years[1]) <= 1)
        and numbers == others
        and (not is_nameless or left.title == right.title)
    )
