"""Steps of the tree search up to one of their parts, none carried out: how `samehand bench kernel` divides the time."""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State
from samehand.kernels import kernel
from samehand.models.trees.bags import spread, unspread
from samehand.models.trees.forest import evidence_fields, scores_of
from samehand.models.trees.layout import NAMES, Floats, Ints, Longs
from samehand.models.trees.leaving import leaving
from samehand.models.trees.proposals import MOVES, propose_apart, propose_together
from samehand.models.trees.schedule import ALIKE
from samehand.models.trees.scratch import scratch
from samehand.models.trees.search import pair_to_look_at

DRAWING, LEAVING, JOINING = range(3)


@kernel
def frozen_steps(
    leaves: int, links: Ints, places: Longs, pool: Longs, stats: Floats, dots: Floats, attributes: Ints,
    existing: Ints, free: Ints, counters: Longs, field: Ints, initial: Ints, all_weights: Floats, structure: Floats,
    rare_starts: Longs, rare: Ints, posting_starts: Longs, postings: Ints, random: State, schedule: Floats, last: int,
    steps: int,
) -> tuple[int, float]:  # fmt: skip
    """Draw `steps` pairs; from LEAVING on spread r_j and score its leaving, from JOINING on score all proposals.

    A regraft is scored as the other changes within a tree, because it would have to be carried out. Returns how
    many pairs were looked at, and the sum of all that was scored, so that no compiler finds the work useless.
    """
    naming = all_weights[:, NAMES].copy()
    weights = all_weights[: evidence_fields(all_weights)]
    scores = scores_of(links, stats, dots, existing, counters, weights)
    moved, dense, figures, products, chain, changes, fresh = scratch(field, stats, weights, structure)
    sampled, deltas = np.empty(1, np.int32), np.zeros(len(MOVES))
    looked, total = 0, 0.0
    for _ in range(steps):
        i, j, together = pair_to_look_at(
            leaves, links, existing, counters, rare_starts, rare, posting_starts, postings, schedule[ALIKE], random
        )  # fmt: skip
        looked += i != j
        if i == j or last == DRAWING:
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
    return looked, total
