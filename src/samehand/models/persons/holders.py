"""Which nodes hold a token: the inverted index that says what nodes share without comparing their bags pair by pair."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.kernels import bare, kernel
from samehand.models.persons.compare import shared_token
from samehand.models.persons.layout import EVIDENCE, LENGTH, START, Floats, Ints, Longs

Bools = npt.NDArray[np.bool_]


@kernel
def holders_of(nodes: Longs, pool: Ints, listed: Ints, vocabulary: int) -> tuple[Longs, Ints]:
    """Token t is held by the nodes listed[holders[0, starts[t] : starts[t + 1]]], ascending, so often as holders[1]
    says."""
    starts = np.zeros(vocabulary + 1, np.int64)
    for node in listed:
        for position in range(nodes[node, START], nodes[node, START] + nodes[node, LENGTH]):
            starts[pool[0, position] + 1] += 1
    for token in range(vocabulary):
        starts[token + 1] += starts[token]
    filled = starts[:-1].copy()
    holders = np.empty((2, starts[vocabulary]), np.int32)
    for place in range(listed.shape[0]):
        begin = nodes[listed[place], START]
        for position in range(begin, begin + nodes[listed[place], LENGTH]):
            token = pool[0, position]
            holders[0, filled[token]] = place
            holders[1, filled[token]] = pool[1, position]
            filled[token] += 1
    return starts, holders


@bare
def visit_holders(
    nodes: Longs,
    pool: Ints,
    field: Ints,
    base: Floats,
    starts: Longs,
    holders: Ints,
    node: int,
    place: int,
    most: int,
    sums: Floats,
    reached: Ints,
    seen: Bools,
) -> int:
    """Add to sums[p, field] what `node`, listed at `place`, shares with each node listed later at p (and, in the last
    column, their papers), through tokens that at most `most` hold.

    Returns how many of these it shares anything with: reached[:count], which are `seen`.
    """
    count = 0
    for position in range(nodes[node, START], nodes[node, START] + nodes[node, LENGTH]):
        token, c = pool[0, position], pool[1, position]
        f = field[token]
        if starts[token + 1] - starts[token] > most:
            continue
        once = shared_token(base[token], 1, 1) if c == 1 and f < EVIDENCE else 0.0
        for holder in range(starts[token + 1] - 1, starts[token] - 1, -1):
            other, d = holders[0, holder], holders[1, holder]
            if other <= place:
                break
            if not seen[other]:
                seen[other] = True
                reached[count] = other
                count += 1
            if f == EVIDENCE:
                sums[other, f] += c * d
            elif c == 1 and d == 1:
                sums[other, f] += once
            else:
                sums[other, f] += shared_token(base[token], max(c, d), min(c, d))
    return count


@bare
def reach_holders(
    nodes: Longs,
    pool: Ints,
    starts: Longs,
    holders: Ints,
    node: int,
    place: int,
    most: int,
    reached: Ints,
    seen: Bools,
) -> int:
    """How many nodes listed later than `node`, which is at `place`, share a token with it that at most `most` hold:
    reached[:count], which are `seen`."""
    count = 0
    for position in range(nodes[node, START], nodes[node, START] + nodes[node, LENGTH]):
        token = pool[0, position]
        if starts[token + 1] - starts[token] > most:
            continue
        for holder in range(starts[token + 1] - 1, starts[token] - 1, -1):
            other = holders[0, holder]
            if other <= place:
                break
            if not seen[other]:
                seen[other] = True
                reached[count] = other
                count += 1
    return count
