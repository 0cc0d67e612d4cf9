"""The chain over forests visits them as often as exact enumeration says, each move for itself; decisions and
seeds hold."""

from __future__ import annotations

import functools
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from persons_world import bag, blocked, invented, slow_features

from samehand.curate.constraints import NONE, Constraints
from samehand.infer.random import State, below, stream
from samehand.infer.run import Run
from samehand.infer.union import as_pairs, connected
from samehand.models import persons
from samehand.models.persons import posterior, posterior_moves
from samehand.models.persons.compare import Terms
from samehand.models.persons.layout import (
    FEATURES,
    FIRST_YEAR,
    FORM_LENGTH,
    FORM_START,
    LAST_YEAR,
    LENGTH,
    PAPER,
    SIZE,
    START,
)
from samehand.models.persons.posterior_exact import exact_shares, tree_weights
from samehand.models.persons.posterior_forest import NOBODY, Forest, grow, lacks_room, make_room, plant, score
from samehand.models.persons.posterior_rivals import left_out, pieces
from samehand.models.persons.search import prepare_block
from samehand.models.persons.weights import default
from samehand.models.persons.work import Work, lay_out

LEE = "j lee"
TEMPERATURE = 6.0
Tree = int | frozenset["Tree"]
Trees = frozenset[Tree]
Walk = Callable[["World", State], None]
NOBODY_APART = np.empty((0, 2), np.int32)


class World:
    """A block of a few mentions, its forest of single mentions, and the chain's arrays."""

    def __init__(self, seed: int, mentions: int) -> None:
        self.work: Work = lay_out(blocked(invented(seed, mentions)), NONE)
        self.number = self.work.keys.index(LEE)
        self.mentions = mentions
        self.apart = NOBODY_APART
        self.pairs = np.array([(i, j) for j in range(mentions) for i in range(j)], np.int32)
        self._lay_out(seed)

    def _lay_out(self, seed: int) -> None:
        found, forms, part = (
            self.work.evidence,
            self.work.evidence.forms,
            self.work.block(self.number),
        )
        nodes, own, _, pool, _, form_pool, field, base, rising, relations, rarity = prepare_block(
            found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
            found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
            forms.begin, forms.rarity, forms.nickname, default().shape, self.mentions,
        )  # fmt: skip
        self.pool, self.form_pool = pool[:, : len(own)], form_pool[:, : self.mentions]
        self.terms = Terms(
            field, base, rising, relations, rarity, default().shape, self.work.ambiguity[self.number],
            default().features, TEMPERATURE,
        )  # fmt: skip
        self.forest: Forest = plant(nodes, len(own), self.mentions, len(FEATURES), stream(seed, "names"))

    def members(self, node: int) -> list[int]:
        """The mentions below a node, as the evidence numbers them."""
        if node < self.mentions:
            return [node + int(self.work.starts[self.number])]
        return self.members(self.forest.left[node]) + self.members(self.forest.right[node])

    def tree(self, node: int) -> Tree:
        """A node as nested sets of mentions."""
        if node < self.mentions:
            return int(node)
        return frozenset([self.tree(self.forest.left[node]), self.tree(self.forest.right[node])])

    def state(self) -> Trees:
        """The trees of the forest."""
        inner = [
            n for n in range(2 * self.mentions - 1) if n < self.mentions or self.forest.left[n] != NOBODY
        ]
        return frozenset(self.tree(node) for node in inner if self.forest.parent[node] == NOBODY)

    def slow_score(self, a: list[int], b: list[int]) -> float:
        """The score of a join over the temperature, from the formulas; a and b are mentions of the evidence."""
        features = slow_features(self.work, default(), self.number, a, b)
        weighed = sum(
            weight * features[name] for name, weight in zip(FEATURES, default().features, strict=True)
        )
        return weighed / TEMPERATURE

    def make_room(self) -> None:
        if lacks_room(self.forest, self.pool, self.form_pool):
            self.pool, self.form_pool = make_room(self.forest, self.pool, self.form_pool)

    def join_all(self) -> None:
        """One tree of all mentions."""
        root = 0
        for mention in range(1, self.mentions):
            self.make_room()
            worth = score(self.forest, self.terms, self.pool, self.form_pool, root, mention)
            root = grow(self.forest, root, mention, worth)


def leaves(tree: Tree) -> list[int]:
    return (
        [tree]
        if isinstance(tree, int)
        else sorted(functools.reduce(operator.iadd, (leaves(child) for child in tree), []))
    )


