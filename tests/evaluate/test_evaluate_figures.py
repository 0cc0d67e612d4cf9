"""Every figure against hand-worked examples, slow direct definitions, scikit-learn and scipy."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

from samehand.evaluate import evaluate

Labels = list[int]


def score(predicted: Labels, true: Labels) -> dict[str, float]:
    ids = [f"m{place}" for place in range(len(true))]
    frames = (pl.DataFrame({"id": ids, "cluster": labels}) for labels in (predicted, true))
    return evaluate(*frames, intervals=False).figures


def labelled(*clusters: str) -> Labels:
    """Each argument is a cluster of letters; the labels of all letters, in the order of the alphabet."""
    found = {letter: number for number, cluster in enumerate(clusters) for letter in cluster}
    return [found[letter] for letter in sorted(found)]


BAGGA = labelled("ABCDE", "FG", "HIJKL")


def test_bagga_and_baldwin_first_response() -> None:
    found = score(labelled("ABCDE", "FGHIJKL"), BAGGA)
    assert found["b3_precision"] == pytest.approx((5 + (2 * 2 + 5 * 5) / 7) / 12)  # .762 in the paper
    assert found["b3_precision"] == pytest.approx(0.762, abs=5e-4)
    assert found["b3_recall"] == 1.0


def test_bagga_and_baldwin_second_response() -> None:
    found = score(labelled("ABCDEHIJKL", "FG"), BAGGA)
    assert found["b3_precision"] == pytest.approx(0.583, abs=5e-4)
    assert found["b3_recall"] == 1.0


def test_luo_example_of_ceaf() -> None:
    """Luo 2005, figure 1: responses (a), (b) and (d) of the same twelve mentions."""
    merged_small = score(labelled("ABCDE", "FGHIJKL"), BAGGA)
    assert merged_small["ceaf_m_f1"] == pytest.approx(0.833, abs=5e-4)
    assert merged_small["ceaf_e_f1"] == pytest.approx(0.733, abs=5e-4)
    merged_large = score(labelled("ABCDEHIJKL", "FG"), BAGGA)
    assert merged_large["ceaf_m_f1"] == pytest.approx(0.583, abs=5e-4)
    assert merged_large["ceaf_e_f1"] == pytest.approx(0.667, abs=5e-4)
    singletons = score(labelled(*"ABCDEFGHIJKL"), BAGGA)
    assert singletons["ceaf_m_f1"] == pytest.approx(0.25)
    assert singletons["ceaf_e_recall"] == pytest.approx((2 / 6 + 2 / 3 + 2 / 6) / 3)


def test_pairs_and_clusters_by_hand() -> None:
    """True ABC, DE, F; predicted AB, CDE, F: 4 pairs predicted, 4 true, 2 in common."""
    found = score(labelled("AB", "CDE", "F"), labelled("ABC", "DE", "F"))
    assert (found["pairwise_precision"], found["pairwise_recall"], found["pairwise_f1"]) == (0.5, 0.5, 0.5)
    assert found["exact_clusters"] == pytest.approx(1 / 3)
    assert found["mean_f1"] == pytest.approx((0.8 + 0.8 + 1.0) / 3)
    assert (found["clusters"], found["true_clusters"], found["mentions"]) == (3, 3, 6)


def test_lenient_mean_lets_one_cluster_serve_twice() -> None:
    found = score(labelled("AB"), labelled("A", "B"))
    assert found["mean_f1"] == pytest.approx((2 / 3) / 2)
    assert found["mean_f1_lenient"] == pytest.approx(2 / 3)


def test_a_perfect_clustering_scores_one_everywhere() -> None:
    found = score([7, 7, 3, 3, 3, 9], [1, 1, 2, 2, 2, 5])
    counts = {"clusters", "true_clusters", "mentions", "missing_predictions"}
    assert {name: value for name, value in found.items() if name not in counts and value != 1.0} == {}


@pytest.mark.parametrize(("predicted", "true"), [([0], [0]), ([0, 1], [0, 1]), ([0, 0], [1, 1])])
def test_trivial_clusterings_have_no_undefined_figure(predicted: Labels, true: Labels) -> None:
    found = score(predicted, true)
    assert found["adjusted_rand"] == found["v_measure"] == found["pairwise_f1"] == 1.0


def test_no_pair_claimed_is_precise_and_finds_nothing() -> None:
    found = score([0, 1, 2], [0, 0, 0])
    assert (found["pairwise_precision"], found["pairwise_recall"], found["pairwise_f1"]) == (1.0, 0.0, 0.0)


clusterings = st.integers(1, 12).flatmap(
    lambda count: st.tuples(*(st.lists(st.integers(0, 5), min_size=count, max_size=count) for _ in "pt"))
)


@given(clusterings)
def test_b_cubed_is_its_definition_over_mentions(labels: tuple[Labels, Labels]) -> None:
    predicted, true = labels
    precisions, recalls = [], []
    for mention in range(len(true)):
        same_true = {m for m in range(len(true)) if true[m] == true[mention]}
        same_predicted = {m for m in range(len(true)) if predicted[m] == predicted[mention]}
        precisions.append(len(same_true & same_predicted) / len(same_predicted))
        recalls.append(len(same_true & same_predicted) / len(same_true))
    found = score(predicted, true)
    assert found["b3_precision"] == pytest.approx(np.mean(precisions))
    assert found["b3_recall"] == pytest.approx(np.mean(recalls))


@given(clusterings)
def test_pairwise_is_its_definition_over_pairs(labels: tuple[Labels, Labels]) -> None:
    predicted, true = labels
    every = list(combinations(range(len(true)), 2))
    claimed = {pair for pair in every if predicted[pair[0]] == predicted[pair[1]]}
    due = {pair for pair in every if true[pair[0]] == true[pair[1]]}
    found = score(predicted, true)
    assert found["pairwise_precision"] == pytest.approx(len(claimed & due) / len(claimed) if claimed else 1)
    assert found["pairwise_recall"] == pytest.approx(len(claimed & due) / len(due) if due else 1)


@given(clusterings)
def test_cluster_figures_are_their_definitions(labels: tuple[Labels, Labels]) -> None:
    predicted, true = (_sets(side) for side in labels)
    overlap = np.array([[len(t & p) for p in predicted] for t in true], float)
    f1 = np.array([[2 * len(t & p) / (len(t) + len(p)) for p in predicted] for t in true])
    entity = f1[linear_sum_assignment(f1, maximize=True)].sum()
    found = score(*labels)
    assert found["exact_clusters"] == pytest.approx(len(set(true) & set(predicted)) / len(true))
    assert found["mean_f1"] == found["ceaf_e_recall"] == pytest.approx(entity / len(true))
    assert found["ceaf_e_precision"] == pytest.approx(entity / len(predicted))
    assert found["mean_f1_lenient"] == pytest.approx(f1.max(axis=1).mean())
    mentions = overlap[linear_sum_assignment(overlap, maximize=True)].sum()
    assert found["ceaf_m_f1"] == pytest.approx(mentions / len(labels[0]))


@given(clusterings)
def test_information_figures_equal_scikit_learn(labels: tuple[Labels, Labels]) -> None:
    predicted, true = labels
    found = score(predicted, true)
    expected = metrics.homogeneity_completeness_v_measure(true, predicted)
    names = ("homogeneity", "completeness", "v_measure")
    assert [found[name] for name in names] == pytest.approx(expected, abs=1e-9)
    assert found["adjusted_rand"] == pytest.approx(metrics.adjusted_rand_score(true, predicted), abs=1e-9)


def test_many_mentions_equal_scikit_learn() -> None:
    random = np.random.default_rng(0)
    true = random.integers(0, 4000, 20_000)
    predicted = np.where(random.random(20_000) < 0.2, random.integers(0, 4000, 20_000), true)
    found = score(predicted.tolist(), true.tolist())
    assert found["adjusted_rand"] == pytest.approx(metrics.adjusted_rand_score(true, predicted))
    assert found["v_measure"] == pytest.approx(metrics.v_measure_score(true, predicted))


def test_one_cluster_of_a_million_does_not_overflow() -> None:
    count = 1_000_000
    frame = pl.DataFrame(
        {"id": pl.int_range(count, eager=True), "cluster": pl.zeros(count, pl.Int64, eager=True)}
    )
    halves = frame.with_columns(cluster=pl.int_range(count, eager=True) % 2)
    found = evaluate(halves, frame, intervals=False, worst=1)
    assert found.figures["pairwise_recall"] == pytest.approx(2 * comb(count // 2, 2) / comb(count, 2))
    assert found.figures["adjusted_rand"] == 0.0
    assert found.errors["lost_pairs"].to_list() == [(count // 2) ** 2]


def _sets(labels: Labels) -> list[frozenset[int]]:
    return [frozenset(m for m, own in enumerate(labels) if own == label) for label in sorted(set(labels))]
