"""The proofs the tree samplers owe: scores add up, the posterior is exact, the search finds the best state."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from trees_world import World, forests, placed

from samehand.errors import UsageError
from samehand.models.trees import layout as at
from samehand.models.trees import posterior, search
from samehand.models.trees.score import forest_score
from samehand.models.trees.settings import load, parse, published

TOLERANCE = 1e-9


def test_there_are_as_many_forests_as_there_should_be() -> None:
    assert [sum(1 for _ in forests(n)) for n in range(1, 6)] == [1, 2, 8, 52, 472]


class Forests(RuleBasedStateMachine):
    """Any forest that moves can reach: the reported gain is the change of the recomputed score."""

    @initialize(
        leaves=st.integers(2, 9),
        seed=st.integers(0, 10_000),
        named=st.booleans(),
        most_children=st.sampled_from([2, 3, 8]),
        most_depth=st.sampled_from([2, 4, 12]),
    )
    def begin(self, **world: int) -> None:
        self.world = World(**world)  # type: ignore[arg-type]
        self.before = self.world.score()
        self.gain = 0.0

    @rule(temperature=st.sampled_from([0.1, 1.0, 20.0]))
    def search(self, temperature: float) -> None:
        self.gain = self.world.search(1, temperature, temperature)

    @rule(steps=st.integers(1, 12))
    def sample(self, steps: int) -> None:
        self.gain = self.world.sample(steps)

    @invariant()
    def the_gain_is_the_change_of_the_recomputed_score(self) -> None:
        after = self.world.score()
        assert abs(after - self.before - self.gain) < TOLERANCE
        self.before, self.gain = after, 0.0

    @invariant()
    def every_running_figure_is_the_recomputed_one(self) -> None:
        self.world.check_figures()

    @invariant()
    def the_bounds_hold(self) -> None:
        links = self.world.links
        assert links[:, at.CHILDREN].max() <= self.world.most_children
        assert links[:, at.HEIGHT].max() <= self.world.most_depth


TestForests = Forests.TestCase
TestForests.settings = settings(max_examples=60, stateful_step_count=12, deadline=None)


def test_every_move_is_taken_somewhere() -> None:
    taken = np.zeros(len(search.MOVES) + 1, np.int64)
    for seed in range(40):
        world = World(8, seed, named=True)
        world.search(10, 5.0, 5.0)
        taken += world.taken
    assert (taken[1:] > 0).all(), dict(zip(search.MOVES, taken.tolist(), strict=False))


def exact(world: World, names: bool = False) -> dict[tuple, float]:
    """The score of every forest of the world, by enumeration; with names, of every choice of names of inner nodes."""
    values = sorted(set(world.names[:, 0].tolist()))
    scores = {}
    for forest in forests(world.leaves):
        inner = str(forest).count("(") if names else 0
        for chosen in product(values, repeat=inner):
            links, attributes, state = placed(forest, world, iter(chosen) if names else None)
            scores[state] = forest_score(links, attributes, world.oracle)
    return scores


def total_variation(visits: Counter, scores: dict[tuple, float]) -> float:
    """Half the sum of the differences between the visits' shares and exp(score), normalised over these states."""
    best = max(scores.values())
    weights = {state: math.exp(score - best) for state, score in scores.items()}
    total, count = sum(weights.values()), visits.total()
    assert set(visits) <= set(scores)
    return 0.5 * sum(abs(visits[state] / count - weights[state] / total) for state in scores)


def visits(world: World, records: int, every: int) -> Counter:
    seen: Counter = Counter()
    for _ in range(records):
        world.sample(every)
        seen[world.state()] += 1
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_the_posterior_sampler_visits_every_forest_as_often_as_it_should(seed: int) -> None:
    world = World(4, seed, scale=0.5)
    assert total_variation(visits(world, 15_000, 30), exact(world)) < 0.05


@pytest.mark.parametrize("seed", [0, 1])
def test_the_posterior_sampler_is_exact_with_names_of_inner_nodes(seed: int) -> None:
    world = World(3, seed, named=True, scale=0.5)
    seen = visits(world, 15_000, 30)
    reached = {state: score for state, score in exact(world, names=True).items() if state in seen}
    assert total_variation(seen, reached) < 0.05


