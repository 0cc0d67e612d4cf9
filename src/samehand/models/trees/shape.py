"""The shape of trees in a search: how many children a node may have, and how high a tree of so many leaves may grow.

Where most factors of child and parent are positive, another level scores more: without a bound trees become chains as
high as MOST_DEPTH, on which every step is dear and which no other large tree can join. So a tree of L leaves grows
no higher than SLACK + log2 L, whichever way it grows. Two whole trees of comparable size may rise above that, up to
MOST_DEPTH: a merge must not fail because both are as high as they may be. Leaves that go may leave a tree too high.
"""

from __future__ import annotations

from samehand.kernels import bare
from samehand.models.trees.forest import depth_of
from samehand.models.trees.layout import (
    CHILDREN,
    HEIGHT,
    LEAVES,
    MOST_CHILDREN,
    MOST_DEPTH,
    PARENT,
    Floats,
    Ints,
)

SLACK = 4
"""Levels that a tree may have more than a binary tree needs; no forest of up to 8 leaves is out of bounds."""
COMPARABLE = 8
"""Two whole trees are comparable if neither has more than this many times the leaves of the other."""


@bare
def tallest(structure: Floats, leaves: int) -> int:
    """How high a tree of so many leaves may grow."""
    bound = SLACK
    while leaves > 1:
        bound += 1
        leaves >>= 1
    return min(bound, int(structure[MOST_DEPTH]))


@bare
def fits_below(links: Ints, structure: Floats, node: int, height: int, more: int) -> bool:
    """Whether something of this height, which brings so many leaves, may hang below a node (-1: below nothing)."""
    while node >= 0:
        height += 1
        if height > tallest(structure, links[node, LEAVES] + more):
            return False
        node = links[node, PARENT]
    return True


@bare
def may_join(links: Ints, structure: Floats, node: int, target: int) -> bool:
    """Whether a root may become a child of an inner node of another tree."""
    roomy = links[target, CHILDREN] < int(structure[MOST_CHILDREN])
    return roomy and fits_below(links, structure, target, links[node, HEIGHT], links[node, LEAVES])


@bare
def may_join_collapsed(links: Ints, structure: Floats, node: int, target: int) -> bool:
    """Whether the children of an inner node may become children of an inner node of another tree."""
    roomy = links[target, CHILDREN] + links[node, CHILDREN] <= int(structure[MOST_CHILDREN])
    return roomy and fits_below(links, structure, target, links[node, HEIGHT] - 1, links[node, LEAVES])


@bare
def may_rise(links: Ints, structure: Floats, node: int, other: int) -> bool:
    """Whether a new node may come in the place of `node`, above it and `other`, which is of another tree."""
    height = max(links[node, HEIGHT], links[other, HEIGHT]) + 1
    if links[node, PARENT] < 0 and links[other, PARENT] < 0 and comparable(links, node, other):
        return height <= int(structure[MOST_DEPTH])
    more = links[other, LEAVES]
    within = height <= tallest(structure, links[node, LEAVES] + more)
    return within and fits_below(links, structure, links[node, PARENT], height, more)


@bare
def comparable(links: Ints, node: int, other: int) -> bool:
    """Whether neither of two nodes has more than COMPARABLE times the leaves of the other."""
    few, many = links[node, LEAVES], links[other, LEAVES]
    return max(few, many) <= COMPARABLE * min(few, many)


@bare
def can_group(links: Ints, structure: Floats, i: int, j: int) -> bool:
    """Whether i and j are siblings among three or more, and a node between them and their parent is within MOST_DEPTH."""
    parent = links[j, PARENT]
    if parent < 0 or parent != links[i, PARENT] or links[parent, CHILDREN] < 3:
        return False
    return depth_of(links, i) + 1 + max(links[i, HEIGHT], links[j, HEIGHT]) <= int(structure[MOST_DEPTH])


@bare
def may_group(links: Ints, structure: Floats, i: int, j: int) -> bool:
    """Whether i and j can be grouped without their tree growing too high."""
    height = max(links[i, HEIGHT], links[j, HEIGHT]) + 1
    return can_group(links, structure, i, j) and fits_below(links, structure, links[i, PARENT], height, 0)


@bare
def room_to_join(links: Ints, structure: Floats, node: int, target: int, depth: int) -> bool:
    """Whether `node` can become a child of an inner node at this depth within MOST_CHILDREN and MOST_DEPTH."""
    roomy = links[target, CHILDREN] < int(structure[MOST_CHILDREN])
    return roomy and depth + 1 + links[node, HEIGHT] <= int(structure[MOST_DEPTH])
