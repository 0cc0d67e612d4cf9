"""How far a figure could move: the stratified bootstrap over true clusters.

A true cluster is the unit drawn, because its mentions err together. Strata are classes of cluster size (1, 2,
3-4, 5-8, 9-16, ...), so that every replicate has the same mixture of large and small; a class of fewer than
`FEWEST` clusters joins its neighbour, for a handful redrawn among themselves would vary too little. In each
stratum of n clusters a replicate draws n with replacement; a figure is computed from the totals of what was
drawn, and the interval is the 2.5 to 97.5 percentile of 1,000 replicates.

What is approximated: the predicted clusters are held fixed. A cluster drawn twice weighs its mentions'
contributions twice, each as it stands in the whole table; its mentions are not put into new predicted
clusters and nothing is matched anew. And the interval is for truths with this mixture of cluster sizes: how
the mixture itself might vary from sample to sample is not in it.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from samehand.evaluate.contingency import Floats, Integers
from samehand.kernels import kernel

FEWEST = 8
COMMON = 24
"""From so many clusters with equal sums on, their number in a replicate is drawn at once."""
BATCH = 1 << 20
"""About how many clusters are drawn at a time, to bound the memory."""


def resampled_totals(sums: Floats, sizes: Integers, replicates: int, seed: int) -> Floats:
    """Totals of the columns of `sums` (one row per true cluster) in each replicate.

    >>> totals = resampled_totals(np.ones((50, 1)), np.ones(50, int), replicates=3, seed=0)
    >>> totals.ravel().tolist()
    [50.0, 50.0, 50.0]
    """
    generator = np.random.default_rng(seed)
    totals = np.zeros((replicates, sums.shape[1]))
    stratum_of = strata(sizes)
    for stratum in range(stratum_of.max() + 1):
        _add_stratum(totals, sums[stratum_of == stratum], generator)
    return totals


def strata(sizes: Integers) -> Integers:
    """The stratum of each cluster: strata are numbered from the largest clusters down.

    >>> strata(np.array([1] * 9 + [2] * 9 + [3, 4] * 5 + [100])).tolist()[::9]
    [2, 1, 0, 0]
    """
    classes = np.ceil(np.log2(sizes)).astype(np.int64)
    counts = np.bincount(classes)
    stratum_of = np.empty(len(counts), np.int64)
    stratum = gathered = 0
    for size_class in range(len(counts) - 1, -1, -1):
        stratum_of[size_class] = stratum
        gathered += counts[size_class]
        if gathered >= FEWEST:
            stratum, gathered = stratum + 1, 0
    return np.minimum(stratum_of, max(stratum - 1, 0))[classes]


def _add_stratum(totals: Floats, rows: Floats, generator: np.random.Generator) -> None:
    """Add to each replicate as many draws from `rows` as it has rows.

    Clusters with equal rows are interchangeable. The numbers drawn of the common kinds are multinomial; the
    clusters of rare kinds are drawn one by one. Both together have the distribution of plain resampling.
    """
    kinds, copies = _kinds(rows)
    common = copies >= COMMON
    rare = np.repeat(kinds[~common], copies[~common], axis=0)
    rare_draws = generator.binomial(len(rows), len(rare) / len(rows), size=len(totals))
    if common.any():
        share = copies[common] / copies[common].sum()
        totals += generator.multinomial(len(rows) - rare_draws, share) @ kinds[common]
    step = 1 + BATCH // (len(rare) + 1)
    for start in range(0, len(totals), step):
        counts = rare_draws[start : start + step]
        draws = generator.integers(max(len(rare), 1), size=counts.sum(), dtype=np.uint32)
        _add_rows(rare, draws, counts, totals[start : start + step])


def _kinds(rows: Floats) -> tuple[Floats, Integers]:
    """The distinct rows, in order of first appearance, and how often each occurs."""
    table = pl.DataFrame(rows, schema=[str(column) for column in range(rows.shape[1])])
    counted = table.group_by(table.columns, maintain_order=True).len("copies")
    return np.ascontiguousarray(counted.drop("copies").to_numpy()), counted["copies"].to_numpy().astype(
        np.int64
    )


@kernel
def _add_rows(rows: Floats, draws: NDArray[np.uint32], counts: Integers, totals: Floats) -> None:
    """Add to totals[i] the rows named by the next counts[i] draws."""
    place = 0
    for replicate in range(counts.shape[0]):
        for draw in draws[place : place + counts[replicate]]:
            for column in range(rows.shape[1]):
                totals[replicate, column] += rows[draw, column]
        place += counts[replicate]
