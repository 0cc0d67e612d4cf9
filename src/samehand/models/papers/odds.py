"""From features to log-odds, at two levels.

Two records are one *work* with log-odds a = work . x, and, given that, one *version* of it with log-odds b = version
. x. They are one paper if both hold: p = s(a) s(b), s being the logistic function, whose log-odds are

    log p / (1 - p)  =  - log( exp(-a) + exp(-b) + exp(-a - b) )

so that an equal title, however long, never outvotes what tells a report from an article.
"""

from __future__ import annotations

import numpy as np

from samehand.block.canopies import Floats
from samehand.models.papers.weights import Weights

LIMIT = 30.0


def work_odds(rows: Floats, weights: Weights) -> Floats:
    """Log-odds that the records of each pair are one work."""
    return np.clip(rows @ weights.work, -LIMIT, LIMIT)


def paper_odds(rows: Floats, weights: Weights) -> Floats:
    """Log-odds that the records of each pair are one version of one work."""
    work, version = rows @ weights.work, rows @ weights.version
    return both(np.clip(work, -LIMIT, LIMIT), np.clip(version, -LIMIT, LIMIT))


def both(a: Floats, b: Floats) -> Floats:
    """Log-odds that two independent events both happen, given the log-odds of each.

    >>> both(np.array([30.0, 0.0]), np.array([1.5, 0.0])).round(3).tolist()
    [1.5, -1.099]
    """
    both_fail: Floats = np.logaddexp(np.logaddexp(-a, -b), -a - b)
    return -both_fail
