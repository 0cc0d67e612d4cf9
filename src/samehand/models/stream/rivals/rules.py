"""Two trivial rules: every record is a new person; or, the person who shares the most co-authors, else a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]


def all_new(labels: Longs, count: int) -> Longs:
    """Each of `count` records a person of its own, after the known ones.

    >>> all_new(np.array([0, 1]), 3).tolist()
    [2, 3, 4]
    """
    return np.arange(count) + (int(labels.max()) + 1 if len(labels) else 0)


def most_coauthors(labels: Longs, coauthors: Sequence[Sequence[str]]) -> Longs:
    """The labels of the records after the initial ones; a person's co-authors are those of all his records so far.

    Each shared co-author counts as often as they wrote together; of equals the earlier person.

    >>> most_coauthors(np.array([0, 1]), [["a"], ["b"], ["b", "c"], ["c"], ["d"]]).tolist()
    [1, 1, 2]
    """
    together: dict[str, Counter[int]] = {}
    found: list[int] = []
    persons = int(labels.max()) + 1 if len(labels) else 0
    for row, names in enumerate(coauthors):
        if row < len(labels):
            person = int(labels[row])
        else:
            shared = sum((together.get(name, Counter()) for name in names), Counter[int]())
            person = max(shared, key=lambda p: (shared[p], -p)) if shared else persons
            persons = max(persons, person + 1)
            found.append(person)
        for name in names:
            together.setdefault(name, Counter())[person] += 1
    return np.array(found, np.int64)
