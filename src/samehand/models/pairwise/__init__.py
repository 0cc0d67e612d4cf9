"""The pairwise conditional random field (section 2 of the 2012 paper): the baseline that the trees must beat.

Its factors are the names and cosine terms of the 2012 set between mentions; sampler.py samples clusterings.
"""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import State
from samehand.infer.run import Run
from samehand.kernels import kernel
from samehand.models.pairwise.sampler import sample
from samehand.models.trees import resolve_blocked
from samehand.models.trees.blocks import number_block
from samehand.models.trees.layout import Floats, Ints, Longs
from samehand.models.trees.settings import published


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
    tokens, field, rare_starts, rare, posting_starts, postings = number_block(
        starts, all_tokens, all_fields, weights
    )
    own = starts - first
    for mention in range(mentions):
        labels[mention] = mention
    return sample(
        own, tokens, counts[first : starts[mentions]], field, names, initial, weights, structure, rare_starts, rare,
        posting_starts, postings, apart, random, schedule, False, labels, taken,
    )  # fmt: skip
