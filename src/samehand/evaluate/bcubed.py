"""B-cubed (Bagga and Baldwin 1998): precision and recall of each mention's cluster, averaged over mentions.

For a mention m in true cluster t and predicted cluster p, precision is |t & p| / |p|, recall |t & p| / |t|.

    b3_precision = 1/N sum over cells of |t & p|^2 / |p|
    b3_recall    = 1/N sum over cells of |t & p|^2 / |t|
    b3_f1        = 2 P R / (P + R)
"""

from __future__ import annotations

from collections.abc import Mapping

from samehand.evaluate.contingency import Contingency, Floats
from samehand.evaluate.ratios import f1, ratio


def sums(table: Contingency) -> dict[str, Floats]:
    """Per true cluster: its size, and the precision and recall of its mentions, added up."""
    squares = table.counts.astype(float) ** 2
    return {
        "size": table.true_sizes.astype(float),
        "precision": table.per_true(squares / table.predicted_sizes[table.predicted]),
        "recall": table.per_true(squares / table.true_sizes[table.true]),
    }


def figures(totals: Mapping[str, Floats]) -> dict[str, Floats]:
    """The figures from totals of `sums`.

    >>> import numpy as np
    >>> from samehand.evaluate.contingency import contingency
    >>> table = contingency(np.array([0, 0, 1]), np.array([0, 0, 0]))
    >>> found = figures({name: values.sum() for name, values in sums(table).items()})
    >>> {name: round(float(value), 4) for name, value in found.items()}
    {'b3_precision': 0.5556, 'b3_recall': 1.0, 'b3_f1': 0.7143}
    """
    precision = ratio(totals["precision"], totals["size"])
    recall = ratio(totals["recall"], totals["size"])
    return {"b3_precision": precision, "b3_recall": recall, "b3_f1": f1(precision, recall)}
