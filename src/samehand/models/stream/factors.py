"""Latent coordinates of binary records: non-negative matrix factorisation, and least squares for new records.

The initial records, a sparse binary matrix X of n records and d features, are factored as X ~ W H with W and H
not negative, h columns in W: the rows of W are the records' coordinates, the rows of H the basis. Each column of
W and row of H in turn is set to its exact optimum given all others (coordinate descent, Cichocki and Phan 2009),
which never increases |X - W H|^2. A later record x has the coordinates w >= 0 that minimise |x - w H|^2 for the
basis as it is (the incremental factorisation of section 4.1): coordinate descent on the h x h matrix H H^T.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, uniform
from samehand.kernels import kernel

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

SWEEPS = 200
TOLERANCE = 1e-12


class Binary(NamedTuple):
    """A sparse binary matrix: record i has the features `features[starts[i]:starts[i + 1]]`, ascending."""

    starts: Longs
    features: Longs
    width: int


@kernel
def factorise(state: State, records: Binary, rank: int, sweeps: int) -> tuple[Reals, Reals]:
    """W (records x rank) and H (rank x features) after so many sweeps from a random start.

    >>> from samehand.infer.random import stream
    >>> x = Binary(np.array([0, 2, 4]), np.array([0, 1, 0, 1]), 2)
    >>> w, h = factorise(stream(0), x, 1, 50)
    >>> bool(np.allclose(w @ h, 1.0))
    True
    """
    count, width = records.starts.shape[0] - 1, records.width
    weights, basis = np.empty((count, rank)), np.empty((width, rank))
    scale = np.sqrt(records.features.shape[0] / max(1.0, float(count * width)) / rank)
    for i in range(count):
        for k in range(rank):
            weights[i, k] = 2.0 * scale * uniform(state)
    for j in range(width):
        for k in range(rank):
            basis[j, k] = 2.0 * scale * uniform(state)
    for _ in range(sweeps):
        _improve(weights, basis, _times(records, basis))
        _improve(basis, weights, _times_transposed(records, weights))
    return weights, basis.T.copy()


@kernel
def _times(records: Binary, basis: Reals) -> Reals:
    """X B."""
    product = np.zeros((records.starts.shape[0] - 1, basis.shape[1]))
    for i in range(product.shape[0]):
        for place in range(records.starts[i], records.starts[i + 1]):
            product[i] += basis[records.features[place]]
    return product


@kernel
def _times_transposed(records: Binary, weights: Reals) -> Reals:
    """X^T W."""
    product = np.zeros((records.width, weights.shape[1]))
    for i in range(weights.shape[0]):
        for place in range(records.starts[i], records.starts[i + 1]):
            product[records.features[place]] += weights[i]
    return product


@kernel
def gram(vectors: Reals) -> Reals:
    """V^T V of tall V.

    >>> gram(np.array([[1.0, 2.0]])).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    rank = vectors.shape[1]
    product = np.zeros((rank, rank))
    for row in range(vectors.shape[0]):
        for k in range(rank):
            for other in range(rank):
                product[k, other] += vectors[row, k] * vectors[row, other]
    return product


@kernel
def _improve(changed: Reals, fixed: Reals, product: Reals) -> None:
    """Set each column of `changed` to its optimum given `fixed` and the other columns."""
    squares = gram(fixed)
    for k in range(changed.shape[1]):
        if squares[k, k] <= 0.0:
            continue
        for row in range(changed.shape[0]):
            slope = product[row, k]
            for other in range(changed.shape[1]):
                slope -= changed[row, other] * squares[other, k]
            changed[row, k] = max(0.0, changed[row, k] + slope / squares[k, k])


@kernel
def project(basis: Reals, squares: Reals, features: Longs) -> Reals:
    """The w >= 0 that minimises |x - w H|^2, where x has these features and `squares` is H H^T.

    >>> h = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    >>> project(h, h @ h.T, np.array([0, 1])).tolist()
    [1.0, 0.0]
    """
    rank = basis.shape[0]
    product, found = np.zeros(rank), np.zeros(rank)
    for feature in features:
        for k in range(rank):
            product[k] += basis[k, feature]
    for _ in range(10_000):
        moved = 0.0
        for k in range(rank):
            if squares[k, k] <= 0.0:
                continue
            slope = product[k]
            for other in range(rank):
                slope -= found[other] * squares[other, k]
            value = max(0.0, found[k] + slope / squares[k, k])
            moved = max(moved, abs(value - found[k]))
            found[k] = value
        if moved <= TOLERANCE:
            break
    return found
