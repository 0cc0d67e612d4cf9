"""The named baseline: honest simple rules for papers, authors and venues, the floor for every model.

Each resolver turns a table of mentions into edges, in order of trust, and joins them by constrained
union-find (infer/union.py). No probabilities are claimed: the column is null.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.curate.constraints import Constraints
from samehand.infer.union import as_pairs, connected
from samehand.records import CLUSTERING


def clustering(mentions: pl.Series, edges: pl.DataFrame, constraints: Constraints) -> pl.DataFrame:
    """Join `edges` (columns left, right: positions in `mentions`) in their order, under constraints."""
    pairs = as_pairs(edges.select("left", "right").to_numpy())
    labels = connected(mentions.len(), pairs, constraints.same, constraints.different)
    return pl.DataFrame(
        {
            "mention": mentions,
            "cluster": labels.astype(np.uint32),
            "probability": pl.repeat(None, mentions.len(), dtype=pl.Float64, eager=True),
        },
        schema=CLUSTERING,
    )


def chain(mentions: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Edges between neighbours among the rows that agree on all columns `by`; nulls agree with nothing.

    >>> chain(pl.DataFrame({"k": ["x", "y", "x", None, None]}), ["k"]).rows()
    [(0, 2)]
    """
    return (
        mentions.with_row_index("right")
        .drop_nulls(by)
        .with_columns(left=pl.col("right").shift(1).over(by, order_by="right"))
        .drop_nulls("left")
        .select(pl.col("left").cast(pl.Int64), pl.col("right").cast(pl.Int64))
    )
