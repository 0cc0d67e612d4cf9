"""A block from bags to clusters in one compiled call, and many blocks on all cores.

A block's answer is a function of its bags, the settings and its own random stream (seed, block key): it does not
depend on other blocks, on their order, or on how many threads share the work.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State
from samehand.kernels import kernel
from samehand.models.trees.fields import Bags
from samehand.models.trees.forest import root_of
from samehand.models.trees.layout import COSINE, Floats, Ints, Longs
from samehand.models.trees.proposals import MOVES
from samehand.models.trees.search import search
from samehand.models.trees.settings import Settings
from samehand.models.trees.start import number_tokens, singletons

MOST_HOLDERS = 50
"""A token that more leaves of the block have brings no pairs."""


@kernel
def index_rare(
    starts: Longs, tokens: Ints, vocabulary: int, evidence: npt.NDArray[np.bool_]
) -> tuple[Longs, Ints, Longs, Ints]:
    """The inverted index of a block: each leaf's rare tokens, and the leaves that hold each token.

    Rare is a token of a field that counts as evidence, held by at least 2 and at most MOST_HOLDERS leaves.
    """
    leaves = starts.shape[0] - 1
    posting_starts = np.zeros(vocabulary + 1, np.int64)
    for position in range(starts[0], starts[leaves]):
        posting_starts[tokens[position] + 1] += 1
    for token in range(vocabulary):
        posting_starts[token + 1] += posting_starts[token]
    filled = posting_starts[:-1].copy()
    postings = np.empty(tokens.shape[0], np.int32)
    rare_starts = np.zeros(leaves + 1, np.int64)
    rare = np.empty(tokens.shape[0], np.int32)
    used = 0
    for leaf in range(leaves):
        for position in range(starts[leaf], starts[leaf + 1]):
            token = tokens[position]
            postings[filled[token]] = leaf
            filled[token] += 1
            holders = posting_starts[token + 1] - posting_starts[token]
            if evidence[token] and 2 <= holders <= MOST_HOLDERS:
                rare[used] = token
                used += 1
        rare_starts[leaf + 1] = used
    return rare_starts, rare[:used].copy(), posting_starts, postings


@kernel
def number_block(
    starts: Longs, all_tokens: Ints, all_fields: Ints, weights: Floats
) -> tuple[Ints, Ints, Longs, Ints, Longs, Ints]:
    """A block's tokens numbered from 0, the field of each, and its inverted index (see `index_rare`).

    The fields that count as evidence are those with a cosine factor.
    """
    first, last = starts[0], starts[starts.shape[0] - 1]
    vocabulary, tokens = number_tokens(all_tokens[first:last])
    field = all_fields[vocabulary]
    evidence = np.empty(vocabulary.shape[0], np.bool_)
    for token in range(vocabulary.shape[0]):
        evidence[token] = weights[field[token], COSINE] != 0.0
    rare_starts, rare, posting_starts, postings = index_rare(
        starts - first, tokens, vocabulary.shape[0], evidence
    )
    return tokens, field, rare_starts, rare, posting_starts, postings


@kernel
def resolve_block(
    starts: Longs,
    all_tokens: Ints,
    counts: Ints,
    all_fields: Ints,
    names: Ints,
    initial: Ints,
    weights: Floats,
    structure: Floats,
    schedule: Floats,
    apart: Ints,
    random: State,
    labels: Longs,
    taken: Longs,
) -> float:
    """Search one block; `labels[leaf]` becomes the root of its tree. Returns the gain in score."""
    leaves = starts.shape[0] - 1
    first = starts[0]
    tokens, field, rare_starts, rare, posting_starts, postings = number_block(
        starts, all_tokens, all_fields, weights
    )
    own = starts - first
    links, places, pool, stats, dots, attributes, existing, free, counters = singletons(
        own, tokens, counts[first : starts[leaves]], field, weights.shape[0], names
    )
    pool, gain = search(
        leaves, links, places, pool, stats, dots, attributes, existing, free, counters, field, initial, weights,
        structure, rare_starts, rare, posting_starts, postings, apart, random, schedule, taken,
    )  # fmt: skip
    for leaf in range(leaves):
        labels[leaf] = root_of(links, leaf)
    return gain


BlockKernel = Callable[..., float]
"""A kernel with the arguments of `resolve_block`."""


@dataclass(frozen=True)
class Searched:
    """What the search found: each leaf's cluster within its block, each block's gain and seconds, moves taken."""

    labels: Longs
    gains: Floats
    taken: Longs


def run_blocks(
    kernel: BlockKernel,
    block_starts: Longs,
    bags: Bags,
    settings: Settings,
    apart_starts: Longs,
    apart: Ints,
    randoms: npt.NDArray[np.uint64],
    threads: int,
) -> Searched:
    """Run a kernel over all blocks, the largest first, on `threads` threads."""
    sizes = np.diff(block_starts)
    labels = np.empty(int(block_starts[-1]), np.int64)
    gains = np.zeros(len(sizes))
    taken = np.zeros((threads, len(MOVES) + 1), np.int64)
    waiting = iter(np.argsort(-sizes, kind="stable").tolist())

    def work(worker: int) -> None:
        for block in waiting:
            begin, end = block_starts[block], block_starts[block + 1]
            gains[block] = kernel(
                bags.starts[begin : end + 1], bags.tokens, bags.counts, bags.field, bags.names[begin:end], bags.initial,
                settings.weights, settings.structure, settings.schedule,
                apart[apart_starts[block] : apart_starts[block + 1]], randoms[block], labels[begin:end], taken[worker],
            )  # fmt: skip

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    return Searched(labels, gains, taken.sum(axis=0))
