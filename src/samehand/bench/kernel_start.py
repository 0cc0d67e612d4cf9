"""A large person as one balanced tree, for `samehand bench kernel`: what a step costs there is asked, not how it came."""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.carrying import roomy_pool
from samehand.models.trees.forest import attach, evidence_fields, lift, room_needed, scores_of
from samehand.models.trees.layout import ATTRIBUTES, MOST_CHILDREN, POOL_USED, Floats, Ints, Longs


@kernel
def balanced(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    existing: Ints,
    free: Ints,
    counters: Longs,
    field: Ints,
    all_weights: Floats,
    structure: Floats,
    members: int,
) -> Longs:
    """Make the first `members` leaves one tree: level by level, every MOST_CHILDREN roots get a parent of no name.

    Returns the pool, which may have been replaced by a larger one.
    """
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    moved, dense = np.empty((2, field.shape[0]), np.int32), np.zeros(field.shape[0], np.int32)
    figures, products = np.empty((3, stats.shape[1], 4)), np.empty((3, weights.shape[0]))
    nameless = np.full((1, ATTRIBUTES), -1, np.int32)
    roots = np.arange(members).astype(np.int32)
    most = int(structure[MOST_CHILDREN])
    while roots.shape[0] > 1:
        for first in range(0, roots.shape[0] - 1, most):
            top = roots[first]
            for other in roots[first + 1 : first + most]:
                size = spread(places, pool, other, moved, dense)
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, top, size))
                if top == roots[first]:
                    top = lift(
                        leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                        nameless, top, size,
                    )  # fmt: skip
                    pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, top, size))
                attach(
                    leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size, dense,
                    figures, products, other, top,
                )  # fmt: skip
                unspread(moved, size, dense)
            roots[first] = top
        roots = roots[::most].copy()
    return pool
