"""Figures that count whole true clusters, large or small alike.

    exact_clusters  = share of true clusters t with a predicted cluster p = t
    mean_f1         = mean over t of F1(t, p(t)), where p(t) is t's partner in the one-to-one matching of true
                      and predicted clusters of greatest total F1; a t without a partner counts 0
    mean_f1_lenient = mean over t of the best F1(t, p) over all p, which may serve several t

F1(t, p) = 2 |t & p| / (|t| + |p|). The first mean F1 is the measure of the stream paper ("unweighted average
of F1 of individual classes"), read strictly; it is equal to CEAF's entity-based recall.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from samehand.evaluate.ceaf import matched
from samehand.evaluate.contingency import Contingency, Floats
from samehand.evaluate.ratios import ratio


def sums(table: Contingency) -> dict[str, Floats]:
    """Per true cluster: 1, whether it is recovered exactly, its matched F1 and its best F1."""
    overlap = table.overlap_f1()
    best = np.zeros(len(table.true_sizes))
    np.maximum.at(best, table.true, overlap)
    return {
        "true_clusters": np.ones(len(table.true_sizes)),
        "exact": _exact(table),
        "matched_f1": matched(table, overlap),
        "best_f1": best,
    }


def _exact(table: Contingency) -> Floats:
    whole = (table.counts == table.true_sizes[table.true]) & (
        table.counts == table.predicted_sizes[table.predicted]
    )
    return table.per_true(whole.astype(float))


def figures(totals: Mapping[str, Floats]) -> dict[str, Floats]:
    """The figures from totals of `sums`.

    >>> from samehand.evaluate.contingency import contingency
    >>> table = contingency(np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1]))
    >>> found = figures({name: values.sum() for name, values in sums(table).items()})
    >>> {name: round(float(value), 4) for name, value in found.items()}
    {'exact_clusters': 0.3333, 'mean_f1': 0.6, 'mean_f1_lenient': 0.7667}
    """
    return {
        "exact_clusters": ratio(totals["exact"], totals["true_clusters"]),
        "mean_f1": ratio(totals["matched_f1"], totals["true_clusters"]),
        "mean_f1_lenient": ratio(totals["best_f1"], totals["true_clusters"]),
    }
