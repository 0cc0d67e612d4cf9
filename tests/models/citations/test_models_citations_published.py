"""The published model against exact enumeration: four citations, two of them with two readings, n fixed."""

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from samehand.infer.random import State, next_word, stream
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.phrases import matched
from samehand.models.citations.published.edits import START
from samehand.models.citations.published.moves import log_choose, reassign, recount, redeal, reread
from samehand.models.citations.published.sampler import run_chain
from samehand.models.citations.published.score import (
    citations,
    log_identity,
    log_number,
    partition_score,
    priced,
)
from samehand.models.citations.published.split_merge import allocate, split_or_merge
from samehand.models.citations.published.world import World, build

PAPERS = 200_000.0
"""So many that a second paper is about as likely as a second citation of the first."""
TURNS = 15_000
TEXTS = [
    "A Lee. On hands. J Hand 1990",
    "A Lee. On hand. J Hand 1990",
    "B Lee. On hands. Hand Conf 1991",
    "A Lee. On hands. J Hand 1992",
]


def reading(chance: float, title: str, author: str, kind: str) -> Parse:
    return Parse(math.log(chance), title, (author,), "", None, "", "", "", kind, ())  # type: ignore[arg-type]


READINGS = [
    [reading(0.6, "On", "A Lee", "article"), reading(0.4, "On hands", "A Lee", "article")],
    [reading(1.0, "On", "A Lee", "article")],
    [reading(0.7, "On", "B Lee", "conference"), reading(0.3, "Hands", "B Lee", "article")],
    [reading(1.0, "Hands", "A Lee", "other")],
]
RATES = np.full_like(START, 0.3)
"""High rates, so that no state has all the probability."""

Move = Callable[[np.ndarray, np.ndarray, np.ndarray, State], object]
State_ = tuple[tuple[int, ...], tuple[int, ...]]


@pytest.fixture(scope="module")
def world() -> World:
    made = build(TEXTS, READINGS)
    assert (np.diff(made.mate_starts) == len(TEXTS)).all(), "all citations share canopies"
    return made


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


def exact(world: World, papers: float = PAPERS) -> dict[State_, float]:
    """The probability of every partition with every choice of readings."""
    seen, titles, bylines = citations(world), priced(world.titles, RATES), priced(world.bylines, RATES)
    choices = [range(world.parses[i], world.parses[i + 1]) for i in range(len(TEXTS))]
    logs = {
        (labels, parses): partition_score(np.array(labels), np.array(parses), papers, seen, titles, bylines)
        for labels in partitions(len(TEXTS))
        for parses in product(*choices)
    }
    top = max(logs.values())
    total = sum(math.exp(each - top) for each in logs.values())
    return {state: math.exp(each - top) / total for state, each in logs.items()}


def visited(world: World, moves: list[Move], turns: int, papers: float = PAPERS) -> dict[State_, float]:
    label, parse, n = np.arange(len(TEXTS)), world.parses[:-1].copy(), np.array([papers])
    random = stream(3, "published")
    counts: Counter[State_] = Counter()
    for _ in range(turns):
        for move in moves:
            move(label, parse, n, random)
        counts[canonical(label), tuple(parse.tolist())] += 1
    return {state: count / turns for state, count in counts.items()}


def distance(one: dict[State_, float], other: dict[State_, float]) -> float:
    return 0.5 * sum(abs(one.get(state, 0.0) - other.get(state, 0.0)) for state in {*one, *other})


def moves_of(world: World) -> dict[str, Move]:
    seen, titles, bylines = citations(world), priced(world.titles, RATES), priced(world.bylines, RATES)
    starts, members = world.canopies.starts, world.canopies.members
    mates = world.mate_starts, world.mates

    def reassign_all(label: np.ndarray, parse: np.ndarray, n: np.ndarray, random: State) -> None:
        for citation in range(len(TEXTS)):
            reassign(citation, label, parse, n, seen, titles, bylines, *mates, random)

    return {
        "redeal": lambda label, parse, n, random: redeal(
            label, parse, n, seen, titles, bylines, starts, members, random
        ),
        "reread": lambda label, parse, n, random: reread(label, parse, seen, titles, bylines, random),
        "reassign": reassign_all,
        "split": lambda label, parse, n, random: split_or_merge(
            label, parse, n, seen, titles, bylines, *mates, random
        ),
    }


