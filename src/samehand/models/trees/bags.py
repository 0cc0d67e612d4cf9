"""Bags: sparse counts of tokens, for leaves as sorted arrays, for inner nodes as hash tables in one pool."""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import bare
from samehand.models.trees.layout import (
    DISTINCT,
    ENTROPIC,
    FREE_REGIONS,
    LENGTH,
    POOL_USED,
    SLOTS,
    SQUARES,
    START,
    TOTAL,
    Floats,
    Ints,
    Longs,
)

GRID = float(2**34)
SMALLEST_REGION = 8
TABLED = 1024
LOGS = np.array([0.0] + [math.log(count) for count in range(1, TABLED)])
"""Logarithms of small whole numbers: nearly all that the factors ask for."""
ENTROPICS = np.floor(np.arange(TABLED) * LOGS * GRID + 0.5) / GRID
"""x ln x of the same, rounded as `x_log_x` does."""


@bare
def log_of(count: float) -> float:
    """ln of a whole number of at least 1."""
    return LOGS[int(count)] if count < TABLED else math.log(count)


@bare
def x_log_x(count: float) -> float:
    """x ln x, rounded to a multiple of 2^-34 so that sums of it are exact; 0 for 0."""
    if count < TABLED:
        return ENTROPICS[int(count)]
    return math.floor(count * math.log(count) * GRID + 0.5) / GRID


@bare
def slot_of(pool: Longs, start: int, length: int, token: int) -> int:
    """The slot of a hash region that holds `token`, or the empty slot where it would go."""
    mask = length - 1
    mixed = (np.int64(token) * 2654435769) & 0xFFFFFFFF
    slot = (mixed ^ (mixed >> 15)) & mask
    while True:
        entry = pool[start + slot]
        if entry == 0 or (entry >> 32) == token + 1:
            return int(start + slot)
        slot = (slot + 1) & mask


@bare
def count_in_table(pool: Longs, start: int, length: int, token: int) -> int:
    """How often `token` stands in a hash region."""
    return pool[slot_of(pool, start, length, token)] & 0xFFFFFFFF


@bare
def take_region(pool: Longs, counters: Longs, needed: int) -> tuple[int, int]:
    """An empty region for `needed` tokens at a load of at most one half: its start and length.

    The caller has made sure that the pool has room.
    """
    power = 3
    length = SMALLEST_REGION
    while length < 2 * needed:
        length *= 2
        power += 1
    start = counters[FREE_REGIONS + power] - 1
    if start >= 0:
        counters[FREE_REGIONS + power] = pool[start]
    else:
        start = counters[POOL_USED]
        counters[POOL_USED] += length
    for slot in range(start, start + length):
        pool[slot] = 0
    return start, length


@bare
def return_region(pool: Longs, counters: Longs, start: int, length: int) -> None:
    """Put a region on the list of free ones of its length."""
    power = 0
    while (1 << power) < length:
        power += 1
    pool[start] = counters[FREE_REGIONS + power]
    counters[FREE_REGIONS + power] = start + 1


@bare
def room_for(needed: int) -> int:
    """An upper bound of what `take_region` takes for `needed` tokens."""
    return max(SMALLEST_REGION, 4 * needed)


@bare
def spread(places: Longs, pool: Longs, node: int, moved: Ints, dense: Ints) -> int:
    """Write a node's bag into `moved` (row 0 tokens, row 1 counts) and `dense`; returns its tokens.

    `dense[token]` is the count of the token in the bag, 0 for all others.
    """
    size = 0
    start, length = places[node, START], places[node, LENGTH]
    for slot in range(start, start + length):
        entry = pool[slot]
        count = entry & 0xFFFFFFFF
        if count > 0:
            token = (entry >> 32) - 1
            moved[0, size] = token
            moved[1, size] = count
            dense[token] = count
            size += 1
    return size


@bare
def unspread(moved: Ints, size: int, dense: Ints) -> None:
    """Clear `dense` again."""
    for i in range(size):
        dense[moved[0, i]] = 0


@bare
def product(
    leaves: int,
    places: Longs,
    pool: Longs,
    field: Ints,
    node: int,
    moved: Ints,
    size: int,
    dense: Ints,
    result: Floats,
    row: int,
) -> None:
    """`result[row, f]` = product of the spread bag with the bag of `node`, by field."""
    for f in range(result.shape[1]):
        result[row, f] = 0.0
    start, length = places[node, START], places[node, LENGTH]
    if node < leaves or length <= 2 * size:
        for slot in range(start, start + length):
            entry = pool[slot]
            token = (entry >> 32) - 1
            if token >= 0 and dense[token] > 0 and field[token] < result.shape[1]:
                result[row, field[token]] += float(dense[token]) * float(entry & 0xFFFFFFFF)
    else:
        for i in range(size):
            token = moved[0, i]
            if field[token] >= result.shape[1]:
                continue
            count = count_in_table(pool, start, length, token)
            if count > 0:
                result[row, field[token]] += float(moved[1, i]) * float(count)