def all_trees(atoms: tuple[int, ...]) -> Iterator[Tree]:
    """All binary trees over some atoms."""
    if len(atoms) == 1:
        yield atoms[0]
    for chosen in range(2 ** (len(atoms) - 1) - 1):
        left = (atoms[0], *(a for i, a in enumerate(atoms[1:]) if chosen >> i & 1))
        right = tuple(a for a in atoms if a not in left)
        yield from (frozenset([one, other]) for one in all_trees(left) for other in all_trees(right))


def all_forests(atoms: tuple[int, ...]) -> Iterator[Trees]:
    """All forests of binary trees over some atoms."""
    if not atoms:
        yield frozenset()
        return
    for chosen in range(2 ** (len(atoms) - 1)):
        first = (atoms[0], *(a for i, a in enumerate(atoms[1:]) if chosen >> i & 1))
        rest = tuple(a for a in atoms if a not in first)
        yield from (forest | {tree} for tree in all_trees(first) for forest in all_forests(rest))


def slow_log_weight(world: World, tree: Tree) -> float:
    """The sum of the scores of a tree's joins over the temperature."""
    if isinstance(tree, int):
        return 0.0
    start = int(world.work.starts[world.number])
    one, other = ([leaf + start for leaf in leaves(child)] for child in tree)
    return world.slow_score(one, other) + sum(slow_log_weight(world, child) for child in tree)


def exact(world: World, keep: Callable[[Trees], bool] = lambda _: True) -> dict[Trees, float]:
    """The probability of every forest that is kept."""
    forests = [forest for forest in all_forests(tuple(range(world.mentions))) if keep(forest)]
    weights = [math.exp(sum(slow_log_weight(world, tree) for tree in forest)) for forest in forests]
    return {forest: weight / sum(weights) for forest, weight in zip(forests, weights, strict=True)}


def distance(one: dict[Trees, float], other: dict[Trees, float]) -> float:
    """The total variation between two distributions."""
    return sum(abs(one.get(key, 0.0) - other.get(key, 0.0)) for key in one.keys() | other.keys()) / 2


def visited(world: World, walk: Walk, samples: int, seed: int = 1) -> dict[Trees, float]:
    """How often each forest is met in so many steps of a walk."""
    random = stream(seed, "walk")
    met = Counter[Trees]()
    for _ in range(samples):
        world.make_room()
        walk(world, random)
        met[world.state()] += 1
    return {state: count / samples for state, count in met.items()}


def toggle_once(world: World, random: State, toggle: Any = posterior_moves.toggle) -> None:
    i, j = world.pairs[below(random, len(world.pairs))]
    toggle(world.forest, world.terms, world.pool, world.form_pool, world.apart, i, j, random)


def rotate_once(world: World, random: State, rotate: Any = posterior_moves.rotate) -> None:
    node = world.mentions + below(random, world.mentions - 1)
    rotate(world.forest, world.terms, world.pool, world.form_pool, node, random)


def sweep_once(world: World, random: State) -> None:
    drawn = np.cumsum(1.0 / np.arange(1, len(world.pairs) + 1))
    world.pool, world.form_pool = posterior.sweep(
        world.forest, world.terms, world.pool, world.form_pool, world.apart, world.pairs, drawn, random
    )


BOUND = 0.06
"""Total variation that the walks below stay under, and that every broken one exceeds."""


def test_there_are_as_many_forests_as_there_should_be() -> None:
    assert [sum(1 for _ in all_trees(tuple(range(n)))) for n in range(1, 6)] == [1, 1, 3, 15, 105]
    assert [len(set(all_forests(tuple(range(n))))) for n in range(1, 5)] == [1, 2, 7, 37]


@pytest.mark.parametrize(("seed", "mentions"), [(1, 3), (2, 4), (3, 4)])
def test_sweeps_visit_forests_as_enumeration_says(seed: int, mentions: int) -> None:
    world = World(seed, mentions)
    truth = exact(world)
    assert max(truth.values()) < 0.9, "a world without doubt proves nothing"
    assert distance(visited(world, sweep_once, 6_000), truth) < BOUND


def test_toggles_alone_visit_forests_as_enumeration_says() -> None:
    world = World(2, 3)
    assert distance(visited(world, toggle_once, 12_000), exact(world)) < BOUND


def test_rotations_alone_visit_the_trees_of_all_mentions_as_enumeration_says() -> None:
    world = World(4, 4)
    world.join_all()
    assert (
        distance(visited(world, rotate_once, 15_000), exact(world, lambda forest: len(forest) == 1)) < BOUND
    )


def test_few_pairs_and_rotations_reach_every_forest() -> None:
    world = World(2, 4)
    world.pairs = np.array([(0, 1), (1, 2), (2, 3)], np.int32)
    assert distance(visited(world, sweep_once, 6_000), exact(world)) < BOUND


