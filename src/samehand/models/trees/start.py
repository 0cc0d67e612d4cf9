"""The first forest of a block: every mention a tree of its own."""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.trees.bags import x_log_x
from samehand.models.trees.layout import (
    ATTRIBUTES,
    CHILDREN,
    COUNTERS,
    DISTINCT,
    ENTROPIC,
    EXISTING,
    HEIGHT,
    LEAVES,
    LENGTH,
    LINKS,
    POOL_USED,
    POSITION,
    SLOTS,
    SQUARES,
    START,
    TOTAL,
    Floats,
    Ints,
    Longs,
)

POOL_PER_ENTRY = 4


@kernel
def number_tokens(tokens: Ints) -> tuple[Ints, Ints]:
    """The distinct tokens of a block in ascending order, and each token's number among them."""
    ordered = np.sort(tokens)
    distinct = 0
    for i in range(ordered.shape[0]):
        if i == 0 or ordered[i] != ordered[i - 1]:
            ordered[distinct] = ordered[i]
            distinct += 1
    vocabulary = ordered[:distinct].copy()
    return vocabulary, np.searchsorted(vocabulary, tokens).astype(np.int32)


@kernel
def singletons(
    starts: Longs, tokens: Ints, counts: Ints, field: Ints, fields: int, names: Ints
) -> tuple[Ints, Longs, Longs, Floats, Floats, Ints, Ints, Ints, Longs]:
    """A forest in which every leaf is a root: links, places, pool, stats, dots, attributes, existing, free, counters.

    Leaf m has tokens[starts[m] : starts[m + 1]], ascending, each of the field `field[token]`; its canonical names
    are `names[m]`.
    """
    leaves = starts.shape[0] - 1
    nodes = 2 * leaves + 1
    entries = starts[leaves]
    links = np.full((nodes, LINKS), -1, np.int32)
    places = np.zeros((nodes, 2), np.int64)
    pool = np.zeros(POOL_PER_ENTRY * entries + 64, np.int64)
    stats = np.zeros((nodes, fields, 4))
    dots = np.zeros((nodes, fields))
    attributes = np.full((nodes, ATTRIBUTES), -1, np.int32)
    existing = np.empty(nodes, np.int32)
    free = np.empty(nodes, np.int32)
    counters = np.zeros(COUNTERS, np.int64)
    for leaf in range(leaves):
        for column in (CHILDREN, HEIGHT):
            links[leaf, column] = 0
        links[leaf, LEAVES] = 1
        links[leaf, SLOTS] = starts[leaf + 1] - starts[leaf]
        links[leaf, POSITION] = leaf
        existing[leaf] = leaf
        places[leaf, START] = starts[leaf]
        places[leaf, LENGTH] = starts[leaf + 1] - starts[leaf]
        attributes[leaf, :] = names[leaf, :]
        for position in range(starts[leaf], starts[leaf + 1]):
            count = float(counts[position])
            f = field[tokens[position]]
            pool[position] = ((np.int64(tokens[position]) + 1) << 32) | counts[position]
            stats[leaf, f, DISTINCT] += 1.0
            stats[leaf, f, TOTAL] += count
            stats[leaf, f, SQUARES] += count * count
            stats[leaf, f, ENTROPIC] += x_log_x(count)
    counters[EXISTING] = leaves
    counters[POOL_USED] = entries
    return links, places, pool, stats, dots, attributes, existing, free, counters
