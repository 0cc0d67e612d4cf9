"""Looking for another place for a subtree in its own tree: it leaves, joins are looked at, and it may come back."""

from __future__ import annotations

from samehand.infer.random import State, uniform
from samehand.kernels import bare
from samehand.models.trees.deltas import sibling_of
from samehand.models.trees.forest import attach, detach, lift
from samehand.models.trees.layout import ATTRIBUTES, CHILDREN, PARENT, Floats, Ints, Longs
from samehand.models.trees.proposals import stands_below

REGRAFTED = 0.25
"""Share of the steps within one tree that look for another place for r_j in it."""


@bare
def to_be_regrafted(links: Ints, together: bool, i: int, j: int, random: State) -> bool:
    """Whether this step looks for another place for j in its tree, near i."""
    if not together or uniform(random) >= REGRAFTED:
        return False
    return links[j, PARENT] >= 0 and not stands_below(links, i, j)


@bare
def take_out(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, attributes: Ints, existing: Ints, free: Ints, counters: Longs, field: Ints, moved: Ints,
    size: int, dense: Ints, figures: Floats, products: Floats, former: Ints, j: int,
) -> tuple[int, int]:  # fmt: skip
    """Make j a root; returns its parent, and its only sibling (else -1), in whose favour the parent is gone.

    `former[0]` keeps the names of a parent that is gone.
    """
    parent, sibling = links[j, PARENT], -1
    if links[parent, CHILDREN] == 2:
        sibling = sibling_of(links, j)
        for name in range(ATTRIBUTES):
            former[0, name] = attributes[parent, name]
    detach(
        leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, moved, size, dense,
        figures, products, j,
    )  # fmt: skip
    return parent, sibling


@bare
def put_back(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, attributes: Ints, existing: Ints, free: Ints, counters: Longs, field: Ints, moved: Ints,
    size: int, dense: Ints, figures: Floats, products: Floats, former: Ints, parent: int, sibling: int, j: int,
) -> None:  # fmt: skip
    """Undo a split: j goes back under its parent, or, if that is gone, under a new one above its only sibling."""
    if sibling >= 0:
        parent = lift(
            leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters, former,
            sibling, size,
        )  # fmt: skip
    attach(
        leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size, dense, figures,
        products, j, parent,
    )  # fmt: skip
