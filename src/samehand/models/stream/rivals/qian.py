"""Qian's method (competing method 1): probabilities from counts of attributes, and a threshold for new persons.

A person with n records, c_w of which have the attribute w, gives a record the probability

    p(record | person) = product over the record's attributes of (c_w + 1/d) / (n + 1)

of independent attributes, d being the number of all attributes. Records have different numbers of attributes; for one
threshold to fit them all, it is compared with the probability's geometric mean over the attributes. The most probable
person is chosen if that is above the threshold; else the record is a new person's. The threshold is tuned by
cross-validation on the initial records; a record, once labelled, counts for its person.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.stream.factors import Binary
from samehand.models.stream.task import Task, tuned

Longs = npt.NDArray[np.int64]

THRESHOLDS = tuple(np.linspace(-8.0, -0.2, 40).tolist())
"""Logarithms of the geometric means tried: from "hardly anything shared" to "nearly all shared"."""


def predict(task: Task) -> Longs:
    """The labels of the stream, with the threshold that is best for the initial records."""
    return _label(task.features, task.labels, task.known, tuned(task, THRESHOLDS, label))


def label(task: Task, threshold: float) -> Longs:
    """The labels of the stream with this threshold on the mean log probability of an attribute.

    >>> task = Task(Binary(np.array([0, 1, 2, 3, 4]), np.array([0, 1, 1, 2]), 3), np.array([0, 1]))
    >>> label(task, -1.0).tolist()
    [1, 2]
    """
    return _label(task.features, task.labels, task.known, threshold)


@kernel
def _label(features: Binary, labels: Longs, known: int, threshold: float) -> Longs:
    count = features.starts.shape[0] - 1
    initial = labels.shape[0]
    counts = np.zeros((known + count - initial, features.width))
    sizes = np.zeros(known + count - initial)
    found = np.empty(count - initial, np.int64)
    persons = known
    for row in range(count):
        record = features.features[features.starts[row] : features.starts[row + 1]]
        if row < initial:
            chosen = labels[row]
        else:
            chosen, best = persons, threshold
            for person in range(persons):
                total = 0.0
                for feature in record:
                    total += np.log((counts[person, feature] + 1.0 / features.width) / (sizes[person] + 1.0))
                if total > best * max(1, record.shape[0]):
                    chosen, best = person, total / max(1, record.shape[0])
            persons = max(persons, chosen + 1)
            found[row - initial] = chosen
        sizes[chosen] += 1.0
        for feature in record:
            counts[chosen, feature] += 1.0
    return found
