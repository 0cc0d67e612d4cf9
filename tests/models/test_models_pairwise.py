"""The proofs the pairwise sampler owes: scores add up, the posterior is exact, the search finds the best clustering."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trees_world import World, set_partitions

from samehand.block import block
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import resolver
from samehand.models.pairwise.sampler import JOINED, LEFT, PAIRS, STEPS, sample
from samehand.models.trees import layout as at
from samehand.models.trees.blocks import index_rare
from samehand.models.trees.score import names_score
from samehand.normalise.mentions import author_mentions
from samehand.records import Reference, references_frame

TOLERANCE = 1e-9
Partition = tuple[tuple[int, ...], ...]


@dataclass
class Clusters:
    """A small random block and a clustering of it, in the middle of being sampled."""

    mentions: int
    seed: int
    named: bool = True
    scale: float = 1.0
    apart: tuple[tuple[int, int], ...] = ()
    taken: np.ndarray = field(default_factory=lambda: np.zeros(4, np.int64))

    def __post_init__(self) -> None:
        self.world = World(self.mentions, self.seed, named=self.named, scale=self.scale)
        self.labels = np.arange(self.mentions)

    def run(
        self,
        sweeps: int = 1,
        hot: float = 1.0,
        cold: float = 1.0,
        *,
        alike: float = 1.0,
        posterior: bool = False,
    ) -> float:
        """Sample on; returns the gain that the kernel reports."""
        world = self.world
        index = index_rare(world.starts, world.tokens, len(world.field), np.ones(len(world.field), np.bool_))
        return sample(
            world.starts, world.tokens, world.counts, world.field, world.names, world.initial, world.weights,
            world.structure, *index, np.array(self.apart, np.int32).reshape(-1, 2), world.random,
            np.array([alike, hot, cold, sweeps, sweeps, 1e9]), posterior, self.labels, self.taken,
        )  # fmt: skip

    def state(self) -> Partition:
        """The clustering as sorted tuples: equal for equal clusterings."""
        return tuple(
            sorted(tuple(np.flatnonzero(self.labels == label)) for label in set(self.labels.tolist()))
        )

    def pair_score(self, i: int, k: int) -> float:
        """s(i, k) as the paper writes it, with no kernel."""
        leaves = self.world.oracle
        score = names_score(leaves.names[i], leaves.names[k], leaves)
        for mine, yours, weight in zip(leaves.bags[i], leaves.bags[k], leaves.weights, strict=True):
            if mine and yours:
                lengths = [math.sqrt(sum(count**2 for count in bag.values())) for bag in (mine, yours)]
                cosine = sum(mine[token] * yours[token] for token in mine) / math.prod(lengths)
                score += weight[at.COSINE] * (cosine + weight[at.SHIFT])
        return score

    def score(self, partition: Partition | None = None) -> float:
        """The sum of s over all pairs in one cluster, recomputed."""
        clusters = self.state() if partition is None else partition
        return sum(self.pair_score(i, k) for cluster in clusters for i, k in combinations(cluster, 2))

    def exact(self) -> dict[Partition, float]:
        """The score of every clustering, by enumeration."""
        found = set_partitions(tuple(range(self.mentions)))
        states = [tuple(sorted(tuple(sorted(part)) for part in partition)) for partition in found]
        return {state: self.score(state) for state in states}

    def visits(self, records: int, *, posterior: bool = True) -> Counter[Partition]:
        """How often each clustering is seen at temperature 1, pairs drawn alike, looking every three sweeps."""
        seen: Counter[Partition] = Counter()
        for _ in range(records):
            self.run(3, posterior=posterior)
            seen[self.state()] += 1
        return seen


def total_variation(seen: Counter[Partition], scores: dict[Partition, float]) -> float:
    """Half the sum of the differences between the visits' shares and exp(score), normalised."""
    best = max(scores.values())
    weights = {state: math.exp(score - best) for state, score in scores.items()}
    total, count = sum(weights.values()), seen.total()
    return 0.5 * sum(abs(seen[state] / count - weights[state] / total) for state in scores)


