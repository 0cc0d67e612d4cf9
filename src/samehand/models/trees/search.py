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
in most of their draws (`looked_at`), so that every node is looked at about as often, whatever its size; whole trees are
looked at more often, because that is how the parts of a large person meet. shape.py bounds branching and height.

T falls from `hot` to `cold` by equal ratios over the sweeps, a sweep being as many steps as there are leaves. The search
stops after `most` sweeps, or as soon as T is `cold` and `patience` sweeps in a row have changed nothing.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State
from samehand.kernels import bare, kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.carrying import carry_out, roomy_pool
from samehand.models.trees.deltas import becomes_root
from samehand.models.trees.draws import draw, passed_over
from samehand.models.trees.forest import evidence_fields, room_needed, root_of, scores_of
from samehand.models.trees.layout import (
    ATTRIBUTES,
    LEAVES,
    NAMES,
    POOL_USED,
    Floats,
    Ints,
    Longs,
)
from samehand.models.trees.leaving import leaving
from samehand.models.trees.proposals import (
    IMPOSSIBLE,
    MOVES,
    SPLIT,
    STAY,
    choose,
    kept_apart,
    propose_apart,
    propose_together,
)
from samehand.models.trees.regraft import put_back, take_out, to_be_regrafted
from samehand.models.trees.schedule import ALIKE, COOLING, MOST_SWEEPS, PATIENCE, temperature_of
from samehand.models.trees.scratch import scratch

SAME = 1e-9
"""A change of the score that is none: a subtree may come back to where it was."""


@bare
def propose(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    existing: Ints, free: Ints, counters: Longs, field: Ints, initial: Ints, weights: Floats, naming: Floats,
    scores: Floats, structure: Floats, apart: Ints, moved: Ints, size: int, dense: Ints, figures: Floats,
    products: Floats, chain: Ints, changes: Floats, fresh: Ints, sampled: Ints, former: Ints, deltas: Floats,
    together: bool, i: int, j: int, random: State,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Score every proposal for i and j, whose bag is spread, into `deltas`; for a regraft j is taken out.

    Returns i, or its child if i went when j did; which attribute would be sampled; and of a j that was taken out the
    parent and only sibling (else -1).
    """
    deltas[:] = IMPOSSIBLE
    deltas[STAY] = 0.0
    outside = leaving(
        leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure, moved,
        size, dense, figures, products, chain, changes, j,
    )  # fmt: skip
    which, parent, sibling = 0, -1, -1
    if to_be_regrafted(links, together, i, j, random):
        outside += becomes_root(links, stats, weights, naming, scores, structure, j)
        parent, sibling = take_out(
            leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters, field,
            moved, size, dense, figures, products, former, j,
        )  # fmt: skip
        if i == parent and sibling >= 0:
            i = sibling
        deltas[SPLIT] = outside
    elif together:
        which = propose_together(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, fresh, sampled, deltas, i, j, outside, random,
        )  # fmt: skip
    if parent >= 0 or (not together and not kept_apart(links, apart, j, root_of(links, i))):
        propose_apart(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, chain, changes, fresh, deltas, i, j, outside,
        )  # fmt: skip
    return i, which, parent, sibling


@bare
def pair_to_look_at(
    leaves: int, links: Ints, existing: Ints, counters: Longs, rare_starts: Longs, rare: Ints, posting_starts: Longs,
    postings: Ints, alike: float, random: State,
) -> tuple[int, int, bool]:  # fmt: skip
    """Two nodes, r_j being the smaller of two trees, and whether they stand in one; twice the same to look at none."""
    i, j = draw(leaves, links, existing, counters, rare_starts, rare, posting_starts, postings, alike, random)
    together = i == j or root_of(links, i) == root_of(links, j)
    if not together and links[j, LEAVES] > links[i, LEAVES]:
        i, j = j, i
    if i != j and passed_over(links, together, j, random):
        return i, i, together
    return i, j, together


@kernel
def search(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    existing: Ints, free: Ints, counters: Longs, field: Ints, initial: Ints, all_weights: Floats, structure: Floats,
    rare_starts: Longs, rare: Ints, posting_starts: Longs, postings: Ints, apart: Ints, random: State,
    schedule: Floats, taken: Longs,
) -> tuple[Longs, float]:  # fmt: skip
    """Run the search; returns the pool, which may have been replaced by a larger one, and the gain in score.

    `taken[move]` counts how often each move was taken, `taken[-1]` the steps.
    """
    naming = all_weights[:, NAMES].copy()
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    moved, dense, figures, products, chain, changes, fresh = scratch(field, stats, weights, structure)
    sampled, former, deltas = np.empty(1, np.int32), np.empty((1, ATTRIBUTES), np.int32), np.empty(len(MOVES))
    gain, quiet = 0.0, 0
    for sweep in range(int(schedule[MOST_SWEEPS]) if leaves > 1 else 0):
        temperature = temperature_of(schedule, sweep)
        changed = False
        for _ in range(leaves):
            taken[len(MOVES)] += 1
            i, j, together = pair_to_look_at(
                leaves, links, existing, counters, rare_starts, rare, posting_starts, postings, schedule[ALIKE], random
            )  # fmt: skip
            if i == j:
                continue
            size = spread(places, pool, j, moved, dense)
            i, which, parent, sibling = propose(
                leaves, links, places, pool, stats, dots, attributes, existing, free, counters, field, initial, weights,
                naming, scores, structure, apart, moved, size, dense, figures, products, chain, changes, fresh, sampled,
                former, deltas, together, i, j, random,
            )  # fmt: skip
            move = choose(deltas, temperature, random)
            if move != STAY:
                taken[move] += 1
                gain += deltas[move]
                changed = changed or abs(deltas[move]) > SAME
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, i, size))
                carry_out(
                    leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                    field, moved, size, dense, figures, products, fresh, sampled, move, i, j, which,
                )  # fmt: skip
            elif parent >= 0:
                place = sibling if sibling >= 0 else parent
                pool = roomy_pool(pool, counters[POOL_USED] + room_needed(links, places, place, size))
                put_back(
                    leaves, links, places, pool, stats, dots, weights, scores, attributes, existing, free, counters,
                    field, moved, size, dense, figures, products, former, parent, sibling, j,
                )  # fmt: skip
            unspread(moved, size, dense)
        quiet = 0 if changed else quiet + 1
        if sweep >= schedule[COOLING] and quiet >= schedule[PATIENCE]:
            break
    return pool, gain
