"""CEAF (Luo 2005): true and predicted clusters are matched one to one, so as to agree best in total.

With phi the agreement of two clusters and g the matching of greatest total phi:

    recall = sum of phi(t, g(t)) / sum of phi(t, t),  precision = the same / sum of phi(p, p)

    ceaf_m_*: phi3(t, p) = |t & p|, so that both denominators are N, the number of mentions
    ceaf_e_*: phi4(t, p) = 2 |t & p| / (|t| + |p|), denominators the numbers of true and of predicted clusters
"""

from __future__ import annotations

import numpy as np

from samehand.evaluate.contingency import Contingency, Floats
from samehand.evaluate.matching import heaviest_matching
from samehand.evaluate.ratios import f1, ratio


def matched(table: Contingency, agreement: Floats) -> Floats:
    """Per true cluster, the agreement with its partner in the best one-to-one matching, 0 without one.

    >>> from samehand.evaluate.contingency import contingency
    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> matched(table, table.overlap_f1()).tolist()
    [0.8, 0.0]
    """
    matching = heaviest_matching(
        table.true, table.predicted, agreement, len(table.true_sizes), len(table.predicted_sizes)
    )
    return np.where(matching.edges >= 0, agreement[matching.edges], 0.0)


def figures(table: Contingency, matched_f1: Floats) -> dict[str, Floats]:
    """CEAF by entities and by mentions; `matched_f1` is `matched` for phi4.

    >>> from samehand.evaluate.contingency import contingency
    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> found = figures(table, matched(table, table.overlap_f1()))
    >>> {name: round(float(found[name]), 4) for name in ("ceaf_e_precision", "ceaf_e_recall", "ceaf_m_f1")}
    {'ceaf_e_precision': 0.8, 'ceaf_e_recall': 0.4, 'ceaf_m_f1': 0.6667}
    """
    entity, mention = matched_f1.sum(), matched(table, table.counts.astype(float)).sum()
    totals = {
        "ceaf_e": (entity, len(table.predicted_sizes), len(table.true_sizes)),
        "ceaf_m": (mention, table.mentions, table.mentions),
    }
    found: dict[str, Floats] = {}
    for name, (agreement, predicted, true) in totals.items():
        precision, recall = ratio(agreement, predicted), ratio(agreement, true)
        found[f"{name}_precision"] = precision
        found[f"{name}_recall"] = recall
        found[f"{name}_f1"] = f1(precision, recall)
    return found
