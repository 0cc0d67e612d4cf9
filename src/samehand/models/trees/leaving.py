"""What changes in the score when a subtree leaves its tree."""

from __future__ import annotations

from samehand.kernels import bare
from samehand.models.trees.deltas import SIBLINGS, above, becomes_root, climb, pair_now, sibling_of, unit_now
from samehand.models.trees.factors import pair_of_attributes, unit
from samehand.models.trees.layout import CHILDREN, PARENT, Floats, Ints, Longs


@bare
def detaching(
    links: Ints, stats: Floats, dots: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats,
    scores: Floats, structure: Floats, figures: Floats, chain: Ints, changes: Floats, length: int, node: int,
) -> float:  # fmt: skip
    """Change of all factors outside `node` when it leaves its parent; `climb(..., start=parent, sign=-1)` came before.

    A parent left with one child is removed, and that child takes its place; its bag is what the parent's became.
    """
    parent = links[node, PARENT]
    top = length == 1
    delta = above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, node)
    delta -= unit_now(links, stats, naming, scores, structure, parent, top)
    if links[parent, CHILDREN] > 2:
        children = links[parent, CHILDREN] - 1
        return delta + changes[0, SIBLINGS] + unit(figures, 0, top, children, weights, naming, structure)
    left = sibling_of(links, node)
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, left)
    if top:
        return delta + becomes_root(links, stats, weights, naming, scores, structure, left)
    grand = chain[1]
    delta += pair_of_attributes(attributes, left, attributes, grand, initial, structure)
    return delta - pair_of_attributes(attributes, parent, attributes, grand, initial, structure)


@bare
def leaving(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, chain: Ints, changes: Floats, node: int,
) -> float:  # fmt: skip
    """Change of all factors outside a spread node when it leaves its tree; 0 for a root."""
    parent = links[node, PARENT]
    if parent < 0:
        return 0.0
    length = climb(
        leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures, products,
        chain, changes, node, parent, -1,
    )  # fmt: skip
    return detaching(
        links, stats, dots, attributes, initial, weights, naming, scores, structure, figures, chain, changes, length,
        node,
    )  # fmt: skip
