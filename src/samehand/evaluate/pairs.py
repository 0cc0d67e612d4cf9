"""Pairwise figures: of all pairs of mentions, which are said to be together, and which are.

With C(n) = n (n - 1) / 2 and sums over true clusters t, predicted clusters p and their cells:

    correct = sum C(|t & p|),  predicted = sum C(|p|),  true = sum C(|t|)
    pairwise_precision = correct / predicted    (1 where no pair is predicted)
    pairwise_recall    = correct / true         (1 where no pair is true)
    pairwise_f1        = 2 P R / (P + R)

To resample true clusters, the predicted pairs are shared out among them: each mention of p takes half of the
|p| - 1 pairs it is in.
"""

from __future__ import annotations

from collections.abc import Mapping

from samehand.evaluate.contingency import Contingency, Floats, pairs
from samehand.evaluate.ratios import f1, ratio


def sums(table: Contingency) -> dict[str, Floats]:
    """Per true cluster: correct and true pairs, and its mentions' share of the predicted pairs."""
    halves = table.counts * (table.predicted_sizes[table.predicted] - 1) / 2
    return {
        "correct_pairs": table.per_true(pairs(table.counts).astype(float)),
        "true_pairs": pairs(table.true_sizes).astype(float),
        "predicted_pairs": table.per_true(halves),
    }


def figures(totals: Mapping[str, Floats]) -> dict[str, Floats]:
    """The figures from totals of `sums`.

    >>> import numpy as np
    >>> from samehand.evaluate.contingency import contingency
    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> found = figures({name: values.sum() for name, values in sums(table).items()})
    >>> {name: round(float(value), 4) for name, value in found.items()}
    {'pairwise_precision': 0.3333, 'pairwise_recall': 1.0, 'pairwise_f1': 0.5}
    """
    precision = ratio(totals["correct_pairs"], totals["predicted_pairs"])
    recall = ratio(totals["correct_pairs"], totals["true_pairs"])
    return {
        "pairwise_precision": precision,
        "pairwise_recall": recall,
        "pairwise_f1": f1(precision, recall),
    }
