"""The forest: its nodes and links, and the primitives every move is made of.

`attach` and `detach` move a whole subtree and carry its bag to or from every ancestor; `lift` puts a new node above
two others, `dissolve` removes a node and gives its children to its parent. None of them knows a factor.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.trees.bags import (
    change_bag,
    changed_stats,
    product,
    product_of_nodes,
    return_region,
    room_for,
    slot_of,
    take_region,
)
from samehand.models.trees.factors import pair_of_bags, unit_of_bags
from samehand.models.trees.layout import (
    ATTRIBUTES,
    CHILDREN,
    COMPLEXITY,
    COSINE,
    ENTROPY,
    EXISTING,
    FIRST,
    FREE_NODES,
    HEIGHT,
    INNER_USED,
    LEAVES,
    LENGTH,
    LINKS,
    NEXT,
    PAIR,
    PARENT,
    POSITION,
    PREVIOUS,
    SLOTS,
    SQUARES,
    START,
    UNIT,
    Floats,
    Ints,
    Longs,
)  # fmt: skip


@bare
def root_of(links: Ints, node: int) -> int:
    """The root of the tree that a node stands in."""
    while links[node, PARENT] >= 0:
        node = links[node, PARENT]
    return node


@bare
def depth_of(links: Ints, node: int) -> int:
    """How many ancestors a node has."""
    depth = 0
    while links[node, PARENT] >= 0:
        node = links[node, PARENT]
        depth += 1
    return depth


@bare
def link(links: Ints, node: int, parent: int) -> None:
    """Make a root the first child of `parent`; bags are not touched."""
    head = links[parent, FIRST]
    links[node, PARENT] = parent
    links[node, PREVIOUS] = -1
    links[node, NEXT] = head
    if head >= 0:
        links[head, PREVIOUS] = node
    links[parent, FIRST] = node
    links[parent, CHILDREN] += 1


@bare
def unlink(links: Ints, node: int) -> None:
    """Make a child a root; bags are not touched."""
    parent, before, after = links[node, PARENT], links[node, PREVIOUS], links[node, NEXT]
    if before >= 0:
        links[before, NEXT] = after
    else:
        links[parent, FIRST] = after
    if after >= 0:
        links[after, PREVIOUS] = before
    links[parent, CHILDREN] -= 1
    links[node, PARENT] = -1
    links[node, NEXT] = -1
    links[node, PREVIOUS] = -1


@bare
def create(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    existing: Ints,
    free: Ints,
    counters: Longs,
    tokens: int,
) -> int:
    """A new inner node with no children and an empty bag with room for `tokens`."""
    if counters[FREE_NODES] > 0:
        counters[FREE_NODES] -= 1
        node = free[counters[FREE_NODES]]
    else:
        node = leaves + counters[INNER_USED]
        counters[INNER_USED] += 1
    for column in range(LINKS):
        links[node, column] = -1
    links[node, CHILDREN] = 0
    links[node, LEAVES] = 0
    links[node, SLOTS] = 0
    links[node, HEIGHT] = 0
    for f in range(stats.shape[1]):
        for column in range(4):
            stats[node, f, column] = 0.0
    start, length = take_region(pool, counters, tokens)
    places[node, START] = start
    places[node, LENGTH] = length
    links[node, POSITION] = counters[EXISTING]
    existing[counters[EXISTING]] = node
    counters[EXISTING] += 1
    return node


@bare
def remove(
    links: Ints, places: Longs, pool: Longs, existing: Ints, free: Ints, counters: Longs, node: int
) -> None:
    """Take an inner node that is linked to nothing out of existence."""
    return_region(pool, counters, places[node, START], places[node, LENGTH])
    places[node, LENGTH] = 0
    counters[EXISTING] -= 1
    last = existing[counters[EXISTING]]
    position = links[node, POSITION]
    existing[position] = last
    links[last, POSITION] = position
    links[node, POSITION] = -1
    free[counters[FREE_NODES]] = node
    counters[FREE_NODES] += 1


@bare
def refresh_scores(
    links: Ints, stats: Floats, dots: Floats, weights: Floats, scores: Floats, node: int
) -> None:
    """Work out again what a node's bags score, and its children's factors with it."""
    scores[node, UNIT] = unit_of_bags(stats, node, weights)
    child = links[node, FIRST]
    while child >= 0:
        scores[child, PAIR] = pair_of_bags(stats, child, stats, node, dots, child, weights)
        child = links[child, NEXT]


@bare
def carry(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, field: Ints, counters: Longs, moved: Ints, size: int, dense: Ints, figures: Floats,
    products: Floats, subtree: int, start: int, sign: int,
) -> None:  # fmt: skip
    """Add the spread bag of `subtree` to `start` and all its ancestors, or take it out of them.

    The products of all their children with them follow: for a sibling k, k.p changes by sign * c.k; for the child y
    that the bag passes through, (y + s c).(p + s c) = y.p + s c.p + s c.y + c.c. Rows 0 to 2 of `figures` and
    `products` are scratch: the node, the child passed through, a sibling.
    """
    fields = stats.shape[1]
    through = -1
    node = start
    while node >= 0:
        changed_stats(
            leaves, places, pool, field, stats, subtree, node, moved, size, dense, sign, figures, products, 0,
            fields,
        )  # fmt: skip
        child = links[node, FIRST]
        while child >= 0:
            if child == through:
                for f in range(weights.shape[0]):
                    dots[child, f] += sign * (products[0, f] + products[1, f]) + stats[subtree, f, SQUARES]
            elif child != subtree:
                product(leaves, places, pool, field, child, moved, size, dense, products, 2)
                for f in range(weights.shape[0]):
                    dots[child, f] += sign * products[2, f]
            child = links[child, NEXT]
        change_bag(links, places, pool, counters, node, moved, size, sign)
        for f in range(weights.shape[0]):
            products[1, f] = products[0, f]
        for f in range(fields):
            for column in range(4):
                stats[node, f, column] = figures[0, f, column]
        links[node, LEAVES] += sign * links[subtree, LEAVES]
        refresh_scores(links, stats, dots, weights, scores, node)
        through = node
        node = links[node, PARENT]


@bare
def refresh_heights(links: Ints, node: int) -> None:
    """Work out the heights of a node and its ancestors again."""
    while node >= 0:
        height = 0
        child = links[node, FIRST]
        while child >= 0:
            height = max(height, links[child, HEIGHT] + 1)
            child = links[child, NEXT]
        links[node, HEIGHT] = height
        node = links[node, PARENT]


@bare
def take_place(dots: Floats, weights: Floats, scores: Floats, node: int, former: int) -> None:
    """Give a node the place below a parent that another node with the same bag had."""
    for f in range(weights.shape[0]):
        dots[node, f] = dots[former, f]
    scores[node, PAIR] = scores[former, PAIR]


@bare
def detach(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, field: Ints, existing: Ints, free: Ints, counters: Longs, moved: Ints, size: int, dense: Ints,
    figures: Floats, products: Floats, node: int,
) -> None:  # fmt: skip
    """Make a child, whose bag is spread, a root; a parent left with one child is removed."""
    parent = links[node, PARENT]
    unlink(links, node)
    carry(
        leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size, dense, figures,
        products, node, parent, -1,
    )  # fmt: skip
    if links[parent, CHILDREN] == 1:
        left, grand = links[parent, FIRST], links[parent, PARENT]
        unlink(links, left)
        if grand >= 0:
            unlink(links, parent)
            link(links, left, grand)
            take_place(dots, weights, scores, left, parent)
        remove(links, places, pool, existing, free, counters, parent)
        parent = grand
    if parent >= 0:
        refresh_heights(links, parent)


@bare
def attach(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, field: Ints, counters: Longs, moved: Ints, size: int, dense: Ints, figures: Floats,
    products: Floats, node: int, parent: int,
) -> None:  # fmt: skip
    """Make a root, whose bag is spread, a child of an inner node of another tree."""
    carry(
        leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size, dense, figures,
        products, node, parent, 1,
    )  # fmt: skip
    link(links, node, parent)
    product(leaves, places, pool, field, parent, moved, size, dense, dots, node)
    scores[node, PAIR] = pair_of_bags(stats, node, stats, parent, dots, node, weights)
    refresh_heights(links, parent)


@bare
def lift(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, attributes: Ints, existing: Ints, free: Ints, counters: Longs, fresh: Ints, node: int, room: int,
) -> int:  # fmt: skip
    """Put a new node, with attributes `fresh[0]`, in the place of `node` and above it, with the same bag."""
    above = create(leaves, links, places, pool, stats, existing, free, counters, links[node, SLOTS] + room)
    for slot in range(places[node, START], places[node, START] + places[node, LENGTH]):
        entry = pool[slot]
        if entry & 0xFFFFFFFF > 0:
            pool[slot_of(pool, places[above, START], places[above, LENGTH], (entry >> 32) - 1)] = entry
            links[above, SLOTS] += 1
    links[above, LEAVES] = links[node, LEAVES]
    for f in range(stats.shape[1]):
        for column in range(4):
            stats[above, f, column] = stats[node, f, column]
    for which in range(ATTRIBUTES):
        attributes[above, which] = fresh[0, which]
    parent = links[node, PARENT]
    if parent >= 0:
        unlink(links, node)
        link(links, above, parent)
        take_place(dots, weights, scores, above, node)
    link(links, node, above)
    for f in range(weights.shape[0]):
        dots[node, f] = stats[node, f, SQUARES]
    refresh_scores(links, stats, dots, weights, scores, above)
    refresh_heights(links, above)
    return above


@bare
def dissolve(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, weights: Floats,
    scores: Floats, field: Ints, existing: Ints, free: Ints, counters: Longs, node: int,
) -> None:  # fmt: skip
    """Give the children of an inner node that is no root to its parent, and remove it."""
    parent = links[node, PARENT]
    child = links[node, FIRST]
    while child >= 0:
        unlink(links, child)
        link(links, child, parent)
        product_of_nodes(leaves, places, pool, field, child, parent, dots, child)
        scores[child, PAIR] = pair_of_bags(stats, child, stats, parent, dots, child, weights)
        child = links[node, FIRST]
    unlink(links, node)
    remove(links, places, pool, existing, free, counters, node)
    refresh_heights(links, parent)


@bare
def room_needed(links: Ints, places: Longs, start: int, size: int) -> int:
    """An upper bound of what the pool must have free to attach a bag of `size` tokens at `start` or above it.

    At `start` a table is made or grows, which is all that most moves need; above it, only tables that are too full grow.
    """
    needed = room_for(links[start, SLOTS] + size)
    node = links[start, PARENT]
    while node >= 0:
        if 2 * (links[node, SLOTS] + size) > places[node, LENGTH]:
            needed += room_for(links[node, SLOTS] + size)
        node = links[node, PARENT]
    return needed


@bare
def evidence_fields(weights: Floats) -> int:
    """How many fields there are up to the last that counts as more than a root's names."""
    fields = 0
    for f in range(weights.shape[0]):
        if weights[f, COSINE] != 0.0 or weights[f, ENTROPY] != 0.0 or weights[f, COMPLEXITY] != 0.0:
            fields = f + 1
    return fields


@kernel
def scores_of(
    links: Ints, stats: Floats, dots: Floats, existing: Ints, counters: Longs, weights: Floats
) -> Floats:
    """The table of scores of all nodes that exist; moves keep it up to date."""
    scores = np.zeros((links.shape[0], 2))
    for position in range(counters[EXISTING]):
        refresh_scores(links, stats, dots, weights, scores, existing[position])
    return scores
