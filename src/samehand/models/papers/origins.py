"""Clean collections: where one collection hardly ever has a paper twice, two of its records are seldom one.

With collections of sizes n_o out of N records, a record's best match comes from its own collection with probability
r = sum (n_o / N)^2, if collections know nothing of duplicates. Of the t records that have a match (log-odds above 0),
let w find their best one in their own collection; then a pair from one collection gets log-odds

    min(0, log( (w + 1) / (r t + 1) ))

so that collections which were freed of duplicates are recognised by what they hold, and messy ones are left as they
are.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block.canopies import Floats
from samehand.models.papers.links import Longs

TURNS = 3


def cleanness(origin: pl.Series, pairs: Longs, odds: Floats) -> Floats:
    """The log-odds with those of pairs from one collection lowered as far as collections are clean.

    >>> pairs = np.array([[0, 1], [2, 3], [4, 5], [0, 2]])
    >>> odds = np.array([3.0, 3.0, 3.0, 0.1])
    >>> cleanness(pl.Series(["x", "y"] * 3), pairs, odds).round(2).tolist()
    [3.0, 3.0, 3.0, -1.29]
    """
    number = origin.rank("dense").to_numpy().astype(np.int64)
    shares = np.bincount(number) / max(len(number), 1)
    chance = float((shares**2).sum())
    within = number[pairs[:, 0]] == number[pairs[:, 1]]
    lowered = odds
    for _ in range(TURNS if chance < 1.0 and len(pairs) else 0):
        best = _best(pairs, lowered, len(number))
        matched = best[best >= 0]
        shift = np.log((within[matched].sum() + 1.0) / (chance * len(matched) + 1.0))
        lowered = np.where(within, odds + min(0.0, float(shift)), odds)
    return lowered


def _best(pairs: Longs, odds: Floats, count: int) -> Longs:
    """For each record the pair with its greatest log-odds above 0; -1 where there is none."""
    alike = np.flatnonzero(odds > 0)
    order = alike[np.argsort(odds[alike], kind="stable")]
    best = np.full(count, -1, np.int64)
    for side in range(2):
        for_side = np.full(count, -1, np.int64)
        for_side[pairs[order, side]] = order
        better = (for_side >= 0) & ((best < 0) | (odds[for_side] > odds[best]))
        best[better] = for_side[better]
    return best
