"""Pairs of mentions whose answer is known without a curator: strangers, and papers of one rarely named co-author."""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, below, stream
from samehand.kernels import kernel
from samehand.models.persons.evidence import Evidence
from samehand.models.persons.layout import COAUTHORS, Ints, Longs

MOST_PAIRS = 10_000
"""Pairs of each sort; more say little more. Of strangers there are not more than mentions: pairs of a few repeat."""
MOST_HOLDERS = 30
"""Mentions with a co-author; a name that more have is not rare."""
NOBODY = -1
"""In place of the token that a pair is known by."""


def strangers(found: Evidence, blocks: Longs) -> Longs:
    """Rows mention, mention, NOBODY: mentions of different blocks and papers without a common co-author, at random."""
    return draw_strangers(
        found.starts, found.tokens, found.field, found.paper, blocks, stream(0, "strangers")
    )  # fmt: skip


@kernel
def draw_strangers(
    starts: Longs, tokens: Ints, field: Ints, papers: Ints, blocks: Longs, state: State
) -> Longs:
    """The pairs of `strangers`; blocks[m] is mention m's."""
    draws = min(MOST_PAIRS, blocks.shape[0])
    pairs, kept = np.empty((draws, 3), np.int64), 0
    for _ in range(draws):
        a, b = below(state, blocks.shape[0]), below(state, blocks.shape[0])
        if blocks[a] != blocks[b] and papers[a] != papers[b] and not acquainted(starts, tokens, field, a, b):
            pairs[kept, 0], pairs[kept, 1], pairs[kept, 2] = a, b, NOBODY
            kept += 1
    return pairs[:kept]


@kernel
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


def acquaintances(found: Evidence) -> Longs:
    """Rows mention, mention, token: mentions of different papers that share the token of a rarely named co-author."""
    chosen = np.zeros(len(found.field), np.bool_)
    chosen[found.rare] = True
    held = chosen[found.tokens]
    mention = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))[held]
    token = found.tokens[held]
    order = np.lexsort((mention, token))
    mention, token = mention[order], token[order]
    begins = np.searchsorted(token, np.unique(token))
    sizes = np.diff(np.append(begins, len(token)))
    several = (sizes > 1) & (sizes <= MOST_HOLDERS)
    begins, sizes = begins[several], sizes[several]
    step = max(1, -(-int(sizes.sum()) // MOST_PAIRS))
    return neighbours(mention, token, begins[::step], sizes[::step], found.paper)


@kernel
def neighbours(mention: Longs, token: Ints, begins: Longs, sizes: Longs, papers: Ints) -> Longs:
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
