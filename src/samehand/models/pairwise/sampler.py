"""The pairwise model's kernel: the score of a pair, and Metropolis-Hastings over clusterings of a block.

Log score of a clustering: the sum of s(i, k) over all pairs of mentions in one cluster, with the names and cosine
terms of the 2012 paper (section 4.1; trees-2012.toml):

    s(i, k) = sum over names of agreement(i, k)  +  sum over fields of  w ( cosine(i, k) + t )

One step (section 2.2) draws two mentions; if they are together, the first leaves to a cluster of its own, otherwise it
joins the second's. Only the factors between it and the members of the two clusters change: |e_i| + |e_j| - 1 pairs are
scored, each for the mention's being there and its not being there. Accepted with probability
min(1, exp(delta / T) * q), q being the ratio of the reverse and the forward proposal where a posterior is wanted:
a mention that leaves a cluster of a >= 2 for another of b has (a - 1) / b, every other move 1; a search leaves q out.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, uniform
from samehand.kernels import kernel
from samehand.models.trees.factors import agreement
from samehand.models.trees.layout import ATTRIBUTES, COSINE, SHIFT, Floats, Ints, Longs
from samehand.models.trees.schedule import ALIKE, COOLING, MOST_SWEEPS, PATIENCE, temperature_of

JOINED, LEFT, PAIRS, STEPS = range(4)  # columns of `taken`


@kernel
def pair(
    starts: Longs,
    tokens: Ints,
    counts: Ints,
    field: Ints,
    lengths: Floats,
    names: Ints,
    initial: Ints,
    weights: Floats,
    structure: Floats,
    dots: Floats,
    i: int,
    k: int,
) -> float:
    """s(i, k). `lengths[m, f]` is the Euclidean length of a bag, `dots` scratch."""
    fields = weights.shape[0]
    for f in range(fields):
        dots[f] = 0.0
    a, b = starts[i], starts[k]
    while a < starts[i + 1] and b < starts[k + 1]:
        if tokens[a] == tokens[b]:
            dots[field[tokens[a]]] += float(counts[a]) * float(counts[b])
            a += 1
            b += 1
        elif tokens[a] < tokens[b]:
            a += 1
        else:
            b += 1
    score = 0.0
    for f in range(fields):
        length = lengths[i, f] * lengths[k, f]
        if weights[f, COSINE] != 0.0 and length > 0.0:
            score += weights[f, COSINE] * (dots[f] / length + weights[f, SHIFT])
    for which in range(ATTRIBUTES):
        score += agreement(names[i, which], names[k, which], initial, structure)
    return score


@kernel
def bag_lengths(starts: Longs, tokens: Ints, counts: Ints, field: Ints, fields: int) -> Floats:
    """The Euclidean length of each mention's bag in each field."""
    mentions = starts.shape[0] - 1
    lengths = np.zeros((mentions, fields))
    for mention in range(mentions):
        for position in range(starts[mention], starts[mention + 1]):
            lengths[mention, field[tokens[position]]] += float(counts[position]) ** 2
        for f in range(fields):
            lengths[mention, f] = math.sqrt(lengths[mention, f])
    return lengths


@kernel
def draw_mentions(
    mentions: int,
    rare_starts: Longs,
    rare: Ints,
    posting_starts: Longs,
    postings: Ints,
    alike: float,
    random: State,
) -> tuple[int, int]:
    """Two mentions that share a rare token, or, in the share `alike` of the draws, any two."""
    first = below(random, mentions)
    held = rare_starts[first + 1] - rare_starts[first]
    if alike >= 1.0 or uniform(random) < alike or held == 0:
        return first, below(random, mentions)
    token = rare[rare_starts[first] + below(random, held)]
    holders = posting_starts[token + 1] - posting_starts[token]
    return first, postings[posting_starts[token] + below(random, holders)]


@kernel
def forbidden(apart: Ints, labels: Longs, mention: int, cluster: int) -> bool:
    """Whether a curator's word keeps a mention out of a cluster."""
    for row in range(apart.shape[0]):
        for side in range(2):
            if apart[row, side] == mention and labels[apart[row, 1 - side]] == cluster:
                return True
    return False


