"""Figures that compare two clusterings as random variables: V-measure and the adjusted Rand index.

With H the entropy of a mention's cluster, T true and P predicted (Rosenberg and Hirschberg 2007):

    homogeneity  = 1 - H(T | P) / H(T)    (1 where H(T) = 0)
    completeness = 1 - H(P | T) / H(P)    (1 where H(P) = 0)
    v_measure    = 2 h c / (h + c)

With pairs a = correct, t = true, p = predicted, n = all (Hubert and Arabie 1985):

    adjusted_rand = (a - t p / n) / ((t + p) / 2 - t p / n)    (1 where both clusterings are trivial)
"""

from __future__ import annotations

import numpy as np

from samehand.evaluate.contingency import Contingency, Integers, pairs
from samehand.evaluate.ratios import f1, ratio


def figures(table: Contingency) -> dict[str, float]:
    """V-measure, its two halves, and the adjusted Rand index.

    >>> from samehand.evaluate.contingency import contingency
    >>> found = figures(contingency(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])))
    >>> {name: round(value, 4) for name, value in found.items()}
    {'homogeneity': 1.0, 'completeness': 0.6667, 'v_measure': 0.8, 'adjusted_rand': 0.5714}
    """
    shared = _shared_information(table)
    homogeneity = float(ratio(shared, _entropy(table.true_sizes)))
    completeness = float(ratio(shared, _entropy(table.predicted_sizes)))
    return {
        "homogeneity": homogeneity,
        "completeness": completeness,
        "v_measure": float(f1(homogeneity, completeness)),
        "adjusted_rand": _adjusted_rand(table),
    }


def _entropy(sizes: Integers) -> float:
    if len(sizes) == 1:
        return 0.0
    share = sizes / sizes.sum()
    return float(-(share * np.log(share)).sum())


def _shared_information(table: Contingency) -> float:
    """I(T; P) = H(T) - H(T | P) = sum over cells of n/N log(n N / (|t| |p|)), never below zero."""
    share = table.counts / table.mentions
    expected = (table.true_sizes[table.true] / table.mentions) * table.predicted_sizes[table.predicted]
    return max(0.0, float((share * np.log(table.counts / expected)).sum()))


def _adjusted_rand(table: Contingency) -> float:
    correct, true, predicted = (
        int(pairs(sizes).sum()) for sizes in (table.counts, table.true_sizes, table.predicted_sizes)
    )
    every = table.mentions * (table.mentions - 1) // 2
    # in whole numbers, which have no bound in Python: products of pair counts pass 64 bits early
    above_chance = 2 * (correct * every - true * predicted)
    greatest = (true + predicted) * every - 2 * true * predicted
    return above_chance / greatest if greatest else 1.0
