"""The published model from end to end: coordinates, the prior fitted to the initial records, and the filter.

Section 7.3: h = 10 coordinates, mu0 the mean and Sigma0 the pooled covariance of the initial records, kappa = 100,
m = h + 100, alpha = 100, 100 particles. How Sigma0 is read matters more than all else:

    the letter    Sigma0 is the pooled covariance; the inverse Wishart then expects a class to have the covariance
                  Sigma0 / (m - h - 1), a hundredth of it
    expected      "Sigma0 encodes our prior belief about the expected Sigma" (section 5.1): it is the pooled covariance
                  times m - h - 1, so that a class is expected to have the pooled covariance
    total         the same with the covariance of all initial records, persons not told apart
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State
from samehand.models.stream.factors import SWEEPS, factorise, project
from samehand.models.stream.filter import Filter, best
from samehand.models.stream.student import Prior, make_prior
from samehand.models.stream.task import Task, select

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

RIDGE = 1e-6
"""Of the mean variance, added to each: a coordinate that no initial record has would make Sigma0 singular."""


@dataclass(frozen=True)
class Settings:
    """The constants of section 7.3, and which reading of Sigma0."""

    rank: int = 10
    kappa: float = 100.0
    more_freedom: float = 100.0
    alpha: float = 100.0
    particles: int = 100
    optimal: bool = False
    covariance: Literal["pooled", "total"] = "pooled"
    scaled: bool = False


GIBBS = Settings(particles=1, optimal=True)
PARTICLES = Settings()
READINGS: dict[str, dict[str, Any]] = {
    "": {},
    "-expected": {"scaled": True},
    "-total": {"covariance": "total", "scaled": True},
}
"""What a reading is called in benchmarks, and its settings."""


def coordinates(task: Task, rank: int, state: State) -> Reals:
    """The latent coordinates of all records, those of the stream by projection on the initial records' basis.

    The initial records are projected too: the factorisation is stopped before its end, and both kinds of record must
    be measured alike.
    """
    initial = select(task.features, np.arange(task.initial))
    _, basis = factorise(state, initial, rank, SWEEPS)
    squares = basis @ basis.T
    return np.array([project(basis, squares, task.record(row)) for row in range(task.count)])


def fitted_prior(records: Reals, labels: Longs, settings: Settings) -> Prior:
    """NIW(mu0, Sigma0, kappa, m) of the initial records.

    The pooled covariance is sum_j (n_j - 1) S_j / (n - K); where no person has two records there is none, and
    the covariance of all records stands in.

    >>> prior = fitted_prior(np.array([[0.0], [2.0], [7.0]]), np.array([0, 0, 1]), Settings(rank=1))
    >>> prior.mean.tolist(), round(float(prior.factor[0, 0]) ** 2, 4)
    ([3.0], 2.0)
    """
    count, width = records.shape
    persons = int(labels.max()) + 1
    centred = records - records.mean(axis=0)
    freedom = max(1, count - 1)
    if settings.covariance == "pooled" and count > persons:
        means = np.zeros((persons, width))
        np.add.at(means, labels, records)
        means /= np.bincount(labels)[:, None]
        centred = records - means[labels]
        freedom = count - persons
    covariance = centred.T @ centred / freedom
    ridge = RIDGE * float(np.trace(covariance)) / width or RIDGE
    covariance += ridge * np.eye(width)
    m = width + settings.more_freedom
    scale = m - width - 1.0 if settings.scaled else 1.0
    return make_prior(records.mean(axis=0), scale * covariance, settings.kappa, m)


Ask = Callable[[Longs, dict[int, float]], int | None]
"""Given the labels of the stream so far and the distribution of the next: the answer, or None for no question."""


def predict(task: Task, settings: Settings, state: State, ask: Ask | None = None) -> Longs:
    """The label of each record of the stream, decided when it arrives.

    >>> from samehand.infer.random import stream
    >>> from samehand.models.stream.factors import Binary
    >>> task = Task(Binary(np.array([0, 2, 4, 6]), np.array([0, 1, 2, 3, 0, 1]), 4), np.array([0, 1]))
    >>> predict(task, Settings(rank=2, alpha=1e-9), stream(0)).tolist() in ([0], [1])
    True
    """
    return label(coordinates(task, settings.rank, state), task.labels, settings, state, ask)


def label(records: Reals, labels: Longs, settings: Settings, state: State, ask: Ask | None = None) -> Longs:
    """The same from the coordinates of all records, the first of which have these labels."""
    initial = len(labels)
    running = Filter(
        fitted_prior(records[:initial], labels, settings), records[:initial], labels, state,
        particles=settings.particles, optimal=settings.optimal, alpha=settings.alpha,
    )  # fmt: skip
    found = np.empty(len(records) - initial, np.int64)
    for number, record in enumerate(records[initial:]):
        distribution = running.predict(record)
        answer = ask(found[:number], distribution) if ask else None
        if answer is None:
            found[number] = best(distribution)
            running.accept()
        else:
            found[number] = answer
            running.answer(answer)
    return found
