"""A block made ready: its tokens and forms numbered from 0, its base measure, its mentions as nodes."""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.layout import (
    CONCENTRATION,
    EVIDENCE,
    FIRST_YEAR,
    FORM_LENGTH,
    FORM_START,
    GROWN,
    LAST_YEAR,
    LENGTH,
    NODE,
    SIZE,
    START,
    TOTALS,
    Floats,
    Ints,
    Longs,
)

UNSEEN = 0.3
"""Counts of the base measure begin here."""


@kernel
def number(values: Ints) -> tuple[Ints, Ints]:
    """The distinct values in ascending order, and each value's place among them."""
    ordered = np.sort(values)
    distinct = 0
    for i in range(ordered.shape[0]):
        if i == 0 or ordered[i] != ordered[i - 1]:
            ordered[distinct] = ordered[i]
            distinct += 1
    known = ordered[:distinct].copy()
    return known, np.searchsorted(known, values).astype(np.int32)


@kernel
def base_measure(
    vocabulary: Ints,
    own: Ints,
    counts: Ints,
    field: Ints,
    frequency: Longs,
    totals: Longs,
    distinct: Longs,
    shape: Floats,
) -> Floats:
    """a_f b_w of each token of the block: b_w = (frequency - the block's own + .3) / (total + .3 distinct)
    of its field."""
    held = np.zeros(vocabulary.shape[0], np.int64)
    for position in range(own.shape[0]):
        held[own[position]] += counts[position]
    base = np.ones(vocabulary.shape[0])
    for token in range(vocabulary.shape[0]):
        f = field[token]
        if f < EVIDENCE:
            elsewhere = frequency[vocabulary[token]] - held[token] + UNSEEN
            base[token] = shape[f, CONCENTRATION] * elsewhere / (totals[f] + UNSEEN * distinct[f])
    return base


@kernel
def rising_factorials(totals: Longs, shape: Floats) -> Floats:
    """ln G(a_f + n) / G(a_f) for every field f and n up to the largest of the totals."""
    rising = np.zeros((EVIDENCE, np.max(totals) + 1))
    for f in range(EVIDENCE):
        for n in range(1, totals[f] + 1):
            rising[f, n] = rising[f, n - 1] + math.log(shape[f, CONCENTRATION] + n - 1)
    return rising


@kernel
def single_nodes(starts: Longs, own: Ints, counts: Ints, field: Ints, years: Ints, room: int) -> Longs:
    """A node for each mention of the block, and empty rows up to `room`; bags lie in the order of the mentions."""
    nodes = np.zeros((room, NODE), np.int64)
    for m in range(starts.shape[0] - 1):
        nodes[m, START] = starts[m] - starts[0]
        nodes[m, LENGTH] = starts[m + 1] - starts[m]
        nodes[m, FORM_START] = m
        nodes[m, FORM_LENGTH] = 1
        nodes[m, SIZE] = 1
        nodes[m, FIRST_YEAR] = nodes[m, LAST_YEAR] = years[m]
        nodes[m, GROWN] = 0
        for position in range(nodes[m, START], nodes[m, START] + nodes[m, LENGTH]):
            if field[own[position]] < EVIDENCE:
                nodes[m, TOTALS + field[own[position]]] += counts[position]
    return nodes


@kernel
def first_pool(values: Ints, counts: Ints) -> Ints:
    """A pool that begins with these tokens and counts, and has as much room again."""
    pool = np.empty((2, 2 * values.shape[0] + 64), np.int32)
    pool[0, : values.shape[0]] = values
    pool[1, : values.shape[0]] = counts
    return pool
