"""From labelled clusters to weights: logistic regression on what the search itself proposes, again and again.

Each round searches all blocks with the present weights, observes its joins and near misses with the truth
beside them (observe.py), and fits the weights by penalised logistic regression, so that the score of a join
is the log-odds that it is right:

    minimise  - sum_i w_i [ y_i log s(x_i . b) + (1 - y_i) log s(-x_i . b) ]  +  PENALTY sum_k (sd_k (b_k - b0_k))^2

with y whether join i raises B-cubed precision and recall together, w the square root of by how much,
tempered so that large blocks do not drown small ones, and each set of mentions weighing the same. b0 are the
weights learning starts from: what the data says nothing about stays. Sharing never counts against,
and a contradiction never for (SIGNS). What is learned at one round changes what is proposed in the next,
so the observations of all rounds are kept (as in DAgger, Ross, Gordon and Bagnell 2011): a round in which all goes well
teaches nothing about what would go wrong. In the end two weights are moved to where B-cubed F1 is best (`eager`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samehand.evaluate import bcubed
from samehand.evaluate.contingency import contingency
from samehand.infer.run import Run
from samehand.models.persons.blocks import resolve_work
from samehand.models.persons.layout import EVIDENCE, FEATURES, Floats, Longs
from samehand.models.persons.observe import observe
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work

ROUNDS = 6
PENALTY = 1e-4
FEW = 1_000
"""With so few observations the penalty is twice as great, with fewer it is greater still."""
GAIN_POWER = 0.5
BLOCK_POWER = 0.7
EAGERNESS = (
    ("constant", (0.0, 0.5, 1.0, 1.5)),
    ("first_equal", (-1.5, -1.0, -0.5, 0.0, 0.5)),
    ("constant", (-0.5, -0.25, 0.0, 0.25, 0.5)),
    ("first_equal", (-0.25, 0.0, 0.25)),
)
"""What is moved in the end, one after the other, by one of these steps."""
MOST_STEPS = 50
ENOUGH = 1e-6
"""A step of Newton's method that changes no weight by more is the last."""
MOST_NEAR_MISSES = 2_000
"""Of one block."""


CONTRADICTIONS = ("first_conflict", "middle_conflict", "last_variant", "same_paper")
SIGNS = np.array([1.0] * EVIDENCE + [-1.0 * (name in CONTRADICTIONS) for name in FEATURES[EVIDENCE:]])
"""1: sharing never counts against; -1: a contradiction never counts for; 0: as the data says."""


@dataclass(frozen=True)
class Labelled:
    """Mentions and, for each in the order of the work, its true person's number (-1: unknown)."""

    work: Work
    truth: Longs


@dataclass(frozen=True)
class Observed:
    """The observations of one set: features, whether right, weight (summing to 1), and the clustering found."""

    rows: Floats
    right: Floats
    weight: Floats
    labels: Longs


def learn(
    sets: Sequence[Labelled],
    start: Weights,
    *,
    without: Sequence[str] = (),
    tell: Callable[[int, list[Observed]], None] | None = None,
) -> Weights:
    """Weights fitted to labelled sets; features named in `without` get none. `tell` hears of each round."""
    used = np.array([name not in without for name in FEATURES], np.float64)
    weights, seen = replace(start, features=start.features * used), list[Observed]()
    for turn in range(ROUNDS):
        found = [observe_set(labelled, weights) for labelled in sets]
        if tell is not None:
            tell(turn, found)
        seen += found
        rows = np.concatenate([observed.rows for observed in seen]) * used
        right = np.concatenate([observed.right for observed in seen])
        weight = np.concatenate([observed.weight for observed in seen])
        if len(rows) == 0:
            return weights
        penalty = PENALTY * (1.0 + FEW / len(rows))
        fitted = fit(rows, right, weight / weight.sum(), start.features * used, penalty)
        weights = replace(weights, features=fitted)
    return eager(sets, weights)


