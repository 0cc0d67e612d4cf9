"""A toy grammar small enough to enumerate, and a plain enumeration of its readings: the oracle of the kernels.

Two styles, three labels (0 may begin with state 0 and go on to state 1; 1 is state 2 alone; 2 is states 3 and 4 in a
loop), two gaps, and words that are rows of an emission table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from samehand.models.citations.parsing.kernels import Tables

LABEL = np.array([0, 0, 1, 2, 2])
MOVES = [(0, 1), (3, 4), (4, 4), (4, 3)]
FIRST = np.array([True, True, True, True, False])
LAST = np.array([True, True, True, False, True])
GAPS, STYLES, EDGE = 2, 2, 3
WORDS = 3


def toy(seed: int) -> tuple[Tables, np.ndarray]:
    """Random proper tables, and p(word | state)."""
    random = np.random.default_rng(seed)
    pairs = [
        (one, other) for one in range(EDGE + 1) for other in range(EDGE + 1) if one != EDGE or other != EDGE
    ]
    pairs = [pair for pair in pairs if pair != (2, 0)]
    source_label, target_label = np.array(pairs).T
    leaving = random.uniform(0.2, 1.0, len(MOVES))
    stop = np.where(LAST, random.uniform(0.2, 1.0, len(LABEL)), 0.0)
    source, target = np.array(MOVES).T
    whole = stop + np.bincount(source, leaving, minlength=len(LABEL))
    start = np.where(FIRST, random.uniform(0.2, 1.0, len(LABEL)), 0.0)
    start /= np.bincount(LABEL, start)[LABEL]
    joints = random.uniform(0.1, 1.0, (GAPS, STYLES, len(pairs)))
    for label in range(EDGE + 1):
        joints[:, :, source_label == label] /= joints[:, :, source_label == label].sum(
            axis=(0, 2), keepdims=True
        )
    gaps = random.dirichlet(np.ones(GAPS), len(MOVES)).T
    tables = Tables(
        styles=random.dirichlet(np.ones(STYLES)),
        start=start,
        stop=stop / whole,
        moves=gaps * leaving / whole[source],
        joints=joints,
        label=LABEL,
        source=source,
        target=target,
        first_pair=np.searchsorted(source_label, np.arange(EDGE + 2)),
        target_label=target_label,
    )
    return tables, random.dirichlet(np.ones(WORDS), len(LABEL)).T


Reading = tuple[int, tuple[int, ...], tuple[int, ...]]


def readings_by_hand(
    tables: Tables, emission: np.ndarray, gap: np.ndarray
) -> Iterator[tuple[float, Reading]]:
    """The probability of every (style, states, beginnings) of a citation: no dynamic programming, no scaling."""
    words = len(emission)
    for style, states in product(range(STYLES), product(range(len(LABEL)), repeat=words)):
        for begins in product((0, 1), repeat=words - 1):
            chance = _by_hand(tables, emission, gap, style, states, (1, *begins))
            if chance > 0.0:
                yield chance, (style, states, (1, *begins))


def _by_hand(tables, emission, gap, style, states, begins) -> float:
    chance = (
        tables.styles[style] * _joint(tables, gap[0], style, EDGE, LABEL[states[0]]) * tables.start[states[0]]
    )
    for place, state in enumerate(states):
        chance *= emission[place, state]
        if place + 1 == len(states):
            return chance * tables.stop[state] * _joint(tables, gap[place + 1], style, LABEL[state], EDGE)
        following = states[place + 1]
        if begins[place + 1]:
            joint = _joint(tables, gap[place + 1], style, LABEL[state], LABEL[following])
            chance *= tables.stop[state] * joint * tables.start[following]
        else:
            moves = [m for m, move in enumerate(MOVES) if move == (state, following)]
            chance *= tables.moves[gap[place + 1], moves[0]] if moves else 0.0
    return math.nan


def _joint(tables: Tables, gap: int, style: int, one: int, other: int) -> float:
    for pair in range(tables.first_pair[one], tables.first_pair[one + 1]):
        if tables.target_label[pair] == other:
            return float(tables.joints[gap, style, pair])
    return 0.0
