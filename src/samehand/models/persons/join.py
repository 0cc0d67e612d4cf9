"""Joining two nodes: their bags, forms, years and counts become one node's."""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.layout import (
    EVIDENCE,
    FIRST_YEAR,
    FORM_LENGTH,
    FORM_START,
    GROWN,
    LAST_YEAR,
    LENGTH,
    SIZE,
    START,
    TOTALS,
    Ints,
    Longs,
)


@bare
def merge_sorted(pool: Ints, a: int, a_end: int, b: int, b_end: int, used: int) -> int:
    """Write the sum of two sorted stretches of a pool at `used`; returns where it ends."""
    while a < a_end or b < b_end:
        if b == b_end or (a < a_end and pool[0, a] < pool[0, b]):
            pool[0, used], pool[1, used] = pool[0, a], pool[1, a]
            a += 1
        elif a == a_end or pool[0, b] < pool[0, a]:
            pool[0, used], pool[1, used] = pool[0, b], pool[1, b]
            b += 1
        else:
            pool[0, used], pool[1, used] = pool[0, a], pool[1, a] + pool[1, b]
            a += 1
            b += 1
        used += 1
    return used


@kernel
def compacted(
    nodes: Longs, alive: Ints, living: int, start: int, length: int, pool: Ints, needed: int
) -> tuple[Ints, int]:
    """A pool that holds only what the living nodes use (columns `start` and `length`), with room for `needed` more."""
    total = 0
    for i in range(living):
        total += nodes[alive[i], length]
    fresh = np.empty((2, 2 * (total + needed) + 64), np.int32)
    used = 0
    for i in range(living):
        begin, size = nodes[alive[i], start], nodes[alive[i], length]
        for k in range(size):
            fresh[0, used + k], fresh[1, used + k] = pool[0, begin + k], pool[1, begin + k]
        nodes[alive[i], start] = used
        used += size
    return fresh, used


@bare
def join(
    nodes: Longs, pool: Ints, used: int, form_pool: Ints, form_used: int, a: int, b: int, target: int
) -> tuple[int, int]:
    """Make node `target` (which may be a or b) of a and b; the pools have room. Returns where they are used up to."""
    end = merge_sorted(
        pool,
        nodes[a, START],
        nodes[a, START] + nodes[a, LENGTH],
        nodes[b, START],
        nodes[b, START] + nodes[b, LENGTH],
        used,
    )
    form_end = merge_sorted(
        form_pool, nodes[a, FORM_START], nodes[a, FORM_START] + nodes[a, FORM_LENGTH],
        nodes[b, FORM_START], nodes[b, FORM_START] + nodes[b, FORM_LENGTH], form_used,
    )  # fmt: skip
    first_a, first_b = nodes[a, FIRST_YEAR], nodes[b, FIRST_YEAR]
    known = min(first_a, first_b) if first_a > 0 and first_b > 0 else max(first_a, first_b)
    nodes[target, FIRST_YEAR] = known
    nodes[target, LAST_YEAR] = max(nodes[a, LAST_YEAR], nodes[b, LAST_YEAR])
    nodes[target, SIZE] = nodes[a, SIZE] + nodes[b, SIZE]
    nodes[target, GROWN] = nodes[a, GROWN] + nodes[b, GROWN] + 1
    for f in range(EVIDENCE):
        nodes[target, TOTALS + f] = nodes[a, TOTALS + f] + nodes[b, TOTALS + f]
    nodes[target, START], nodes[target, LENGTH] = used, end - used
    nodes[target, FORM_START], nodes[target, FORM_LENGTH] = form_used, form_end - form_used
    return end, form_end


@kernel
def unite(
    nodes: Longs,
    pool: Ints,
    used: int,
    form_pool: Ints,
    form_used: int,
    alive: Ints,
    place: Ints,
    living: int,
    a: int,
    b: int,
) -> tuple[Ints, int, Ints, int]:
    """Join node b to node a in pools that are renewed when they are full, and strike b off the first so many of `alive`
    that live (place[b] is where it stands there); returns the pools and how far they are used."""
    needed = nodes[a, LENGTH] + nodes[b, LENGTH]
    if used + needed > pool.shape[1]:
        pool, used = compacted(nodes, alive, living, START, LENGTH, pool, needed)
    needed = nodes[a, FORM_LENGTH] + nodes[b, FORM_LENGTH]
    if form_used + needed > form_pool.shape[1]:
        form_pool, form_used = compacted(nodes, alive, living, FORM_START, FORM_LENGTH, form_pool, needed)
    used, form_used = join(nodes, pool, used, form_pool, form_used, a, b, a)
    alive[place[b]] = alive[living - 1]
    place[alive[living - 1]] = place[b]
    return pool, used, form_pool, form_used
