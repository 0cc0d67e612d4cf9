"""A heap of scored pairs in flat arrays, the greatest score first; equal scores in the order of their pairs.

An entry's pair is (a, b, growth of a, growth of b): whoever takes it sees whether the nodes have grown since.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.layout import Floats, Ints


@kernel
def roomy(scores: Floats, pairs: Ints, needed: int) -> tuple[Floats, Ints]:
    """The heap itself, or a larger copy if it has no room for so many entries."""
    if needed <= scores.shape[0]:
        return scores, pairs
    more_scores = np.empty(2 * needed)
    more_pairs = np.empty((2 * needed, 4), np.int32)
    more_scores[: scores.shape[0]] = scores
    more_pairs[: scores.shape[0]] = pairs
    return more_scores, more_pairs


@bare
def goes_before(score: float, a: int, b: int, other: float, other_a: int, other_b: int) -> bool:
    """Whether an entry is to be taken before another."""
    if score != other:
        return score > other
    return a < other_a or (a == other_a and b < other_b)


@bare
def move(scores: Floats, pairs: Ints, source: int, target: int) -> None:
    """Copy an entry to another place."""
    scores[target] = scores[source]
    for column in range(4):
        pairs[target, column] = pairs[source, column]


@bare
def push(
    scores: Floats, pairs: Ints, size: int, score: float, a: int, b: int, grown_a: int, grown_b: int
) -> int:
    """Add an entry to a heap that has room; returns its new size."""
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if not goes_before(score, a, b, scores[parent], pairs[parent, 0], pairs[parent, 1]):
            break
        move(scores, pairs, parent, place)
        place = parent
    scores[place] = score
    pairs[place, 0], pairs[place, 1], pairs[place, 2], pairs[place, 3] = a, b, grown_a, grown_b
    return size + 1


@bare
def pop(scores: Floats, pairs: Ints, size: int) -> int:
    """Take the first entry off a heap that is not empty; returns its new size."""
    last = size - 1
    score, a, b, grown_a, grown_b = (
        scores[last],
        pairs[last, 0],
        pairs[last, 1],
        pairs[last, 2],
        pairs[last, 3],
    )
    place = 0
    while True:
        child = 2 * place + 1
        if child >= last:
            break
        if child + 1 < last and goes_before(
            scores[child + 1],
            pairs[child + 1, 0],
            pairs[child + 1, 1],
            scores[child],
            pairs[child, 0],
            pairs[child, 1],
        ):
            child += 1
        if goes_before(score, a, b, scores[child], pairs[child, 0], pairs[child, 1]):
            break
        move(scores, pairs, child, place)
        place = child
    scores[place] = score
    pairs[place, 0], pairs[place, 1], pairs[place, 2], pairs[place, 3] = a, b, grown_a, grown_b
    return last
