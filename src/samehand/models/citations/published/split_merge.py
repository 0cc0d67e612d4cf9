"""Split and merge by likelihood: two citations that share a canopy are parted, or their clusters joined.

Beyond the paper, after Dahl (2005): an anchor and one of its canopy's citations are drawn. In one cluster: each of
them starts a new cluster, and the other members join one of the two in random order, with probability in proportion
to how much they raise its score; in two: the clusters are merged. The ratio has the probability q of that
allocation: for a split 1 / q, for a merge q of the allocation that would lead back, along an order drawn the same way.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, shuffle, uniform
from samehand.kernels import kernel
from samehand.models.citations.published.moves import clusters_in, free_label, members_of
from samehand.models.citations.published.score import Citations, Floats, Longs, Priced, log_identity, score_of


@kernel
def allocate(
    first: int,
    second: int,
    order: Longs,
    count: int,
    side: Longs,
    forced: bool,
    parse: Longs,
    seen: Citations,
    titles: Priced,
    bylines: Priced,
    random: State,
) -> float:
    """Deal `order[:count]` to the clusters begun by two anchors; returns log q. `side[i]` is 0 or 1: drawn, or given
    if `forced`."""
    left, right = np.empty(count + 2, np.int64), np.empty(count + 2, np.int64)
    left[0], right[0] = first, second
    lefts, rights = 1, 1
    left_score = score_of(left, parse, 1, seen, titles, bylines)
    right_score = score_of(right, parse, 1, seen, titles, bylines)
    total = 0.0
    for place in range(count):
        citation = order[place]
        left[lefts], right[rights] = citation, citation
        with_left = score_of(left, parse, lefts + 1, seen, titles, bylines)
        with_right = score_of(right, parse, rights + 1, seen, titles, bylines)
        odds = (with_left - left_score) - (with_right - right_score)
        chance = 1.0 / (1.0 + math.exp(-min(max(odds, -500.0), 500.0)))
        if not forced:
            side[citation] = 0 if uniform(random) < chance else 1
        if side[citation] == 0:
            total += math.log(max(chance, 1e-300))
            lefts += 1
            left_score = with_left
        else:
            total += math.log(max(1.0 - chance, 1e-300))
            rights += 1
            right_score = with_right
    return total


@kernel
def split_or_merge(
    label: Longs,
    parse: Longs,
    n: Floats,
    seen: Citations,
    titles: Priced,
    bylines: Priced,
    mate_starts: Longs,
    mates: Longs,
    random: State,
) -> bool:
    """One split or merge; returns whether it was accepted."""
    first = below(random, label.shape[0])
    second = mates[mate_starts[first] + below(random, mate_starts[first + 1] - mate_starts[first])]
    if first == second:
        return False
    together = label[first] == label[second]
    pool = np.empty_like(label)
    count = members_of(label, label[first], pool)
    if not together:
        count += members_of(label, label[second], pool[count:])
    order = np.empty(count - 2, np.int64)
    side = np.zeros_like(label)
    rest = 0
    for place in range(count):
        if pool[place] != first and pool[place] != second:
            order[rest] = pool[place]
            side[pool[place]] = 0 if label[pool[place]] == label[first] else 1
            rest += 1
    shuffle(random, order)
    log_q = allocate(first, second, order, rest, side, not together, parse, seen, titles, bylines, random)
    side[first], side[second] = 0, 1
    left, right = np.empty_like(label), np.empty_like(label)
    lefts, rights = 0, 0
    for place in range(count):
        if side[pool[place]] == 0:
            left[lefts] = pool[place]
            lefts += 1
        else:
            right[rights] = pool[place]
            rights += 1
    apart = score_of(left, parse, lefts, seen, titles, bylines) + score_of(
        right, parse, rights, seen, titles, bylines
    )
    whole = score_of(pool, parse, count, seen, titles, bylines)
    clusters, citations = clusters_in(label), label.shape[0]
    if together:
        if clusters + 1 > n[0]:
            return False
        ratio = apart - whole - log_q
        ratio += log_identity(clusters + 1, citations, n[0]) - log_identity(clusters, citations, n[0])
    else:
        ratio = whole - apart + log_q
        ratio += log_identity(clusters - 1, citations, n[0]) - log_identity(clusters, citations, n[0])
    if math.log(1.0 - uniform(random)) >= ratio:
        return False
    if together:
        fresh = free_label(label)
        for place in range(rights):
            label[right[place]] = fresh
    else:
        for place in range(count):
            label[pool[place]] = label[first]
    return True