@kernel
def lists_of(labels: Longs) -> tuple[Longs, Longs, Longs, Longs, int]:
    """The clusters as linked lists: next member, first member, sizes, a stack of unused numbers, and its height."""
    mentions = labels.shape[0]
    following = np.full(mentions, -1, np.int64)
    heads = np.full(mentions, -1, np.int64)
    sizes = np.zeros(mentions, np.int64)
    unused = np.empty(mentions, np.int64)
    for mention in range(mentions):
        following[mention] = heads[labels[mention]]
        heads[labels[mention]] = mention
        sizes[labels[mention]] += 1
    free = 0
    for cluster in range(mentions):
        if sizes[cluster] == 0:
            unused[free] = cluster
            free += 1
    return following, heads, sizes, unused, free


@kernel
def affinity(
    starts: Longs,
    tokens: Ints,
    counts: Ints,
    field: Ints,
    lengths: Floats,
    names: Ints,
    initial: Ints,
    weights: Floats,
    structure: Floats,
    dots: Floats,
    following: Longs,
    head: int,
    mention: int,
) -> float:
    """The sum of s(mention, k) over the other members k of the cluster whose list begins at `head`."""
    total = 0.0
    member = head
    while member >= 0:
        if member != mention:
            total += pair(
                starts,
                tokens,
                counts,
                field,
                lengths,
                names,
                initial,
                weights,
                structure,
                dots,
                mention,
                member,
            )
        member = following[member]
    return total


@kernel
def move(labels: Longs, following: Longs, heads: Longs, sizes: Longs, mention: int, cluster: int) -> None:
    """Take a mention out of its cluster's list and put it at the head of another's."""
    old = labels[mention]
    if heads[old] == mention:
        heads[old] = following[mention]
    else:
        before = heads[old]
        while following[before] != mention:
            before = following[before]
        following[before] = following[mention]
    sizes[old] -= 1
    following[mention] = heads[cluster]
    heads[cluster] = mention
    labels[mention] = cluster
    sizes[cluster] += 1


@kernel
def log_reverse(old_size: int, new_size: int, together: bool) -> float:
    """log q: how much likelier the way back is than the way there, given the sizes of both clusters before the move."""
    return math.log((old_size - 1) / new_size) if not together and old_size > 1 else 0.0


@kernel
def sample(
    starts: Longs, tokens: Ints, counts: Ints, field: Ints, names: Ints, initial: Ints, weights: Floats,
    structure: Floats, rare_starts: Longs, rare: Ints, posting_starts: Longs, postings: Ints, apart: Ints,
    random: State, schedule: Floats, posterior: bool, labels: Longs, taken: Longs,
) -> float:  # fmt: skip
    """Run the sampler from the clustering in `labels` (each a number below the number of mentions); returns the gain.

    Sweeps, temperatures and the stopping rule are those of the trees' search.
    """
    mentions = starts.shape[0] - 1
    lengths = bag_lengths(starts, tokens, counts, field, weights.shape[0])
    dots = np.empty(weights.shape[0])
    following, heads, sizes, unused, free = lists_of(labels)
    gain, quiet = 0.0, 0
    for sweep in range(int(schedule[MOST_SWEEPS]) if mentions > 1 else 0):
        temperature = temperature_of(schedule, sweep)
        changed = False
        for _ in range(mentions):
            taken[STEPS] += 1
            i, j = draw_mentions(
                mentions, rare_starts, rare, posting_starts, postings, schedule[ALIKE], random
            )
            old, new = labels[i], labels[j]
            together = old == new
            if i == j or (not together and forbidden(apart, labels, i, new)):
                continue
            if together:
                new = unused[free - 1]
            taken[PAIRS] += sizes[old] - 1 + sizes[new]
            delta = affinity(
                starts, tokens, counts, field, lengths, names, initial, weights, structure, dots, following,
                heads[new], i,
            ) - affinity(
                starts, tokens, counts, field, lengths, names, initial, weights, structure, dots, following,
                heads[old], i,
            )  # fmt: skip
            log_ratio = delta / temperature
            if posterior:
                log_ratio += log_reverse(sizes[old], sizes[new], together)
            if log_ratio >= 0.0 or uniform(random) < math.exp(log_ratio):
                taken[LEFT if together else JOINED] += 1
                changed = True
                gain += delta
                free -= 1 if together else 0
                move(labels, following, heads, sizes, i, new)
                if sizes[old] == 0:
                    unused[free] = old
                    free += 1
        quiet = 0 if changed else quiet + 1
        if sweep >= schedule[COOLING] and quiet >= schedule[PATIENCE]:
            break
    return gain
