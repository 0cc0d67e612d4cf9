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
from samehand.models.trees.deltas import (
    becomes_root,
    climb,
    collapsing,
    grouping,
    leaving,
    merging_left,
    merging_root,
    merging_up,
    renaming,
    sibling_of,
)
from samehand.models.trees.forest import (
    attach,
    detach,
    dissolve,
    evidence_fields,
    lift,
    room_needed,
    root_of,
    scores_of,
)
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
from samehand.models.trees.search import (
    IMPOSSIBLE,
    can_group,
    kept_apart,
    room_to_join,
    roomy_pool,
    value_of_child,
)

NOTHING, LEFT, UP, SPLIT, COLLAPSE, GROUP, ATTRIBUTE = range(7)


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
def sample(
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
    field: Ints,
    initial: Ints,
    all_weights: Floats,
    structure: Floats,
    apart: Ints,
    random: State,
    temperature: float,
    steps: int,
    taken: Longs,
) -> tuple[Longs, float]:
    """Run `steps` steps; returns the pool, which may have been replaced by a larger one, and the change in score."""
    tokens = max(1, field.shape[0])
    fields = stats.shape[1]
    longest = int(structure[MOST_DEPTH]) + 3
    most = int(structure[MOST_CHILDREN])
    deepest = int(structure[MOST_DEPTH])
    moved = np.empty((2, tokens), np.int32)
    dense = np.zeros(tokens, np.int32)
    naming = all_weights[:, NAMES].copy()
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    figures = np.empty((longest, fields, 4))
    products = np.empty((longest + 1, weights.shape[0]))
    chain = np.empty(longest, np.int32)
    changes = np.empty((longest, 2))
    fresh = np.empty((1, ATTRIBUTES), np.int32)
    gain = 0.0
    for _ in range(steps):
        nodes = counters[EXISTING]
        i, j = existing[below(random, nodes)], existing[below(random, nodes)]
        which_move = below(random, 4)
        if i == j:
            continue
        root_i, root_j = root_of(links, i), root_of(links, j)
        size = spread(places, pool, j, moved, dense)
        move, delta, there, back, change, target, which = NOTHING, 0.0, 1.0, 0.0, 0, i, 0
        parent = links[j, PARENT]
        loses_parent = 1 if parent >= 0 and links[parent, CHILDREN] == 2 else 0
        if root_i != root_j:
            if which_move < 3 and not kept_apart(links, apart, j, root_i):
                outside = leaving(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, chain, changes, j,
                )  # fmt: skip
                if parent < 0:
                    outside -= becomes_root(links, stats, weights, naming, scores, structure, j)
                length = climb(
                    leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures,
                    products, chain, changes, j, i, 1,
                )  # fmt: skip
                in_tree = nodes_of_tree(links, root_i)
                if which_move == 2:
                    if length + max(links[i, HEIGHT], links[j, HEIGHT]) <= deepest:
                        move, change = UP, 1 - loses_parent
                        choose_names(attributes, i, j, fresh, random)
                        delta = outside + merging_up(
                            links, stats, attributes, initial, weights, naming, scores, structure, figures, products,
                            chain, changes, length, fresh, j,
                        )  # fmt: skip
                        there = names_probability(attributes, i, j, fresh, 0)
                        if i == root_i and parent < 0:
                            there *= 2.0
                        joined = in_tree + nodes_of_tree(links, j) + 1
                        back = draws_to_put_back(links, attributes, j, joined, i == root_i)
                else:
                    target = i if which_move == 0 else root_i
                    depth = length - 1 if which_move == 0 else 0
                    if links[target, CHILDREN] > 0 and room_to_join(links, structure, j, target, depth):
                        move, change = LEFT, -loses_parent
                        if target == i:
                            delta = outside + merging_left(
                                links, stats, attributes, initial, weights, naming, scores, structure, figures,
                                products, chain, changes, length, j,
                            )  # fmt: skip
                        else:
                            delta = outside + merging_root(
                                links, stats, dots, attributes, initial, weights, naming, scores, structure, figures,
                                products, chain, changes, length, j,
                            )  # fmt: skip
                        there = 1.0 + (in_tree if target == root_i else 0.0)
                        back = draws_to_put_back(
                            links, attributes, j, in_tree + nodes_of_tree(links, j), False
                        )
        else:
            in_tree = nodes_of_tree(links, root_i)
            if which_move == 0 and parent >= 0:
                move, change = SPLIT, -loses_parent
                delta = leaving(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, chain, changes, j,
                )  # fmt: skip
                delta += becomes_root(links, stats, weights, naming, scores, structure, j)
                twin = loses_parent == 1 and links[parent, PARENT] < 0
                there = (2.0 if twin else 1.0) * (in_tree - 1)
                back = (2.0 if twin else 1.0) * draws_to_put_back(links, attributes, j, 0, False)
            elif which_move == 1 and links[i, CHILDREN] == 2 and links[i, PARENT] >= 0:
                above = links[i, PARENT]
                if links[above, CHILDREN] + 1 <= most:
                    move, change = COLLAPSE, -1
                    delta = collapsing(
                        leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores,
                        structure, products, i,
                    )  # fmt: skip
                    there = in_tree - 1.0
                    first = links[i, FIRST]
                    back = 2.0 * names_probability(attributes, first, links[first, NEXT], attributes, i)
            elif which_move == 2 and can_group(links, structure, i, j):
                move, change = GROUP, 1
                choose_names(attributes, i, j, fresh, random)
                delta = grouping(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, fresh, i, j,
                )  # fmt: skip
                there = 2.0 * names_probability(attributes, i, j, fresh, 0)
                back = float(in_tree)
            elif which_move == 3 and links[i, CHILDREN] > 0:
                which = below(random, ATTRIBUTES)
                fresh[0, which] = value_of_child(links, attributes, i, which, random)
                move = ATTRIBUTE
                delta = renaming(links, attributes, initial, structure, i, which, fresh[0, which])
                there = float(children_named(links, attributes, i, which, fresh[0, which]))
                back = float(children_named(links, attributes, i, which, attributes[i, which]))
        log_ratio = IMPOSSIBLE
        if move != NOTHING and back > 0.0:
            log_ratio = (
                delta / temperature + math.log(back / there) + 2.0 * math.log(nodes / (nodes + change))
            )
        if move != NOTHING and (log_ratio >= 0.0 or uniform(random) < math.exp(log_ratio)):
            taken[move] += 1
            gain += delta
            if move == COLLAPSE:
                dissolve(
                    leaves,
                    links,
                    places,
                    pool,
                    stats,
                    dots,
                    weights,
                    scores,
                    field,
                    existing,
                    free,
                    counters,
                    i,
                )
            elif move == ATTRIBUTE:
                attributes[i, which] = fresh[0, which]
            else:
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, i, size))
                if move == GROUP:
                    target = lift(
                        leaves,
                        links,
                        places,
                        pool,
                        stats,
                        dots,
                        weights,
                        scores,
                        attributes,
                        existing,
                        free,
                        counters,
                        fresh,
                        i,
                        size,
                    )
                if links[j, PARENT] >= 0:
                    detach(
                        leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters,
                        moved, size, dense, figures, products, j,
                    )  # fmt: skip
                if move == UP:
                    target = lift(
                        leaves,
                        links,
                        places,
                        pool,
                        stats,
                        dots,
                        weights,
                        scores,
                        attributes,
                        existing,
                        free,
                        counters,
                        fresh,
                        i,
                        size,
                    )
                if move != SPLIT:
                    attach(
                        leaves, links, places, pool, stats, dots, weights, scores, field, counters, moved, size,
                        dense, figures, products, j, target,
                    )  # fmt: skip
        unspread(moved, size, dense)
    return pool, gain
