"""Classes of a Gaussian mixture whose means and covariances are integrated out: the multivariate Student-t.

With the prior NIW(mu0, Sigma0, kappa, m), a class of n records in h dimensions with sum of records n xbar has

    k    = kappa + n                                    mu  = (kappa mu0 + n xbar) / k
    L    = Sigma0 + (n - 1) S + n kappa / k (mu0 - xbar)(mu0 - xbar)^T

and predicts its next record by a Student-t of nu = n + m + 1 - h degrees of freedom, mean mu and scale matrix
L (k + 1) / (k nu) (equation 5 of the paper; a new class is n = 0). A record x changes L by a rank-one term,

    L' = L + k / (k + 1) (x - mu)(x - mu)^T,            mu' = (k mu + x) / (k + 1),

so that only the Cholesky factor of L is kept and updated, in O(h^2); no matrix is ever inverted.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


class Prior(NamedTuple):
    """NIW(mu0, Sigma0, kappa, m): `mean` mu0, `factor` the lower Cholesky factor of Sigma0, `freedom` m."""

    mean: Reals
    factor: Reals
    kappa: float
    freedom: float


class Classes(NamedTuple):
    """Statistics of classes, one slot each: `size` n, `mean` mu, `factor` the lower Cholesky factor of L, and
    `constant` the logarithm of the predictive density at its mode."""

    size: Longs
    mean: Reals
    factor: Reals
    constant: Reals


def make_prior(mean: Reals, covariance: Reals, kappa: float, freedom: float) -> Prior:
    """The prior with this mu0 and Sigma0, which must be positive definite.

    >>> make_prior(np.zeros(2), 4.0 * np.eye(2), kappa=1.0, freedom=4.0).factor.tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    factor = np.linalg.cholesky(covariance)
    return Prior(
        np.ascontiguousarray(mean, np.float64), np.ascontiguousarray(factor), float(kappa), float(freedom)
    )


def make_classes(slots: int, width: int) -> Classes:
    """Room for so many classes in so many dimensions; a slot means nothing before `begin`.

    >>> make_classes(2, 3).mean.shape
    (2, 3)
    """
    return Classes(
        np.zeros(slots, np.int64), np.zeros((slots, width)), np.zeros((slots, width, width)), np.zeros(slots)
    )


@kernel
def begin(prior: Prior, classes: Classes, slot: int) -> None:
    """Make a slot the class of no records.

    >>> prior, classes = make_prior(np.zeros(1), np.eye(1), 1.0, 3.0), make_classes(1, 1)
    >>> begin(prior, classes, 0)
    >>> int(classes.size[0])
    0
    """
    classes.size[slot] = 0
    classes.mean[slot] = prior.mean
    classes.factor[slot] = prior.factor
    _renew_constant(prior, classes, slot)


@kernel
def add(prior: Prior, classes: Classes, slot: int, record: Reals, work: Reals) -> None:
    """Add a record to a class: the rank-one update; `work` is scratch of the record's length.

    >>> prior, classes = make_prior(np.zeros(1), np.eye(1), 1.0, 3.0), make_classes(1, 1)
    >>> begin(prior, classes, 0)
    >>> add(prior, classes, 0, np.array([2.0]), np.empty(1))
    >>> int(classes.size[0]), float(classes.mean[0, 0])
    (1, 1.0)
    """
    k = prior.kappa + classes.size[slot]
    root = math.sqrt(k / (k + 1.0))
    mean, factor = classes.mean[slot], classes.factor[slot]
    for i in range(record.shape[0]):
        step = record[i] - mean[i]
        work[i] = root * step
        mean[i] += step / (k + 1.0)
    _update_factor(factor, work)
    classes.size[slot] += 1
    _renew_constant(prior, classes, slot)


@kernel
def _update_factor(factor: Reals, vector: Reals) -> None:
    """The Cholesky factor of A becomes that of A + v v^T, by Givens rotations; v is used up."""
    width = vector.shape[0]
    for j in range(width):
        diagonal = factor[j, j]
        radius = math.hypot(diagonal, vector[j])
        cosine, sine = radius / diagonal, vector[j] / diagonal
        factor[j, j] = radius
        for i in range(j + 1, width):
            factor[i, j] = (factor[i, j] + sine * vector[i]) / cosine
            vector[i] = cosine * vector[i] - sine * factor[i, j]


@kernel
def _renew_constant(prior: Prior, classes: Classes, slot: int) -> None:
    """ln Gamma((nu + h) / 2) - ln Gamma(nu / 2) - h / 2 ln(nu pi) - 1/2 ln det(scale)."""
    width = prior.mean.shape[0]
    n = classes.size[slot]
    k, nu = prior.kappa + n, n + prior.freedom + 1.0 - width
    half_log_determinant = 0.0
    for i in range(width):
        half_log_determinant += math.log(classes.factor[slot, i, i])
    half_log_determinant += 0.5 * width * math.log((k + 1.0) / (k * nu))
    gammas = math.lgamma(0.5 * (nu + width)) - math.lgamma(0.5 * nu)
    classes.constant[slot] = gammas - 0.5 * width * math.log(nu * math.pi) - half_log_determinant


@kernel
def log_predictive(prior: Prior, classes: Classes, slot: int, record: Reals, work: Reals) -> float:
    """The log density that a class gives a record: constant - (nu + h) / 2 ln(1 + d / nu).

    d = (x - mu)^T scale^-1 (x - mu) is the squared length of the solution of a triangular system.

    >>> prior, classes = make_prior(np.zeros(1), np.eye(1), 1.0, 3.0), make_classes(1, 1)
    >>> begin(prior, classes, 0)
    >>> log_predictive(prior, classes, 0, np.zeros(1), np.empty(1)) == float(classes.constant[0])
    True
    """
    width = record.shape[0]
    n = classes.size[slot]
    k, nu = prior.kappa + n, n + prior.freedom + 1.0 - width
    squares = 0.0
    for i in range(width):
        rest = record[i] - classes.mean[slot, i]
        for j in range(i):
            rest -= classes.factor[slot, i, j] * work[j]
        work[i] = rest / classes.factor[slot, i, i]
        squares += work[i] * work[i]
    distance = squares * k * nu / (k + 1.0)
    return float(classes.constant[slot] - 0.5 * (nu + width) * math.log1p(distance / nu))
