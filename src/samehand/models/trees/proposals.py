"""Every proposal for two nodes with its change of the score, and the choice of one of them.

- in different trees: merge left (r_j becomes a child of r_i), merge entity left (of r_i's root), merge left and collapse
  (r_j's children become children of r_i), merge up (a new node above both, in the place of r_i);
- in one tree: split right (r_j becomes a root), collapse (r_i's children go to its parent), sample attribute; and group
  (merge up for two siblings of three or more: the inverse of a collapse).
"""

from __future__ import annotations

import math

from samehand.infer.random import State, below, uniform
from samehand.kernels import bare
from samehand.models.trees.deltas import becomes_root, climb
from samehand.models.trees.draws import looked_at
from samehand.models.trees.forest import root_of
from samehand.models.trees.inside import collapsing, grouping, renaming
from samehand.models.trees.joining import merging_collapsed, merging_left, merging_root, merging_up
from samehand.models.trees.layout import (
    ATTRIBUTES,
    CHILDREN,
    FIRST,
    MOST_CHILDREN,
    NEXT,
    PARENT,
    Floats,
    Ints,
    Longs,
)
from samehand.models.trees.shape import may_group, may_join, may_join_collapsed, may_rise

STAY, LEFT, ENTITY_LEFT, LEFT_COLLAPSE, UP, SPLIT, COLLAPSE, GROUP, ATTRIBUTE = range(9)
MOVES = ("stay", "merge-left", "merge-entity-left", "merge-left-and-collapse", "merge-up", "split-right",
         "collapse", "group", "sample-attribute")  # fmt: skip
IMPOSSIBLE = -1e300


@bare
def stands_below(links: Ints, node: int, top: int) -> bool:
    """Whether `node` is `top` or stands below it."""
    while node >= 0:
        if node == top:
            return True
        node = links[node, PARENT]
    return False


@bare
def kept_apart(links: Ints, apart: Ints, subtree: int, root: int) -> bool:
    """Whether a curator's word keeps a leaf of the subtree apart from a leaf of the tree of `root`."""
    for pair in range(apart.shape[0]):
        for side in range(2):
            if (
                stands_below(links, apart[pair, side], subtree)
                and root_of(links, apart[pair, 1 - side]) == root
            ):
                return True
    return False


@bare
def choose(deltas: Floats, temperature: float, random: State) -> int:
    """One of the proposals, with probability proportional to exp(delta / T)."""
    best = deltas[STAY]
    for move in range(deltas.shape[0]):
        best = max(best, deltas[move])
    total = 0.0
    for move in range(deltas.shape[0]):
        if deltas[move] > IMPOSSIBLE:
            total += math.exp((deltas[move] - best) / temperature)
    left = uniform(random) * total
    chosen = STAY
    for move in range(deltas.shape[0]):
        if deltas[move] > IMPOSSIBLE:
            chosen = move
            left -= math.exp((deltas[move] - best) / temperature)
            if left < 0.0:
                break
    return chosen


@bare
def select_attributes(attributes: Ints, left: int, right: int, initial: Ints, fresh: Ints) -> None:
    """The attributes of a new node above two others: of each the one that says more, the left one's if equal."""
    for which in range(ATTRIBUTES):
        mine, yours = attributes[left, which], attributes[right, which]
        mine_is_short = mine < 0 or initial[mine] == mine
        fresh[0, which] = yours if mine_is_short and yours >= 0 else mine


@bare
def value_of_child(links: Ints, attributes: Ints, node: int, which: int, random: State) -> int:
    """A canonical name of one of a node's children, each child as likely."""
    child = links[node, FIRST]
    for _ in range(below(random, links[node, CHILDREN])):
        child = links[child, NEXT]
    return attributes[child, which]


@bare
def propose_apart(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, chain: Ints, changes: Floats, fresh: Ints, deltas: Floats,
    i: int, j: int, outside: float,
) -> None:  # fmt: skip
    """The merges of the spread subtree j into the tree of i; `outside` is what its old tree gains by its leaving."""
    length = climb(
        leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures, products,
        chain, changes, j, i, 1,
    )  # fmt: skip
    joined = outside
    if links[j, PARENT] < 0:
        joined -= becomes_root(links, stats, weights, naming, scores, structure, j)
    if links[i, CHILDREN] > 0:
        if may_join(links, structure, j, i):
            deltas[LEFT] = joined + merging_left(
                links, stats, attributes, initial, weights, naming, scores, structure, figures, products, chain,
                changes, length, j,
            )  # fmt: skip
        if links[j, CHILDREN] > 0 and may_join_collapsed(links, structure, j, i):
            deltas[LEFT_COLLAPSE] = outside + merging_collapsed(
                leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores,
                structure, figures, products, chain, changes, length, j,
            )  # fmt: skip
    if length > 1 and may_join(links, structure, j, chain[length - 1]):
        deltas[ENTITY_LEFT] = joined + merging_root(
            links, stats, dots, attributes, initial, weights, naming, scores, structure, figures, products, chain,
            changes, length, j,
        )  # fmt: skip
    if may_rise(links, structure, i, j):
        select_attributes(attributes, i, j, initial, fresh)
        deltas[UP] = joined + merging_up(
            links, stats, attributes, initial, weights, naming, scores, structure, figures, products, chain, changes,
            length, fresh, j,
        )  # fmt: skip


@bare
def propose_together(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, fresh: Ints, sampled: Ints, deltas: Floats, i: int, j: int,
    outside: float, random: State,
) -> int:  # fmt: skip
    """The changes inside one tree. Returns which attribute would be sampled; its value goes to `sampled`."""
    if links[j, PARENT] >= 0:
        deltas[SPLIT] = outside + becomes_root(links, stats, weights, naming, scores, structure, j)
    if may_group(links, structure, i, j):
        select_attributes(attributes, i, j, initial, fresh)
        deltas[GROUP] = grouping(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, fresh, i, j,
        )  # fmt: skip
    if links[i, CHILDREN] == 0 or not looked_at(links, i, random):
        return 0
    parent = links[i, PARENT]
    if parent >= 0 and links[parent, CHILDREN] + links[i, CHILDREN] - 1 <= int(structure[MOST_CHILDREN]):
        deltas[COLLAPSE] = collapsing(
            leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores, structure,
            products, i,
        )  # fmt: skip
    which = below(random, ATTRIBUTES)
    value = value_of_child(links, attributes, i, which, random)
    sampled[0] = value
    if value != attributes[i, which]:
        deltas[ATTRIBUTE] = renaming(links, attributes, initial, structure, i, which, value)
    return which
