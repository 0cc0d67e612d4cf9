"""The worst errors, cluster by cluster, measured in lost pairs.

"split": a true cluster t lies in several predicted ones; it loses C(|t|) - sum over p of C(|t & p|) pairs.
"merged": a predicted cluster p mixes several true ones; C(|p|) - sum over t of C(|t & p|) pairs are wrong.
C(n) = n (n - 1) / 2 is the number of pairs among n mentions.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.evaluate.align import Aligned
from samehand.evaluate.contingency import Contingency, Integers, pairs

PIECES = 3

_PIECE = pl.Struct({"cluster": pl.String, "size": pl.Int64, "name": pl.String})

ERRORS = pl.Schema(
    {
        "error": pl.String(),  # split or merged
        "cluster": pl.String(),  # the true cluster that is split, or the predicted one that is merged
        "name": pl.String(),  # the commonest name in it, where the prediction has names
        "size": pl.Int64(),
        "parts": pl.Int64(),  # how many clusters of the other side it lies in
        "lost_pairs": pl.Int64(),
        "pieces": pl.List(_PIECE),
    }
)
"""`pieces`: the largest parts, largest first; a null cluster is a mention without a prediction."""


def worst_errors(aligned: Aligned, table: Contingency, count: int) -> pl.DataFrame:
    """The `count` clusters that lose most pairs, worst first, with schema `ERRORS`.

    >>> from samehand.evaluate.align import align
    >>> from samehand.evaluate.contingency import contingency
    >>> ids = ["a", "b", "c"]
    >>> aligned = align(pl.DataFrame({"id": ids, "entity": [1, 1, 2]}),
    ...                 pl.DataFrame({"id": ids, "cluster": ["x", "x", "x"]}))
    >>> table = contingency(*(aligned.mentions[side].to_numpy() for side in ("true", "predicted")))
    >>> worst_errors(aligned, table, 10).select("error", "cluster", "parts", "lost_pairs").rows()
    [('split', 'x', 2, 2)]
    """
    losses = [
        _losses("split", table.true, table.true_sizes, table.counts),
        _losses("merged", table.predicted, table.predicted_sizes, table.counts),
    ]
    worst = _sorted(pl.concat(losses)).head(count)
    cells = pl.DataFrame({"true": table.true, "predicted": table.predicted, "size": table.counts})
    described = [
        _describe(worst.filter(error="split"), aligned, cells, "true", "predicted"),
        _describe(worst.filter(error="merged"), aligned, cells, "predicted", "true"),
    ]
    return _sorted(pl.concat(described)).select(pl.col(name).cast(dtype) for name, dtype in ERRORS.items())


def _losses(error: str, numbers: Integers, sizes: Integers, counts: Integers) -> pl.DataFrame:
    """The clusters of one side that lose pairs; `numbers` is each cell's cluster, `counts` its mentions."""
    kept = np.bincount(numbers, weights=pairs(counts), minlength=len(sizes)).astype(np.int64)
    columns = {
        "number": np.arange(len(sizes)),
        "size": sizes,
        "parts": np.bincount(numbers, minlength=len(sizes)),
        "lost_pairs": pairs(sizes) - kept,
    }
    return pl.DataFrame(columns).select("*", error=pl.lit(error)).filter(pl.col("lost_pairs") > 0)


def _sorted(errors: pl.DataFrame) -> pl.DataFrame:
    return errors.sort("lost_pairs", "error", "number", descending=[True, True, False])


def _describe(
    worst: pl.DataFrame, aligned: Aligned, cells: pl.DataFrame, side: str, other: str
) -> pl.DataFrame:
    """Add the label, the commonest name and the largest pieces of each cluster of one side."""
    labels = {"true": aligned.true_labels, "predicted": aligned.predicted_labels}
    chosen = worst.select(pl.col("number").alias(side))
    named = aligned.mentions.join(chosen, on=side, how="semi").drop_nulls("name")
    largest = (
        cells.join(chosen, on=side, how="semi")
        .sort(side, "size", other, descending=[False, True, False])
        .group_by(side, maintain_order=True)
        .head(PIECES)
        .join(_commonest(named, [side, other]), on=[side, other], how="left", maintain_order="left")
    )
    pieces = (
        largest.with_columns(cluster=labels[other].gather(largest[other]))
        .group_by(side, maintain_order=True)
        .agg(pieces=pl.struct("cluster", "size", "name"))
    )
    return (
        worst.with_columns(cluster=labels[side].gather(worst["number"]))
        .join(pieces, left_on="number", right_on=side, how="left")
        .join(_commonest(named, [side]), left_on="number", right_on=side, how="left")
    )


def _commonest(mentions: pl.DataFrame, groups: list[str]) -> pl.DataFrame:
    """The most frequent name of each group; of equally frequent ones the first in the alphabet."""
    counted = mentions.group_by(*groups, "name").len("count")
    best_first = counted.sort("count", "name", descending=[True, False])
    return best_first.group_by(groups, maintain_order=True).agg(pl.col("name").first())