@given(
    st.integers(2, 10), st.integers(0, 10_000), st.booleans(), st.sampled_from([0.2, 1.0, 20.0]), st.booleans(),
    st.sampled_from([0.0, 0.5, 1.0]),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_the_gain_is_the_change_of_the_recomputed_score(
    mentions: int, seed: int, named: bool, temperature: float, posterior: bool, alike: float
) -> None:
    clusters = Clusters(mentions, seed, named)
    before = clusters.score()
    for _ in range(4):
        gain = clusters.run(2, temperature, temperature, alike=alike, posterior=posterior)
        after = clusters.score()
        assert after - before == pytest.approx(gain, abs=TOLERANCE)
        before = after


def test_there_are_as_many_clusterings_as_there_should_be() -> None:
    assert [len(Clusters(n, 0).exact()) for n in range(1, 6)] == [1, 2, 5, 15, 52]


@pytest.mark.parametrize(("mentions", "seed"), [(4, 0), (4, 1), (5, 2), (5, 3)])
def test_the_posterior_sampler_visits_every_clustering_as_often_as_it_should(
    mentions: int, seed: int
) -> None:
    clusters = Clusters(mentions, seed, scale=0.5)
    assert total_variation(clusters.visits(20_000), clusters.exact()) < 0.03


def test_a_missing_reverse_probability_is_caught() -> None:
    clusters = Clusters(5, 2, scale=0.5)
    assert total_variation(clusters.visits(20_000, posterior=False), clusters.exact()) > 0.045


def test_a_wrong_score_is_caught() -> None:
    clusters = Clusters(5, 2, scale=0.5)
    scores = clusters.exact()
    clusters.world.weights[:, at.COSINE] += 0.5
    assert total_variation(clusters.visits(20_000), scores) > 0.045


@pytest.mark.parametrize("seed", range(10))
def test_the_search_finds_the_best_clustering(seed: int) -> None:
    clusters = Clusters(6, seed, scale=1.5)
    clusters.run(600, 3.0, 0.05)
    assert clusters.score() == pytest.approx(max(clusters.exact().values()), abs=1e-6)


@given(st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_mentions_kept_apart_stay_apart(seed: int) -> None:
    clusters = Clusters(6, seed, apart=((0, 1), (3, 2)))
    for _ in range(5):
        clusters.run(3, 20.0, 20.0)
        assert clusters.labels[0] != clusters.labels[1]
        assert clusters.labels[2] != clusters.labels[3]


def test_a_step_scores_the_pairs_of_both_clusters() -> None:
    """From two clusters of 3 and 1, a step scores (3 - 1) + 1 pairs, or (1 - 1) + 3, or none if nothing moves."""
    clusters = Clusters(4, 0)
    clusters.labels[:] = [0, 0, 0, 3]
    clusters.world.structure[at.DIFFERENT] = clusters.world.structure[at.EQUAL] = -1e6
    clusters.world.names[:, 0] = 2
    clusters.world.structure[at.EQUAL] = 1e6
    clusters.world.names[3, 0] = 4
    clusters.world.structure[at.DIFFERENT] = -1e9
    clusters.run(500)
    assert clusters.taken[STEPS] == 2000
    assert clusters.taken[JOINED] == clusters.taken[LEFT] == 0
    drawn_apart = 2 * 3 / 16 * 3  # one of the three with the fourth, either way round: 3 pairs each
    drawn_together = 6 / 16 * 2  # two of the three: 2 pairs
    assert clusters.taken[PAIRS] / 2000 == pytest.approx(drawn_apart + drawn_together, rel=0.1)


def test_same_seed_same_clustering() -> None:
    first, second = Clusters(9, 4), Clusters(9, 4)
    first.run(10, alike=0.2)
    second.run(10, alike=0.2)
    assert first.labels.tolist() == second.labels.tolist()


TITLES = {"Anna Holm": "Hands of scribes", "Axel Holm": "Bridges under load"}


def _authors(*names: str) -> pl.DataFrame:
    papers = [
        Reference("a", n, id=f"r{n}", title=TITLES[name], authors=[name, "Cleo Lund", "Ida Berg"])
        for n, name in enumerate(names)
    ]
    references = references_frame(papers)
    blocked = block("author", author_mentions(references), references)
    nothing = as_pairs(())
    return resolver("pairwise", "author")(blocked, Constraints(nothing, nothing), Run(0, 1))


def test_the_resolver_joins_equal_mentions_and_keeps_different_first_names_apart() -> None:
    found = _authors("Anna Holm", "Anna Holm", "Axel Holm", "Axel Holm")
    cluster = dict(found.select("mention", "cluster").rows())
    first = [cluster[f"r{n}/author/1"] for n in range(4)]
    assert first[0] == first[1] != first[2] == first[3]
