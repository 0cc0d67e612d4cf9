"""Features, factors, the mixture from end to end, its rivals and the score, each against an independent answer."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment, nnls
from sklearn.naive_bayes import BernoulliNB
from sklearn.svm import LinearSVC

from samehand.block import block
from samehand.infer.random import stream
from samehand.models.stream.factors import Binary, factorise, project
from samehand.models.stream.features import binary_features, stream_records
from samehand.models.stream.mixture import GIBBS, PARTICLES, Settings, fitted_prior, predict
from samehand.models.stream.rivals import khabsa, naive_bayes, qian, rules, svm
from samehand.models.stream.rivals.agglomerate import average_linkage, cuts
from samehand.models.stream.score import mean_f1, mean_f1_lenient
from samehand.models.stream.task import Task, first_labels, folds
from samehand.normalise.mentions import author_mentions
from samehand.records import Reference, references_frame


def random_binary(random: np.random.Generator, count: int, width: int, share: float = 0.3) -> Binary:
    return as_binary(random.random((count, width)) < share)


def as_binary(dense) -> Binary:
    rows, columns = np.nonzero(dense)
    return Binary(np.searchsorted(rows, np.arange(len(dense) + 1)), columns.astype(np.int64), dense.shape[1])


def as_dense(matrix: Binary):
    dense = np.zeros((len(matrix.starts) - 1, matrix.width))
    dense[np.repeat(np.arange(len(dense)), np.diff(matrix.starts)), matrix.features] = 1.0
    return dense


def two_persons() -> tuple[Task, np.ndarray]:
    """Two known persons with words of their own, and a stream of both and of a third."""
    random = np.random.default_rng(3)
    truth = np.array([0, 1] * 10 + [0, 1, 2, 0, 2, 1, 2])
    dense = np.zeros((len(truth), 60), bool)
    for row, person in enumerate(truth):
        dense[row, 20 * person + random.choice(20, 8, replace=False)] = True
    return Task(as_binary(dense), truth[:20]), truth[20:]


def test_records_are_sorted_folded_and_without_the_author_himself():
    references = references_frame(
        [
            Reference("a", 1, id="b", title="The Thumbs of 12 Hands", venue="Proc. of JOH (2)", year=2005,
                      authors=["Lund, Ada", "Müller, Jo-Ann", "Ada Lund"]),
            Reference("a", 2, id="a", title="Thumbing", year=2001, authors=["Ada Lund"]),
        ]
    )  # fmt: skip
    blocked = block("author", author_mentions(references), references)
    records = stream_records(blocked).filter(pl.col("block") == "a lund")
    assert records["year"].to_list() == [2001, 2005, 2005]
    row = records.row(1, named=True)
    assert row["coauthor_names"] == ["jo ann muller"]
    assert row["title_words"] == ["hands", "thumbs"]
    assert row["title_stems"] == ["hand", "thumb"]
    assert row["venue"] == ["proc of joh"]
    assert row["venue_words"] == ["joh", "proc"]
    assert records.row(0, named=True)["venue"] == []


def test_binary_features_tell_fields_apart():
    records = pl.DataFrame({"title_words": [["hand"], []], "venue": [["hand"], ["hand"]]})
    matrix = binary_features(records, ("title_words", "venue"))
    assert as_dense(matrix).tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_factorisation_never_gets_worse_and_stays_positive():
    matrix = random_binary(np.random.default_rng(0), 30, 50)
    errors = []
    for sweeps in (1, 2, 4, 8, 50, 200):
        weights, basis = factorise(stream(1), matrix, 5, sweeps)
        assert weights.min() >= 0.0
        assert basis.min() >= 0.0
        errors.append(((as_dense(matrix) - weights @ basis) ** 2).sum())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.8 * errors[0]


def test_factorisation_finds_an_exact_product():
    blocks = np.kron(np.eye(3), np.ones((6, 9))) > 0
    weights, basis = factorise(stream(2), as_binary(blocks), 3, 400)
    assert np.allclose(weights @ basis, blocks, atol=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_projection_is_non_negative_least_squares(seed):
    random = np.random.default_rng(seed)
    basis = random.gamma(0.5, size=(6, 20))
    features = np.flatnonzero(random.random(20) < 0.4)
    record = np.zeros(20)
    record[features] = 1.0
    expected, _ = nnls(basis.T, record)
    assert np.allclose(project(basis, basis @ basis.T, features), expected, atol=1e-6)


def test_pooled_covariance_and_its_readings():
    records = np.array([[0.0, 0.0], [2.0, 1.0], [5.0, 5.0], [6.0, 4.0], [9.0, 9.0]])
    labels = np.array([0, 0, 1, 1, 2])
    pooled = (np.cov(records[:2].T) + np.cov(records[2:4].T)) / 2
    letter = fitted_prior(records, labels, Settings(rank=2)).factor
    assert np.allclose(letter @ letter.T, pooled, atol=1e-4)
    scaled = fitted_prior(records, labels, Settings(rank=2, scaled=True)).factor
    assert np.allclose(scaled, np.sqrt(99.0) * letter)
    total = fitted_prior(records, labels, Settings(rank=2, covariance="total")).factor
    assert np.allclose(total @ total.T, np.cov(records.T), atol=1e-4)
    single = fitted_prior(records, np.arange(5), Settings(rank=2)).factor
    assert np.allclose(single, total)


@pytest.mark.parametrize("ways", [GIBBS, PARTICLES])
def test_same_seed_same_labels(ways):
    task, _ = two_persons()
    assert predict(task, ways, stream(1)).tolist() == predict(task, ways, stream(1)).tolist()


def test_mixture_follows_clear_persons_and_finds_a_third():
    task, truth = two_persons()
    close = Settings(rank=3, kappa=0.05, more_freedom=3.0, alpha=1.0, optimal=True, particles=200)
    labels = predict(task, close, stream(0))
    assert labels[truth < 2].tolist() == truth[truth < 2].tolist()
    assert max(labels[truth == 2]) >= task.known


def test_all_records_asked_gives_the_truth():
    task, truth = two_persons()
    labels = predict(
        task, PARTICLES, stream(0), lambda before, found: 4 if truth[len(before)] == 2 else truth[len(before)]
    )
    assert mean_f1(truth, labels, task.known) == 1.0


def test_score_is_strict_with_known_persons():
    true = np.array([0, 0, 1, 7, 7, 8])
    assert mean_f1(true, true, 2) == 1.0
    assert mean_f1(true, np.array([1, 1, 0, 9, 9, 4]), 2) == 0.5
    assert mean_f1(true, np.array([3, 3, 1, 9, 9, 4]), 2) == 0.75
    assert mean_f1_lenient(true, np.array([1, 1, 0, 9, 9, 4])) == 1.0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=25))
def test_new_persons_are_matched_optimally(pairs):
    true, predicted = np.array(pairs).T
    known = 2
    persons, labels = np.unique(true), np.unique(predicted)
    shared = np.array([[2 * np.sum((true == p) & (predicted == q)) / (np.sum(true == p) + np.sum(predicted == q))
                        for q in labels] for p in persons])  # fmt: skip
    kept = sum(shared[i, j] for i, p in enumerate(persons) for j, q in enumerate(labels) if p == q < known)
    new = shared[persons >= known][:, labels >= known]
    rows, columns = linear_sum_assignment(-new)
    assert mean_f1(true, predicted, known) == pytest.approx((kept + new[rows, columns].sum()) / len(persons))


def test_folds_hold_every_record_back_once():
    task, _ = two_persons()
    sizes = [(smaller.initial, len(truth)) for smaller, truth in folds(task)]
    assert sum(held for _, held in sizes) == task.initial
    assert all(kept + held == task.initial for kept, held in sizes)


def test_average_linkage_equals_scipy():
    random = np.random.default_rng(5)
    points = random.normal(size=(40, 3))
    task = Task(random_binary(random, 40, 4), np.arange(25) % 6)
    merges = average_linkage(points)
    tree = linkage(points, "average")
    for clusters in (1, 5, 13, 40):
        member = np.arange(40)
        for kept, gone in merges[: 40 - clusters]:
            member[member == gone] = kept
        expected = fcluster(tree, clusters, "maxclust")
        assert len({*zip(member.tolist(), expected.tolist(), strict=True)}) == clusters
    assert cuts(task, points, (1.0,))[0].tolist() == list(range(6 + 25, 6 + 40))


def test_naive_bayes_equals_scikit_learn():
    random = np.random.default_rng(6)
    task = Task(random_binary(random, 40, 25), first_labels(random.integers(0, 5, 30)))
    dense = as_dense(task.features)
    peer = BernoulliNB(alpha=1.0).fit(dense[:30], task.labels)
    assert np.allclose(naive_bayes.probabilities(task), peer.predict_proba(dense), atol=1e-9)


def test_support_vector_machine_is_as_good_as_scikit_learn():
    random = np.random.default_rng(7)
    points = np.hstack([random.normal(size=(60, 4)), np.ones((60, 1))])
    signs = np.where(points[:, 0] + 0.5 * random.normal(size=60) > 0, 1.0, -1.0)

    def loss(weights):
        return 0.5 * weights @ weights + np.maximum(0.0, 1.0 - signs * (points @ weights)).sum()

    peer = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, max_iter=100_000, tol=1e-9).fit(points, signs)
    found = svm.separate(stream(0), points, signs, 1.0, 2000)
    assert loss(found) == pytest.approx(loss(peer.coef_[0]), rel=1e-4)


@pytest.mark.parametrize(
    "method",
    [qian.predict, khabsa.predict, naive_bayes.predict, lambda task: svm.predict(task, stream(0))],
    ids=["qian", "khabsa", "bernounaive-hac", "nnmf-svm-hac"],
)
def test_rivals_keep_clear_persons_apart(method):
    task, truth = two_persons()
    labels = method(task)
    assert len(labels) == len(truth)
    assert all(label == person for label, person in zip(labels, truth, strict=True) if person < 2)


def test_rivals_find_a_new_person():
    task, truth = two_persons()
    assert mean_f1(truth, qian.label(task, -4.5), task.known) == 1.0
    assert set(khabsa.label(task, 0).tolist()) == set(range(2, 2 + len(truth)))
    assert set(khabsa.label(task, 1000).tolist()) <= {0, 1}


def test_most_coauthors_counts_papers_together():
    found = rules.most_coauthors(np.array([0, 1, 1]), [["x"], ["y"], ["y"], ["x", "y"], []])
    assert found.tolist() == [1, 2]
