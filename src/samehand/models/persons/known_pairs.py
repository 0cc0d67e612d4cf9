"""Pairs of mentions whose answer is known without a curator: strangers, and papers of one rarely named co-author.

Both are drawn from a sample that depends on nothing but the mentions themselves: those whose identifiers have the
smallest hashes, and all that share one of some rarely named co-authors, those with the smallest tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.kernels import bare, kernel
from samehand.models.persons.evidence import Bags
from samehand.models.persons.layout import COAUTHORS, Flags, Hashes, Ints, Longs
from samehand.models.persons.texts import fields_of
from samehand.normalise.coded import numbered

MOST_PAIRS = 10_000
"""Pairs of each sort; more say little more."""
MOST_HOLDERS = 30
"""Mentions with a co-author; a name that more have is not rare."""
NOBODY = -1
"""In place of the token that a pair is known by."""
_MARGIN = 1.2


@dataclass(frozen=True)
class Sample:
    """Some mentions, in the order of the hashes of their identifiers; `drawn` are those a pair of strangers may have."""

    hashes: Hashes  # of identifiers, ascending
    bags: Bags
    blocks: Longs  # hashes of the blocks, as whole numbers
    papers: Longs
    drawn: Longs  # 1 or 0

    @staticmethod
    def together(samples: Sequence[Sample]) -> Sample:
        """The samples of several shards as one."""
        hashes = np.concatenate([sample.hashes for sample in samples])
        order = np.argsort(hashes, kind="stable")
        lengths = np.concatenate([np.diff(sample.bags.starts) for sample in samples])
        tokens = np.concatenate([sample.bags.vocabulary[sample.bags.tokens] for sample in samples])
        counts = np.concatenate([sample.bags.counts for sample in samples])
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = spans(ends[order], lengths[order])
        vocabulary, codes = numbered(tokens[places])
        starts = np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int64)
        bags = Bags(starts, codes, counts[places], vocabulary, fields_of(vocabulary))
        blocks, papers, drawn = (
            np.concatenate([getattr(sample, name) for sample in samples])[order]
            for name in ("blocks", "papers", "drawn")
        )
        return Sample(hashes[order], bags, blocks, papers, drawn)


def spans(begins: Longs, lengths: Longs) -> Longs:
    """The places begins[i], begins[i] + 1, ... of each span, one span after the other.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(lengths)
    return np.asarray(
        np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - lengths), lengths), np.int64
    )


def draw_sample(
    ids: pl.Series, bags: Bags, blocks: pl.Series, papers: Hashes, rare: Hashes, mentions: int
) -> Sample:
    """The mentions of a shard that belong in the sample of a library of so many mentions; blocks[m] is mention m's."""
    hashes = ids.hash(2).to_numpy()
    limit = np.uint64(min(1.0, _MARGIN * MOST_PAIRS / max(mentions, 1)) * (2.0**64 - 2048.0))
    drawn = hashes <= limit
    chosen = np.isin(bags.vocabulary, rare)
    holds = np.bincount(
        np.repeat(np.arange(len(hashes)), np.diff(bags.starts)),
        weights=chosen[bags.tokens],
        minlength=len(hashes),
    )
    kept = np.flatnonzero(drawn | (holds > 0))
    places = spans(bags.starts[kept], np.diff(bags.starts)[kept])
    starts = np.concatenate([[0], np.cumsum(np.diff(bags.starts)[kept])]).astype(np.int64)
    own = Bags(starts, bags.tokens[places], bags.counts[places], bags.vocabulary, bags.field)
    return Sample(
        hashes[kept], own, blocks.hash(2).to_numpy()[kept].view(np.int64), papers[kept].view(np.int64),
        drawn[kept].astype(np.int64),
    )  # fmt: skip


def acquainted_tokens(rare: Hashes, holders: Longs) -> Hashes:
    """Of the rare co-authors with these numbers of holders, those that are looked at: the first in order."""
    several = (holders > 1) & (holders <= MOST_HOLDERS)
    rare, holders = rare[several], holders[several]
    return rare[: int(np.searchsorted(np.cumsum(holders), MOST_PAIRS)) + 1]


def known_pairs(sample: Sample, rare: Hashes) -> tuple[Longs, Longs]:
    """Pairs of one person and of two, rows mention, mention, token left out (a place in the sample's vocabulary)."""
    bags = sample.bags
    chosen = np.isin(bags.vocabulary, rare)
    return (
        acquaintances(bags.starts, bags.tokens, chosen, sample.papers),
        strangers(
            bags.starts, bags.tokens, bags.field, sample.papers, sample.blocks, np.flatnonzero(sample.drawn)
        ),
    )


@kernel
def strangers(starts: Longs, tokens: Ints, field: Ints, papers: Longs, blocks: Longs, drawn: Longs) -> Longs:
    """Mentions of different blocks and papers without a common co-author: each that is drawn, with the next."""
    drawn = drawn[:MOST_PAIRS]
    pairs, kept = np.empty((drawn.shape[0], 3), np.int64), 0
    for i in range(drawn.shape[0]):
        a, b = drawn[i], drawn[(i + 1) % drawn.shape[0]]
        if blocks[a] != blocks[b] and papers[a] != papers[b] and not acquainted(starts, tokens, field, a, b):
            pairs[kept, 0], pairs[kept, 1], pairs[kept, 2] = a, b, NOBODY
            kept += 1
    return pairs[:kept]


@bare
def acquainted(starts: Longs, tokens: Ints, field: Ints, a: int, b: int) -> bool:
    """Whether two mentions have a co-author in common."""
    i, j = starts[a], starts[b]
    while i < starts[a + 1] and j < starts[b + 1]:
        if tokens[i] == tokens[j]:
            if field[tokens[i]] == COAUTHORS:
                return True
            i += 1
            j += 1
        elif tokens[i] < tokens[j]:
            i += 1
        else:
            j += 1
    return False


def acquaintances(starts: Longs, tokens: Ints, chosen: Flags, papers: Longs) -> Longs:
    """Mentions of different papers that share the token of a chosen co-author."""
    held = chosen[tokens]
    mention = np.repeat(np.arange(len(starts) - 1), np.diff(starts))[held]
    token = tokens[held]
    order = np.lexsort((mention, token))
    mention, token = mention[order], token[order]
    begins = np.searchsorted(token, np.unique(token))
    sizes = np.diff(np.append(begins, len(token)))
    return neighbours(mention, token, begins[sizes > 1], sizes[sizes > 1], papers)


@kernel
def neighbours(mention: Longs, token: Ints, begins: Longs, sizes: Longs, papers: Longs) -> Longs:
    """The holders of each token in a ring, each with the next, if their papers differ."""
    pairs, found = np.empty((np.sum(sizes), 3), np.int64), 0
    for group in range(begins.shape[0]):
        begin, size = begins[group], sizes[group]
        for i in range(size if size > 2 else 1):
            a, b = mention[begin + i], mention[begin + (i + 1) % size]
            if papers[a] != papers[b]:
                pairs[found, 0], pairs[found, 1], pairs[found, 2] = a, b, token[begin]
                found += 1
    return pairs[:found]