@pytest.mark.parametrize(
    "names", [("redeal", "reread"), ("reassign",), ("split", "reread"), ("redeal", "reassign", "split")]
)
def test_visits_match_enumeration(world: World, names: tuple[str, ...]) -> None:
    moves = moves_of(world)
    assert distance(visited(world, [moves[name] for name in names], TURNS), exact(world)) < 0.05


def test_a_wrong_prior_in_the_ratio_is_caught(world: World) -> None:
    """The same test with P(iota | n) taken at another n than the ratio of the moves uses."""
    moves = moves_of(world)
    assert (
        distance(visited(world, [moves["redeal"], moves["reread"]], TURNS, papers=10_000.0), exact(world))
        > 0.2
    )


def test_a_ratio_without_its_proposals_is_caught(world: World) -> None:
    """A merge that is accepted by the score alone, its reverse probability forgotten."""
    seen, titles, bylines = citations(world), priced(world.titles, RATES), priced(world.bylines, RATES)

    def careless(label: np.ndarray, parse: np.ndarray, n: np.ndarray, random: State) -> None:
        before, old = partition_score(label, parse, float(n[0]), seen, titles, bylines), label.copy()
        draw = np.random.default_rng(int(next_word(random) >> np.uint64(32)))
        one, other = draw.integers(len(TEXTS), size=2)
        if label[one] != label[other]:
            label[label == label[other]] = label[one]  # a whole cluster is merged ...
        elif one != other:
            label[one] = int(np.setdiff1d(np.arange(len(TEXTS) + 1), label)[0]) % len(
                TEXTS
            )  # ... but one leaves
        after = partition_score(label, parse, float(n[0]), seen, titles, bylines)
        if math.log(draw.uniform()) >= after - before:
            label[:] = old

    moves = moves_of(world)
    assert distance(visited(world, [careless, moves["reread"]], 4_000), exact(world)) > 0.1


def test_choosing_a_pair_has_the_probability_of_all_ways_to_choose_it() -> None:
    label = np.array([0, 0, 1, 2, 1])
    starts, members = np.array([0, 3, 5, 9]), np.array([0, 2, 3, 1, 4, 0, 1, 3, 4])
    for one, other in product(range(3), repeat=2):
        total = 0.0
        for canopy in range(3):
            inside = sorted({int(label[m]) for m in members[starts[canopy] : starts[canopy + 1]]})
            ways = sum({a, b} == {one, other} for a in inside for b in inside)
            total += ways / len(inside) ** 2 / 3
        assert math.exp(log_choose(label, one, other, starts, members)) == pytest.approx(total)


def test_allocations_have_probabilities_that_sum_to_one(world: World) -> None:
    seen, titles, bylines = citations(world), priced(world.titles, RATES), priced(world.bylines, RATES)
    parse, order, random = world.parses[:-1].copy(), np.array([2, 3]), stream(0)
    total = 0.0
    for sides in product((0, 1), repeat=2):
        side = np.array([0, 1, *sides])
        total += math.exp(allocate(0, 1, order, 2, side, True, parse, seen, titles, bylines, random))
    assert total == pytest.approx(1.0)


def test_the_number_of_papers_walks_as_its_distribution_says() -> None:
    label, n, random = np.array([0, 0, 1]), np.array([3.0]), stream(5)
    counts: Counter[float] = Counter()
    for _ in range(60_000):
        recount(label, n, 4, random)
        counts[float(n[0])] += 1
    support = np.arange(2.0, 4_000.0)
    chance = np.exp([log_identity(2, 3, m) + log_number(m, 3) for m in support])
    chance /= chance.sum()
    for m in (2.0, 3.0, 5.0, 10.0):
        assert counts[m] / 60_000 == pytest.approx(chance[support == m][0], abs=0.02)


def test_identity_prior_sums_to_one_over_partitions() -> None:
    for papers in (4.0, 7.0):
        total = sum(math.exp(log_identity(max(p) + 1, 4, papers)) for p in partitions(4))
        assert total == pytest.approx(1.0)


def test_a_chain_repeats_itself_and_learns_rates(world: World) -> None:
    one = run_chain(world, stream(1), learning=5, sampling=5)
    two = run_chain(world, stream(1), learning=5, sampling=5)
    assert (one.labels == two.labels).all()
    assert not np.allclose(one.rates, START)


def test_phrase_matching_joins_shared_phrases_only() -> None:
    texts = [
        "A. Lee. On the hands of apes. 1990.",
        "Lee, A. On the hands of apes, 1990",
        "B. Day. On thumbs.",
    ]
    assert matched(texts).tolist() == [0, 0, 1]
