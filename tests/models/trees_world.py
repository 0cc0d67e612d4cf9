"""Small random blocks for the tests of the tree kernels, and their forests written down for people and oracles."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from samehand.infer.random import stream
from samehand.models.trees import layout as at
from samehand.models.trees import posterior, search
from samehand.models.trees.blocks import index_rare
from samehand.models.trees.score import Leaves, bags_of_leaves, forest_score
from samehand.models.trees.start import singletons

Tree = int | tuple["Tree", ...]
FIELDS = 3


@dataclass
class World:
    """A block of a few leaves, its weights, and the state of its forest."""

    leaves: int
    seed: int
    named: bool = False
    most_children: int = 8
    most_depth: int = 12
    scale: float = 1.0
    taken: np.ndarray = field(default_factory=lambda: np.zeros(len(search.MOVES) + 1, np.int64))

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        vocabulary = 7
        self.field = np.sort(rng.integers(0, FIELDS, vocabulary)).astype(np.int32)
        rows = [
            np.sort(rng.choice(vocabulary, rng.integers(0, 5), replace=False)) for _ in range(self.leaves)
        ]
        self.starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
        self.tokens = np.concatenate(rows).astype(np.int32)
        self.counts = rng.integers(1, 4, len(self.tokens)).astype(np.int32)
        self.initial = np.array([0, 1, 0, 0, 1], np.int32)
        self.names = np.full((self.leaves, 3), -1, np.int32)
        if self.named:
            self.names[:, 0] = rng.integers(-1, 5, self.leaves)
        self.weights, self.structure = self._weights(rng)
        self.random = stream(self.seed, "world")
        self.restart()

    def _weights(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        weights = np.zeros((FIELDS, at.FIELD_WEIGHTS))
        weights[:, at.COSINE] = self.scale * rng.normal(1.5, 1.0, FIELDS)
        weights[:, at.SHIFT] = rng.normal(-0.2, 0.2, FIELDS)
        weights[:, at.LOGGED] = rng.integers(0, 2, FIELDS)
        weights[:, at.INCLUSIVE] = rng.integers(0, 2, FIELDS)
        weights[:, at.ENTROPY] = rng.normal(0.5, 0.5, FIELDS)
        weights[:, at.COMPLEXITY] = rng.normal(0.5, 0.5, FIELDS)
        weights[:, at.NAMES] = rng.choice([0.0, 0.5], FIELDS)
        structure = np.zeros(at.STRUCTURE)
        structure[[at.ENTITY, at.SUBENTITY, at.BRANCHING]] = rng.normal(0.3, 0.5, 3)
        structure[at.IDEAL_CHILDREN] = 3
        if self.named:
            structure[[at.DIFFERENT, at.EQUAL, at.INITIALS]] = -1.0, 0.7, 0.4
        structure[at.MOST_CHILDREN], structure[at.MOST_DEPTH] = self.most_children, self.most_depth
        return weights, structure

    def restart(self) -> None:
        """Every leaf a tree of its own."""
        state = singletons(self.starts, self.tokens, self.counts, self.field, FIELDS, self.names)
        (self.links, self.places, self.pool, self.stats, self.dots, self.attributes, self.existing, self.free,
         self.counters) = state  # fmt: skip

    def search(
        self, sweeps: int = 1, hot: float = 2.0, cold: float = 2.0, apart: list | None = None
    ) -> float:
        """Search on, from where the forest is; returns the gain that the kernel reports."""
        evidence = np.ones(len(self.field), np.bool_)
        index = index_rare(self.starts, self.tokens, len(self.field), evidence)
        schedule = np.array([0.3, hot, cold, sweeps, sweeps, 1e9])
        self.pool, gain = search.search(
            self.leaves, self.links, self.places, self.pool, self.stats, self.dots, self.attributes,
            self.existing, self.free, self.counters, self.field, self.initial, self.weights, self.structure,
            *index, np.array(apart or [], np.int32).reshape(-1, 2), self.random, schedule, self.taken,
        )  # fmt: skip
        return gain

    def sample(self, steps: int = 1) -> float:
        """Posterior steps at temperature 1; returns the gain that the kernel reports."""
        self.pool, gain = posterior.sample(
            self.leaves, self.links, self.places, self.pool, self.stats, self.dots, self.attributes,
            self.existing, self.free, self.counters, self.field, self.initial, self.weights, self.structure,
            np.empty((0, 2), np.int32), self.random, 1.0, steps, self.taken,
        )  # fmt: skip
        return gain

    @property
    def oracle(self) -> Leaves:
        """What the slow score needs."""
        bags = bags_of_leaves(self.starts, self.tokens, self.counts, self.field, FIELDS)
        return Leaves(bags, self.names, self.initial, self.weights, self.structure)

    def score(self) -> float:
        """The score of the forest, recomputed from scratch."""
        return forest_score(self.links, self.attributes, self.oracle)

    def check_figures(self) -> None:
        """Every running figure of every node equals the recomputed one, and the links are sound."""
        bags = self.oracle.bags
        for node in self.existing[: self.counters[at.EXISTING]].tolist():
            below = self.leaves_below(node)
            assert self.links[node, at.LEAVES] == len(below)
            assert self.links[node, at.CHILDREN] != 1
            for f in range(FIELDS):
                bag = sum((bags[leaf][f] for leaf in below), Counter())
                entropic = sum(count * math.log(count) for count in bag.values())
                squares = sum(count * count for count in bag.values())
                assert self.stats[node, f, :3].tolist() == [len(bag), bag.total(), squares]
                assert abs(self.stats[node, f, at.ENTROPIC] - entropic) < 1e-7
                parent = int(self.links[node, at.PARENT])
                if parent >= 0:
                    above = sum((bags[leaf][f] for leaf in self.leaves_below(parent)), Counter())
                    assert self.dots[node, f] == sum(bag[token] * above[token] for token in bag)

    def children(self, node: int) -> list[int]:
        found, child = [], int(self.links[node, at.FIRST])
        while child >= 0:
            found.append(child)
            child = int(self.links[child, at.NEXT])
        return found

    def leaves_below(self, node: int) -> list[int]:
        children = self.children(node)
        return [leaf for child in children for leaf in self.leaves_below(child)] if children else [node]

    def roots(self) -> list[int]:
        existing = self.existing[: self.counters[at.EXISTING]].tolist()
        return [node for node in existing if self.links[node, at.PARENT] < 0]

    def state(self) -> tuple:
        """The forest as nested sorted tuples, with the names of inner nodes: equal for equal states."""

        def written(node: int) -> tuple:
            children = tuple(sorted(written(child) for child in self.children(node)))
            return (min(self.leaves_below(node)), int(self.attributes[node, 0]) if children else -9, children)

        return tuple(sorted(written(root) for root in self.roots()))


def set_partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """All ways to divide items into blocks."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in set_partitions(rest):
        yield [(first,), *partition]
        for place in range(len(partition)):
            yield [*partition[:place], (first, *partition[place]), *partition[place + 1 :]]


