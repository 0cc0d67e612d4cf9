"""Hierarchical agglomerative clustering with average linkage, and how the two offline rivals use it.

Records, initial ones and those of the stream together, have class probabilities as coordinates. Clusters are merged,
nearest first, until a share of the number of records is left; that share is tuned by cross-validation on the
initial records. A cluster with initial records is the person most of them belong to; one without is a new person.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.stream.score import mean_f1
from samehand.models.stream.task import Task, folds

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

SHARES = tuple(np.linspace(0.02, 1.0, 50).tolist())

Describe = Callable[[Task], Reals]
"""Class probabilities of all records of a problem, records x known persons."""


def predict(task: Task, describe: Describe) -> Longs:
    """The labels of the stream, cut where it is best for the initial records."""
    totals = np.zeros(len(SHARES))
    for smaller, truth in folds(task):
        answers = cuts(smaller, describe(smaller), SHARES)
        totals += [mean_f1(truth, answer, smaller.known) for answer in answers]
    return cuts(task, describe(task), (SHARES[int(np.argmax(totals))],))[0]


def cuts(task: Task, described: Reals, shares: Sequence[float]) -> list[Longs]:
    """The labels of the stream when that share of the records is left as clusters, for each of the shares.

    >>> from samehand.models.stream.factors import Binary
    >>> task = Task(Binary(np.zeros(4, np.int64), np.empty(0, np.int64), 0), np.array([0]))
    >>> cuts(task, np.array([[0.0], [0.1], [5.0]]), (0.67,))[0].tolist()
    [0, 3]
    """
    merges = average_linkage(described)
    return [_labels(task, merges, max(1, round(share * task.count))) for share in shares]


def _labels(task: Task, merges: Longs, clusters: int) -> Longs:
    """Undo all but the first merges, and name the clusters."""
    member = np.arange(task.count)
    for kept, gone in merges[: task.count - clusters]:
        member[member == gone] = kept
    names: dict[int, int] = {}
    for cluster in member.tolist():
        if cluster not in names:
            inside = task.labels[member[: task.initial] == cluster]
            names[cluster] = int(np.bincount(inside).argmax()) if len(inside) else task.known + cluster
    return np.array([names[cluster] for cluster in member[task.initial :].tolist()], np.int64)


@kernel
def average_linkage(points: Reals) -> Longs:
    """The merges, nearest first: each row names the cluster that stays and the one that goes into it.

    A cluster is called after its first point; the distance of two is the mean Euclidean distance of their points.

    >>> average_linkage(np.array([[0.0], [5.0], [0.5]])).tolist()
    [[0, 2], [0, 1]]
    """
    count = points.shape[0]
    distance = _distances(points)
    sizes = np.ones(count)
    nearest = np.zeros(count, np.int64)
    for i in range(count):
        nearest[i] = _nearest(distance, i)
    merges = np.empty((max(0, count - 1), 2), np.int64)
    for merge in range(count - 1):
        first, best = -1, np.inf
        for i in range(count):
            if sizes[i] > 0 and distance[i, nearest[i]] < best:
                first, best = i, distance[i, nearest[i]]
        kept, gone = min(first, nearest[first]), max(first, nearest[first])
        merges[merge, 0], merges[merge, 1] = kept, gone
        _join(distance, sizes, kept, gone)
        for i in range(count):
            if sizes[i] > 0 and (nearest[i] == kept or nearest[i] == gone or i == kept):
                nearest[i] = _nearest(distance, i)
            elif sizes[i] > 0 and distance[i, kept] < distance[i, nearest[i]]:
                nearest[i] = kept
    return merges


@kernel
def _distances(points: Reals) -> Reals:
    """Euclidean distances of all pairs; a point is infinitely far from itself."""
    count = points.shape[0]
    distance = np.full((count, count), np.inf)
    for i in range(count):
        for j in range(i):
            total = 0.0
            for k in range(points.shape[1]):
                total += (points[i, k] - points[j, k]) * (points[i, k] - points[j, k])
            distance[i, j] = distance[j, i] = math.sqrt(total)
    return distance


@kernel
def _nearest(distance: Reals, i: int) -> int:
    """The cluster nearest to i; of equals the first."""
    nearest = 0
    for j in range(distance.shape[0]):
        if distance[i, j] < distance[i, nearest]:
            nearest = j
    return nearest


@kernel
def _join(distance: Reals, sizes: Reals, kept: int, gone: int) -> None:
    """Merge one cluster into another: distances become means, weighed by the sizes."""
    for i in range(distance.shape[0]):
        if sizes[i] > 0 and i != kept and i != gone:
            mean = sizes[kept] * distance[i, kept] + sizes[gone] * distance[i, gone]
            distance[i, kept] = distance[kept, i] = mean / (sizes[kept] + sizes[gone])
        distance[i, gone] = distance[gone, i] = np.inf
    sizes[kept] += sizes[gone]
    sizes[gone] = 0
