"""The resolvers `venues-dpv`, `venues-dpvt` and `venues-dpvsw`: the 2008 paper's models over all venue mentions at once.

One chain of split-merge sweeps from singletons, with the concentrations of the paper (see chain.py). The
clustering returned is the last state, as in the paper; the probability of a mention is, on average over states from
the second half of the chain, the share of its fellow members that sit with it (of a mention alone: how often it is).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.models.venues.chain import Chain, Model, Settings, as_published
from samehand.models.venues.edit import Reals
from samehand.models.venues.items import Items, make_items
from samehand.models.venues.state import Labels
from samehand.records import CLUSTERING

SWEEPS, EVERY = 300, 10
"""How many sweeps, and after how many of the second half one is kept."""


def resolve_dpv(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster venue mentions by their strings."""
    return _resolve("dpv", blocked, constraints, run)


def resolve_dpvt(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster venue mentions by their strings and titles."""
    return _resolve("dpvt", blocked, constraints, run)


def resolve_dpvsw(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster venue mentions by their strings and by those title words that are special to a venue."""
    return _resolve("dpvsw", blocked, constraints, run)


def _resolve(model: Model, blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    items = make_items(blocked, constraints, titles=model != "dpv")
    settings = as_published(model, "split-merge", len(items.vocabulary))
    labels, probabilities = sample(items, settings, run.seed, SWEEPS)
    return pl.DataFrame(
        {
            "mention": blocked.mentions["id"],
            "cluster": labels[items.item].astype(np.uint32),  # in order of first item, so of first mention
            "probability": probabilities[items.item],
        },
        schema=CLUSTERING,
    )


def sample(items: Items, settings: Settings, seed: int, sweeps: int) -> tuple[Labels, Reals]:
    """The last state of a chain and the probability of each item in it."""
    count = len(items.data.form)
    if count == 0:
        return np.zeros(0, np.int64), np.zeros(0)
    chain = Chain(items.data, len(items.vocabulary), settings, stream(seed, f"venues {settings.model}"))
    kept = []
    for sweep in range(sweeps):
        chain.sweep()
        if sweep >= sweeps // 2 and (sweeps - 1 - sweep) % EVERY == 0:
            kept.append(chain.labels())
    return kept[-1], np.mean([together(kept[-1], other) for other in kept], axis=0)


def together(labels: Labels, other: Labels) -> Reals:
    """For each item, the share of its fellows by `labels` that are so by `other` too; of one alone, 1 if it is alone.

    >>> together(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    size, other_size = np.bincount(labels)[labels], np.bincount(other)[other]
    pairs = labels * (other.max() + 1) + other
    _, inverse, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    shared = (counts[inverse] - 1) / np.maximum(size - 1, 1)
    return np.where(size > 1, shared, other_size == 1)
