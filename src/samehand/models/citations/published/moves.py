"""The moves. Each leaves the distribution of score.py as it is; the docstring says its Hastings ratio.

A state is `label` (the cluster of each citation, any number below the number of citations), `parse` (its reading)
and the number of papers `n[0]`. All moves draw from one stream.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, categorical, uniform
from samehand.kernels import kernel
from samehand.models.citations.published.score import (
    Citations,
    Floats,
    Longs,
    Priced,
    log_identity,
    log_number,
    score_of,
)

Canopy = tuple[Longs, Longs]


@kernel
def members_of(label: Longs, cluster: int, into: Longs) -> int:
    """Put the members of a cluster into an array; returns how many."""
    count = 0
    for citation in range(label.shape[0]):
        if label[citation] == cluster:
            into[count] = citation
            count += 1
    return count


@kernel
def clusters_in(label: Longs) -> int:
    """How many clusters there are."""
    seen = np.zeros(label.shape[0], np.bool_)
    for citation in range(label.shape[0]):
        seen[label[citation]] = True
    return int(seen.sum())


@kernel
def free_label(label: Longs) -> int:
    """The smallest number that is no cluster; -1 if every citation is alone."""
    seen = np.zeros(label.shape[0], np.bool_)
    for citation in range(label.shape[0]):
        seen[label[citation]] = True
    for cluster in range(label.shape[0]):
        if not seen[cluster]:
            return cluster
    return -1


@kernel
def log_choose(label: Longs, one: int, other: int, starts: Longs, members: Longs) -> float:
    """Log-probability that a canopy drawn uniformly, and two clusters drawn with replacement from those that have a
    member in it, are this pair in either order (section 5.3: summed over all canopies)."""
    canopies = starts.shape[0] - 1
    seen = np.full(label.shape[0], -1, np.int64)
    total = 0.0
    for canopy in range(canopies):
        count = 0
        for place in range(starts[canopy], starts[canopy + 1]):
            cluster = label[members[place]]
            if seen[cluster] != canopy:
                seen[cluster] = canopy
                count += 1
        if seen[one] == canopy and seen[other] == canopy:
            total += (1.0 if one == other else 2.0) / (count * count)
    return math.log(total / canopies) if total > 0.0 else -math.inf


@kernel
def redeal(
    label: Longs,
    parse: Longs,
    n: Floats,
    seen: Citations,
    titles: Priced,
    bylines: Priced,
    starts: Longs,
    members: Longs,
    random: State,
) -> bool:
    """The paper's move (section 5.2): a canopy, two of its clusters, their citations pooled and dealt by coin into
    two new ones.

    The deal has the same probability both ways; the ratio is score and identity, times the probability of choosing the
    new pair over that of choosing the old one.
    """
    canopy = below(random, starts.shape[0] - 1)
    size = starts[canopy + 1] - starts[canopy]
    inside = np.unique(label[members[starts[canopy] : starts[canopy] + size]])
    one, other = inside[below(random, inside.shape[0])], inside[below(random, inside.shape[0])]
    pool, left, right = np.empty_like(label), np.empty_like(label), np.empty_like(label)
    count = members_of(label, one, pool)
    if other != one:
        count += members_of(label, other, pool[count:])
    before = log_choose(label, one, other, starts, members)
    spare = other if other != one else free_label(label)
    if spare < 0:
        return False
    old = label.copy()
    lefts, rights = 0, 0
    for place in range(count):
        if uniform(random) < 0.5:
            left[lefts] = pool[place]
            lefts += 1
            label[pool[place]] = one
        else:
            right[rights] = pool[place]
            rights += 1
            label[pool[place]] = spare
    first, second = (one if lefts else spare), (spare if rights else one)
    after = log_choose(label, first, second, starts, members)
    ratio = score_of(left, parse, lefts, seen, titles, bylines) + score_of(
        right, parse, rights, seen, titles, bylines
    )
    old_count = members_of(old, one, left)
    ratio -= score_of(left, parse, old_count, seen, titles, bylines)
    if other != one:
        old_count = members_of(old, other, left)
        ratio -= score_of(left, parse, old_count, seen, titles, bylines)
    ratio += log_identity(clusters_in(label), label.shape[0], n[0]) - log_identity(
        clusters_in(old), label.shape[0], n[0]
    )
    ratio += after - before
    if math.log(1.0 - uniform(random)) < ratio:
        return True
    label[:] = old
    return False


@kernel
def reread(
    label: Longs, parse: Longs, seen: Citations, titles: Priced, bylines: Priced, random: State
) -> bool:
    """A citation's reading, drawn from its list by the parser's probabilities; the ratio is that of the scores
    without them."""
    citation = below(random, label.shape[0])
    low, high = seen.parses[citation], seen.parses[citation + 1]
    chances = np.exp(seen.log_parse[low:high])
    members = np.empty_like(label)
    count = members_of(label, label[citation], members)
    old = parse[citation]
    ratio = -score_of(members, parse, count, seen, titles, bylines) + seen.log_parse[old]
    parse[citation] = low + categorical(random, chances, chances.sum())
    ratio += score_of(members, parse, count, seen, titles, bylines) - seen.log_parse[parse[citation]]
    if math.log(1.0 - uniform(random)) < ratio:
        return True
    parse[citation] = old
    return False


@kernel
def recount(label: Longs, n: Floats, width: int, random: State) -> bool:
    """A random walk on the number of papers, by up to `width` either way; symmetric, so the ratio is that of P(n)
    P(iota | n)."""
    step = 1 + below(random, width)
    proposed = n[0] + (step if uniform(random) < 0.5 else -step)
    clusters = clusters_in(label)
    if proposed < clusters:
        return False
    count = label.shape[0]
    ratio = log_identity(clusters, count, proposed) + log_number(proposed, count)
    ratio -= log_identity(clusters, count, n[0]) + log_number(n[0], count)
    if math.log(1.0 - uniform(random)) < ratio:
        n[0] = proposed
        return True
    return False


@kernel
def reassign(
    citation: int,
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
    """Beyond the paper: cluster and reading of a citation drawn together from their exact conditional distribution.

    The clusters are those of citations that share a canopy with it, and a new one. A citation in a cluster without
    any of them stays where it is, so that the move can always be undone.
    """
    home = label[citation]
    low, high = mate_starts[citation], mate_starts[citation + 1]
    options = np.empty(high - low + 1, np.int64)
    count = 0
    for place in range(low, high):
        mate = mates[place]
        if mate == citation:
            continue
        known = False
        for option in range(count):
            known = known or options[option] == label[mate]
        if not known:
            options[count] = label[mate]
            count += 1
    members = np.empty_like(label)
    alone = members_of(label, home, members) == 1
    known = alone
    for option in range(count):
        known = known or options[option] == home
    if not known:
        return False
    fresh = home if alone else free_label(label)
    options[count] = fresh
    clusters = clusters_in(label) - (1 if alone else 0)
    begin, end = seen.parses[citation], seen.parses[citation + 1]
    readings = end - begin
    weight = np.empty((count + 1) * readings)
    label[citation] = -1
    old = parse[citation]
    for option in range(count + 1):
        size = members_of(label, options[option], members)
        base = score_of(members, parse, size, seen, titles, bylines)
        members[size] = citation
        for z in range(readings):
            parse[citation] = begin + z
            gain = score_of(members, parse, size + 1, seen, titles, bylines) - base
            weight[option * readings + z] = gain + (
                math.log(n[0] - clusters) if option == count and n[0] > clusters else 0.0
            )
            if option == count and n[0] <= clusters:
                weight[option * readings + z] = -math.inf
    weight = np.exp(weight - weight.max())
    chosen = categorical(random, weight, weight.sum())
    label[citation] = options[chosen // readings]
    parse[citation] = begin + chosen % readings
    return bool(label[citation] != home or parse[citation] != old)
