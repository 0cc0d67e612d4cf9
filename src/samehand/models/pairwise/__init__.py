"""The pairwise conditional random field (section 2 of the 2012 paper): the baseline that the trees must beat.

Its factors are the names and cosine terms of the 2012 set between mentions; sampler.py samples clusterings.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import State
from samehand.infer.run import Run
from samehand.kernels import kernel
from samehand.models.pairwise.sampler import sample
from samehand.models.trees import resolve_blocked
from samehand.models.trees.blocks import index_rare
from samehand.models.trees.layout import COSINE, Floats, Ints, Longs
from samehand.models.trees.settings import published
from samehand.models.trees.start import number_tokens


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions by the pairwise model."""
    return resolve_blocked(resolve_block, published("trees-2012"), blocked, constraints, run)


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
    """Sample one block from singletons; `labels[mention]` becomes the number of its cluster. Returns the gain."""
    mentions = starts.shape[0] - 1
    first = starts[0]
    vocabulary, tokens = number_tokens(all_tokens[first : starts[mentions]])
    field = all_fields[vocabulary]
    own = starts - first
    evidence = np.empty(vocabulary.shape[0], np.bool_)
    for token in range(vocabulary.shape[0]):
        evidence[token] = weights[field[token], COSINE] != 0.0
    rare_starts, rare, posting_starts, postings = index_rare(own, tokens, vocabulary.shape[0], evidence)
    for mention in range(mentions):
        labels[mention] = mention
    return sample(
        own, tokens, counts[first : starts[mentions]], field, names, initial, weights, structure, rare_starts, rare,
        posting_starts, postings, apart, random, schedule, False, labels, taken,
    )  # fmt: skip
