"""How sure one can be: partitions sampled in proportion to exp(score / temperature), record by record.

One Gibbs step takes a record out of its cluster and puts it into cluster c with probability proportional to
exp(sum of its log-odds with the members of c / temperature), or by itself in proportion to 1: the exact conditional
distribution of the partition score in links.py. Records that no chain of links above `NEAR` joins are sampled apart: a
partition never mixes them. A record's probability is the share of samples in which it is with most of its cluster
and with few others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samehand.block.canopies import Floats
from samehand.infer.random import State, categorical
from samehand.infer.union import connected
from samehand.kernels import bare, kernel
from samehand.models.papers.links import Links, Longs

NEAR = -4.0
SWEEPS, BURN = 60, 10


@dataclass(frozen=True)
class Neighbours:
    """Compared pairs within components, by record: others[starts[r]:starts[r + 1]], with their log-odds."""

    component: Longs
    starts: Longs
    others: Longs
    odds: Floats


def neighbours(links: Links, same: Longs) -> Neighbours:
    """The links within components of records that are near each other or decided to be the same."""
    near = links.pairs[links.odds > NEAR]
    component = connected(links.count, np.concatenate([near, same]))
    inside = component[links.pairs[:, 0]] == component[links.pairs[:, 1]]
    pairs, odds = links.pairs[inside], links.odds[inside]
    ends, others = np.concatenate([pairs[:, 0], pairs[:, 1]]), np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[order], np.arange(links.count + 1)).astype(np.int64)
    return Neighbours(component, starts, others[order], np.concatenate([odds, odds])[order])


@kernel
def sweep(
    members: Longs,
    label: Longs,
    sizes: Longs,
    starts: Longs,
    others: Longs,
    odds: Floats,
    unlike: float,
    temperature: float,
    held: npt.NDArray[np.bool_],
    random: State,
) -> None:
    """One Gibbs step for each record of a component, in order. Labels are those of component members: 0 ..
    len(members) - 1.

    `sizes[c]` is the number of records with label c; `held` records stay where a curator put them.
    """
    count = members.shape[0]
    total = np.empty(count + 1)
    weight = np.empty(count + 1)
    for place in range(count):
        record = members[place]
        if held[record]:
            continue
        sizes[label[record]] -= 1
        fresh = -1
        for c in range(count):
            total[c] = unlike * sizes[c]
            if sizes[c] == 0 and fresh < 0:
                fresh = c
        for link in range(starts[record], starts[record + 1]):
            total[label[others[link]]] += odds[link] - unlike
        best = 0.0
        for c in range(count):
            if sizes[c] > 0:
                best = max(best, total[c])
        summed = 0.0
        for c in range(count):
            weight[c] = 0.0
            if sizes[c] > 0 or c == fresh:
                weight[c] = np.exp(((total[c] if sizes[c] > 0 else 0.0) - best) / temperature)
            summed += weight[c]
        label[record] = categorical(random, weight[:count], summed)
        sizes[label[record]] += 1


@bare
def _belonging(members: Longs, label: Longs, found: Longs, counts: Longs) -> None:
    """Count, for each record of a component, whether in this sample it is with at least half of the others of its found
    cluster, and with fewer strangers than these and itself."""
    for record in members:
        others, fellows, strangers = 0, 0, 0
        for other in members:
            if other == record:
                continue
            if found[other] == found[record]:
                others += 1
                fellows += label[other] == label[record]
            else:
                strangers += label[other] == label[record]
        counts[record] += 2 * fellows >= others and strangers <= fellows


@kernel
def _sample(
    members: Longs,
    label: Longs,
    found: Longs,
    starts: Longs,
    others: Longs,
    odds: Floats,
    unlike: float,
    temperature: float,
    held: npt.NDArray[np.bool_],
    counts: Longs,
    sweeps: int,
    burn: int,
    random: State,
) -> None:
    sizes = np.zeros(members.shape[0], np.int64)
    for record in members:
        sizes[label[record]] += 1
    for turn in range(sweeps):
        sweep(members, label, sizes, starts, others, odds, unlike, temperature, held, random)
        if turn >= burn:
            _belonging(members, label, found, counts)


def belonging(
    links: Links, found: Longs, same: Longs, temperature: float, random: State, sweeps: int = SWEEPS
) -> Floats:
    """For each record the probability that it belongs to the cluster `found` for it.

    >>> from samehand.infer.random import stream
    >>> links = Links(3, np.array([[0, 1], [1, 2]]), np.array([20.0, -20.0]), -20.0)
    >>> belonging(links, np.array([0, 0, 1]), np.empty((0, 2), np.int64), 1.0, stream(0)).tolist()
    [1.0, 1.0, 1.0]
    """
    near = neighbours(links, same)
    counts = np.zeros(links.count, np.int64)
    held = np.zeros(links.count, np.bool_)
    held[same.ravel()] = True
    label = np.zeros(links.count, np.int64)
    order = np.argsort(near.component, kind="stable")
    sizes = np.bincount(near.component, minlength=1)
    counts[sizes[near.component] == 1] = sweeps - BURN
    ends = np.cumsum(sizes)
    for number in np.flatnonzero(sizes > 1):
        members = order[ends[number] - sizes[number] : ends[number]]
        label[members] = np.unique(found[members], return_inverse=True)[1]
        _sample(
            members,
            label,
            found,
            near.starts,
            near.others,
            near.odds,
            links.unlike,
            temperature,
            held,
            counts,
            sweeps,
            BURN,
            random,
        )
    return counts / float(sweeps - BURN)