def test_forests_that_a_decision_forbids_are_never_visited_and_the_others_as_often_as_they_should() -> None:
    world = World(2, 4)
    world.apart = np.array([(0, 2)], np.int32)

    def allowed(forest: Trees) -> bool:
        return not any({0, 2} <= set(leaves(tree)) for tree in forest)

    met = visited(world, sweep_once, 6_000)
    assert all(allowed(forest) for forest in met)
    assert distance(met, exact(world, allowed)) < BOUND


right = posterior_moves.accepted


def wrong_ratio(random: State, delta: float) -> bool:
    return right(random, delta / 2)


def always(random: State, delta: float) -> bool:
    return True


@pytest.mark.parametrize("broken", [wrong_ratio, always])
@pytest.mark.parametrize("move", ["toggle", "rotate"])
def test_a_broken_acceptance_is_caught(
    monkeypatch: pytest.MonkeyPatch, move: str, broken: Callable[[State, float], bool]
) -> None:
    world = World(4, 4) if move == "rotate" else World(2, 3)
    keep = (lambda forest: len(forest) == 1) if move == "rotate" else (lambda _: True)
    if move == "rotate":
        world.join_all()
    truth = exact(world, keep)
    step = getattr(posterior_moves, move)
    plain = getattr(step, "py_func", step)
    monkeypatch.setattr(posterior_moves, "accepted", broken)
    once = toggle_once if move == "toggle" else rotate_once
    found = visited(world, lambda world, random: once(world, random, plain), 3_000)
    assert distance(found, truth) > BOUND


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000))
def test_nodes_and_scores_kept_by_the_chain_are_those_made_afresh(seed: int) -> None:
    world = World(seed, 6)
    random = stream(seed, "walk")
    for _ in range(20):
        sweep_once(world, random)
    for node in range(world.mentions, 2 * world.mentions - 1):
        if world.forest.left[node] != NOBODY:
            one, other = world.members(world.forest.left[node]), world.members(world.forest.right[node])
            assert world.forest.score[node] == pytest.approx(world.slow_score(one, other), abs=1e-9)
            if world.forest.laid[node]:
                check_node(world, node, one + other)


def check_node(world: World, node: int, members: list[int]) -> None:
    row, found = world.forest.nodes[node], world.work.evidence
    part = slice(row[START], row[START] + row[LENGTH])
    tokens = Counter[int]()
    for field in range(PAPER + 1):
        tokens += bag(world.work, members, field)
    assert sorted(world.pool[1, part].tolist()) == sorted(tokens.values())
    assert (np.diff(world.pool[0, part]) > 0).all()
    years = [int(found.year[m]) for m in members if found.year[m] > 0]
    assert row[SIZE] == len(members)
    assert (row[FIRST_YEAR], row[LAST_YEAR]) == ((min(years), max(years)) if years else (0, 0))
    forms = Counter(int(found.forms.of_mention[m]) for m in members)
    counts = world.form_pool[1, row[FORM_START] : row[FORM_START] + row[FORM_LENGTH]]
    assert sorted(counts.tolist()) == sorted(forms.values())


@pytest.mark.parametrize("seed", [2, 5])
def test_probabilities_of_mentions_are_those_of_enumeration(seed: int) -> None:
    world = World(seed, 4)
    weights = replace(default(), temperature=TEMPERATURE)
    runs = [
        persons.resolve_with(weights, blocked(invented(seed, 4)), NONE, Run(number, 1))
        for number in range(15)
    ]
    names = world.work.mentions[world.work.block(world.number)].to_list()
    cluster = dict(runs[0].select("mention", "cluster").iter_rows())
    found = pl.concat(runs).group_by("mention").agg(pl.col("probability").mean())
    probability = dict(found.iter_rows())
    truth = exact(world)
    for i, name in enumerate(names):
        mates = [j for j, other in enumerate(names) if j != i and cluster[other] == cluster[name]]
        expected = sum(p * share_of(forest, i, mates) for forest, p in truth.items())
        assert probability[name] == pytest.approx(expected, abs=0.05)


def share_of(forest: Trees, mention: int, mates: list[int]) -> float:
    own = next(set(leaves(tree)) for tree in forest if mention in leaves(tree))
    return len(own & set(mates)) / len(mates) if mates else float(len(own) == 1)


@pytest.mark.parametrize("seed", range(5))
def test_what_a_curator_joined_is_certain(seed: int) -> None:
    given_blocks = blocked(invented(seed, 8))
    rows = given_blocks.mentions.with_row_index().filter(pl.col("block") == LEE)["index"].to_list()
    found = persons.resolve(
        given_blocks, Constraints(as_pairs(list(pairwise(rows))), as_pairs(())), Run(0, 1)
    )
    lee = found.filter(given_blocks.mentions["block"] == LEE)
    assert lee["cluster"].n_unique() == 1
    assert (lee["probability"] == 1.0).all()
    assert found["probability"].is_between(0.0, 1.0).all()


