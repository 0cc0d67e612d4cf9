"""The particle filter and one-pass Gibbs against exact enumeration; the Student-t classes against direct formulas."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from scipy.stats import multivariate_t
from stream_world import (
    ALPHA,
    FREEDOM,
    KAPPA,
    KNOWN,
    KNOWN_LABELS,
    MEAN,
    SIGMA,
    STREAM,
    direct_log_density,
    direct_parameters,
    distance,
    enumerate_histories,
)

import samehand.models.stream.filter as filter_module
from samehand.infer.random import stream
from samehand.models.stream.filter import Filter, best, entropy, is_uncertain
from samehand.models.stream.particles import stratified
from samehand.models.stream.student import add, begin, log_predictive, make_classes, make_prior

PRIOR = make_prior(MEAN, SIGMA, KAPPA, FREEDOM)
FAR = 0.1
"""A total variation that a right filter of many particles stays far below, and a wrong one does not."""


def make(seed: int, particles: int, *, optimal: bool, records=KNOWN, labels=KNOWN_LABELS) -> Filter:
    return Filter(PRIOR, records, labels, stream(seed), particles=particles, optimal=optimal, alpha=ALPHA)


def final_distance(seed: int, particles: int, *, optimal: bool) -> float:
    """How far the weighted histories of a filter are from the exact posterior."""
    made = make(seed, particles, optimal=optimal)
    for record in STREAM:
        made.predict(record)
        made.accept()
    exact = {history: share for history, (share, _) in enumerate_histories().items()}
    return distance(exact, weighed(made))


def weighed(made: Filter) -> dict[tuple[int, ...], float]:
    observed: Counter[tuple[int, ...]] = Counter()
    for history, weight in zip(made.histories().tolist(), made.weights.tolist(), strict=True):
        observed[tuple(history)] += weight
    return dict(observed)


def test_predictive_equals_direct_formula_and_scipy_after_thousands_of_updates():
    random = np.random.default_rng(1)
    width = 10
    root = random.normal(size=(width, width))
    mean, sigma = random.normal(size=width), root @ root.T + 0.1 * np.eye(width)
    prior, classes, work = (
        make_prior(mean, sigma, 100.0, width + 100.0),
        make_classes(1, width),
        np.empty(width),
    )
    records = random.normal(size=(4000, width)) @ root.T * random.gamma(1.0, size=(4000, 1)) + mean
    begin(prior, classes, 0)
    for number in range(4001):
        if number in (0, 1, 2, 17, 1000, 4000):
            point = records[(7 * number) % 4000] + 0.1
            nu, centre, scale = direct_parameters(records[:number], mean, sigma, 100.0, width + 100.0)
            expected = multivariate_t(centre, scale, df=nu).logpdf(point)
            assert log_predictive(prior, classes, 0, point, work) == pytest.approx(expected, abs=1e-9)
        if number < 4000:
            add(prior, classes, 0, records[number], work)
    factor = classes.factor[0]
    fresh = np.linalg.cholesky(scale * (4100 * nu) / 4101)
    assert np.allclose(factor, fresh, rtol=1e-9, atol=1e-9 * np.abs(fresh).max())


@pytest.mark.parametrize("optimal", [False, True])
def test_particles_converge_to_the_exact_posterior(optimal):
    few = np.mean([final_distance(seed, 50, optimal=optimal) for seed in range(8)])
    some = np.mean([final_distance(seed, 1_000, optimal=optimal) for seed in range(4)])
    many = final_distance(1, 30_000, optimal=optimal)
    assert many < some < few
    assert many < 0.03


def test_a_weight_that_is_not_updated_is_caught(monkeypatch):
    class Broken:
        def __getattr__(self, name):
            return getattr(filter_module.kernels_in_use, name)

        @staticmethod
        def choose(state, prior, pool, particles, *rest):
            before = particles.log_weight.copy()
            filter_module.kernels_in_use.choose(state, prior, pool, particles, *rest)
            particles.log_weight[:] = before

    monkeypatch.setattr(filter_module, "kernels_in_use", filter_module.kernels, raising=False)
    monkeypatch.setattr(filter_module, "kernels", Broken())
    assert final_distance(1, 10_000, optimal=False) > FAR


def test_one_pass_gibbs_draws_from_its_conditionals():
    records = STREAM[:3]
    exact = {history: once for history, (_, once) in enumerate_histories(records).items()}
    observed: Counter[tuple[int, ...]] = Counter()
    for seed in range(2000):
        made = make(seed, 1, optimal=True)
        labels = []
        for record in records:
            labels.append(best(made.predict(record)))
            made.accept()
        observed[tuple(labels)] += 1 / 2000
    assert distance(exact, dict(observed)) < 0.06


def test_repeated_gibbs_draws_visit_the_exact_posterior():
    """The conditional of a record given all others is the filter's, the record coming last: records are exchangeable."""
    records = STREAM[[0, 1, 3]]
    exact = {history: share for history, (share, _) in enumerate_histories(records).items()}
    state, labels, observed, sweeps = stream(9), [2, 3, 4], Counter[tuple[int, ...]](), 1500
    for _ in range(sweeps):
        for number in range(3):
            others = [place for place in range(3) if place != number]
            names = sorted({*range(2), *(labels[place] for place in others)})
            given = np.array([*KNOWN_LABELS, *(names.index(labels[place]) for place in others)])
            both = np.vstack([KNOWN, records[others]])
            made = Filter(PRIOR, both, given, state, particles=1, optimal=True, alpha=ALPHA)
            drawn = best(made.predict(records[number]))
            labels[number] = names[drawn] if drawn < len(names) else 10 + number
        observed[founders(labels)] += 1 / sweeps
    assert distance(exact, dict(observed)) < FAR


