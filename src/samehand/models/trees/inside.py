"""What changes in the score when a tree changes inside: a node collapses, two siblings are grouped, a name changes."""

from __future__ import annotations

from samehand.kernels import bare
from samehand.models.trees.bags import changed_stats
from samehand.models.trees.deltas import pair_now, unit_now, unit_with
from samehand.models.trees.factors import agreement, pair_of_attributes, pair_of_bags, unit
from samehand.models.trees.joining import handing_over, joining
from samehand.models.trees.layout import CHILDREN, FIRST, NEXT, PARENT, Floats, Ints, Longs


@bare
def collapsing(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    initial: Ints, field: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, products: Floats,
    node: int,
) -> float:  # fmt: skip
    """Change when an inner node that is no root gives its children to its parent and is no more."""
    parent = links[node, PARENT]
    top = links[parent, PARENT] < 0
    children = links[parent, CHILDREN]
    delta = -pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, node)
    delta -= unit_now(links, stats, naming, scores, structure, node, False)
    delta += unit_with(stats, naming, scores, structure, parent, top, children + links[node, CHILDREN] - 1)
    delta -= unit_with(stats, naming, scores, structure, parent, top, children)
    return delta + handing_over(
        leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores, structure,
        stats, parent, products, node, parent, True,
    )  # fmt: skip


@bare
def grouping(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, fresh: Ints, i: int, j: int,
) -> float:  # fmt: skip
    """Change when a new node with names `fresh[0]` comes between siblings i, j (whose bag is spread) and their parent."""
    parent = links[i, PARENT]
    top = links[parent, PARENT] < 0
    spare = products.shape[0] - 1
    changed_stats(
        leaves, places, pool, field, stats, j, i, moved, size, dense, 1, figures, products, 0, weights.shape[0],
    )  # fmt: skip
    delta = unit(figures, 0, False, 2, weights, naming, structure)
    delta += unit_with(stats, naming, scores, structure, parent, top, links[parent, CHILDREN] - 1)
    delta -= unit_with(stats, naming, scores, structure, parent, top, links[parent, CHILDREN])
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, i)
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, j)
    for node in (i, j):
        delta += joining(
            links, stats, attributes, initial, weights, naming, scores, structure, figures, products, 0, fresh, 0,
            node,
        )  # fmt: skip
    for f in range(weights.shape[0]):
        products[spare, f] = dots[i, f] + dots[j, f]
    delta += pair_of_bags(figures, 0, stats, parent, products, spare, weights)
    return delta + pair_of_attributes(fresh, 0, attributes, parent, initial, structure)


@bare
def renaming(
    links: Ints, attributes: Ints, initial: Ints, structure: Floats, node: int, which: int, value: int
) -> float:
    """Change when one canonical name of an inner node becomes another value."""
    before = attributes[node, which]
    delta = 0.0
    child = links[node, FIRST]
    while child >= 0:
        delta += _swap(attributes[child, which], before, value, initial, structure)
        child = links[child, NEXT]
    parent = links[node, PARENT]
    if parent >= 0:
        delta += _swap(attributes[parent, which], before, value, initial, structure)
    return delta


@bare
def _swap(other: int, before: int, value: int, initial: Ints, structure: Floats) -> float:
    return agreement(value, other, initial, structure) - agreement(before, other, initial, structure)
