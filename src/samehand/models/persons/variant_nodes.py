"""The persons of the first stage, for the second: the bags, forms and years of their mentions added up.

Beside the evidence every mention has its paper as a token: two authors of one paper are not one person, in whatever
blocks they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.layout import EVIDENCE, Ints, Longs


class Tokens(NamedTuple):
    """The tokens of the mentions (evidence.py), and the number of each mention's paper (-1: not to be looked at)."""

    starts: Longs
    tokens: Ints
    counts: Ints
    field: Ints
    papers: Ints


class Groups(NamedTuple):
    """Group g is the mentions members[starts[g] : starts[g + 1]]."""

    starts: Longs
    members: Longs


@kernel
def summed(values: Ints, counts: Ints, pool: Ints, used: int) -> int:
    """Write distinct values, ascending, above the sums of their counts into a pool at `used`; returns where it ends."""
    end = used
    for place in np.argsort(values, kind="mergesort"):
        if end > used and pool[0, end - 1] == values[place]:
            pool[1, end - 1] += counts[place]
        else:
            pool[0, end], pool[1, end] = values[place], counts[place]
            end += 1
    return end


@bare
def gather(tokens: Tokens, members: Longs, values: Ints, counts: Ints) -> int:
    """Copy what is evidence, and the papers (numbered after all tokens), of some mentions; returns how many tokens."""
    size = 0
    for member in members:
        for position in range(tokens.starts[member], tokens.starts[member + 1]):
            if tokens.field[tokens.tokens[position]] < EVIDENCE:
                values[size], counts[size] = tokens.tokens[position], tokens.counts[position]
                size += 1
        if tokens.papers[member] >= 0:
            values[size], counts[size] = tokens.field.shape[0] + tokens.papers[member], 1
            size += 1
    return size


@kernel
def bags(tokens: Tokens, groups: Groups) -> tuple[Longs, Ints]:
    """The bag of each group of mentions: bag g is pool[:, starts[g] : starts[g + 1]]."""
    count = groups.starts.shape[0] - 1
    most, total = 0, 0
    for g in range(count):
        size = 0
        for member in groups.members[groups.starts[g] : groups.starts[g + 1]]:
            size += tokens.starts[member + 1] - tokens.starts[member] + 1
        most, total = max(most, size), total + size
    starts, pool = np.zeros(count + 1, np.int64), np.empty((2, total), np.int32)
    values, counts = np.empty(most, np.int32), np.empty(most, np.int32)
    for g in range(count):
        size = gather(tokens, groups.members[groups.starts[g] : groups.starts[g + 1]], values, counts)
        starts[g + 1] = summed(values[:size], counts[:size], pool, starts[g])
    return starts, pool[:, : starts[count]].copy()


@kernel
def form_bags(forms: Ints, groups: Groups) -> tuple[Longs, Ints]:
    """The forms of each group of mentions, with how many have each; laid out as `bags`."""
    count = groups.starts.shape[0] - 1
    starts, pool = np.zeros(count + 1, np.int64), np.empty((2, groups.members.shape[0]), np.int32)
    ones = np.ones(groups.members.shape[0], np.int32)
    for g in range(count):
        values = forms[groups.members[groups.starts[g] : groups.starts[g + 1]]]
        starts[g + 1] = summed(values, ones, pool, starts[g])
    return starts, pool[:, : starts[count]].copy()


@kernel
def years_of(groups: Groups, years: Ints) -> tuple[Longs, Longs]:
    """The first and the last year of each group of mentions; 0 where none is known."""
    count = groups.starts.shape[0] - 1
    first, last = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for g in range(count):
        for member in groups.members[groups.starts[g] : groups.starts[g + 1]]:
            if years[member] > 0:
                first[g] = years[member] if first[g] == 0 else min(first[g], years[member])
                last[g] = max(last[g], years[member])
    return first, last
