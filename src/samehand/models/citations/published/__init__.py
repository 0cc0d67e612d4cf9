"""The citations model of 2003, as published, and with better moves: papers, authors and parses, sampled together.

    spelling   letter bigrams                       score        the probability of a state, hidden values summed out
    priors     names, titles, counts                moves        the paper's moves, and an exact conditional one
    edits      the noisy channels                   split_merge  by likelihood
    world      citations and readings as arrays     rates        stochastic EM
    sampler    the chain

Choices where the paper is silent or this differs from it: hidden titles and author lists are summed over the values
that stand in citations, instead of being sampled; the parses are those of `samehand.models.citations.parsing`, with
its probabilities; the text of the last filler is summarised by the kind of publication its words show; author lists
belong to papers, and persons across papers are left to the author model.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.citations.published.sampler import Chain, run_chain
from samehand.models.citations.published.score import Floats, Longs
from samehand.models.citations.published.world import World
from samehand.models.citations.published.world import build as build
from samehand.models.citations.texts import citation_texts
from samehand.records import CLUSTERING

LEARNING, SAMPLING = 20, 40


def sampled(world: World, seed: int) -> Chain:
    """A chain over a world of citations."""
    return run_chain(world, stream(seed, "citations"), learning=LEARNING, sampling=SAMPLING)


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster raw citations into papers by the best sampled state; structured references are rendered as text.

    A mention's probability is the share of samples in which it is with most of its cluster. Decisions of a curator
    are applied to the state found.
    """
    from samehand.models.citations.parsing import learn

    if blocked.mentions.is_empty():
        return CLUSTERING.to_frame()
    texts = citation_texts(blocked)
    chain = sampled(build(texts, learn(texts, seed=run.seed).parses_of(texts)), run.seed)
    best = chain.best()
    order = np.argsort(best, kind="stable")
    edges = np.stack([order[:-1], order[1:]], axis=1)[best[order[:-1]] == best[order[1:]]]
    labels = connected(len(texts), edges, constraints.same, constraints.different)
    return pl.DataFrame(
        {
            "mention": blocked.mentions["id"],
            "cluster": labels.astype(np.uint32),
            "probability": belonging(chain.labels, labels),
        },
        schema=CLUSTERING,
    )


def belonging(samples: Longs, found: Longs) -> Floats:
    """For each citation the share of samples in which it is with most of the cluster found for it.

    >>> belonging(np.array([[0, 0, 1], [0, 1, 1]]), np.array([0, 0, 1])).tolist()
    [1.0, 0.5, 1.0]
    """
    shares = np.zeros(len(found))
    for cluster in np.unique(found):
        members = np.flatnonzero(found == cluster)
        for sample in samples:
            homes, counts = np.unique(sample[members], return_counts=True)
            shares[members] += sample[members] == homes[np.argmax(counts)]
    return shares / len(samples)
