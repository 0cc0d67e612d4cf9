"""The log-probability of a cluster of citations, their hidden values summed out.

    score(c) = log sum over t of P(t) prod_{i in c} P(title_i | t)  +  the same for authors
             + log sum over kinds k of P(k) prod_{i in c} P(kind_i | k)  +  sum_i log P(parse_i)

The sums over titles and authors go over the values near some member; `world.py` says what near is. Clusters are
linked lists: `head[c]` is the first member of cluster c, `following[i]` the one after i, -1 the end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.citations.published.world import Channel, World

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

KIND_PRIOR = np.array([0.4, 0.4, 0.08, 0.05, 0.07])
KIND_RIGHT = 0.95
"""The probability that a citation shows its paper's kind, where it shows any."""


class Priced(NamedTuple):
    """A channel at given rates: near values of each cited one, their excess, and the two sides of far ones."""

    starts: Longs
    true: Longs
    excess: Floats
    add: Floats
    drop: Floats
    prior: Floats
    scratch: Floats  # one for each true value
    touched: Longs
    mark: npt.NDArray[np.bool_]  # whether it is touched; all false between calls


class Citations(NamedTuple):
    """The readings of the citations."""

    parses: Longs
    title: Longs
    authors: Longs
    kind: Longs
    log_parse: Floats
    kind_prior: Floats
    kind_right: float


def priced(channel: Channel, rates: Floats) -> Priced:
    """A channel at these rates."""
    excess, add, drop = channel.priced(rates)
    return Priced(
        channel.starts, channel.true, excess, add, drop, channel.prior,
        np.zeros(len(channel.prior)), np.empty(len(channel.prior), np.int64), np.zeros(len(channel.prior), np.bool_),
    )  # fmt: skip


def citations(world: World) -> Citations:
    """The readings of a world."""
    return Citations(
        world.parses, world.title, world.authors, world.kind, world.log_parse, KIND_PRIOR, KIND_RIGHT
    )


@kernel
def _channel_score(cited: Longs, count: int, channel: Priced) -> float:
    """log sum_t P(t) prod over the first `count` cited values of P(o | t)."""
    reached = 0
    added = 0.0
    for place in range(count):
        o = cited[place]
        added += channel.add[o]
        for near in range(channel.starts[o], channel.starts[o + 1]):
            t = channel.true[near]
            if not channel.mark[t]:
                channel.mark[t] = True
                channel.scratch[t] = 0.0
                channel.touched[reached] = t
                reached += 1
            channel.scratch[t] += channel.excess[near]
    best = -math.inf
    for place in range(reached):
        t = channel.touched[place]
        channel.scratch[t] += channel.prior[t] + count * channel.drop[t]
        best = max(best, channel.scratch[t])
    total = 0.0
    for place in range(reached):
        t = channel.touched[place]
        total += math.exp(channel.scratch[t] - best)
        channel.mark[t] = False
    return added + best + math.log(total)


@kernel
def kind_score(kinds: Longs, count: int, prior: Floats, right: float) -> float:
    """log sum_k P(k) prod P(kind_i | k); a citation that shows no kind says nothing."""
    total = 0.0
    wrong = (1.0 - right) / (prior.shape[0] - 1)
    for kind in range(prior.shape[0]):
        chance = prior[kind]
        for place in range(count):
            if kinds[place] >= 0:
                chance *= right if kinds[place] == kind else wrong
        total += chance
    return math.log(total)


@kernel
def score_of(
    members: Longs, parse: Longs, count: int, seen: Citations, titles: Priced, bylines: Priced
) -> float:
    """The score of a cluster: its first `count` members, with the readings `parse[member]`; 0 if empty."""
    if count == 0:
        return 0.0
    cited = np.empty(count, np.int64)
    total = 0.0
    for place in range(count):
        z = parse[members[place]]
        cited[place] = seen.title[z]
        total += seen.log_parse[z]
    total += _channel_score(cited, count, titles)
    for place in range(count):
        cited[place] = seen.authors[parse[members[place]]]
    total += _channel_score(cited, count, bylines)
    for place in range(count):
        cited[place] = seen.kind[parse[members[place]]]
    return total + kind_score(cited, count, seen.kind_prior, seen.kind_right)


def partition_score(
    label: Longs, parse: Longs, number: float, seen: Citations, titles: Priced, bylines: Priced
) -> float:
    """The log-probability of a whole state, but for a constant: clusters, P(iota | n) and P(n)."""
    total = log_identity(len(np.unique(label)), len(label), number) + log_number(number, len(label))
    for cluster in np.unique(label):
        members = np.flatnonzero(label == cluster).astype(np.int64)
        total += score_of(members, parse, len(members), seen, titles, bylines)
    return total


@kernel
def log_identity(clusters: int, count: int, number: float) -> float:
    """log P(iota | n) = log( n! / (n - m)! ) - k log n, for k citations of m distinct papers out of n.

    >>> round(math.exp(log_identity(1, 2, 3.0)), 4)
    0.3333
    """
    return math.lgamma(number + 1.0) - math.lgamma(number - clusters + 1.0) - count * math.log(number)


SPREAD = 2.0


@kernel
def log_number(number: float, count: int) -> float:
    """log P(n), log-normal around the number of citations with standard deviation SPREAD, but for a constant."""
    distance = (math.log(number) - math.log(count)) / SPREAD
    return -math.log(number) - 0.5 * distance * distance
