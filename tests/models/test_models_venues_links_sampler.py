"""The sampler of the link model against enumeration of all forests, and its running tallies against fresh ones."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from samehand.infer.random import below, stream
from samehand.models.venues import links_forest
from samehand.models.venues.links_forest import (
    Links,
    blank_notes,
    relink,
    reroot,
    singletons,
    works_score,
)
from samehand.models.venues.links_sampler import sweep

NEW = 0.4


def world(count: int, seed: int, apart: tuple[tuple[int, int], ...] = ()) -> Links:
    """Items with random weights between all of them, and works that some share."""
    random = np.random.default_rng(seed)
    symmetric = random.normal(0.0, 1.0, (count, count))
    symmetric = np.triu(symmetric, 1) + np.triu(symmetric, 1).T
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    held = [
        sorted(random.choice(2, size=random.integers(0, 3), replace=False).tolist()) for _ in range(count)
    ]
    holders = [[i for i in range(count) if work in held[i]] for work in range(2)]
    own = random.integers(0, 3, count).astype(float)
    mentions = own + [float(len(works)) for works in held] + random.integers(0, 3, count)
    both = sorted([*apart, *((right, left) for left, right in apart)])
    return Links(
        np.arange(count + 1) * (count - 1),
        np.array([j for _, j in pairs]),
        np.array([symmetric[i, j] for i, j in pairs]),
        mentions,
        own,
        np.cumsum([0, *map(len, held)]),
        np.array([work for works in held for work in works], np.int64),
        np.cumsum([0, *map(len, holders)]),
        np.array([i for items in holders for i in items], np.int64),
        np.searchsorted([left for left, _ in both], np.arange(count + 1)),
        np.array([right for _, right in both], np.int64),
    )


def root_of(parent: tuple[int, ...], item: int) -> int | None:
    for _ in parent:
        if parent[item] == item:
            return item
        item = parent[item]
    return None


def works_in(links: Links, items: list[int]) -> tuple[float, float]:
    shared = {int(w) for i in items for w in links.works[links.work_starts[i] : links.work_starts[i + 1]]}
    return sum(links.mentions[i] for i in items), sum(links.own_works[i] for i in items) + len(shared)


def log_probability(links: Links, parent: tuple[int, ...]) -> float | None:
    """The formula of links_forest, from nothing but the parents; None where they are no forest, or a
    decision forbids it."""
    count = len(parent)
    roots = [root_of(parent, item) for item in range(count)]
    if None in roots:
        return None
    for item in range(count):
        for k in range(links.apart_starts[item], links.apart_starts[item + 1]):
            if roots[item] == roots[links.apart[k]]:
                return None
    weight = {
        (i, int(links.ends[k])): links.weights[k]
        for i in range(count)
        for k in range(*links.starts[i : i + 2])
    }
    total = sum(NEW if parent[i] == i else weight[i, parent[i]] for i in range(count))
    for root in set(roots):
        total += works_score(*works_in(links, [i for i in range(count) if roots[i] == root]))
    return total


@pytest.mark.parametrize(("count", "seed", "apart"), [(2, 1, ()), (3, 2, ()), (4, 3, ()), (4, 4, ((0, 2),))])
def test_the_chain_visits_forests_as_often_as_they_are_probable(count, seed, apart) -> None:
    links = world(count, seed, apart)
    scores = {parent: log_probability(links, parent) for parent in product(range(count), repeat=count)}
    weights = {parent: np.exp(score) for parent, score in scores.items() if score is not None}
    total = sum(weights.values())
    forest, notes, random = singletons(links), blank_notes(links), stream(seed)
    visits: Counter[tuple[int, ...]] = Counter()
    draws = 30_000
    for _ in range(draws):
        sweep(links, forest, notes, random, NEW, 1)
        visits[tuple(forest.parent.tolist())] += 1
    assert set(visits) <= set(weights)
    distance = 0.5 * sum(abs(visits[parent] / draws - weight / total) for parent, weight in weights.items())
    assert distance < 0.5 * np.sqrt(2 * len(weights) / (np.pi * draws)) + 0.01


def test_tallies_equal_fresh_ones_after_any_steps() -> None:
    links = world(12, 7, ((0, 1), (2, 5)))
    forest, notes, random = singletons(links), blank_notes(links), stream(5)
    for step in range(600):
        item = below(random, 12)
        if step % 2:
            reroot(forest, item)
            assert forest.parent[item] == item
        relink(links, forest, notes, random, item, NEW, 1.0)
        parent = tuple(forest.parent.tolist())
        roots = [root_of(parent, member) for member in range(12)]
        for root in set(roots):
            members = [member for member in range(12) if roots[member] == root]
            labels = set(forest.label[members].tolist())
            assert len(labels) == 1
            label = labels.pop()
            assert (forest.tree_mentions[label], forest.tree_works[label]) == works_in(links, members)
        assert len(set(forest.label.tolist())) == len(set(roots))
        assert forest.label[0] != forest.label[1]
        assert forest.label[2] != forest.label[5]


def test_a_shared_work_draws_two_trees_together() -> None:
    apart = works_score(3.0, 3.0) + works_score(3.0, 3.0)
    assert works_score(6.0, 5.0) - apart == pytest.approx(links_forest.SHARED, abs=1.0)
    assert works_score(6.0, 6.0) == pytest.approx(apart)


def test_works_that_come_back_under_their_own_forms_push_apart() -> None:
    assert works_score(60.0, 20.0) < works_score(30.0, 10.0) * 2
