"""Carrying a proposal out: the forest changes as a move says."""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.trees.forest import attach, detach, dissolve, lift, root_of
from samehand.models.trees.layout import PARENT, Floats, Ints, Longs
from samehand.models.trees.proposals import ATTRIBUTE, COLLAPSE, ENTITY_LEFT, GROUP, LEFT_COLLAPSE, SPLIT, UP


@kernel
def roomy_pool(pool: Longs, needed: int) -> Longs:
    """The pool itself, or a larger copy if it is shorter than needed."""
    if needed <= pool.shape[0]:
        return pool
    larger = np.zeros(needed + needed // 4, np.int64)
    larger[: pool.shape[0]] = pool
    return larger


@bare
def carry_out(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, attributes: Ints, existing: Ints, free: Ints, counters: Longs, field: Ints, moved: Ints,
    size: int, dense: Ints, figures: Floats, products: Floats, fresh: Ints, sampled: Ints, move: int, i: int, j: int,
    which: int,
) -> None:  # fmt: skip
    """Change the forest as a move says; the bag of j is spread, and the pool has room."""
    target = i
    if move == COLLAPSE:
        dissolve(
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, i
        )
        return
    if move == ATTRIBUTE:
        attributes[i, which] = sampled[0]
        return
    if move == GROUP:
        # Before j leaves its parent, which would otherwise be left with one child and go.
        target = lift(
            leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters, fresh,
            i, size,
        )  # fmt: skip
    if links[j, PARENT] >= 0:
        detach(
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, moved, size,
            dense, figures, products, j,
        )  # fmt: skip
    if move == SPLIT:
        return
    if move != GROUP:
        target = root_of(links, i) if move == ENTITY_LEFT else i
    if move == UP:
        target = lift(
            leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters, fresh,
            i, size,
        )  # fmt: skip
    attach(
        leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size, dense, figures,
        products, j, target,
    )  # fmt: skip
    if move == LEFT_COLLAPSE:
        dissolve(
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, j
        )
