"""The matching is optimal: scipy's dense solver agrees, and the prices prove it where scipy is too slow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from samehand.evaluate.contingency import contingency
from samehand.evaluate.matching import Matching, heaviest_matching

Weights = NDArray[np.float64]


def match(weights: Weights) -> tuple[Matching, float]:
    rows, columns = np.nonzero(weights)
    chosen = heaviest_matching(rows, columns, weights[rows, columns], *weights.shape)
    edges = chosen.edges[chosen.edges >= 0]
    assert (rows[edges] == np.flatnonzero(chosen.edges >= 0)).all()
    assert len(set(columns[edges])) == len(edges)
    return chosen, float(weights[rows[edges], columns[edges]].sum())


def optimum(weights: Weights) -> float:
    return float(weights[linear_sum_assignment(weights, maximize=True)].sum())


shapes = st.tuples(st.integers(1, 9), st.integers(1, 9))
small_whole = arrays.arrays(np.float64, shapes, elements=st.integers(0, 4).map(float))
real = arrays.arrays(np.float64, shapes, elements=st.just(0.0) | st.floats(0.001, 1.0))


@given(small_whole | real)
def test_total_equals_scipy(weights: Weights) -> None:
    assert match(weights)[1] == pytest.approx(optimum(weights))


@given(small_whole | real)
def test_prices_are_feasible_and_add_up_to_the_total(weights: Weights) -> None:
    chosen, total = match(weights)
    assert (chosen.row_prices[:, None] + chosen.column_prices >= weights - 1e-9).all()
    assert min(chosen.row_prices.min(), chosen.column_prices.min()) >= -1e-9
    assert chosen.row_prices.sum() + chosen.column_prices.sum() == pytest.approx(total)


@pytest.mark.parametrize("shape", [(300, 300), (120, 400), (400, 120)])
def test_total_equals_scipy_on_larger_sparse_graphs(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(3)
    weights = random.random(shape) * (random.random(shape) < 0.03)
    assert match(weights)[1] == pytest.approx(optimum(weights))


def test_a_greedy_choice_would_be_wrong() -> None:
    assert match(np.array([[9.0, 8.0], [8.0, 0.0]]))[1] == 16.0


def test_a_row_may_be_left_out_for_a_heavier_one() -> None:
    chosen, total = match(np.array([[1.0], [5.0], [3.0]]))
    assert total == 5.0
    assert chosen.edges.tolist() == [-1, 1, -1]


@pytest.mark.parametrize("by_f1", [False, True])
def test_one_component_of_many_thousand_clusters_is_matched_with_proof(by_f1: bool) -> None:
    random = np.random.default_rng(1)
    table = contingency(*(_compact(random.zipf(1.5, 60_000) % 20_000) for _ in range(2)))
    weights = table.overlap_f1() if by_f1 else table.counts.astype(float)
    sizes = len(table.true_sizes), len(table.predicted_sizes)
    chosen = heaviest_matching(table.true, table.predicted, weights, *sizes)
    total = weights[chosen.edges[chosen.edges >= 0]].sum()
    assert min(sizes) > 2000
    bound = chosen.row_prices[table.true] + chosen.column_prices[table.predicted]
    assert (bound >= weights - 1e-9).all()
    assert chosen.row_prices.sum() + chosen.column_prices.sum() == pytest.approx(total)


def _compact(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(labels, return_inverse=True)[1]
