"""Khabsa's method (competing method 2): the records within a distance, as in DBSCAN, one record at a time.

The neighbours of a record are the earlier records within the Euclidean distance epsilon; of binary records the squared
distance is the number of features that one of two has and the other has not. Without neighbours the record is a new
person's; else it goes to the person with the most neighbours. Epsilon is tuned by cross-validation on the initial
records.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.stream.factors import Binary
from samehand.models.stream.task import Task, tuned

Longs = npt.NDArray[np.int64]

SQUARES = tuple(range(41))
"""The squares of the epsilons tried."""


def predict(task: Task) -> Longs:
    """The labels of the stream, with the epsilon that is best for the initial records."""
    return label(task, tuned(task, SQUARES, label))


def label(task: Task, square: int) -> Longs:
    """The labels of the stream, neighbours being at most sqrt(square) away.

    >>> task = Task(Binary(np.array([0, 1, 2, 3, 4]), np.array([0, 1, 1, 2]), 3), np.array([0, 1]))
    >>> label(task, 1).tolist()
    [1, 2]
    """
    return _label(task.features, task.labels, task.known, square)


@kernel
def _label(features: Binary, labels: Longs, known: int, square: int) -> Longs:
    starts, words = features.starts, features.features
    count, initial = starts.shape[0] - 1, labels.shape[0]
    every = np.empty(count, np.int64)
    every[:initial] = labels
    votes = np.zeros(known + count - initial, np.int64)
    has = np.zeros(features.width, np.int64)
    persons = known
    for row in range(initial, count):
        for person in range(persons):
            votes[person] = 0
        for place in range(starts[row], starts[row + 1]):
            has[words[place]] = 1
        for other in range(row):
            shared = 0
            for place in range(starts[other], starts[other + 1]):
                shared += has[words[place]]
            apart = starts[row + 1] - starts[row] + starts[other + 1] - starts[other] - 2 * shared
            if apart <= square:
                votes[every[other]] += 1
        for place in range(starts[row], starts[row + 1]):
            has[words[place]] = 0
        chosen, most = persons, 0
        for person in range(persons):
            if votes[person] > most:
                chosen, most = person, votes[person]
        every[row] = chosen
        persons = max(persons, chosen + 1)
    return every[initial:]
