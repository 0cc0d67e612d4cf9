"""Many blocks in the middle of their sampling: every block advances by one sweep, then again from the first.

The experiments of the tree papers look at a whole bibliography while it is being resolved. A resolver finishes block
after block; here the states of all blocks are kept, and `Rounds.sweep` advances each by one step per mention.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from numba.typed import List

from samehand.evaluate import pairs
from samehand.evaluate.contingency import contingency
from samehand.kernels import kernel
from samehand.models.pairwise import sampler
from samehand.models.trees import Work
from samehand.models.trees.blocks import index_rare
from samehand.models.trees.forest import root_of
from samehand.models.trees.layout import COSINE, EXISTING, POSITION, Floats, Ints, Longs
from samehand.models.trees.proposals import MOVES
from samehand.models.trees.schedule import COLD, COOLING, HOT, MOST_SWEEPS
from samehand.models.trees.search import search
from samehand.models.trees.settings import Settings
from samehand.models.trees.start import number_tokens, singletons

MODELS = ("trees", "pairwise")


@kernel
def index_first(starts: Longs, tokens: Ints, evidence: npt.NDArray[np.bool_], present: int) -> Any:
    """The inverted index of the first `present` mentions of a block; the others share no token with anyone."""
    rare_starts, rare, posting_starts, postings = index_rare(
        starts[: present + 1], tokens[: starts[present]], evidence.shape[0], evidence
    )
    padded = np.full(starts.shape[0], rare_starts[present], np.int64)
    padded[: present + 1] = rare_starts
    return padded, rare, posting_starts, postings


@kernel
def prepare(
    block_starts: Longs, starts: Longs, all_tokens: Ints, all_counts: Ints, all_fields: Ints, all_names: Ints,
    randoms: npt.NDArray[np.uint64], weights: Floats, present: Longs,
) -> Any:  # fmt: skip
    """What both models need of each block: its bags, tokens numbered anew, its names, index and random stream."""
    blocks = List()
    for block in range(block_starts.shape[0] - 1):
        begin, end = block_starts[block], block_starts[block + 1]
        first, last = starts[begin], starts[end]
        vocabulary, tokens = number_tokens(all_tokens[first:last])
        field = all_fields[vocabulary]
        own = starts[begin : end + 1] - first
        evidence = weights[field, COSINE] != 0.0
        index = index_first(own, tokens, evidence, present[block])
        blocks.append(
            (
                own,
                tokens,
                all_counts[first:last],
                field,
                all_names[begin:end],
                randoms[block],
                evidence,
                index,
            )
        )
    return blocks


@kernel
def plant(blocks: Any, fields: int, present: Longs) -> Any:
    """Every mention a tree of its own; those that are not present yet exist nowhere in their forest."""
    forests = List()
    for block in range(len(blocks)):
        own, tokens, counts, field, names, _, _, _ = blocks[block]
        forest = singletons(own, tokens, counts, field, fields, names)
        forest[0][present[block] : names.shape[0], POSITION] = -1
        forest[8][EXISTING] = present[block]
        forests.append(forest)
    return forests


@kernel
def arrive(blocks: Any, forests: Any, before: Longs, present: Longs) -> None:
    """Mentions `before` to `present` of each block enter its forest as trees of their own, and its index."""
    for block in range(len(blocks)):
        own, tokens, counts, field, names, random, evidence, _ = blocks[block]
        links, _, _, _, _, _, existing, _, counters = forests[block]
        for leaf in range(before[block], present[block]):
            links[leaf, POSITION] = counters[EXISTING]
            existing[counters[EXISTING]] = leaf
            counters[EXISTING] += 1
        index = index_first(own, tokens, evidence, present[block])
        blocks[block] = (own, tokens, counts, field, names, random, evidence, index)


@kernel
def sweep_trees(
    blocks: Any, forests: Any, block_starts: Longs, initial: Ints, weights: Floats, structure: Floats,
    schedule: Floats, labels: Longs, taken: Longs,
) -> None:  # fmt: skip
    """One search of every forest by `schedule`; `labels` become the roots within each block."""
    nobody = np.empty((0, 2), np.int32)
    for block in range(len(blocks)):
        _, _, _, field, names, random, _, index = blocks[block]
        links, places, pool, stats, dots, attributes, existing, free, counters = forests[block]
        leaves = names.shape[0]
        if counters[EXISTING] == 0:
            continue
        pool, _ = search(
            leaves, links, places, pool, stats, dots, attributes, existing, free, counters, field, initial, weights,
            structure, index[0], index[1], index[2], index[3], nobody, random, schedule, taken,
        )  # fmt: skip
        forests[block] = (links, places, pool, stats, dots, attributes, existing, free, counters)
        for leaf in range(leaves):
            labels[block_starts[block] + leaf] = root_of(links, leaf)


@kernel
def sweep_pairs(
    blocks: Any, block_starts: Longs, initial: Ints, weights: Floats, structure: Floats, schedule: Floats,
    labels: Longs, taken: Longs,
) -> None:  # fmt: skip
    """One run of the pairwise sampler over every block by `schedule`, from the clusters in `labels`."""
    nobody = np.empty((0, 2), np.int32)
    for block in range(len(blocks)):
        own, tokens, counts, field, names, random, _, index = blocks[block]
        sampler.sample(
            own, tokens, counts, field, names, initial, weights, structure, index[0], index[1], index[2], index[3],
            nobody, random, schedule, False, labels[block_starts[block] : block_starts[block + 1]], taken,
        )  # fmt: skip


class Rounds:
    """All blocks of a bibliography, being resolved by one model from singletons, a sweep at a time."""

    def __init__(
        self, model: str, work: Work, settings: Settings, seed: int, present: Longs | None = None
    ) -> None:
        """`present[block]` mentions of each block, the first ones, are there at the start: all if not given."""
        sizes = np.diff(work.block_starts)
        self.model, self.work, self.settings = model, work, settings
        self.present = sizes if present is None else present
        self.taken = np.zeros(len(MOVES) + 1, np.int64)
        self.sweeps, self.seconds = 0, 0.0
        self.labels = np.arange(work.block_starts[-1]) - np.repeat(work.block_starts[:-1], sizes)
        bags = work.bags
        self._blocks = prepare(
            work.block_starts, bags.starts, bags.tokens, bags.counts, bags.field, bags.names, work.randoms(seed),
            settings.weights, self.present,
        )  # fmt: skip
        self._forests = plant(self._blocks, len(settings.fields), self.present) if model == "trees" else None

    def sweep(self, temperature: float) -> None:
        """Advance every block by one step per mention, and the clock by the processor time that took."""
        schedule = _one_sweep(self.settings, temperature)
        fixed = (self.work.bags.initial, self.settings.weights, self.settings.structure, schedule)
        started = time.thread_time()
        if self.model == "trees":
            sweep_trees(self._blocks, self._forests, self.work.block_starts, *fixed, self.labels, self.taken)
        else:
            sweep_pairs(self._blocks, self.work.block_starts, *fixed, self.labels, self.taken)
        self.seconds += time.thread_time() - started
        self.sweeps += 1

    @property
    def samples(self) -> int:
        """How many steps were taken in all."""
        return int(self.taken[len(MOVES) if self.model == "trees" else sampler.STEPS])

    def pairwise_f1(self, truth: Longs) -> float:
        """Pairwise F1 of the mentions whose true cluster is known (not negative in `truth`)."""
        return pairwise_f1(truth, self.work.clusters(self.labels))

    def add(self, present: Longs) -> None:
        """Let more mentions of each block in, as trees of their own beside those that stand."""
        arrive(self._blocks, self._forests, self.present, present)
        self.present = present


def pairwise_f1(truth: Longs, clusters: Longs) -> float:
    """Pairwise F1 of the mentions whose true cluster is not negative.

    >>> pairwise_f1(np.array([0, 0, 1, -1]), np.array([7, 7, 7, 7]))
    0.5
    """
    known = truth >= 0
    true, predicted = (np.unique(each[known], return_inverse=True)[1] for each in (truth, clusters))
    sums = {name: values.sum() for name, values in pairs.sums(contingency(true, predicted)).items()}
    return float(pairs.figures(sums)["pairwise_f1"])


def true_clusters(work: Work, truth: pl.DataFrame) -> Longs:
    """Each mention's true cluster as a number, -1 where it is not known."""
    joined = pl.DataFrame({"id": work.mentions}).join(truth, on="id", how="left", maintain_order="left")
    return (joined["cluster"].rank("dense").cast(pl.Int64).fill_null(0) - 1).to_numpy()


def temperature(settings: Settings, sweep: int) -> float:
    """The temperature of a sweep: from hot to cold by equal ratios, as in the search.

    >>> from samehand.models.trees.settings import published
    >>> [round(temperature(published("trees-2012"), sweep), 3) for sweep in (0, 10, 20, 30)]
    [1.0, 0.316, 0.1, 0.1]
    """
    hot, cold, cooling = settings.schedule[[HOT, COLD, COOLING]]
    return float(hot * (cold / hot) ** min(1.0, sweep / max(1.0, cooling)))


def _one_sweep(settings: Settings, temperature: float) -> Floats:
    """The schedule of a single sweep at one temperature."""
    schedule = settings.schedule.copy()
    schedule[[HOT, COLD]] = temperature
    schedule[[COOLING, MOST_SWEEPS]] = 0, 1
    return schedule
