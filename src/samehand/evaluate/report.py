"""`evaluate`: every figure, its interval, and the worst errors, from two tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl

from samehand.errors import UsageError
from samehand.evaluate import bcubed, ceaf, clusters, information, pairs
from samehand.evaluate.align import Aligned, align
from samehand.evaluate.bootstrap import resampled_totals
from samehand.evaluate.contingency import Contingency, Floats, contingency
from samehand.evaluate.load import read_table
from samehand.evaluate.mistakes import worst_errors

Table = pl.DataFrame | str | Path
RESAMPLED = (bcubed, pairs, clusters)
"""The families of figures that are functions of totals over true clusters, and so have intervals."""

PERCENTILES = (2.5, 97.5)


@dataclass(frozen=True)
class Evaluation:
    """The figures by name, the 95% intervals of those that have one, and the worst errors (`ERRORS`)."""

    figures: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    errors: pl.DataFrame

    def to_json(self) -> str:
        """One JSON object: the figures under their names, then `intervals` and `errors`.

        >>> labels = pl.DataFrame({"id": ["a", "b"], "cluster": [1, 1]})
        >>> orjson.loads(evaluate(labels, labels).to_json())["b3_f1"]
        1.0
        """
        content: dict[str, Any] = {
            **self.figures,
            "intervals": self.intervals,
            "errors": self.errors.to_dicts(),
        }
        return orjson.dumps(content).decode()


def evaluate(
    predicted: Table,
    truth: Table,
    *,
    intervals: bool = True,
    replicates: int = 1000,
    seed: int = 0,
    worst: int = 100,
) -> Evaluation:
    """Score a clustering against the truth; both are tables or paths of tables.

    The truth has the columns `id` and `cluster`; the prediction `id` and `entity` (or `cluster`), and perhaps
    `kind` (then the kind whose ids the truth names is scored) and `name`. Only ids that the truth labels are
    scored; a labelled id without a prediction counts as a singleton. Each family of figures has its formulas
    in its own file: bcubed, pairs, clusters, ceaf, information; bootstrap explains the intervals. `errors`
    holds the `worst` clusters.

    >>> truth = pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["x", "x", "y"]})
    >>> predicted = pl.DataFrame({"id": ["a", "b", "c"], "entity": [1, 1, 1]})
    >>> found = evaluate(predicted, truth)
    >>> found.figures["pairwise_recall"], found.figures["exact_clusters"]
    (1.0, 0.0)
    """
    if replicates < 1:
        raise UsageError(f"replicates must be at least 1, not {replicates}")
    aligned = align(_frame(predicted), _frame(truth), (_name(predicted, "predicted"), _name(truth, "truth")))
    table = contingency(*(aligned.mentions[side].to_numpy() for side in ("true", "predicted")))
    sums = {name: values for family in RESAMPLED for name, values in family.sums(table).items()}
    return Evaluation(
        _figures(table, sums, aligned),
        _intervals(table, sums, replicates, seed) if intervals else {},
        worst_errors(aligned, table, worst),
    )


def _frame(table: Table) -> pl.DataFrame:
    return table if isinstance(table, pl.DataFrame) else read_table(table)


def _name(table: Table, default: str) -> str:
    return default if isinstance(table, pl.DataFrame) else str(table)


def _figures(table: Contingency, sums: dict[str, Floats], aligned: Aligned) -> dict[str, float]:
    totals = {name: values.sum() for name, values in sums.items()}
    found = {name: value for family in RESAMPLED for name, value in family.figures(totals).items()}
    found |= ceaf.figures(table, sums["matched_f1"])
    found |= information.figures(table)
    return {name: float(value) for name, value in found.items()} | {
        "clusters": len(table.predicted_sizes),
        "true_clusters": len(table.true_sizes),
        "mentions": table.mentions,
        "missing_predictions": aligned.missing,
    }


def _intervals(
    table: Contingency, sums: dict[str, Floats], replicates: int, seed: int
) -> dict[str, tuple[float, float]]:
    totals = resampled_totals(np.column_stack(list(sums.values())), table.true_sizes, replicates, seed)
    by_name = dict(zip(sums, totals.T, strict=True))
    found = {name: values for family in RESAMPLED for name, values in family.figures(by_name).items()}
    bounds = {name: np.percentile(values, PERCENTILES) for name, values in found.items()}
    return {name: (float(low), float(high)) for name, (low, high) in bounds.items()}
