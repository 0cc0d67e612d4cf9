"""The kernels against plain enumeration of a toy grammar."""

import math
from itertools import product

import numpy as np
import pytest
from parsing_world import EDGE, GAPS, LABEL, MOVES, STYLES, WORDS, readings_by_hand, toy

from samehand.models.citations.parsing.kernels import Expected, expect, forward
from samehand.models.citations.parsing.listing import readings

FREE = np.zeros(10, dtype=np.int64)


def sequence(seed: int, length: int) -> tuple:
    tables, words = toy(seed)
    random = np.random.default_rng(seed + 100)
    return tables, words[random.integers(0, WORDS, length)], random.integers(0, GAPS, length + 1)


def log_forward(tables, emission, gap, forced=FREE) -> float:
    shape = (len(emission), STYLES, len(LABEL))
    return forward(
        emission, gap, forced[: len(emission)], tables, np.empty(shape), np.empty(len(emission) + 1)
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("length", [1, 2, 4])
def test_forward_is_the_sum_over_all_readings(seed, length):
    tables, emission, gap = sequence(seed, length)
    total = sum(chance for chance, _ in readings_by_hand(tables, emission, gap))
    assert log_forward(tables, emission, gap) == pytest.approx(math.log(total), abs=1e-9)


def test_all_strings_of_a_length_together_have_the_probability_of_that_length():
    """Summed over all words and gaps, what remains is the chance of so many words; over all lengths, 1."""
    tables, words = toy(1)
    for length in (1, 2, 3):
        total = 0.0
        for chosen in product(range(WORDS), repeat=length):
            for gap in product(range(GAPS), repeat=length + 1):
                total += math.exp(log_forward(tables, words[list(chosen)], np.array(gap)))
        assert total == pytest.approx(_length(tables, length), abs=1e-9)
    assert sum(_length(tables, length) for length in range(1, 400)) == pytest.approx(1.0, abs=1e-6)


def _length(tables, length) -> float:
    """The probability of a number of words: one word for all, one gap for all."""
    merged = tables._replace(
        moves=tables.moves.sum(axis=0, keepdims=True), joints=tables.joints.sum(axis=0, keepdims=True)
    )
    return math.exp(
        forward(
            np.ones((length, len(LABEL))), np.zeros(length + 1, dtype=np.int64), np.zeros(length, dtype=np.int64),
            merged, np.empty((length, STYLES, len(LABEL))), np.empty(length + 1),
        )
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_expected_counts_and_posteriors_are_those_of_enumeration(seed):
    tables, emission, gap = sequence(seed, 4)
    counts = Expected(
        np.zeros(STYLES),
        np.zeros(len(LABEL)),
        np.zeros(len(LABEL)),
        np.zeros_like(tables.moves),
        np.zeros_like(tables.joints),
    )
    posterior = np.zeros_like(emission)
    expect(emission, gap, FREE[:4], tables, counts, posterior)
    found = list(readings_by_hand(tables, emission, gap))
    whole = sum(chance for chance, _ in found)
    by_hand, styles, starts, moves = (
        np.zeros_like(emission),
        np.zeros(STYLES),
        np.zeros(len(LABEL)),
        np.zeros_like(counts.moves),
    )
    for chance, (style, states, begins) in found:
        share = chance / whole
        styles[style] += share
        for place, state in enumerate(states):
            by_hand[place, state] += share
            if begins[place]:
                starts[state] += share
            else:
                moves[gap[place], MOVES.index((states[place - 1], state))] += share
    assert posterior == pytest.approx(by_hand, abs=1e-10)
    assert posterior.sum(axis=1) == pytest.approx(np.ones(4))
    assert counts.styles == pytest.approx(styles)
    assert counts.start == pytest.approx(starts)
    assert counts.moves == pytest.approx(moves)
    assert counts.joints.sum() == pytest.approx(starts.sum() + 1.0)


def test_forced_beginnings_leave_only_readings_that_have_them():
    tables, emission, gap = sequence(5, 4)
    forced = np.array([0, 2, 1, 0])
    kept = [
        chance
        for chance, (_, _, begins) in readings_by_hand(tables, emission, gap)
        if begins[1] == 0 and begins[2] == 1
    ]
    assert log_forward(tables, emission, gap, forced) == pytest.approx(math.log(sum(kept)))


@pytest.mark.parametrize("seed", range(4))
def test_the_list_is_the_order_of_enumeration(seed):
    tables, emission, gap = sequence(seed, 4)
    found = sorted(readings_by_hand(tables, emission, gap), reverse=True)
    whole = sum(chance for chance, _ in found)
    most = 25
    scores, labels, begins = readings(emission, gap, FREE[:4], tables, most, 0.0)
    assert np.exp(scores) == pytest.approx([chance / whole for chance, _ in found[:most]])
    for place, (_, (_, states, beginning)) in enumerate(found[:3]):
        assert labels[place].tolist() == LABEL[list(states)].tolist()
        assert begins[place].tolist() == list(beginning)


def test_no_reading_above_the_bound_is_lost():
    tables, emission, gap = sequence(2, 5)
    bound = 1e-3
    everything, _, _ = readings(emission, gap, FREE[:5], tables, 400, 0.0)
    pruned, _, _ = readings(emission, gap, FREE[:5], tables, 400, bound)
    sure = everything[everything >= math.log(bound)]
    assert pruned[: len(sure)] == pytest.approx(sure)


def test_a_citation_no_reading_can_have_is_told_so():
    tables, emission, gap = sequence(2, 2)
    assert log_forward(tables, np.zeros_like(emission), gap) == -math.inf
    assert len(tables.first_pair) - 2 == EDGE
