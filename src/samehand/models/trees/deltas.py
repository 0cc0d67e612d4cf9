"""What factors change along a chain of ancestors, from the figures of bags, without touching the forest.

Every proposal takes the bag c of one subtree out of one chain of ancestors, adds it to another, or both, and changes
links near the ends of the chains (leaving.py, joining.py, inside.py). `climb` works out a chain once for all proposals
that share it: for each ancestor the figures of its new bag, and what changes in the factors of its children. A bag
appears in the factor of each of its node's children, so that all of them count; that is why branching and depth are
bounded.
"""

from __future__ import annotations

from samehand.kernels import bare
from samehand.models.trees.bags import changed_stats, product
from samehand.models.trees.factors import (
    names_of_root,
    pair_of_attributes,
    pair_of_bags,
    unit,
    unit_of_structure,
)
from samehand.models.trees.layout import (
    CHILDREN,
    FIRST,
    NEXT,
    PAIR,
    PARENT,
    SQUARES,
    UNIT,
    Floats,
    Ints,
    Longs,
)

SIBLINGS, THROUGH = range(2)  # columns of `changes`


@bare
def climb(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, field: Ints, weights: Floats,
    scores: Floats, moved: Ints, size: int, dense: Ints, figures: Floats, products: Floats, chain: Ints,
    changes: Floats, subtree: int, start: int, sign: int,
) -> int:  # fmt: skip
    """The chain from `start` to its root with the spread bag of `subtree` added (1) or taken out (-1).

    For the k-th node of the chain: `chain[k]`, its new `figures[k]`, `products[k]` = c . its bag as it is,
    `changes[k, SIBLINGS]` = change of the factors of its children off the chain, `changes[k, THROUGH]` = change of the
    factor between the chain's nodes k - 1 and k. Returns the length. The last row of `products` is scratch.
    """
    spare = products.shape[0] - 1
    fields = weights.shape[0]
    length = 0
    node = start
    while node >= 0:
        changed_stats(
            leaves,
            places,
            pool,
            field,
            stats,
            subtree,
            node,
            moved,
            size,
            dense,
            sign,
            figures,
            products,
            length,
            fields if links[node, PARENT] >= 0 else stats.shape[1],
        )
        chain[length] = node
        below = chain[length - 1] if length > 0 else -1
        siblings, through = 0.0, 0.0
        child = links[node, FIRST]
        while child >= 0:
            if child != subtree:
                before = scores[child, PAIR]
                if child == below:
                    for f in range(fields):
                        passed = sign * (products[length, f] + products[length - 1, f])
                        products[spare, f] = dots[child, f] + passed + stats[subtree, f, SQUARES]
                    through += (
                        pair_of_bags(figures, length - 1, figures, length, products, spare, weights) - before
                    )
                else:
                    product(leaves, places, pool, field, child, moved, size, dense, products, spare)
                    for f in range(fields):
                        products[spare, f] = dots[child, f] + sign * products[spare, f]
                    siblings += pair_of_bags(stats, child, figures, length, products, spare, weights) - before
            child = links[child, NEXT]
        changes[length, SIBLINGS] = siblings
        changes[length, THROUGH] = through
        length += 1
        node = links[node, PARENT]
    return length


@bare
def unit_with(
    stats: Floats, naming: Floats, scores: Floats, structure: Floats, node: int, is_root: bool, children: int
) -> float:
    """What a node with its present bags scores as a root, or not as a root, with so many children."""
    score = scores[node, UNIT] + unit_of_structure(is_root, children, structure)
    return score + names_of_root(stats, node, naming) if is_root else score


@bare
def unit_now(
    links: Ints, stats: Floats, naming: Floats, scores: Floats, structure: Floats, node: int, is_root: bool
) -> float:
    """What a node with its present bags and children scores as a root, or not as a root."""
    return unit_with(stats, naming, scores, structure, node, is_root, links[node, CHILDREN])


@bare
def above(
    links: Ints, stats: Floats, weights: Floats, naming: Floats, scores: Floats, structure: Floats, figures: Floats,
    chain: Ints, changes: Floats, length: int,
) -> float:  # fmt: skip
    """Change of all factors at the chain's nodes from the second on, none of whose children come or go."""
    delta = 0.0
    for k in range(1, length):
        node = chain[k]
        is_root = k == length - 1
        delta += unit(figures, k, is_root, links[node, CHILDREN], weights, naming, structure)
        delta -= unit_now(links, stats, naming, scores, structure, node, is_root)
        delta += changes[k, SIBLINGS] + changes[k, THROUGH]
    return delta


@bare
def pair_now(
    links: Ints, stats: Floats, dots: Floats, attributes: Ints, initial: Ints, weights: Floats, naming: Floats,
    scores: Floats, structure: Floats, node: int,
) -> float:  # fmt: skip
    """The factor between a node and its parent as they are."""
    parent = links[node, PARENT]
    return scores[node, PAIR] + pair_of_attributes(attributes, node, attributes, parent, initial, structure)


@bare
def becomes_root(
    links: Ints, stats: Floats, weights: Floats, naming: Floats, scores: Floats, structure: Floats, node: int
) -> float:
    """Change of a node's own factors when it becomes a root."""
    return unit_now(links, stats, naming, scores, structure, node, True) - unit_now(
        links, stats, naming, scores, structure, node, False
    )


@bare
def sibling_of(links: Ints, node: int) -> int:
    """The other child of a parent of two."""
    child = links[links[node, PARENT], FIRST]
    return links[child, NEXT] if child == node else child
