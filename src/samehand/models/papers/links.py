"""Average link: clusters grow best pair first, while the mean log-odds between two of them is above 0.

The log score of a partition is the sum of the log-odds of all pairs within its clusters (a pairwise field, as in
correlation clustering); joining A and B changes it by |A| |B| times the mean, so every join raises the score, and
the search ends where no join of two clusters does. A pair that was not compared has the log-odds `unlike`.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samehand.block.canopies import Floats
from samehand.infer.union import connected

Longs = npt.NDArray[np.int64]
APART = -1e9
"""The log-odds of a pair that a curator told apart."""


@dataclass(frozen=True)
class Links:
    """Records 0 .. count - 1, compared pairs with their log-odds, and the log-odds of all other pairs."""

    count: int
    pairs: Longs
    odds: Floats
    unlike: float


def with_decisions(links: Links, different: Longs) -> Links:
    """The links with pairs that are told apart at APART."""
    if len(different) == 0:
        return links
    wanted = np.sort(different, axis=1)
    known = links.pairs[:, 0] * links.count + links.pairs[:, 1]
    told = np.unique(wanted[:, 0] * links.count + wanted[:, 1])
    odds = np.where(np.isin(known, told), APART, links.odds)
    fresh = told[~np.isin(told, known)]
    pairs = np.concatenate([links.pairs, np.stack([fresh // links.count, fresh % links.count], axis=1)])
    return Links(links.count, pairs, np.concatenate([odds, np.full(len(fresh), APART)]), links.unlike)


def agglomerate(links: Links, start: Longs) -> Longs:
    """The cluster of each record after joining the clusters `start` by average link; numbered by first member.

    >>> pairs, odds = np.array([[0, 1], [1, 2], [0, 2]]), np.array([4.0, 2.0, -3.0])
    >>> agglomerate(Links(4, pairs, odds, -8.0), np.arange(4)).tolist()
    [0, 0, 1, 2]
    """
    sizes = np.bincount(start).tolist()
    excess = _excess(links, start)
    version = [0] * len(sizes)
    edges: list[tuple[int, int]] = []
    heap = [
        (-mean, a, b, 0, 0)
        for a, others in enumerate(excess)
        for b, total in others.items()
        if a < b and (mean := total / (sizes[a] * sizes[b]) + links.unlike) > 0
    ]
    heapq.heapify(heap)
    while heap:
        _, a, b, seen_a, seen_b = heapq.heappop(heap)
        if version[a] != seen_a or version[b] != seen_b:
            continue
        edges.append((a, b))
        _join(excess, a, b)
        sizes[a] += sizes[b]
        version[a] += 1
        version[b] = -1
        for other, total in excess[a].items():
            mean = total / (sizes[a] * sizes[other]) + links.unlike
            if mean > 0:
                low, high = min(a, other), max(a, other)
                heapq.heappush(heap, (-mean, low, high, version[low], version[high]))
    merged = connected(len(sizes), edges)
    return connected(links.count, _chains(merged[start]))


def _excess(links: Links, start: Longs) -> list[dict[int, float]]:
    """For each cluster and each other with compared pairs: the sum of their log-odds above `unlike`."""
    excess: list[dict[int, float]] = [{} for _ in range(int(start.max(initial=-1)) + 1)]
    left, right = start[links.pairs[:, 0]].tolist(), start[links.pairs[:, 1]].tolist()
    for a, b, odds in zip(left, right, (links.odds - links.unlike).tolist(), strict=True):
        if a != b:
            excess[a][b] = excess[b][a] = excess[a].get(b, 0.0) + odds
    return excess


def _join(excess: list[dict[int, float]], a: int, b: int) -> None:
    """Add the sums of cluster b to those of cluster a."""
    for other, total in excess[b].items():
        if other != a:
            del excess[other][b]
            excess[a][other] = excess[other][a] = excess[a].get(other, 0.0) + total
    del excess[a][b]
    excess[b] = {}


def _chains(labels: Longs) -> Longs:
    """Edges that join the members of each cluster, one after the other."""
    order = np.argsort(labels, kind="stable")
    together = labels[order[:-1]] == labels[order[1:]]
    return np.stack([order[:-1][together], order[1:][together]], axis=1)


def score(links: Links, labels: Longs) -> float:
    """The log score of a partition: the log-odds of all pairs within clusters.

    >>> score(Links(3, np.array([[0, 1]]), np.array([4.0]), -8.0), np.array([0, 0, 1]))
    4.0
    """
    within = labels[links.pairs[:, 0]] == labels[links.pairs[:, 1]]
    sizes = np.bincount(labels)
    uncompared = int((sizes * (sizes - 1) // 2).sum()) - int(within.sum())
    return float(links.odds[within].sum() + links.unlike * uncompared)
