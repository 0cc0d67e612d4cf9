"""The words citations are rendered from: `vocabulary.toml` (written by hand) and the census lists of names.

The lists of the package `names` hold, per line, a name, its share of the population in percent, the sum of shares so
far, and its rank.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, below, uniform


@cache
def vocabulary() -> Mapping[str, tuple[str, ...]]:
    """The lists of `vocabulary.toml` by name: of words, and of patterns, one a line.

    >>> vocabulary()["month"][0], vocabulary()["thesis"][0]
    ('January', 'PhD thesis')
    """
    text = (files(__package__) / "vocabulary.toml").read_text(encoding="utf-8")
    lists = tomllib.loads(text)
    words = {name: tuple(value.split()) for name, value in lists["words"].items()}
    return words | {name: tuple(value.strip().splitlines()) for name, value in lists["patterns"].items()}


class Census(NamedTuple):
    """Names in lower case, their shares of the population, and the running sums of the shares."""

    names: tuple[str, ...]
    shares: npt.NDArray[np.float64]
    sums: npt.NDArray[np.float64]


@cache
def census(*lists: str) -> Census:
    """The names of these lists of the 1990 US census ("all.last", "male.first", "female.first").

    >>> census("all.last").names[:2]
    ('smith', 'johnson')
    """
    found: dict[str, float] = {}
    for name in lists:
        for line in (files("names") / f"dist.{name}").read_text(encoding="ascii").splitlines():
            word, share = line.split()[:2]
            found[word.lower()] = found.get(word.lower(), 0.0) + float(share) + 1e-4
    shares = np.array(list(found.values()))
    shares /= shares.sum()
    return Census(tuple(found), shares, np.cumsum(shares))


def surnames() -> Census:
    """Last names."""
    return census("all.last")


def given_names() -> Census:
    """First names of women and men."""
    return census("male.first", "female.first")


def draw_name(random: State, lists: Census) -> str:
    """A name in proportion to its share, with a capital."""
    place = int(np.searchsorted(lists.sums, uniform(random)))
    return lists.names[min(place, len(lists.names) - 1)].capitalize()


def draw(random: State, entries: Sequence[str]) -> str:
    """One entry of a list, all equally likely."""
    return entries[below(random, len(entries))]
