"""The forest: its nodes and links, and the primitives every move is made of.

`attach` and `detach` move a whole subtree and carry its bag to or from every ancestor; `lift` puts a new node above
two others, `dissolve` removes a node and gives its children to its parent. None of them knows a factor.
"""

from __future__ import annotations

from samehand.kernels import kernel
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
from samehand.models.trees.layout import (
    CHILDREN,
    EXISTING,
    FIRST,
    FREE_NODES,
    HEIGHT,
    INNER_USED,
    LEAVES,
    LENGTH,
    NEXT,
    PARENT,
    POSITION,
    PREVIOUS,
    SLOTS,
    SQUARES,
    START,
    Floats,
    Ints,
    Longs,
)


@kernel
def root_of(links: Ints, node: int) -> int:
    """The root of the tree that a node stands in."""
    while links[node, PARENT] >= 0:
        node = links[node, PARENT]
    return node


@kernel
def depth_of(links: Ints, node: int) -> int:
    """How many ancestors a node has."""
    depth = 0
    while links[node, PARENT] >= 0:
        node = links[node, PARENT]
        depth += 1
    return depth


@kernel
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


@kernel
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


@kernel
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
    links[node, :] = -1
    links[node, CHILDREN] = 0
    links[node, LEAVES] = 0
    links[node, SLOTS] = 0
    links[node, HEIGHT] = 0
    stats[node, :, :] = 0.0
    start, length = take_region(pool, counters, tokens)
    places[node, START] = start
    places[node, LENGTH] = length
    links[node, POSITION] = counters[EXISTING]
    existing[counters[EXISTING]] = node
    counters[EXISTING] += 1
    return node


@kernel
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


@kernel
def carry(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    field: Ints,
    counters: Longs,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    subtree: int,
    start: int,
    sign: int,
) -> None:
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
            leaves, places, pool, field, stats, subtree, node, moved, size, dense, sign, figures, products, 0
        )
        child = links[node, FIRST]
        while child >= 0:
            if child == through:
                for f in range(fields):
                    dots[child, f] += sign * (products[0, f] + products[1, f]) + stats[subtree, f, SQUARES]
            elif child != subtree:
                product(leaves, places, pool, field, child, moved, size, dense, products, 2)
                for f in range(fields):
                    dots[child, f] += sign * products[2, f]
            child = links[child, NEXT]
        change_bag(links, places, pool, counters, node, moved, size, sign)
        for f in range(fields):
            products[1, f] = products[0, f]
            for column in range(4):
                stats[node, f, column] = figures[0, f, column]
        links[node, LEAVES] += sign * links[subtree, LEAVES]
        through = node
        node = links[node, PARENT]


@kernel
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


@kernel
def detach(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    field: Ints,
    existing: Ints,
    free: Ints,
    counters: Longs,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    node: int,
) -> None:
    """Make a child, whose bag is spread, a root; a parent left with one child is removed."""
    parent = links[node, PARENT]
    unlink(links, node)
    carry(
        leaves, links, places, pool, stats, dots, field, counters, moved, size, dense, figures, products, node,
        parent, -1,
    )  # fmt: skip
    if links[parent, CHILDREN] == 1:
        left, grand = links[parent, FIRST], links[parent, PARENT]
        unlink(links, left)
        if grand >= 0:
            unlink(links, parent)
            link(links, left, grand)
            dots[left, :] = dots[parent, :]
        remove(links, places, pool, existing, free, counters, parent)
        parent = grand
    if parent >= 0:
        refresh_heights(links, parent)


@kernel
def attach(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    field: Ints,
    counters: Longs,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    node: int,
    parent: int,
) -> None:
    """Make a root, whose bag is spread, a child of an inner node of another tree."""
    carry(
        leaves, links, places, pool, stats, dots, field, counters, moved, size, dense, figures, products, node,
        parent, 1,
    )  # fmt: skip
    link(links, node, parent)
    product(leaves, places, pool, field, parent, moved, size, dense, dots, node)
    refresh_heights(links, parent)


@kernel
def lift(
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
    fresh: Ints,
    node: int,
    room: int,
) -> int:
    """Put a new node, with attributes `fresh[0]`, in the place of `node` and above it, with the same bag."""
    above = create(leaves, links, places, pool, stats, existing, free, counters, links[node, SLOTS] + room)
    for slot in range(places[node, START], places[node, START] + places[node, LENGTH]):
        entry = pool[slot]
        if entry & 0xFFFFFFFF > 0:
            pool[slot_of(pool, places[above, START], places[above, LENGTH], (entry >> 32) - 1)] = entry
            links[above, SLOTS] += 1
    links[above, LEAVES] = links[node, LEAVES]
    stats[above, :, :] = stats[node, :, :]
    attributes[above, :] = fresh[0, :]
    parent = links[node, PARENT]
    if parent >= 0:
        unlink(links, node)
        link(links, above, parent)
        dots[above, :] = dots[node, :]
    link(links, node, above)
    for f in range(stats.shape[1]):
        dots[node, f] = stats[node, f, SQUARES]
    refresh_heights(links, above)
    return above


@kernel
def dissolve(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    dots: Floats,
    field: Ints,
    existing: Ints,
    free: Ints,
    counters: Longs,
    node: int,
) -> None:
    """Give the children of an inner node that is no root to its parent, and remove it."""
    parent = links[node, PARENT]
    child = links[node, FIRST]
    while child >= 0:
        unlink(links, child)
        link(links, child, parent)
        product_of_nodes(leaves, places, pool, field, child, parent, dots, child)
        child = links[node, FIRST]
    unlink(links, node)
    remove(links, places, pool, existing, free, counters, node)
    refresh_heights(links, parent)


@kernel
def room_needed(links: Ints, start: int, size: int) -> int:
    """An upper bound of what the pool must have free to attach a bag of `size` tokens at `start` or above it."""
    needed = room_for(2 * links[start, SLOTS] + size)
    node = start
    while node >= 0:
        needed += room_for(links[node, SLOTS] + size)
        node = links[node, PARENT]
    return needed
