"""Versions: the papers of one title and authors, told apart by the kind of publication (not in the paper).

In the published model two papers of one title pay for that title twice, some 50 nats each, which no evidence about
kinds can outweigh: a report, a conference paper and an article of one title are always one. Here the clusters it
samples are taken as *works*; within a work every kind that a citation shows is a version, and a citation that shows
none goes to the version with most of its year, else to the largest.
"""

from __future__ import annotations

import numpy as np

from samehand.models.citations.published.score import Longs

YEAR_WORTH = 1_000
"""Agreement on the year comes before size."""


def divide(label: Longs, kind: Longs, year: Longs) -> Longs:
    """The version of each citation, given its work, the kind it shows (-1: none) and its year (0: none).

    >>> label, year = np.zeros(5, np.int64), np.array([1990, 1990, 1993, 1993, 0])
    >>> divide(label, np.array([4, 4, 0, -1, -1]), year).tolist()
    [1, 1, 0, 0, 1]
    """
    versions = np.zeros_like(label)
    count = 0
    for work in np.unique(label):
        members = np.flatnonzero(label == work)
        shown = kind[members]
        kinds = np.unique(shown[shown >= 0])
        if len(kinds) < 2:
            versions[members] = count
            count += 1
            continue
        for member, own in zip(members, shown, strict=True):
            fellows = [members[shown == other] for other in kinds]
            agree = [((year[them] == year[member]) & (year[them] > 0)).any() for them in fellows]
            worth = [len(them) + YEAR_WORTH * same for them, same in zip(fellows, agree, strict=True)]
            place = int(np.searchsorted(kinds, own)) if own >= 0 else int(np.argmax(worth))
            versions[member] = count + place
        count += len(kinds)
    return versions
