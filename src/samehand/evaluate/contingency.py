"""The sparse contingency table: how many mentions each true and each predicted cluster share.

Every figure is a function of this one table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Contingency:
    """Cells (t, p, n): n = |t & p| > 0 mentions are in true cluster t and predicted cluster p.

    Cells are sorted by t, then p. `true_sizes` and `predicted_sizes` are |t| and |p|.
    """

    true: Integers
    predicted: Integers
    counts: Integers
    true_sizes: Integers
    predicted_sizes: Integers

    @property
    def mentions(self) -> int:
        """The number of mentions, N."""
        return int(self.true_sizes.sum())

    def per_true(self, cells: Floats) -> Floats:
        """Sum a value per cell over the cells of each true cluster."""
        return np.bincount(self.true, weights=cells, minlength=len(self.true_sizes)).astype(float, copy=False)

    def overlap_f1(self) -> Floats:
        """Of each cell, the F1 of its two clusters (CEAF's phi4): 2 |t & p| / (|t| + |p|)."""
        both = self.true_sizes[self.true] + self.predicted_sizes[self.predicted]
        return np.asarray(2.0 * self.counts / both)


def contingency(true: Integers, predicted: Integers) -> Contingency:
    """The table of two clusterings, given as each mention's cluster number, counted from 0 without gaps.

    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 1, 1]))
    >>> list(zip(table.true.tolist(), table.predicted.tolist(), table.counts.tolist()))
    [(0, 0, 1), (0, 1, 1), (1, 1, 1)]
    """
    true_sizes, predicted_sizes = np.bincount(true), np.bincount(predicted)
    cells, counts = np.unique(true * len(predicted_sizes) + predicted, return_counts=True)
    rows, columns = np.divmod(cells, len(predicted_sizes))
    return Contingency(rows, columns, counts, true_sizes, predicted_sizes)


def pairs(sizes: Integers) -> Integers:
    """The number of unordered pairs in sets of these sizes: n (n - 1) / 2.

    >>> pairs(np.array([1, 2, 5])).tolist()
    [0, 1, 10]
    """
    return sizes * (sizes - 1) // 2
