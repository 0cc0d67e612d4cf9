"""What each proposal would change in the score, from the figures of bags, without touching the forest.

Every proposal takes the bag c of one subtree out of one chain of ancestors, adds it to another, or both, and changes
links near the ends of the chains. `climb` works out a chain once for all proposals that share it: for each ancestor
the figures of its new bag, and what changes in the factors of its children. A bag appears in the factor of each of
its node's children, so that all of them count; that is why branching and depth are bounded.
"""

from __future__ import annotations

from samehand.models.trees.bags import changed_stats, product, product_of_nodes
from samehand.models.trees.compiled import bare
from samehand.models.trees.factors import (
    agreement,
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
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    field: Ints,
    weights: Floats,
    scores: Floats,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    subtree: int,
    start: int,
    sign: int,
) -> int:
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
    links: Ints,
    stats: Floats,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
) -> float:
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
    links: Ints,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    node: int,
) -> float:
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


@bare
def detaching(
    links: Ints,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
    node: int,
) -> float:
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
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    field: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    node: int,
) -> float:
    """Change of all factors outside a spread node when it leaves its tree; 0 for a root."""
    parent = links[node, PARENT]
    if parent < 0:
        return 0.0
    length = climb(
        leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures, products,
        chain, changes, node, parent, -1,
    )  # fmt: skip
    return detaching(
        links,
        stats,
        dots,
        attributes,
        initial,
        weights,
        naming,
        scores,
        structure,
        figures,
        chain,
        changes,
        length,
        node,
    )


@bare
def joining(
    links: Ints,
    stats: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    products: Floats,
    row: int,
    parents: Ints,
    parent: int,
    node: int,
) -> float:
    """The factor between `node` and a parent whose bag becomes `figures[row]`, `products[row]` being c . old bag."""
    spare = products.shape[0] - 1
    for f in range(weights.shape[0]):
        products[spare, f] = products[row, f] + stats[node, f, SQUARES]
    return pair_of_bags(stats, node, figures, row, products, spare, weights) + pair_of_attributes(
        attributes, node, parents, parent, initial, structure
    )


@bare
def merging_left(
    links: Ints,
    stats: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
    node: int,
) -> float:
    """Change when `node` becomes a child of the inner node chain[0]; `climb(..., sign=1)` came before."""
    target = chain[0]
    top = length == 1
    children = links[target, CHILDREN]
    return (
        above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
        + changes[0, SIBLINGS]
        + unit(figures, 0, top, children + 1, weights, naming, structure)
        - unit_with(stats, naming, scores, structure, target, top, children)
        + joining(
            links,
            stats,
            attributes,
            initial,
            weights,
            naming,
            scores,
            structure,
            figures,
            products,
            0,
            attributes,
            target,
            node,
        )
    )


@bare
def merging_root(
    links: Ints,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
    node: int,
) -> float:
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
        links,
        stats,
        attributes,
        initial,
        weights,
        naming,
        scores,
        structure,
        figures,
        products,
        last,
        attributes,
        root,
        node,
    )


@bare
def merging_up(
    links: Ints,
    stats: Floats,
    attributes: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
    fresh: Ints,
    node: int,
) -> float:
    """Change when a new node, with attributes `fresh[0]`, takes the place of chain[0] above it and `node`."""
    spare = products.shape[0] - 1
    target = chain[0]
    top = length == 1
    delta = above(links, stats, weights, naming, scores, structure, figures, chain, changes, length)
    delta += unit(figures, 0, top, 2, weights, naming, structure)
    delta += joining(
        links,
        stats,
        attributes,
        initial,
        weights,
        naming,
        scores,
        structure,
        figures,
        products,
        0,
        fresh,
        0,
        node,
    )
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
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    field: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    row: int,
    products: Floats,
    node: int,
    heir: int,
    inside: bool,
) -> float:
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
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    field: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    figures: Floats,
    products: Floats,
    chain: Ints,
    changes: Floats,
    length: int,
    node: int,
) -> float:
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


@bare
def collapsing(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    initial: Ints,
    field: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    products: Floats,
    node: int,
) -> float:
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
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    attributes: Ints,
    field: Ints,
    initial: Ints,
    weights: Floats,
    naming: Floats,
    scores: Floats,
    structure: Floats,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    fresh: Ints,
    i: int,
    j: int,
) -> float:
    """Change when a new node with names `fresh[0]` comes between siblings i, j (whose bag is spread) and their parent."""
    parent = links[i, PARENT]
    top = links[parent, PARENT] < 0
    spare = products.shape[0] - 1
    changed_stats(
        leaves,
        places,
        pool,
        field,
        stats,
        j,
        i,
        moved,
        size,
        dense,
        1,
        figures,
        products,
        0,
        weights.shape[0],
    )
    delta = unit(figures, 0, False, 2, weights, naming, structure)
    delta += unit_with(stats, naming, scores, structure, parent, top, links[parent, CHILDREN] - 1)
    delta -= unit_with(stats, naming, scores, structure, parent, top, links[parent, CHILDREN])
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, i)
    delta -= pair_now(links, stats, dots, attributes, initial, weights, naming, scores, structure, j)
    for node in (i, j):
        delta += joining(
            links,
            stats,
            attributes,
            initial,
            weights,
            naming,
            scores,
            structure,
            figures,
            products,
            0,
            fresh,
            0,
            node,
        )
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
