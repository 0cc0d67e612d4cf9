"""What changes in the score when a subtree joins another tree: under a node, under its root, beside it, or dissolved.

The subtree may stand in a tree of its own or leave another one (leaving.py says what that changes there).
"""

from __future__ import annotations

from samehand.kernels import bare
from samehand.models.trees.bags import product_of_nodes
from samehand.models.trees.deltas import SIBLINGS, above, becomes_root, pair_now, unit_now, unit_with
from samehand.models.trees.factors import pair_of_attributes, pair_of_bags, unit
from samehand.models.trees.layout import CHILDREN, FIRST, NEXT, PAIR, PARENT, SQUARES, Floats, Ints, Longs


@bare
def joining(
    links: Ints, stats: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats, scores: Floats,
    structure: Floats, figures: Floats, products: Floats, row: int, parents: Ints, parent: int, node: int,
) -> float:  # fmt: skip
    """The factor between `node` and a parent whose bag becomes `figures[row]`, `products[row]` being c . old bag."""
    spare = products.shape[0] - 1
    for f in range(weights.shape[0]):
        products[spare, f] = products[row, f] + stats[node, f, SQUARES]
    return pair_of_bags(stats, node, figures, row, products, spare, weights) + pair_of_attributes(
        attributes, node, parents, parent, initial, structure
    )


@bare
def merging_left(
    links: Ints, stats: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats, scores: Floats,
    structure: Floats, figures: Floats, products: Floats, chain: Ints, changes: Floats, length: int, node: int,
) -> float:  # fmt: skip
    """Change when `node` becomes a child of the inner node chain[0]; `climb(..., sign=1)` came before."""
    target = chain[0]
    top = length == 1
    children = links[target, CHILDREN]
    delta = above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
    delta = delta + changes[0, SIBLINGS] + unit(figures, 0, top, children + 1, weights, naming, structure)
    delta -= unit_with(stats, naming, scores, structure, target, top, children)
    return delta + joining(
        links, stats, attributes, initial, weights, naming, scores, structure, figures, products, 0, attributes,
        target, node,
    )  # fmt: skip


@bare
def merging_root(
    links: Ints, stats: Floats, dots: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats,
    scores: Floats, structure: Floats, figures: Floats, products: Floats, chain: Ints, changes: Floats, length: int,
    node: int,
) -> float:  # fmt: skip
    """Change when `node` becomes a child of the root at the end of a chain of two or more."""
    spare = products.shape[0] - 1
    last = length - 1
    root, below = chain[last], chain[last - 1]
    children = links[root, CHILDREN]
    delta = changes[last, SIBLINGS]
    delta += unit(figures, last, True, children + 1, weights, naming, structure)
    delta -= unit_with(stats, naming, scores, structure, root, True, children)
    for f in range(weights.shape[0]):
        products[spare, f] = dots[below, f] + products[last - 1, f]
    delta += pair_of_bags(stats, below, figures, last, products, spare, weights)
    delta -= scores[below, PAIR]
    return delta + joining(
        links, stats, attributes, initial, weights, naming, scores, structure, figures, products, last, attributes,
        root, node,
    )  # fmt: skip


@bare
def merging_up(
    links: Ints, stats: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats, scores: Floats,
    structure: Floats, figures: Floats, products: Floats, chain: Ints, changes: Floats, length: int, fresh: Ints,
    node: int,
) -> float:  # fmt: skip
    """Change when a new node, with attributes `fresh[0]`, takes the place of chain[0] above it and `node`."""
    spare = products.shape[0] - 1
    target = chain[0]
    top = length == 1
    delta = above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
    delta += unit(figures, 0, top, 2, weights, naming, structure)
    delta += joining(
        links, stats, attributes, initial, weights, naming, scores, structure, figures, products, 0, fresh, 0, node,
    )  # fmt: skip
    for f in range(weights.shape[0]):
        products[spare, f] = products[0, f] + stats[target, f, SQUARES]
    delta += pair_of_bags(stats, target, figures, 0, products, spare, weights)
    delta += pair_of_attributes(attributes, target, fresh, 0, initial, structure)
    if top:
        return delta - becomes_root(links, stats, weights, naming, scores, structure, target)
    delta += pair_of_attributes(fresh, 0, attributes, chain[1], initial, structure)
    return delta - pair_of_attributes(attributes, target, attributes, chain[1], initial, structure)


@bare
def handing_over(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    initial: Ints, field: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, figures: Floats,
    row: int, products: Floats, node: int, heir: int, inside: bool,
) -> float:  # fmt: skip
    """Change of the factors of a node's children when they become children of `heir`, whose bag is `figures[row]`.

    `inside`: the heir's bag holds the node's already, so that k . heir is as it is; otherwise it is yet to
    come, and k . node is added.
    """
    spare = products.shape[0] - 1
    delta = 0.0
    child = links[node, FIRST]
    while child >= 0:
        delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, child)
        product_of_nodes(leaves, places, pool, field, child, heir, products, spare)
        if not inside:
            for f in range(weights.shape[0]):
                products[spare, f] += dots[child, f]
        delta += pair_of_bags(stats, child, figures, row, products, spare, weights)
        delta += pair_of_attributes(attributes, child, attributes, heir, initial, structure)
        child = links[child, NEXT]
    return delta


@bare
def merging_collapsed(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    initial: Ints, field: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, figures: Floats,
    products: Floats, chain: Ints, changes: Floats, length: int, node: int,
) -> float:  # fmt: skip
    """Change when the children of `node` become children of the inner node chain[0] and `node` is no more."""
    target = chain[0]
    top = length == 1
    children = links[target, CHILDREN]
    delta = (
        above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
        + changes[0, SIBLINGS]
    )
    delta += unit(figures, 0, top, children + links[node, CHILDREN], weights, naming, structure)
    delta -= unit_with(stats, naming, scores, structure, target, top, children)
    delta -= unit_now(links, stats, naming, scores, structure, node, links[node, PARENT] < 0)
    return delta + handing_over(
        leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores, structure,
        figures, 0, products, node, target, False,
    )  # fmt: skip
