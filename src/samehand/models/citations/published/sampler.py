"""The chain: sweeps of moves from singletons, rates learned during the first ones and fixed thereafter.

A sweep of the published sampler is, for as many times as there are citations, one `redeal` and one `reread`, and one
`recount`; the improved one adds a `reassign` of every citation and split-merge moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samehand.infer.random import State
from samehand.kernels import kernel
from samehand.models.citations.published.edits import START
from samehand.models.citations.published.moves import reassign, recount, redeal, reread
from samehand.models.citations.published.rates import happened, maximise
from samehand.models.citations.published.score import (
    Citations,
    Floats,
    Longs,
    Priced,
    citations,
    partition_score,
    priced,
)
from samehand.models.citations.published.split_merge import split_or_merge
from samehand.models.citations.published.world import World


@dataclass(frozen=True)
class Chain:
    """What a run found: sampled partitions and readings (one row each), their log scores, and the rates learned."""

    labels: Longs
    parses: Longs
    scores: Floats
    rates: Floats

    def best(self) -> Longs:
        """The partition of the sample with the greatest score."""
        best: Longs = self.labels[int(np.argmax(self.scores))]
        return best


@kernel
def sweep(
    label: Longs,
    parse: Longs,
    n: Floats,
    seen: Citations,
    titles: Priced,
    bylines: Priced,
    starts: Longs,
    members: Longs,
    mate_starts: Longs,
    mates: Longs,
    improved: bool,
    random: State,
) -> None:
    """One sweep, in place."""
    count = label.shape[0]
    for citation in range(count):
        redeal(label, parse, n, seen, titles, bylines, starts, members, random)
        reread(label, parse, seen, titles, bylines, random)
        if improved:
            reassign(citation, label, parse, n, seen, titles, bylines, mate_starts, mates, random)
            split_or_merge(label, parse, n, seen, titles, bylines, mate_starts, mates, random)
    for _ in range(10):
        recount(label, n, max(1, count // 20), random)


def run_chain(world: World, random: State, *, learning: int, sampling: int, improved: bool = True) -> Chain:
    """A chain of `learning` sweeps in which the rates are learned, and `sampling` sweeps that are kept."""
    count = len(world.parses) - 1
    label, parse = np.arange(count, dtype=np.int64), world.parses[:-1].copy()
    n = np.array([float(count)])
    rates, seen = START, citations(world)
    titles, bylines = priced(world.titles, rates), priced(world.bylines, rates)
    labels, parses, scores = [], [], []
    for turn in range(learning + sampling):
        canopies = world.canopies
        sweep(
            label, parse, n, seen, titles, bylines, canopies.starts, canopies.members, world.mate_starts, world.mates,
            improved, random,
        )  # fmt: skip
        if turn < learning:
            counts = happened(world.titles, world.title[parse], label, rates, random)
            rates = maximise(counts + happened(world.bylines, world.authors[parse], label, rates, random))
            titles, bylines = priced(world.titles, rates), priced(world.bylines, rates)
            continue
        labels.append(label.copy())
        parses.append(parse.copy())
        scores.append(partition_score(label, parse, float(n[0]), seen, titles, bylines))
    return Chain(np.array(labels), np.array(parses), np.array(scores), rates)
