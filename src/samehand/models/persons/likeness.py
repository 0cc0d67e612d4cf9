"""How many of a block's pairs of mentions look like one person's? Estimated without labels, from the library itself.

The likeness of two mentions is x = sum over fields f of LIKENESS_f max(LBF_f, -FLOOR), the evidence of compare.py for
two single mentions, but with a base measure that counts in how many other blocks a token is, not how often. A library
shows how x is distributed in pairs whose answer is known without a curator (known_pairs.py):

- **two persons**: mentions of different blocks and papers without a common co-author, drawn at random;
- **one person**: two papers that share a co-author whose last name stands with one initial only in the whole library.
  They are two papers of that co-author, who is left out when they are compared.

With p1 and p0 these two distributions (histograms, begun with GENERIC pairs as libraries in general have them), the share
s of a block's pairs that are one person's maximises sum over pairs of ln(s p1(x) + (1 - s) p0(x)). It is found by EM and
drawn, as by STRENGTH pairs more, towards the mean of all blocks: a large block speaks for itself, a small one as its
library does. Papers with a rare co-author in common are more alike than any two papers of one person, so s is too small,
but by much the same factor everywhere: the weight of ln s / (1 - s) is learned.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.compare import shared_token
from samehand.models.persons.evidence import Bags
from samehand.models.persons.known_pairs import NOBODY
from samehand.models.persons.layout import EVIDENCE, Floats, Ints, Longs
from samehand.models.persons.prepare import UNSEEN, rising_factorials

LIKENESS = np.array([0.4, 0.0, 0.3, 0.5, 0.35])
"""The weight of each field; full names of co-authors say again what their initials and last names say."""
CONCENTRATION = np.array([20.0, 20.0, 150.0, 400.0, 20.0])
FLOOR = 4.0
MOST_TOKENS = 200
"""Of one field of a mention; what is beyond does not count against."""

EDGES = np.array([-1.0, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0])
"""Where the bins of the histograms end; the last is open."""
BINS = len(EDGES) + 1

BLOCK_PAIRS = 300
"""Pairs of a block that are looked at, evenly spread over all."""
STRENGTH = 10.0
ROUNDS = 30
GENERIC = 100.0
_UNIT = 2.0**40
SAME = np.array(
    [15, 15, 15, 45, 80, 20, 20, 20, 20, 40, 45, 85, 75, 125, 90, 100, 190]
) / 1_000  # fmt: skip
DIFFERENT = np.array(
    [500, 900, 1200, 3200, 3550, 340, 140, 80, 40, 20, 13, 6, 4, 3, 2, 1, 1]
) / 10_000  # fmt: skip
"""What libraries in general have, roughly: only a library of few papers is told anything by it."""


def ratio_of(
    bags: Bags,
    spread: Longs,
    totals: Longs,
    distinct: Longs,
    blocks: Longs,
    same: Longs,
    different: Longs,
) -> Floats:
    """p1(x) / p0(x) of each bin x, from pairs of one person and of two; for the arguments see `likeness_bins`."""
    found = [likeness_bins(bags, spread, totals, distinct, blocks, pairs) for pairs in (same, different)]
    return distribution(found[0], SAME) / distribution(found[1], DIFFERENT)


def distribution(bins: Ints, generic: Floats) -> Floats:
    """How the likeness of pairs is distributed over the bins, begun with GENERIC pairs of `generic`."""
    counts = np.bincount(bins, minlength=BINS)
    return np.asarray((counts + GENERIC * generic) / (counts.sum() + GENERIC))


def likeness_bins(
    bags: Bags, spread: Longs, totals: Longs, distinct: Longs, blocks: Longs, pairs: Longs
) -> Ints:
    """The bin of the likeness of each pair; blocks[m] is mention m's, spread[w] in how many blocks token w is.

    `totals` are the sums of the spread by field, `distinct` the numbers of different tokens, both of the whole library.
    """
    shape = np.stack([CONCENTRATION, np.ones(EVIDENCE), np.full(EVIDENCE, FLOOR)], axis=1)
    rising = rising_factorials(np.full(EVIDENCE, 2 * MOST_TOKENS), shape)
    return pair_bins(
        bags.starts, bags.tokens, bags.counts, bags.field, blocks, spread, totals + UNSEEN * distinct, rising,
        LIKENESS, CONCENTRATION, EDGES, pairs,
    )  # fmt: skip


def portraits(bags: Bags, spread: Longs, totals: Longs, distinct: Longs, block_starts: Longs) -> Longs:
    """How many pairs of each block are in each bin; shape (blocks, BINS). At most BLOCK_PAIRS are looked at."""
    blocks = np.repeat(np.arange(len(block_starts) - 1), np.diff(block_starts))
    starts, pairs = spread_pairs(block_starts)
    bins = likeness_bins(bags, spread, totals, distinct, blocks, pairs)
    block = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    counts = np.bincount(block * BINS + bins, minlength=BINS * (len(starts) - 1))
    return counts.reshape(-1, BINS).astype(np.int64)


@kernel
def block_frequencies(starts: Longs, tokens: Ints, blocks: Longs, vocabulary: int) -> Longs:
    """In how many blocks each token is; mentions are sorted by block.

    >>> block_frequencies(np.array([0, 1, 2, 3]), np.array([0, 0, 0], np.int32), np.array([0, 0, 1]), 2).tolist()
    [2, 0]
    """
    spread, seen = np.zeros(vocabulary, np.int64), np.full(vocabulary, -1, np.int64)
    for mention in range(blocks.shape[0]):
        for place in range(starts[mention], starts[mention + 1]):
            if seen[tokens[place]] != blocks[mention]:
                seen[tokens[place]] = blocks[mention]
                spread[tokens[place]] += 1
    return spread


@kernel
def pair_bins(
    starts: Longs,
    tokens: Ints,
    counts: Ints,
    field: Ints,
    blocks: Longs,
    spread: Longs,
    totals: Floats,
    rising: Floats,
    weights: Floats,
    concentration: Floats,
    edges: Floats,
    pairs: Longs,
) -> Ints:
    """The bin of each pair (mention, mention, token left out)."""
    bins = np.empty(pairs.shape[0], np.int32)
    worth = np.zeros(weights.shape[0])
    sizes = np.zeros((2, weights.shape[0]), np.int64)
    for number in range(pairs.shape[0]):
        worth[:] = 0.0
        sizes[:] = 0
        skip = pairs[number, 2]
        own = 1 if blocks[pairs[number, 0]] == blocks[pairs[number, 1]] else 2
        for side in range(2):
            for place in range(starts[pairs[number, side]], starts[pairs[number, side] + 1]):
                f = field[tokens[place]]
                if f < weights.shape[0] and tokens[place] != skip:
                    sizes[side, f] += counts[place]
        i, i_end = starts[pairs[number, 0]], starts[pairs[number, 0] + 1]
        j, j_end = starts[pairs[number, 1]], starts[pairs[number, 1] + 1]
        while i < i_end and j < j_end:
            token, f = tokens[i], field[tokens[i]]
            if token == tokens[j]:
                if f < weights.shape[0] and token != skip:
                    c, d = max(counts[i], counts[j]), min(counts[i], counts[j])
                    elsewhere = spread[token] - own + UNSEEN
                    worth[f] += shared_token(concentration[f] * elsewhere / totals[f], c, d)
                i += 1
                j += 1
            elif token < tokens[j]:
                i += 1
            else:
                j += 1
        x = 0.0
        for f in range(weights.shape[0]):
            n, m = min(sizes[0, f], MOST_TOKENS), min(sizes[1, f], MOST_TOKENS)
            if n > 0 and m > 0:
                x += weights[f] * max(worth[f] + rising[f, n] + rising[f, m] - rising[f, n + m], -FLOOR)
        bins[number] = np.searchsorted(edges, x)
    return bins


@kernel
def spread_pairs(block_starts: Longs) -> tuple[Longs, Longs]:
    """Pairs of each block: all, or BLOCK_PAIRS evenly spread over them; block b has pairs[starts[b] : starts[b + 1]].

    >>> starts, pairs = spread_pairs(np.array([0, 3, 4]))
    >>> starts.tolist(), pairs[:, :2].tolist()
    ([0, 3, 3], [[0, 1], [0, 2], [1, 2]])
    """
    blocks = block_starts.shape[0] - 1
    starts = np.zeros(blocks + 1, np.int64)
    for block in range(blocks):
        size = block_starts[block + 1] - block_starts[block]
        starts[block + 1] = starts[block] + min(size * (size - 1) // 2, BLOCK_PAIRS)
    pairs = np.empty((starts[blocks], 3), np.int64)
    for block in range(blocks):
        size = block_starts[block + 1] - block_starts[block]
        every, wanted = size * (size - 1) // 2, starts[block + 1] - starts[block]
        first, passed = 0, 0
        for k in range(wanted):
            rank = k * every // wanted
            while rank >= passed + size - 1 - first:
                passed += size - 1 - first
                first += 1
            place = starts[block] + k
            pairs[place, 0] = block_starts[block] + first
            pairs[place, 1] = block_starts[block] + first + 1 + rank - passed
            pairs[place, 2] = NOBODY
    return starts, pairs


def mean_share(portraits: Longs, ratio: Floats) -> float:
    """The mean share of a block's pairs that are one person's, where ratio[x] = p1(x) / p0(x).

    By EM: s becomes the mean over all blocks that have pairs of the mean over their pairs of s r / (s r + 1 - s).
    """
    sizes = portraits.sum(axis=1)
    fractions = portraits[sizes > 0] / sizes[sizes > 0, None]
    # Whole numbers add up to the same in any order of the blocks.
    weights = np.rint(fractions * _UNIT).astype(np.int64).sum(axis=0) / _UNIT
    blocks, mean = int((sizes > 0).sum()), 0.5
    for _ in range(ROUNDS):
        expected = mean * ratio / (mean * ratio + 1.0 - mean)
        mean = (float(weights @ expected) + 0.5) / (blocks + 1)
    return mean


@kernel
def shares(portraits: Longs, ratio: Floats, mean: float) -> Floats:
    """The share of each block's pairs that are one person's, with STRENGTH pairs of the mean beside its own."""
    found = np.full(portraits.shape[0], mean)
    for block in range(portraits.shape[0]):
        pairs = np.sum(portraits[block])
        for _ in range(ROUNDS if pairs > 0 else 0):
            expected = 0.0
            for x in range(ratio.shape[0]):
                odds = found[block] * ratio[x]
                expected += portraits[block, x] * odds / (odds + 1.0 - found[block])
            found[block] = (expected + STRENGTH * mean) / (pairs + STRENGTH)
    return found