@bare
def product_of_nodes(
    leaves: int,
    places: Longs,
    pool: Longs,
    field: Ints,
    node: int,
    ancestor: int,
    result: Floats,
    row: int,
) -> None:
    """`result[row]` = product of a node's bag with that of an inner node, neither of which is spread."""
    for f in range(result.shape[1]):
        result[row, f] = 0.0
    start, length = places[ancestor, START], places[ancestor, LENGTH]
    for slot in range(places[node, START], places[node, START] + places[node, LENGTH]):
        count = pool[slot] & 0xFFFFFFFF
        if count > 0:
            token = (pool[slot] >> 32) - 1
            if field[token] < result.shape[1]:
                result[row, field[token]] += float(count) * float(count_in_table(pool, start, length, token))


@bare
def _correct(
    figures: Floats, row: int, products: Floats, f: int, sign: int, here: float, there: float
) -> None:
    """Correct `figures[row, f]` for a token that stands `here` times in the node, `there` in the moved bag."""
    if f < products.shape[1]:
        products[row, f] += here * there
    if sign > 0:
        figures[row, f, DISTINCT] -= 1.0
        figures[row, f, SQUARES] += 2.0 * here * there
        figures[row, f, ENTROPIC] += x_log_x(here + there) - x_log_x(here) - x_log_x(there)
    else:
        left = here - there
        if left == 0.0:
            figures[row, f, DISTINCT] -= 1.0
        figures[row, f, TOTAL] -= there
        figures[row, f, SQUARES] += left * left - here * here
        figures[row, f, ENTROPIC] += x_log_x(left) - x_log_x(here)


@bare
def changed_stats(
    leaves: int,
    places: Longs,
    pool: Longs,
    field: Ints,
    stats: Floats,
    subtree: int,
    node: int,
    moved: Ints,
    size: int,
    dense: Ints,
    sign: int,
    figures: Floats,
    products: Floats,
    row: int,
    fields: int,
) -> None:
    """The figures of a node's bag with the bag of `subtree`, which is spread, added (1) or taken out (-1).

    They go to `figures[row]` for the first `fields` fields; `products[row]` becomes the product of the two bags as
    they are. Only shared tokens cost time.
    """
    for f in range(products.shape[1]):
        products[row, f] = 0.0
    for f in range(fields):
        for column in range(4):
            figures[row, f, column] = stats[node, f, column]
            if sign > 0:
                figures[row, f, column] += stats[subtree, f, column]
    start, length = places[node, START], places[node, LENGTH]
    if node < leaves or (length <= 2 * size and sign > 0):
        for slot in range(start, start + length):
            entry = pool[slot]
            token = (entry >> 32) - 1
            here = entry & 0xFFFFFFFF
            if here > 0 and dense[token] > 0 and field[token] < fields:
                _correct(figures, row, products, field[token], sign, float(here), float(dense[token]))
    else:
        for i in range(size):
            if field[moved[0, i]] >= fields:
                continue
            here = count_in_table(pool, start, length, moved[0, i])
            if here > 0:
                _correct(figures, row, products, field[moved[0, i]], sign, float(here), float(moved[1, i]))


@bare
def change_bag(
    links: Ints,
    places: Longs,
    pool: Longs,
    counters: Longs,
    node: int,
    moved: Ints,
    size: int,
    sign: int,
) -> None:
    """Add the moved bag to an inner node's table, or take it out; the table grows when it is half full."""
    if sign > 0 and 2 * (links[node, SLOTS] + size) > places[node, LENGTH]:
        _rehash(links, places, pool, counters, node, size)
    start, length = places[node, START], places[node, LENGTH]
    for i in range(size):
        slot = slot_of(pool, start, length, moved[0, i])
        if pool[slot] == 0:
            pool[slot] = (np.int64(moved[0, i]) + 1) << 32
            links[node, SLOTS] += 1
        pool[slot] += sign * moved[1, i]


@bare
def _rehash(links: Ints, places: Longs, pool: Longs, counters: Longs, node: int, more: int) -> None:
    """Move a table to a region with room for `more` tokens, leaving out tokens that count 0."""
    start, length = places[node, START], places[node, LENGTH]
    held = 0
    for slot in range(start, start + length):
        if pool[slot] & 0xFFFFFFFF > 0:
            held += 1
    fresh, room = take_region(pool, counters, held + more)
    for slot in range(start, start + length):
        entry = pool[slot]
        if entry & 0xFFFFFFFF > 0:
            pool[slot_of(pool, fresh, room, (entry >> 32) - 1)] = entry
    if length > 0:
        return_region(pool, counters, start, length)
    places[node, START] = fresh
    places[node, LENGTH] = room
    links[node, SLOTS] = held