def eager(sets: Sequence[Labelled], weights: Weights) -> Weights:
    """The weights with the constant, and what equal first names are worth, moved to where the mean B-cubed F1 is best.

    A regression that weighs right and wrong joins alike is too careful: what is not joined early is seldom joined later.
    """
    for feature, steps in EAGERNESS:
        tried = []
        for step in steps:
            features = weights.features.copy()
            features[FEATURES.index(feature)] += step
            found = replace(weights, features=features)
            tried.append((float(np.mean([b3_f1(labelled, found) for labelled in sets])), -abs(step), found))
        weights = max(tried, key=lambda each: each[:2])[2]
    return weights


def b3_f1(labelled: Labelled, weights: Weights) -> float:
    """B-cubed F1 of what a search of a whole set finds, over its labelled mentions; 1 where there are none."""
    known = labelled.truth >= 0
    if not known.any():
        return 1.0
    labels, _ = resolve_work(labelled.work, weights, Run(), posterior=False)
    table = contingency(labelled.truth[known], np.unique(labels[known], return_inverse=True)[1])
    totals = {name: values.sum() for name, values in bcubed.sums(table).items()}
    return float(bcubed.figures(totals)["b3_f1"])


def observe_set(labelled: Labelled, weights: Weights) -> Observed:
    """What a search of a whole set shows."""
    rows, right, weight = [], [], []
    labels = np.arange(len(labelled.truth))
    for number in range(len(labelled.work.keys)):
        part = labelled.work.block(number)
        if part.stop - part.start < 2:
            continue
        features, gains, labels[part] = observe(
            labelled.work, labelled.truth, weights, number, MOST_NEAR_MISSES
        )
        heft = np.abs(gains) ** GAIN_POWER
        rows.append(features)
        right.append((gains > 0).astype(np.float64))
        weight.append(heft * heft.sum() ** (BLOCK_POWER - 1.0) if len(heft) else heft)
    together = np.concatenate(weight) if weight else np.empty(0)
    return Observed(
        np.concatenate(rows) if rows else np.empty((0, len(weights.features))),
        np.concatenate(right) if right else np.empty(0),
        together / together.sum() if together.sum() > 0 else together,
        labels,
    )


def fit(rows: Floats, right: Floats, weight: Floats, start: Floats, penalty: float = PENALTY) -> Floats:
    """Penalised logistic regression by Newton's method; a weight whose sign would be absurd is 0.

    >>> rows = np.zeros((4, 27)); rows[:, 6] = [1, 1, -1, -1]; rows[:, 18] = 1
    >>> found = fit(rows, np.array([1.0, 1, 0, 0]), np.full(4, 0.25), np.zeros(27))
    >>> bool(found[6] > 1), bool(abs(found[18]) < 1e-6)
    (True, True)
    """
    free = np.ones(len(start), np.bool_)
    while True:
        found = np.where(free, start, 0.0)
        found[free] = _newton(rows[:, free], right, weight, start[free], penalty)
        absurd = np.flatnonzero(found * SIGNS < 0.0)
        if len(absurd) == 0:
            return found
        free[absurd] = False


def _newton(rows: Floats, right: Floats, weight: Floats, start: Floats, penalty: float) -> Floats:
    """The minimum by Newton steps, each halved until it lowers the loss."""
    ridge = penalty * (rows.std(axis=0) + 1e-3) ** 2

    def loss(b: Floats) -> float:
        z = rows @ b
        entropy = weight @ (np.logaddexp(0.0, z) - right * z)
        return float(entropy + ridge @ (b - start) ** 2)

    b = start.copy()
    for _ in range(MOST_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ b, -35.0, 35.0)))
        gradient = rows.T @ (weight * (p - right)) + 2.0 * ridge * (b - start)
        curvature = (rows * (weight * p * (1.0 - p))[:, None]).T @ rows + np.diag(2.0 * ridge)
        step = np.linalg.solve(curvature, gradient)
        if np.abs(step).max() < ENOUGH:
            break
        size, present = 1.0, loss(b)
        while loss(b - size * step) > present and size > ENOUGH:
            size /= 2.0
        b = b - size * step
    return b