def trees(items: tuple[int, ...]) -> Iterator[Tree]:
    """All trees over labelled leaves in which every inner node has two children or more."""
    if len(items) == 1:
        yield items[0]
        return
    for partition in set_partitions(items):
        if len(partition) > 1:
            yield from product(*(list(trees(part)) for part in partition))


def forests(leaves: int) -> Iterator[list[Tree]]:
    """All forests: 1, 2, 8, 52, 472 for 1 to 5 leaves."""
    for partition in set_partitions(tuple(range(leaves))):
        for forest in product(*(list(trees(part)) for part in partition)):
            yield list(forest)


def placed(
    forest: list[Tree], world: World, names: Iterator[int] | None = None
) -> tuple[np.ndarray, np.ndarray, tuple]:
    """Links and attributes of a forest that was written down, and its `World.state`."""
    links = np.full_like(world.links, -1)
    attributes = np.full_like(world.attributes, -1)
    attributes[: world.leaves] = world.names
    following = world.leaves

    def build(tree: Tree) -> tuple[int, tuple]:
        nonlocal following
        if isinstance(tree, int):
            links[tree, at.POSITION] = 0
            return tree, (tree, -9, ())
        node, following = following, following + 1
        links[node, at.POSITION] = 0
        attributes[node, 0] = next(names) if names is not None else -1
        parts = [build(part) for part in tree]
        for child, _ in parts:
            links[child, at.PARENT] = node
        written = tuple(sorted(part for _, part in parts))
        return node, (min(part[0] for part in written), int(attributes[node, 0]), written)

    return links, attributes, tuple(sorted(build(tree)[1] for tree in forest))
