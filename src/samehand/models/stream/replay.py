"""A name's records from its first stream year to its last through `Persons`, as a library would receive them.

A year's records arrive together: before them the background is renewed, after them the persons are repaired. A new
person is called after the record that founded him: K, the number of known persons, plus its number in the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from samehand.models.stream.background import Background
from samehand.models.stream.evidence import RECENCY
from samehand.models.stream.persons import Distribution, Persons, Record

Longs = npt.NDArray[np.int64]

Ask = Callable[[Longs, Distribution[int]], int | None]
"""Given the labels of the stream so far and whose the next record may be: the answer, or None for no question."""


def replay(
    records: Sequence[Record],
    labels: Longs,
    background: Callable[[int], Background],
    *,
    recency: float = RECENCY,
    repair: bool = True,
    ask: Ask | None = None,
) -> Longs:
    """The labels of the records after the initial ones, as they stand at the end.

    `records` are in time order; `labels` are of the first of them. `background(year)` is what is known at large when
    the records of that year arrive.

    >>> from samehand.models.stream.background import NOTHING, Counts
    >>> corpus = Counts(({"word": 9_000},) * 5, (9_000,) * 5)
    >>> lee, kim = {"coauthor_names": ["jo lee"], "year": 2001}, {"coauthor_names": ["a kim"], "year": 2002}
    >>> replay([lee, lee, kim, kim], np.array([0]), lambda year: Background(corpus, NOTHING)).tolist()
    [0, 2, 2]
    """
    initial = len(labels)
    known = int(labels.max()) + 1 if initial else 0
    persons: Persons[int] = Persons(background(_year(records, max(0, initial - 1))), recency=recency)
    for record, label in zip(records, labels.tolist(), strict=False):
        persons.learn(record, label, certain=True)
    found = np.empty(len(records) - initial, np.int64)
    for number, record in enumerate(records[initial:]):
        if number == 0 or _year(records, initial + number) != _year(records, initial + number - 1):
            if repair:
                _repair(persons, found[:number])
            persons.refresh(background(_year(records, initial + number)))
        distribution = persons.assign(record)
        answer = ask(found[:number], distribution) if ask else None
        label = distribution.best if answer is None else answer
        found[number] = known + number if label is None else label
        persons.learn(record, int(found[number]), certain=answer is not None)
    if repair:
        _repair(persons, found)
    return found


def _repair(persons: Persons[int], labels: Longs) -> None:
    for gone, kept, _ in persons.repair():
        labels[labels == gone] = kept


def _year(records: Sequence[Record], row: int) -> int:
    return int(records[row]["year"] or 0)