@pytest.mark.parametrize("wrong", ["weights", "proposals"])
def test_a_wrong_score_or_a_wrong_reverse_probability_is_caught(wrong: str) -> None:
    world = World(4, 0, scale=0.5)
    if wrong == "weights":
        scores = exact(world)
        world.weights[:, at.COSINE] += 0.5
        assert total_variation(visits(world, 15_000, 30), scores) > 0.05
    else:
        # A search step takes proposals in proportion to exp(delta) without looking back: no posterior.
        seen: Counter = Counter()
        for _ in range(15_000):
            world.search(5, 1.0, 1.0)
            seen[world.state()] += 1
        assert total_variation(seen, exact(world)) > 0.05


@pytest.mark.parametrize("seed", range(12))
def test_the_search_finds_the_best_forest(seed: int) -> None:
    world = World(5 if seed % 3 == 0 else 4, seed, scale=1.5)
    best = max(exact(world).values())
    world.search(600, 3.0, 0.002)
    assert world.score() == pytest.approx(best, abs=1e-6)


def test_a_wrong_delta_is_caught() -> None:
    """The oracle notices when the kernel's weights and its own differ by a hair."""
    world = World(6, 3)
    before = world.score()
    world.weights[0, at.COSINE] *= 1.001
    gain = world.search(5, 5.0, 5.0)
    world.weights[0, at.COSINE] /= 1.001
    assert abs(world.score() - before - gain) > TOLERANCE


@given(st.integers(0, 1000))
@settings(max_examples=20)
def test_mentions_kept_apart_stay_apart(seed: int) -> None:
    world = World(6, seed)
    world.search(10, 5.0, 5.0, apart=[(0, 1), (2, 3)])
    roots = {leaf: root for root in world.roots() for leaf in world.leaves_below(root)}
    assert roots[0] != roots[1]
    assert roots[2] != roots[3]


def test_same_seed_same_forest() -> None:
    first, second = World(8, 5), World(8, 5)
    first.search(10)
    second.search(10)
    assert first.state() == second.state()


def test_names_are_drawn_as_likely_as_is_said() -> None:
    world = World(2, 0, named=True)
    world.names[:] = [[2, 3, 4], [2, -1, 3]]
    world.restart()
    fresh, seen = np.empty((1, 3), np.int32), Counter()
    for _ in range(4000):
        posterior.choose_names(world.attributes, 0, 1, fresh, world.random)
        seen[tuple(fresh[0].tolist())] += 1
    assert len(seen) == 4
    for names, count in seen.items():
        given_names = np.array([names], np.int32)
        probability = posterior.names_probability(world.attributes, 0, 1, given_names, 0)
        assert count / 4000 == pytest.approx(probability, abs=0.04)


def test_the_papers_weights_are_the_printed_ones() -> None:
    printed = published("trees-2013")
    rows = dict(zip(printed.fields, printed.weights.tolist(), strict=True))
    assert rows["topics"][at.COSINE : at.SHIFT + 1] == [8.0, -0.25]
    assert rows["coauthors"][at.COSINE : at.SHIFT + 1] == [4.0, -0.125]
    assert rows["venue"][at.COSINE : at.SHIFT + 1] == [4.0, -0.25]
    assert rows["keywords"][at.COSINE : at.SHIFT + 1] == [2.0, 0.0]
    assert (rows["topics"][at.ENTROPY], rows["coauthors"][at.COMPLEXITY], rows["venue"][at.COMPLEXITY]) == (
        0.5,
        2,
        1,
    )
    assert math.isinf(rows["last_names"][at.NAMES])
    assert printed.structure[[at.ENTITY, at.SUBENTITY]].tolist() == [1.0, 0.5]
    older = published("trees-2012")
    assert older.structure[[at.ENTITY, at.SUBENTITY, at.DIFFERENT, at.EQUAL, at.INITIALS]].tolist() == [
        7,
        8,
        -8,
        2,
        1,
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"fields": {"shoe_size": {}}}, "nothing is called shoe_size; there are: title, topics"),
        ({"structure": {"entity": "much"}}, "'much' is no number"),
        ({"structure": {"most_children": 1}}, "most_children is 1; it must be at least 2"),
    ],
)
def test_a_bad_file_of_weights_says_what_is_wrong(table: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(table, "mine.toml")


def test_a_missing_file_of_weights() -> None:
    with pytest.raises(UsageError, match=r"nowhere\.toml"):
        load("nowhere.toml")
