"""Steps of the tree search up to one of their parts, none carried out: how `samehand bench kernel` divides the time."""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State
from samehand.kernels import kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.deltas import leaving
from samehand.models.trees.forest import evidence_fields, root_of, scores_of
from samehand.models.trees.layout import ATTRIBUTES, LEAVES, MOST_DEPTH, NAMES, Floats, Ints, Longs
from samehand.models.trees.search import ALIKE, MOVES, draw, looked_at, propose_apart, propose_together

DRAWING, LEAVING, JOINING = range(3)


@kernel
def frozen_steps(
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
    random: State,
    schedule: Floats,
    last: int,
    steps: int,
) -> float:
    """Draw `steps` pairs; from LEAVING on spread r_j and score its leaving, from JOINING on score all proposals.

    A regraft is scored as the other changes within a tree, because it would have to be carried out. Returns the sum of
    all that was scored, so that no compiler finds the work useless.
    """
    longest = int(structure[MOST_DEPTH]) + 3
    moved = np.empty((2, max(1, field.shape[0])), np.int32)
    dense = np.zeros(max(1, field.shape[0]), np.int32)
    naming = all_weights[:, NAMES].copy()
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    figures = np.empty((longest, stats.shape[1], 4))
    products = np.empty((longest + 1, weights.shape[0]))
    chain, changes = np.empty(longest, np.int32), np.empty((longest, 2))
    fresh, sampled = np.empty((1, ATTRIBUTES), np.int32), np.empty(1, np.int32)
    deltas = np.zeros(len(MOVES))
    total = 0.0
    for _ in range(steps):
        i, j = draw(
            leaves, links, existing, counters, rare_starts, rare, posting_starts, postings, schedule[ALIKE], random
        )  # fmt: skip
        if i == j:
            continue
        together = root_of(links, i) == root_of(links, j)
        if not together and links[j, LEAVES] > links[i, LEAVES]:
            i, j = j, i
        if last == DRAWING or not looked_at(links, j, random):
            total += j
            continue
        size = spread(places, pool, j, moved, dense)
        outside = leaving(
            leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
            moved, size, dense, figures, products, chain, changes, j,
        )  # fmt: skip
        if last == JOINING and together:
            propose_together(
                leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
                moved, size, dense, figures, products, fresh, sampled, deltas, i, j, outside, random,
            )  # fmt: skip
        elif last == JOINING:
            propose_apart(
                leaves, links, places, pool, stats, dots, attributes, field, initial, weights, naming, scores, structure,
                moved, size, dense, figures, products, chain, changes, fresh, deltas, i, j, outside,
            )  # fmt: skip
        total += outside + deltas[1]
        unspread(moved, size, dense)
    return total
