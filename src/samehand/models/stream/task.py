"""The problem every published method solves: initial records with persons, then a stream of records without.

Labels: the persons of the initial records are 0 .. K - 1; a person who appears in the stream only is K or above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from samehand.models.stream.factors import Binary
from samehand.models.stream.score import mean_f1

Longs = npt.NDArray[np.int64]
Value = TypeVar("Value")

FOLDS = 5


@dataclass(frozen=True)
class Task:
    """Binary features of all records in time order, the initial ones first, and the labels of those."""

    features: Binary
    labels: Longs

    @property
    def initial(self) -> int:
        """How many records come with their person."""
        return len(self.labels)

    @property
    def known(self) -> int:
        """How many persons they have, K."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    @property
    def count(self) -> int:
        """How many records there are in all."""
        return len(self.features.starts) - 1

    def record(self, row: int) -> Longs:
        """The features of a record."""
        return self.features.features[self.features.starts[row] : self.features.starts[row + 1]]


def first_labels(persons: npt.NDArray[np.generic]) -> Longs:
    """Numbers for persons, in the order in which they first appear.

    >>> first_labels(np.array(["b", "a", "b"])).tolist()
    [0, 1, 0]
    """
    _, first, inverse = np.unique(persons, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def select(features: Binary, rows: Longs) -> Binary:
    """These rows of a matrix.

    >>> select(Binary(np.array([0, 1, 3]), np.array([5, 6, 7]), 8), np.array([1])).features.tolist()
    [6, 7]
    """
    parts = [features.features[features.starts[row] : features.starts[row + 1]] for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Binary(starts, np.concatenate([*parts, np.empty(0, np.int64)]), features.width)


def folds(task: Task) -> Iterator[tuple[Task, Longs]]:
    """The initial records as smaller problems: every fifth is held back as a stream. Each with its truth."""
    places = np.arange(task.initial)
    for fold in range(min(FOLDS, task.initial)):
        order = np.concatenate([places[places % FOLDS != fold], places[places % FOLDS == fold]])
        labels = first_labels(task.labels[order])
        kept = int((places % FOLDS != fold).sum())
        yield Task(select(task.features, order), labels[:kept]), labels[kept:]


def tuned(task: Task, values: Sequence[Value], solve: Callable[[Task, Value], Longs]) -> Value:
    """The value whose answers have the best mean F1 over the folds of the initial records; of equals the first.

    The persons of whom every record was held back are the new persons of a fold.
    """
    totals = np.zeros(len(values))
    for smaller, truth in folds(task):
        totals += [mean_f1(truth, solve(smaller, value), smaller.known) for value in values]
    return values[int(np.argmax(totals))]
