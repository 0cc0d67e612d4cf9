"""What given names say in a block of first initials: "Ann Lee" is hardly Adam's paper, and may be A. Lee's.

Each person is a Dirichlet-multinomial over first names and one over middle names, with concentration CHANGES and the
share q of the record's name among the people of this block as base. Of the person's mentions whose name can be compared
with the record's, n, those that agree, c:

    factor = ln( (c + CHANGES q) / ((n + CHANGES) q) )

A name that agrees tells the more the rarer it is; one that contradicts costs the more the oftener it was written; the
initial that the whole block has says nothing. q mixes the first names of this block's persons with those of all people
of the same initial, OUTSIDE of them; in a block that the input gives (everybody has the same name) it is 1. For middle
names it is MIDDLE, about the share of one initial among all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from samehand.models.persons.nicknames import GROUPS

CHANGES = 0.05
"""How readily people change the given name they sign with: the weight of one mention in twenty."""
OUTSIDE = 5.0

MIDDLE = 0.08

AGREE, SILENT, CONTRADICT = 1, 0, -1


@lru_cache(maxsize=100_000)
def compare(left: str, right: str) -> tuple[int, int]:
    """Whether first and middle names of two folded given names agree, contradict each other, or leave it open.

    >>> compare("ann", "ann b"), compare("a b", "ann b"), compare("xiao-dong", "xiaodong"), compare("ann", "adam")
    ((1, 0), (0, 1), (1, 0), (-1, 0))
    """
    words, others = (name.replace("-", " ").split() for name in (left, right))
    if not words or not others:
        return SILENT, SILENT
    is_written = len(words[0]) > 1 and len(others[0]) > 1
    if is_written and "".join(words) == "".join(others):
        return AGREE, AGREE if len(words) > 1 and len(others) > 1 else SILENT
    first = _compare_words(words[0], others[0])
    if len(words) == 1 or len(others) == 1:
        return first, SILENT
    middle = _compare_words(words[1], others[1])
    return first, AGREE if middle == SILENT else middle


def _compare_words(one: str, other: str) -> int:
    short, long = sorted((one, other), key=len)
    if len(short) == 1:
        return SILENT if long.startswith(short) else CONTRADICT
    return AGREE if long.startswith(short) or _is_nickname(short, long) else CONTRADICT


def _is_nickname(one: str, other: str) -> bool:
    return bool(_groups().get(one, set()) & _groups().get(other, set()))


@cache
def _groups() -> dict[str, set[int]]:
    """The groups of given names used for one another that a name is in."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(GROUPS.split("\n")):
        for name in line.split():
            groups.setdefault(name, set()).add(number)
    return groups


def first_word(name: str) -> str:
    """The first given name where it is written out, else nothing.

    >>> first_word("ann b"), first_word("a b")
    ('ann', '')
    """
    word = name.replace("-", " ").split(" ")[0]
    return word if len(word) > 1 else ""


class GivenNames:
    """The given names of a block's persons, by the places of the persons.

    `at_large` is the share of a first name among all people with its initial; None where the input gives the block.

    >>> names = GivenNames(lambda first: 0.1)
    >>> names.learn(0, "ann"), names.learn(1, "adam")
    (None, None)
    >>> [round(factor, 1) for factor in names.factors("ann b", 2)]
    [1.5, -3.0]
    """

    def __init__(self, at_large: Callable[[str], float] | None) -> None:
        self._at_large = at_large
        self._written: dict[int, dict[str, int]] = {}

    def learn(self, place: int, name: str) -> None:
        """Count a mention of the person at a place."""
        names = self._written.setdefault(place, {})
        names[name] = names.get(name, 0) + 1

    def written(self, place: int) -> list[str]:
        """The names of the person at a place, each once."""
        return list(self._written.get(place, ()))

    def merge(self, gone: int, kept: int) -> None:
        """Give the mentions of one person to another."""
        for name, count in self._written.pop(gone, {}).items():
            names = self._written.setdefault(kept, {})
            names[name] = names.get(name, 0) + count

    def factors(self, name: str, places: int) -> list[float]:
        """The factor of each person for a record with this given name."""
        base = self._base(name)
        return [self._factor(name, base, self._written.get(place, {})) for place in range(places)]

    def _factor(self, name: str, base: float, names: Mapping[str, int]) -> float:
        agreeing, compared = [0, 0], [0, 0]
        for other, count in names.items():
            for part, found in enumerate(compare(name, other)):
                compared[part] += count if found != SILENT else 0
                agreeing[part] += count if found == AGREE else 0
        return sum(
            math.log((agreeing[part] + CHANGES * q) / ((compared[part] + CHANGES) * q))
            for part, q in enumerate((base, 1.0 if self._at_large is None else MIDDLE))
            if compared[part]
        )

    def _base(self, name: str) -> float:
        """q: how probable this first name is for a new person of the block."""
        first = first_word(name)
        if self._at_large is None or not first:
            return 1.0
        known = [names for names in self._written.values() if any(map(first_word, names))]
        agreeing = sum(any(compare(first, name)[0] == AGREE for name in names) for names in known)
        return (agreeing + OUTSIDE * self._at_large(first)) / (len(known) + OUTSIDE)
