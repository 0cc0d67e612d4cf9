"""From labelled pairs to weights: EM for two logistic regressions of which only the conjunction is seen.

A label says whether two records are one paper; whether two different papers are versions of one work it does not say.
With a, b as in odds.py, p = s(a), q = s(b), and y the label:

    E:  P(one work | y = 1) = 1,   P(one work | y = 0) = p (1 - q) / (1 - p q)
    M:  `work` by logistic regression on that probability over all pairs, `version` on y over the pairs weighted by it

Pairs weigh 1 / (|A| |B|)^POWER, A and B being their true papers, so that the most cited ones do not drown the rest,
and each set weighs the same. Signs are constrained (SIGNS): agreement never counts against, contradiction never for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samehand.block.canopies import Floats
from samehand.models.papers.evidence import FEATURES, PLACE, VERSION_FEATURES, WORK_FEATURES
from samehand.models.papers.weights import Weights

ROUNDS = 12
PENALTY = 1e-4
POWER = 0.8
MOST_STEPS = 40
AGAINST = frozenset((
    "unmatched_best", "unmatched_worst", "number_conflict", "type_conflict", "type_conflict_pages", "venue_disjoint",
    "year_near", "year_far", "pages_conflict", "volume_conflict", "first_lost", "authors_lost", "identifier_conflict",
))  # fmt: skip
EITHER = frozenset(("constant", "short_title"))
SIGNS = np.array([0.0 if name in EITHER else -1.0 if name in AGAINST else 1.0 for name in FEATURES])
SAME_TITLE = 0.85
"""Learning starts from: records whose titles are found in each other this well and whose first authors are equal are
one work."""


@dataclass(frozen=True)
class Lesson:
    """One labelled set: its candidate pairs with their features, each record's paper (negative: unknown)."""

    rows: Floats
    pairs: npt.NDArray[np.int64]
    truth: npt.NDArray[np.int64]

    def labelled(self) -> tuple[Floats, Floats, Floats]:
        """Features, whether one paper, and weight (summing to 1) of the pairs whose papers are known."""
        left, right = self.truth[self.pairs[:, 0]], self.truth[self.pairs[:, 1]]
        known = (left >= 0) & (right >= 0)
        sizes = np.bincount(self.truth[self.truth >= 0])
        weight = (sizes[left[known]] * sizes[right[known]]).astype(np.float64) ** -POWER
        return self.rows[known], (left == right)[known].astype(np.float64), weight / weight.sum()


def learn(lessons: Sequence[Lesson]) -> Weights:
    """Weights fitted to labelled sets."""
    parts = [lesson.labelled() for lesson in lessons]
    rows, same, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    weight = weight / len(lessons)
    work_used = np.array([name in WORK_FEATURES for name in FEATURES])
    version_used = np.array([name in VERSION_FEATURES for name in FEATURES])
    alike = (rows[:, PLACE["title_worst"]] > SAME_TITLE) & (rows[:, PLACE["first_author"]] > 0)
    belief = np.maximum(same, alike)
    for _ in range(ROUNDS):
        work = fit(rows, belief, weight, work_used)
        version = fit(rows, same, weight * belief, version_used)
        p, q = _logistic(rows @ work), _logistic(rows @ version)
        belief = np.where(same > 0, 1.0, p * (1.0 - q) / np.maximum(1.0 - p * q, 1e-12))
    return Weights(work, version)


def fit(rows: Floats, right: Floats, weight: Floats, used: npt.NDArray[np.bool_]) -> Floats:
    """Penalised logistic regression on the features in use; a weight whose sign would be absurd is 0.

    >>> rows = np.zeros((4, len(FEATURES))); rows[:, 0] = 1; rows[:, 1] = [1, 1, 0, 0]
    >>> found = fit(rows, np.array([1.0, 1, 0, 0]), np.full(4, 0.25), np.arange(len(FEATURES)) < 2)
    >>> bool(found[1] > 2), bool(found[0] < -1)
    (True, True)
    """
    free = used & (rows != 0).any(axis=0)
    while True:
        found = np.zeros(rows.shape[1])
        found[free] = _newton(rows[:, free], right, weight)
        absurd = found * SIGNS < 0.0
        if not absurd.any():
            return found
        free = free & ~absurd


def _newton(rows: Floats, right: Floats, weight: Floats) -> Floats:
    """The minimum of  - sum w [y log s(z) + (1 - y) log s(-z)] + PENALTY |b|^2  by Newton steps, halved until they
    help."""
    b = np.zeros(rows.shape[1])

    def loss(b: Floats) -> float:
        z = rows @ b
        return float(weight @ (np.logaddexp(0.0, z) - right * z) + PENALTY * (b @ b))

    for _ in range(MOST_STEPS):
        p = _logistic(rows @ b)
        gradient = rows.T @ (weight * (p - right)) + 2.0 * PENALTY * b
        curvature = (rows * (weight * p * (1.0 - p))[:, None]).T @ rows + 2.0 * PENALTY * np.eye(len(b))
        step = np.linalg.solve(curvature, gradient)
        if np.abs(step).max() < 1e-5:
            break
        size, present = 1.0, loss(b)
        while loss(b - size * step) > present and size > 1e-6:
            size /= 2.0
        b = b - size * step
    return b


def _logistic(z: Floats) -> Floats:
    result: Floats = 1.0 / (1.0 + np.exp(-np.clip(z, -35.0, 35.0)))
    return result
