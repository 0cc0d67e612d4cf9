"""BernouNaive-HAC (competing method 3): a naive Bayes classifier of binary features, its probabilities clustered.

A person with n of N initial records, c_w of them with feature w, has theta_w = (c_w + 1) / (n + 2) and gives a record

    p(person | record) ~ n / N  prod over its features theta_w  prod over all others (1 - theta_w)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.models.stream.rivals import agglomerate
from samehand.models.stream.task import Task

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


def predict(task: Task) -> Longs:
    """The labels of the stream."""
    return agglomerate.predict(task, probabilities)


def probabilities(task: Task) -> Reals:
    """Of every record, those of the stream included, the probability of each known person.

    >>> from samehand.models.stream.factors import Binary
    >>> task = Task(Binary(np.array([0, 1, 2, 3]), np.array([0, 1, 1]), 2), np.array([0, 1]))
    >>> probabilities(task)[2].round(2).tolist()
    [0.2, 0.8]
    """
    dense = np.zeros((task.count, task.features.width))
    dense[np.repeat(np.arange(task.count), np.diff(task.features.starts)), task.features.features] = 1.0
    sizes = np.bincount(task.labels, minlength=task.known)
    counts = np.zeros((task.known, task.features.width))
    np.add.at(counts, task.labels, dense[: task.initial])
    theta = (counts + 1.0) / (sizes[:, None] + 2.0)
    log = np.log(sizes / task.initial) + np.log1p(-theta).sum(axis=1)
    log = log + dense @ (np.log(theta) - np.log1p(-theta)).T
    shares = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
