"""Metropolis-Hastings over forests: samples from exp(score / T), with the reverse probability of every move.

One step draws an ordered pair of nodes (i, j) and one of four moves, all alike; with N nodes that is N * N * 4 equally
likely draws, and a draw whose move is impossible changes nothing. A change is accepted with probability

    min( 1, exp(delta / T) * (w' / N'^2) / (w / N^2) )

where w counts the draws that lead from here to there and w' those that lead back (T_x: the nodes of the tree of x):

| move | draws that make it | draws that undo it |
|---|---|---|
| merge left: j under x | 1; 1 + T_x if x is a root (merge entity left, from any node) | those that put j back |
| merge up: new u over i and j | 1; 2 if both are roots; times P(names of u) | those that put j back |
| split right: j becomes a root | T - 1; 2 (T - 1) if its parent is a root of two | those that put j back |
| collapse i, which has two children | T - 1 | 2 P(names of i) |
| group siblings i and j of three or more | 2 P(names of u) | T' - 1 |
| sample attribute of i | children with the new value | children with the old value |

To put j back: where it was a root, split right (twice as many draws if i took the place of a root, since splitting i does
the same); where its old parent p still is, merge left; where p went with it, leaving r alone, merge up with r, times the
probability of p's names. A new node takes each of its names from one of its two children, either alike. Grouping is
merge up within one tree: without it a collapse could not be undone. Merge left and collapse has no way back in one
step, so it is left out here.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, uniform
from samehand.kernels import kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.carrying import carry_out, roomy_pool
from samehand.models.trees.deltas import becomes_root, climb, sibling_of
from samehand.models.trees.forest import evidence_fields, room_needed, root_of, scores_of
from samehand.models.trees.inside import collapsing, grouping, renaming
from samehand.models.trees.joining import merging_left, merging_root, merging_up
from samehand.models.trees.layout import (
    ATTRIBUTES,
    CHILDREN,
    EXISTING,
    FIRST,
    HEIGHT,
    MOST_CHILDREN,
    MOST_DEPTH,
    NAMES,
    NEXT,
    PARENT,
    POOL_USED,
    Floats,
    Ints,
    Longs,
)
from samehand.models.trees.leaving import leaving
from samehand.models.trees.proposals import (
    ATTRIBUTE,
    COLLAPSE,
    ENTITY_LEFT,
    GROUP,
    IMPOSSIBLE,
    LEFT,
    SPLIT,
    STAY,
    UP,
    kept_apart,
    value_of_child,
)
from samehand.models.trees.scratch import scratch
from samehand.models.trees.shape import can_group, room_to_join


@kernel
def nodes_of_tree(links: Ints, root: int) -> int:
    """How many nodes a subtree has, its top included."""
    count = 0
    node = root
    while node >= 0:
        count += 1
        if links[node, FIRST] >= 0:
            node = links[node, FIRST]
            continue
        while node != root and links[node, NEXT] < 0:
            node = links[node, PARENT]
        node = links[node, NEXT] if node != root else -1
    return count


@kernel
def choose_names(attributes: Ints, left: int, right: int, fresh: Ints, random: State) -> None:
    """Names for a new node above two others: each from one of them, either alike."""
    for which in range(ATTRIBUTES):
        fresh[0, which] = attributes[left if uniform(random) < 0.5 else right, which]


@kernel
def names_probability(attributes: Ints, left: int, right: int, given: Ints, row: int) -> float:
    """The probability that `choose_names` gives just these names."""
    probability = 1.0
    for which in range(ATTRIBUTES):
        matches = 0
        for node in (left, right):
            if attributes[node, which] == given[row, which]:
                matches += 1
        probability *= 0.5 * matches
    return probability


@kernel
def children_named(links: Ints, attributes: Ints, node: int, which: int, value: int) -> int:
    """How many children of a node have a name."""
    count = 0
    child = links[node, FIRST]
    while child >= 0:
        if attributes[child, which] == value:
            count += 1
        child = links[child, NEXT]
    return count


@kernel
def draws_to_put_back(links: Ints, attributes: Ints, j: int, joined: int, beside_root: bool) -> float:
    """How many draws would bring j back to where it is now, once it has left.

    `joined` is the number of nodes of the tree it will then stand in, `beside_root` whether it will be one of the two
    children of a new root.
    """
    parent = links[j, PARENT]
    if parent < 0:
        return (2.0 if beside_root else 1.0) * (joined - 1)
    if links[parent, CHILDREN] > 2:
        if links[parent, PARENT] >= 0:
            return 1.0
        return 1.0 + nodes_of_tree(links, parent) - nodes_of_tree(links, j)
    return names_probability(attributes, sibling_of(links, j), j, attributes, parent)


@kernel
def merge_drawn(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, chain: Ints, changes: Floats, fresh: Ints, drawn: int, root: int,
    i: int, j: int, random: State,
) -> tuple[int, float, float, float]:  # fmt: skip
    """A merge of j into the tree of i, whose root is given: the move (STAY if impossible), its delta, w and w'."""
    outside = leaving(
        leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure, moved,
        size, dense, figures, products, chain, changes, j,
    )  # fmt: skip
    if links[j, PARENT] < 0:
        outside -= becomes_root(links, stats, weights, naming, scores, structure, j)
    length = climb(
        leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures, products, chain,
        changes, j, i, 1,
    )  # fmt: skip
    in_tree = nodes_of_tree(links, root)
    joined = in_tree + nodes_of_tree(links, j)
    if drawn == 2:
        if length + max(links[i, HEIGHT], links[j, HEIGHT]) > int(structure[MOST_DEPTH]):
            return STAY, 0.0, 1.0, 0.0
        choose_names(attributes, i, j, fresh, random)
        delta = outside + merging_up(
            links, stats, attributes, initial, weights, naming, scores, structure, figures, products, chain, changes,
            length, fresh, j,
        )  # fmt: skip
        twice = 2.0 if i == root and links[j, PARENT] < 0 else 1.0
        there = twice * names_probability(attributes, i, j, fresh, 0)
        return UP, delta, there, draws_to_put_back(links, attributes, j, joined + 1, i == root)
    target, depth = (i, length - 1) if drawn == 0 else (root, 0)
    if links[target, CHILDREN] == 0 or not room_to_join(links, structure, j, target, depth):
        return STAY, 0.0, 1.0, 0.0
    there = 1.0 + (in_tree if target == root else 0.0)
    back = draws_to_put_back(links, attributes, j, joined, False)
    if target == i:
        return LEFT, outside + merging_left(
            links, stats, attributes, initial, weights, naming, scores, structure, figures, products, chain, changes,
            length, j,
        ), there, back  # fmt: skip
    return ENTITY_LEFT, outside + merging_root(
        links, stats, dots, attributes, initial, weights, naming, scores, structure, figures, products, chain, changes,
        length, j,
    ), there, back  # fmt: skip


