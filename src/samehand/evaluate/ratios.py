"""Ratios and F1, of numbers or arrays, with their empty cases settled."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


def ratio(part: ArrayLike, whole: ArrayLike) -> Values:
    """part / whole, and 1 where the whole is empty: nothing was claimed (or due), so nothing is wrong.

    >>> ratio([1.0, 0.0], [4.0, 0.0]).tolist()
    [0.25, 1.0]
    """
    empty = np.equal(whole, 0)
    return np.asarray(np.where(empty, 1.0, np.divide(part, np.where(empty, 1.0, whole))))


def f1(precision: ArrayLike, recall: ArrayLike) -> Values:
    """The harmonic mean 2 P R / (P + R), and 0 where both are 0.

    >>> f1([1.0, 0.0], [0.5, 0.0]).round(4).tolist()
    [0.6667, 0.0]
    """
    total = np.add(precision, recall)
    return np.asarray(2.0 * np.multiply(precision, recall) / np.where(total == 0, 1.0, total))
