"""Mean F1 over the persons of a stream: what tables 2 and 3 of the paper report.

F1 of a person and a label is 2 |both| / (|person| + |label|), counted over the records of the stream. The paper does
not say which label is compared with which person. Strictly: a known person must keep his own label, and new persons
are matched one-to-one with new labels, so that the sum is greatest. Leniently: each person takes the best label there
is, whoever else took it; so read, calling every record a new person scores well.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.evaluate.contingency import contingency
from samehand.evaluate.matching import heaviest_matching

Longs = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


def mean_f1(true: Longs, predicted: Longs, known: int) -> float:
    """The strict reading; labels below `known` are known persons.

    >>> mean_f1(np.array([0, 0, 5, 6]), np.array([0, 0, 9, 9]), known=1)
    0.5555555555555555
    """
    persons, labels, rows, columns, f1 = _cells(true, predicted)
    is_kept = persons[rows] == labels[columns]
    is_new = (persons[rows] >= known) & (labels[columns] >= known)
    total = f1[is_kept & (persons[rows] < known)].sum()
    matching = heaviest_matching(rows[is_new], columns[is_new], f1[is_new], len(persons), len(labels))
    chosen = matching.edges[matching.edges >= 0]
    return float((total + f1[is_new][chosen].sum()) / len(persons))


def mean_f1_lenient(true: Longs, predicted: Longs) -> float:
    """The lenient reading.

    >>> mean_f1_lenient(np.array([0, 0, 5, 6]), np.array([7, 7, 9, 9]))
    0.7777777777777777
    """
    persons, _, rows, _, f1 = _cells(true, predicted)
    best = np.zeros(len(persons))
    np.maximum.at(best, rows, f1)
    return float(best.mean())


def _cells(true: Longs, predicted: Longs) -> tuple[Longs, Longs, Longs, Longs, Reals]:
    """Persons, labels, and of each pair that shares a record: their places and their F1."""
    persons, true_places = np.unique(true, return_inverse=True)
    labels, predicted_places = np.unique(predicted, return_inverse=True)
    table = contingency(true_places.astype(np.int64), predicted_places.astype(np.int64))
    return persons, labels, table.true, table.predicted, table.overlap_f1()
