"""NNMF-SVM-HAC (competing method 4): a linear support vector machine on latent coordinates, its answers clustered.

One machine for each known person against all others, w minimising |w|^2 / 2 + C sum max(0, 1 - y w.x) with a constant
coordinate in x, by dual coordinate descent (Hsieh and others 2008). The decision values become class probabilities by
exp(value) / sum, because the paper does not say how they do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, shuffle
from samehand.kernels import kernel
from samehand.models.stream.mixture import coordinates
from samehand.models.stream.rivals import agglomerate
from samehand.models.stream.task import Task

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

COST, PASSES, RANK = 1.0, 100, 10
STILL = 1e-6
"""A pass that changes no multiplier by more than this is the last."""


def predict(task: Task, state: State) -> Longs:
    """The labels of the stream."""
    return agglomerate.predict(task, lambda smaller: probabilities(smaller, state))


def probabilities(task: Task, state: State) -> Reals:
    """Of every record the probability of each known person."""
    points = coordinates(task, RANK, state)
    points = np.hstack([points, np.ones((task.count, 1))])
    values = np.empty((task.count, task.known))
    for person in range(task.known):
        signs = np.where(task.labels == person, 1.0, -1.0)
        values[:, person] = points @ separate(state, points[: task.initial], signs, COST, PASSES)
    shares = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


@kernel
def separate(state: State, points: Reals, signs: Reals, cost: float, passes: int) -> Reals:
    """The w of the machine that separates points with sign +1 from those with -1.

    >>> from samehand.infer.random import stream
    >>> separate(stream(0), np.array([[2.0], [-2.0]]), np.array([1.0, -1.0]), 10.0, 20).round(6).tolist()
    [0.5]
    """
    count = points.shape[0]
    multipliers, weights = np.zeros(count), np.zeros(points.shape[1])
    order = np.arange(count)
    for _ in range(passes):
        shuffle(state, order)
        moved = 0.0
        for i in order:
            square, product = _products(points[i], weights)
            if square > 0.0:
                slope = signs[i] * product - 1.0
                value = min(max(multipliers[i] - slope / square, 0.0), cost)
                step = (value - multipliers[i]) * signs[i]
                for j in range(points.shape[1]):
                    weights[j] += step * points[i, j]
                multipliers[i] = value
                moved = max(moved, abs(step))
        if moved <= STILL:
            break
    return weights


@kernel
def _products(point: Reals, weights: Reals) -> tuple[float, float]:
    """x.x and w.x."""
    square = product = 0.0
    for j in range(point.shape[0]):
        square += point[j] * point[j]
        product += weights[j] * point[j]
    return square, product