def founders(labels: list[int]) -> tuple[int, ...]:
    """Known labels as they are, new classes named after their first record."""
    first: dict[int, int] = {}
    for number, label in enumerate(labels):
        first.setdefault(label, label if label < 2 else 2 + number)
    return tuple(first[label] for label in labels)


def test_answers_condition_the_posterior():
    answers = {1: 3, 2: 3}
    exact = {history: share for history, (share, _) in enumerate_histories(answers=answers).items()}
    made = make(3, 20_000, optimal=True)
    for number, record in enumerate(STREAM):
        made.predict(record)
        if number in answers:
            made.answer(answers[number])
        else:
            made.accept()
    assert distance(exact, weighed(made)) < 0.03
    assert set(made.histories()[:, 2].tolist()) == {3}


def test_prediction_is_the_exact_filtering_distribution():
    exact: Counter[int] = Counter()
    for history, (share, _) in enumerate_histories(STREAM[:3]).items():
        exact[history[-1]] += share
    made = make(5, 20_000, optimal=False)
    for record in STREAM[:2]:
        made.predict(record)
        made.accept()
    assert distance(dict(exact), made.predict(STREAM[2])) < 0.03


def test_new_classes_are_named_after_their_founding_record():
    made = make(2, 200, optimal=False)
    for record in np.vstack([STREAM, STREAM + 0.1, STREAM - 0.2]):
        made.predict(record)
        made.accept()
    for history in made.histories().tolist():
        for label in set(history):
            assert label < 2 or history.index(label) == label - 2


def test_pool_is_sound_after_many_steps():
    """References count the classes that refer to a slot, no slot is lost, and statistics equal fresh ones."""
    random = np.random.default_rng(0)
    made = make(4, 60, optimal=True)
    records = random.normal(size=(150, 2)) * 2
    for number, record in enumerate(records):
        made.predict(record)
        if number % 9 == 4:
            made.answer(number % 2)
        else:
            made.accept()
    pool, particles = made._pool, made._particles
    counts = np.zeros(len(pool.references), np.int64)
    counts[0] = 1
    for p, count in enumerate(particles.class_count):
        np.add.at(counts, particles.slot[p, :count], 1)
    assert np.array_equal(counts > 0, pool.references > 0)
    assert np.array_equal(counts[counts > 0], pool.references[counts > 0])
    free = pool.free[: pool.free_count[0]]
    assert len(set(free.tolist())) == len(free) == int((counts == 0).sum())
    history = made.histories()[0]
    for place in range(particles.class_count[0]):
        label, slot = particles.label[0, place], particles.slot[0, place]
        members = np.vstack([KNOWN[label == KNOWN_LABELS], records[history == label]])
        found = log_predictive(PRIOR, pool.classes, slot, np.array([0.5, 0.5]), np.empty(2))
        assert found == pytest.approx(direct_log_density([0.5, 0.5], members), abs=1e-9)
        assert pool.classes.size[slot] == len(members)


def test_resampling_is_unbiased_and_stratified():
    weights = np.array([0.02, 0.31, 0.05, 0.0, 0.42, 0.2])
    state, repeats = stream(7), 4000
    total = np.zeros(6)
    for _ in range(repeats):
        counts = np.bincount(stratified(state, weights), minlength=6)
        assert np.all(np.abs(counts - 6 * weights) < 2)
        total += counts
    assert np.allclose(total / repeats, 6 * weights, atol=0.04)
    assert total[3] == 0


def test_same_seed_same_bytes():
    def bytes_of(seed):
        made = make(seed, 100, optimal=False)
        for record in np.vstack([STREAM] * 5):
            made.predict(record)
            made.accept()
        return made.histories().tobytes() + made.weights.tobytes()

    assert bytes_of(1) == bytes_of(1) != bytes_of(2)


def test_entropy_above_tau_asks():
    assert entropy({0: 0.25, 1: 0.25, 2: 0.25, 3: 0.25}) == pytest.approx(np.log(4))
    assert is_uncertain({0: 0.5, 1: 0.5}, 0.99)
    assert not is_uncertain({0: 0.5, 1: 0.5}, 1.0)
    assert not is_uncertain({0: 0.99, 1: 0.01}, 0.5)


def test_a_stream_without_known_persons_starts_from_nothing():
    made = Filter(PRIOR, np.empty((0, 2)), np.empty(0, np.int64), stream(0), particles=5)
    assert made.predict(STREAM[0]) == {0: pytest.approx(1.0)}
    made.accept()
    assert set(made.predict(STREAM[1])) <= {0, 1}
