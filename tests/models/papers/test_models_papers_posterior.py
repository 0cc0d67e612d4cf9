"""The sampler visits partitions as often as exact enumeration says."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from samehand.infer.random import stream
from samehand.models.papers.links import Links, score
from samehand.models.papers.posterior import belonging, neighbours, sweep

NOTHING = np.empty((0, 2), np.int64)
PAIRS = np.array([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [1, 4]])
ODDS = np.array([1.5, -0.5, 0.8, 1.0, 0.3, -2.0])
LINKS = Links(5, PAIRS, ODDS, -1.0)
TEMPERATURE = 1.3


def partitions(count: int) -> Iterator[tuple[int, ...]]:
    def grow(labels: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(labels) == count:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grow((*labels, label))

    yield from grow(())


def canonical(labels: np.ndarray) -> tuple[int, ...]:
    names: dict[int, int] = {}
    return tuple(names.setdefault(int(label), len(names)) for label in labels)


def exact(links: Links, temperature: float) -> dict[tuple[int, ...], float]:
    weights = {p: np.exp(score(links, np.array(p)) / temperature) for p in partitions(links.count)}
    total = sum(weights.values())
    return {p: weight / total for p, weight in weights.items()}


def visited(links: Links, temperature: float, turns: int) -> dict[tuple[int, ...], float]:
    near = neighbours(links, NOTHING)
    assert len(np.unique(near.component)) == 1
    label, members = np.arange(links.count), np.arange(links.count)
    sizes, held, random = np.ones(links.count, np.int64), np.zeros(links.count, np.bool_), stream(1, "test")
    counts: Counter[tuple[int, ...]] = Counter()
    for _ in range(turns):
        sweep(
            members,
            label,
            sizes,
            near.starts,
            near.others,
            near.odds,
            links.unlike,
            temperature,
            held,
            random,
        )
        counts[canonical(label)] += 1
    return {p: count / turns for p, count in counts.items()}


def distance(one: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float]) -> float:
    return 0.5 * sum(abs(one.get(p, 0.0) - other.get(p, 0.0)) for p in {*one, *other})


def test_visits_match_enumeration() -> None:
    assert distance(visited(LINKS, TEMPERATURE, 40_000), exact(LINKS, TEMPERATURE)) < 0.02


def test_another_target_would_be_noticed() -> None:
    wrong = Links(5, PAIRS, ODDS + 0.3, -1.0)
    assert distance(visited(wrong, TEMPERATURE, 40_000), exact(LINKS, TEMPERATURE)) > 0.05


def test_belonging_is_the_share_of_samples_with_the_cluster() -> None:
    links = Links(2, np.array([[0, 1]]), np.array([1.0]), -8.0)
    sure = belonging(links, np.zeros(2, np.int64), NOTHING, 1.0, stream(0), sweeps=4_010)
    together = np.exp(1.0) / (1.0 + np.exp(1.0))
    assert sure.tolist() == pytest.approx([together, together], abs=0.03)


def test_held_records_stay() -> None:
    links = Links(2, np.array([[0, 1]]), np.array([-20.0]), -8.0)
    same = np.array([[0, 1]])
    assert belonging(links, np.zeros(2, np.int64), same, 1.0, stream(0)).tolist() == [1.0, 1.0]
