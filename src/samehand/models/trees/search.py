"""Multi-try search for the best forest (section 3.2 of the 2012 paper).

One step draws two nodes r_i and r_j of a block, scores every proposal for them, and takes one with probability
proportional to exp(delta / T), no change (delta 0) being one of the choices:

- in different trees: merge left (r_j becomes a child of r_i), merge entity left (of r_i's root), merge left and collapse
  (r_j's children become children of r_i), merge up (a new node above both, in the place of r_i);
- in one tree: split right (r_j becomes a root), collapse (r_i's children go to its parent), sample attribute; and two of
  ours, group (merge up for two siblings of three or more: the inverse of a collapse) and regraft (r_j leaves, then the
  merges with r_i are looked at): without them a tree could change its shape only by a split that costs too much.

There is no reverse-move correction: this looks for the best state. posterior.py samples.

Pairs come from shared rare tokens (a leaf, one of its rare tokens, another leaf with it, then an ancestor of each, in
a share of the draws the root of each) or, in a share of the steps, from all nodes alike. Large subtrees are passed over
in most of their draws (`looked_at`), so that every node is looked at about as often, whatever its size.

T falls from `hot` to `cold` by equal ratios over the sweeps, a sweep being as many steps as there are leaves. The search
stops after `most` sweeps, or as soon as T is `cold` and `patience` sweeps in a row have changed nothing.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, uniform
from samehand.kernels import kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.compiled import bare
from samehand.models.trees.deltas import (
    becomes_root,
    climb,
    collapsing,
    grouping,
    leaving,
    merging_collapsed,
    merging_left,
    merging_root,
    merging_up,
    renaming,
    sibling_of,
)
from samehand.models.trees.forest import (
    attach,
    depth_of,
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
    LEAVES,
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

STAY, LEFT, ENTITY_LEFT, LEFT_COLLAPSE, UP, SPLIT, COLLAPSE, GROUP, ATTRIBUTE = range(9)
MOVES = ("stay", "merge-left", "merge-entity-left", "merge-left-and-collapse", "merge-up", "split-right",
         "collapse", "group", "sample-attribute")  # fmt: skip
IMPOSSIBLE = -1e300
SAME = 1e-9
"""A change of the score that is none: a subtree may come back to where it was."""
REGRAFTED = 0.25
"""Share of the steps within one tree that look for another place for r_j in it."""
WHOLE = 0.3
"""Share of the pairs with a shared token for which the two whole trees are taken."""
FEW = 4
"""A node with more leaves than this is looked at in FEW / leaves of its draws."""

# schedule
ALIKE, HOT, COLD, COOLING, MOST_SWEEPS, PATIENCE = range(6)
SCHEDULE = 6


@bare
def ancestor(links: Ints, leaf: int, random: State) -> int:
    """The leaf or one of its ancestors, each as likely."""
    node = leaf
    for _ in range(below(random, depth_of(links, leaf) + 1)):
        node = links[node, PARENT]
    return node


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
def draw(
    leaves: int,
    links: Ints,
    existing: Ints,
    counters: Longs,
    rare_starts: Longs,
    rare: Ints,
    posting_starts: Longs,
    postings: Ints,
    alike: float,
    random: State,
) -> tuple[int, int]:
    """Two nodes: of leaves that share a rare token, or, in the share `alike` of the draws, any two."""
    if uniform(random) >= alike:
        leaf = below(random, leaves)
        tokens = rare_starts[leaf + 1] - rare_starts[leaf]
        if tokens > 0:
            token = rare[rare_starts[leaf] + below(random, tokens)]
            holders = posting_starts[token + 1] - posting_starts[token]
            other = postings[posting_starts[token] + below(random, holders)]
            if uniform(random) < WHOLE:
                return root_of(links, leaf), root_of(links, other)
            return ancestor(links, leaf, random), ancestor(links, other, random)
    first = existing[below(random, counters[EXISTING])]
    return first, existing[below(random, counters[EXISTING])]


@bare
def looked_at(links: Ints, node: int, random: State) -> bool:
    """Whether a draw of this node counts: always if it has few leaves, else with probability FEW / leaves.

    Each of its leaves can bring a node up, and what a proposal costs grows with its bag: without this nearly all time
    goes into moving large subtrees over and over.
    """
    leaves = links[node, LEAVES]
    return leaves <= FEW or uniform(random) * leaves < FEW


@bare
def can_group(links: Ints, structure: Floats, i: int, j: int) -> bool:
    """Whether i and j are siblings among three or more, and a node between them and their parent fits."""
    parent = links[j, PARENT]
    if parent < 0 or parent != links[i, PARENT] or links[parent, CHILDREN] < 3:
        return False
    return depth_of(links, i) + 1 + max(links[i, HEIGHT], links[j, HEIGHT]) <= int(structure[MOST_DEPTH])


@bare
def room_to_join(links: Ints, structure: Floats, node: int, target: int, depth: int) -> bool:
    """Whether `node` may become a child of an inner node at this depth without breaking the bounds."""
    roomy = links[target, CHILDREN] < int(structure[MOST_CHILDREN])
    return roomy and depth + 1 + links[node, HEIGHT] <= int(structure[MOST_DEPTH])


@bare
def propose_apart(
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
    fresh: Ints,
    deltas: Floats,
    i: int,
    j: int,
    outside: float,
) -> None:
    """The merges of the spread subtree j into the tree of i; `outside` is what its old tree gains by its leaving."""
    length = climb(
        leaves, links, places, pool, stats, dots, field, weights, scores, moved, size, dense, figures, products,
        chain, changes, j, i, 1,
    )  # fmt: skip
    root = chain[length - 1]
    depth = length - 1
    most = int(structure[MOST_CHILDREN])
    deepest = int(structure[MOST_DEPTH])
    joined = outside
    if links[j, PARENT] < 0:
        joined -= becomes_root(links, stats, weights, naming, scores, structure, j)
    if links[i, CHILDREN] > 0:
        if room_to_join(links, structure, j, i, depth):
            deltas[LEFT] = joined + merging_left(
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
                chain,
                changes,
                length,
                j,
            )
        fits = links[i, CHILDREN] + links[j, CHILDREN] <= most and depth + links[j, HEIGHT] <= deepest
        if links[j, CHILDREN] > 0 and fits:
            deltas[LEFT_COLLAPSE] = outside + merging_collapsed(
                leaves, links, places, pool, stats, dots, attributes, initial, field, weights, naming, scores,
                structure, figures, products, chain, changes, length, j,
            )  # fmt: skip
    if length > 1 and room_to_join(links, structure, j, root, 0):
        deltas[ENTITY_LEFT] = joined + merging_root(
            links, stats, dots, attributes, initial, weights, naming, scores, structure, figures, products, chain,
            changes, length, j,
        )  # fmt: skip
    if depth + 1 + max(links[i, HEIGHT], links[j, HEIGHT]) <= deepest:
        select_attributes(attributes, i, j, initial, fresh)
        deltas[UP] = joined + merging_up(
            links, stats, attributes, initial, weights, naming, scores, structure, figures, products, chain, changes,
            length, fresh, j,
        )  # fmt: skip


@bare
def propose_together(
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
    sampled: Ints,
    deltas: Floats,
    i: int,
    j: int,
    outside: float,
    random: State,
) -> int:
    """The changes inside one tree. Returns which attribute would be sampled; its value goes to `sampled`."""
    if links[j, PARENT] >= 0:
        deltas[SPLIT] = outside + becomes_root(links, stats, weights, naming, scores, structure, j)
    if can_group(links, structure, i, j):
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
            leaves,
            links,
            places,
            pool,
            stats,
            dots,
            attributes,
            initial,
            field,
            weights,
            naming,
            scores,
            structure,
            products,
            i,
        )
    which = below(random, ATTRIBUTES)
    value = value_of_child(links, attributes, i, which, random)
    sampled[0] = value
    if value != attributes[i, which]:
        deltas[ATTRIBUTE] = renaming(links, attributes, initial, structure, i, which, value)
    return which


@bare
def carry_out(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    weights: Floats,
    scores: Floats,
    attributes: Ints,
    existing: Ints,
    free: Ints,
    counters: Longs,
    field: Ints,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    fresh: Ints,
    sampled: Ints,
    move: int,
    i: int,
    j: int,
    which: int,
) -> None:
    """Change the forest as a move says; the bag of j is spread, and the pool has room."""
    target = i
    if move == COLLAPSE:
        dissolve(
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, i
        )
        return
    if move == ATTRIBUTE:
        attributes[i, which] = sampled[0]
        return
    if move == GROUP:
        # Before j leaves its parent, which would otherwise be left with one child and go.
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
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, moved, size,
            dense, figures, products, j,
        )  # fmt: skip
    if move == SPLIT:
        return
    if move != GROUP:
        target = root_of(links, i) if move == ENTITY_LEFT else i
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
    attach(
        leaves,
        links,
        places,
        pool,
        stats,
        dots,
        weights,
        scores,
        field,
        counters,
        moved,
        size,
        dense,
        figures,
        products,
        j,
        target,
    )
    if move == LEFT_COLLAPSE:
        dissolve(
            leaves, links, places, pool, stats, dots, weights, scores, field, existing, free, counters, j
        )


@bare
def put_back(
    leaves: int,
    links: Ints,
    places: Longs,
    pool: Longs,
    stats: Floats,
    dots: Floats,
    weights: Floats,
    scores: Floats,
    attributes: Ints,
    existing: Ints,
    free: Ints,
    counters: Longs,
    field: Ints,
    moved: Ints,
    size: int,
    dense: Ints,
    figures: Floats,
    products: Floats,
    former: Ints,
    parent: int,
    sibling: int,
    j: int,
) -> None:
    """Undo a split: j goes back under its parent, or, if that is gone, under a new one above its only sibling."""
    if sibling >= 0:
        parent = lift(
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
            former,
            sibling,
            size,
        )
    attach(
        leaves,
        links,
        places,
        pool,
        stats,
        dots,
        weights,
        scores,
        field,
        counters,
        moved,
        size,
        dense,
        figures,
        products,
        j,
        parent,
    )


@kernel
def roomy_pool(pool: Longs, needed: int) -> Longs:
    """The pool itself, or a larger copy if it is shorter than needed."""
    if needed <= pool.shape[0]:
        return pool
    larger = np.zeros(needed + needed // 4, np.int64)
    larger[: pool.shape[0]] = pool
    return larger


@kernel
def search(
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
    rare_starts: Longs,
    rare: Ints,
    posting_starts: Longs,
    postings: Ints,
    apart: Ints,
    random: State,
    schedule: Floats,
    taken: Longs,
) -> tuple[Longs, float]:
    """Run the search; returns the pool, which may have been replaced by a larger one, and the gain in score.

    `taken[move]` counts how often each move was taken, `taken[-1]` the steps.
    """
    tokens = max(1, field.shape[0])
    fields = stats.shape[1]
    longest = int(structure[MOST_DEPTH]) + 3
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
    sampled = np.empty(1, np.int32)
    former = np.empty((1, ATTRIBUTES), np.int32)
    deltas = np.empty(len(MOVES))
    gain, quiet = 0.0, 0
    for sweep in range(int(schedule[MOST_SWEEPS]) if leaves > 1 else 0):
        share = min(1.0, sweep / max(1.0, schedule[COOLING]))
        temperature = schedule[HOT] * (schedule[COLD] / schedule[HOT]) ** share
        changed = False
        for _ in range(leaves):
            taken[len(MOVES)] += 1
            i, j = draw(
                leaves, links, existing, counters, rare_starts, rare, posting_starts, postings, schedule[ALIKE],
                random,
            )  # fmt: skip
            if i == j:
                continue
            together = root_of(links, i) == root_of(links, j)
            if not together and links[j, LEAVES] > links[i, LEAVES]:
                i, j = j, i
            if not looked_at(links, j, random):
                continue
            deltas[:] = IMPOSSIBLE
            deltas[STAY] = 0.0
            size = spread(places, pool, j, moved, dense)
            outside = leaving(
                leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                structure, moved, size, dense, figures, products, chain, changes, j,
            )  # fmt: skip
            which, former_parent, sibling = 0, -1, -1
            if (
                together
                and uniform(random) < REGRAFTED
                and links[j, PARENT] >= 0
                and not stands_below(links, i, j)
            ):
                former_parent = links[j, PARENT]
                if links[former_parent, CHILDREN] == 2:
                    sibling = sibling_of(links, j)
                    for name in range(ATTRIBUTES):
                        former[0, name] = attributes[former_parent, name]
                if i == former_parent and sibling >= 0:
                    i = sibling
                outside += becomes_root(links, stats, weights, naming, scores, structure, j)
                carry_out(
                    leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                    field, moved, size, dense, figures, products, fresh, sampled, SPLIT, i, j, which,
                )  # fmt: skip
                deltas[SPLIT] = outside
                propose_apart(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, chain, changes, fresh, deltas, i, j, outside,
                )  # fmt: skip
            elif together:
                which = propose_together(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, fresh, sampled, deltas, i, j, outside, random,
                )  # fmt: skip
            elif not kept_apart(links, apart, j, root_of(links, i)):
                propose_apart(
                    leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores,
                    structure, moved, size, dense, figures, products, chain, changes, fresh, deltas, i, j, outside,
                )  # fmt: skip
            move = choose(deltas, temperature, random)
            if former_parent >= 0 and move == STAY:
                place = sibling if sibling >= 0 else former_parent
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, place, size))
                put_back(
                    leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                    field, moved, size, dense, figures, products, former, former_parent, sibling, j,
                )  # fmt: skip
            if move != STAY:
                taken[move] += 1
                gain += deltas[move]
                changed = changed or abs(deltas[move]) > SAME
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, i, size))
                carry_out(
                    leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                    field, moved, size, dense, figures, products, fresh, sampled, move, i, j, which,
                )  # fmt: skip
            unspread(moved, size, dense)
        quiet = 0 if changed else quiet + 1
        if sweep >= schedule[COOLING] and quiet >= schedule[PATIENCE]:
            break
    return pool, gain