@kernel
def change_drawn(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints, field: Ints,
    initial: Ints, weights: Floats, naming: Floats, scores: Floats, structure: Floats, moved: Ints, size: int,
    dense: Ints, figures: Floats, products: Floats, chain: Ints, changes: Floats, fresh: Ints, drawn: int, root: int,
    i: int, j: int, random: State,
) -> tuple[int, float, float, float]:  # fmt: skip
    """A split, collapse or grouping within the tree of i and j: the move (STAY if impossible), its delta, w and w'."""
    in_tree = nodes_of_tree(links, root)
    parent = links[j, PARENT]
    if drawn == 0 and parent >= 0:
        delta = leaving(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, chain, changes, j,
        )  # fmt: skip
        delta += becomes_root(links, stats, weights, naming, scores, structure, j)
        twice = 2.0 if links[parent, CHILDREN] == 2 and links[parent, PARENT] < 0 else 1.0
        return SPLIT, delta, twice * (in_tree - 1), twice * draws_to_put_back(links, attributes, j, 0, False)
    if drawn == 1 and links[i, CHILDREN] == 2 and links[i, PARENT] >= 0:
        if links[links[i, PARENT], CHILDREN] + 1 > int(structure[MOST_CHILDREN]):
            return STAY, 0.0, 1.0, 0.0
        delta = collapsing(
            leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores, structure,
            products, i,
        )  # fmt: skip
        first = links[i, FIRST]
        named = names_probability(attributes, first, links[first, NEXT], attributes, i)
        return COLLAPSE, delta, in_tree - 1.0, 2.0 * named
    if drawn == 2 and can_group(links, structure, i, j):
        choose_names(attributes, i, j, fresh, random)
        delta = grouping(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, fresh, i, j,
        )  # fmt: skip
        return GROUP, delta, 2.0 * names_probability(attributes, i, j, fresh, 0), float(in_tree)
    return STAY, 0.0, 1.0, 0.0