def test_same_probabilities_on_one_thread_and_on_two_and_others_for_another_seed() -> None:
    given_blocks = blocked(invented(3, 60))
    once = persons.resolve(given_blocks, NONE, Run(7, 1))
    assert once.equals(persons.resolve(given_blocks, NONE, Run(7, 2)))
    assert not once.equals(persons.resolve(given_blocks, NONE, Run(8, 1)))
    assert once["probability"].n_unique() > 2


def test_full_pools_grow_and_what_atoms_hold_stays() -> None:
    world = World(6, 12)
    before = world.pool.copy()
    for _ in range(30):
        sweep_once(world, stream(6, "walk"))
    assert world.pool.shape[1] > before.shape[1]
    assert (world.pool[:, : before.shape[1]] == before).all()


def spread_apart(world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The nodes of a world's mentions, pools with room for the bags of all sets of them, and everybody's own person."""
    room = np.empty((2, 20_000), np.int32)
    pool, form_pool = (np.concatenate([own, room], axis=1) for own in (world.pool, world.form_pool))
    return world.forest.nodes[: world.mentions].copy(), pool, form_pool, np.zeros(world.mentions, np.int64)


def exact_of(world: World, apart: np.ndarray) -> np.ndarray:
    """The kernel's shares and probabilities of being alone, if all mentions are one person."""
    nodes, pool, form_pool, person = spread_apart(world)
    used, form_used = world.pool.shape[1], world.form_pool.shape[1]
    trees = tree_weights(nodes, pool, used, form_pool, form_used, world.terms, apart)
    return exact_shares(trees, nodes[:, SIZE].copy(), person, np.array([world.mentions]))


@pytest.mark.parametrize("apart", [[], [(0, 2)], [(0, 1), (1, 3)]])
@pytest.mark.parametrize(("seed", "mentions"), [(1, 3), (2, 4), (3, 5)])
def test_sums_over_all_forests_are_those_of_enumeration(
    seed: int, mentions: int, apart: list[tuple[int, int]]
) -> None:
    world = World(seed, mentions)
    pairs = [pair for pair in apart if max(pair) < mentions]
    truth = exact(
        world, lambda forest: not any(set(pair) <= set(leaves(tree)) for tree in forest for pair in pairs)
    )
    found = exact_of(world, as_pairs(pairs).astype(np.int32))
    for i in range(mentions):
        mates = [j for j in range(mentions) if j != i]
        assert found[0, i] == pytest.approx(
            sum(p * share_of(forest, i, mates) for forest, p in truth.items())
        )
        assert found[1, i] == pytest.approx(sum(p for forest, p in truth.items() if i in forest))


def test_the_chain_agrees_with_the_sum_over_all_forests() -> None:
    world = World(3, 5)
    nodes, pool, form_pool, person = spread_apart(world)
    runs = [
        posterior.run_chain(
            nodes, pool.copy(), world.pool.shape[1], form_pool.copy(), world.form_pool.shape[1], world.terms,
            np.empty((0, 2), np.int32), np.empty(0), NOBODY_APART, world.pairs, np.zeros(len(world.pairs)), person,
            np.array([5]), stream(seed, "chain"),
        )
        for seed in range(150)
    ]  # fmt: skip
    assert np.mean(runs, axis=0) == pytest.approx(exact_of(world, NOBODY_APART), abs=0.06)


def test_a_pair_that_leads_out_of_a_piece_is_weighed_and_one_inside_is_not() -> None:
    piece, pairs = np.array([0, 0, 1], np.int32), np.array([(0, 1), (1, 2)], np.int32)
    found = left_out(piece, pairs, np.array([2.0, -1.0]))
    assert found == pytest.approx([0.0, math.exp(-1.0), math.exp(-1.0)])


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_pieces_hold_together_what_the_search_joined_and_are_no_larger_than_they_may(
    seed: int, most: int
) -> None:
    draw = np.random.default_rng(seed)
    pairs = draw.integers(0, 12, (20, 2)).astype(np.int32)
    loose = int(draw.integers(0, 4))
    worths = np.concatenate([np.full(loose, np.inf), -np.sort(draw.random(20 - loose))])
    piece = pieces(12, pairs, worths, most)
    held = connected(12, (), same=pairs[:loose].astype(np.int64))
    assert all(piece[a] == piece[b] for a, b in pairs[:loose])
    assert max(np.bincount(piece)) <= max(most, *np.bincount(held))
    every = connected(12, (), same=pairs.astype(np.int64))
    assert all(every[a] == every[b] for a in range(12) for b in range(12) if piece[a] == piece[b])