@kernel
def name_drawn(
    links: Ints,
    attributes: Ints,
    initial: Ints,
    structure: Floats,
    sampled: Ints,
    which: int,
    i: int,
    random: State,
) -> tuple[int, float, float, float]:
    """A name of inner node i from one of its children: the move, its delta, w and w'."""
    sampled[0] = value_of_child(links, attributes, i, which, random)
    delta = renaming(links, attributes, initial, structure, i, which, sampled[0])
    there = float(children_named(links, attributes, i, which, sampled[0]))
    return ATTRIBUTE, delta, there, float(children_named(links, attributes, i, which, attributes[i, which]))


@kernel
def nodes_more(links: Ints, move: int, j: int) -> int:
    """By how many a move changes the number of nodes."""
    change = 1 if move in (UP, GROUP) else 0
    if move == COLLAPSE:
        change -= 1
    leaves_alone = links[j, PARENT] >= 0 and links[links[j, PARENT], CHILDREN] == 2
    if leaves_alone and move in (LEFT, ENTITY_LEFT, UP, SPLIT):
        change -= 1
    return change


@kernel
def accepted(gain: float, there: float, back: float, nodes: int, more: int, random: State) -> bool:
    """Whether a change is made that gains so much by temperature; never one without a way back."""
    ratio = IMPOSSIBLE
    if back > 0.0:
        ratio = gain + math.log(back / there) + 2.0 * math.log(nodes / (nodes + more))
    return ratio >= 0.0 or uniform(random) < math.exp(ratio)


@kernel
def sample(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    existing: Ints, free: Ints, counters: Longs, field: Ints, initial: Ints, all_weights: Floats, structure: Floats,
    apart: Ints, random: State, temperature: float, steps: int, taken: Longs,
) -> tuple[Longs, float]:  # fmt: skip
    """Run `steps` steps; returns the pool, which may have been replaced by a larger one, and the change in score."""
    naming = all_weights[:, NAMES].copy()
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    moved, dense, figures, products, chain, changes, fresh = scratch(field, stats, weights, structure)
    sampled = np.empty(1, np.int32)
    gain = 0.0
    for _ in range(steps):
        nodes = counters[EXISTING]
        i, j = existing[below(random, nodes)], existing[below(random, nodes)]
        drawn = below(random, 4)
        if i == j:
            continue
        root = root_of(links, i)
        size = spread(places, pool, j, moved, dense)
        move, delta, there, back, which = STAY, 0.0, 1.0, 0.0, 0
        if root != root_of(links, j):
            if drawn < 3 and not kept_apart(links, apart, j, root):
                move, delta, there, back = merge_drawn(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, chain, changes, fresh, drawn, root, i, j, random,
                )  # fmt: skip
        elif drawn < 3:
            move, delta, there, back = change_drawn(
                leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                structure, moved, size, dense, figures, products, chain, changes, fresh, drawn, root, i, j, random,
            )  # fmt: skip
        elif links[i, CHILDREN] > 0:
            which = below(random, ATTRIBUTES)
            move, delta, there, back = name_drawn(
                links, attributes, initial, structure, sampled, which, i, random
            )
        if move != STAY and accepted(
            delta / temperature, there, back, nodes, nodes_more(links, move, j), random
        ):
            taken[move] += 1
            gain += delta
            pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, i, size))
            carry_out(
                leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                field, moved, size, dense, figures, products, fresh, sampled, move, i, j, which,
            )  # fmt: skip
        unspread(moved, size, dense)
    return pool, gain
