"""Are probabilities what they say? Reliability (Murphy and Winkler 1977) and the expected calibration error.

A mention's probability is compared with its true share: of the other labelled mentions of its predicted
entity, how many are of its true entity; for a mention that has no such mate, whether it is truly alone among
the labelled ones.

    error = sum over bins b of n_b / n |mean probability in b - mean true share in b|

`Squash` is the correction with two parameters that is fitted where a model is too sure or too shy everywhere:
logit p' = intercept + slope logit p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.evaluate.align import align

BINS = 10
NEAREST = 0.005
"""Probabilities nearer to 0 or 1 are taken for this near before their logit is."""

_MOST_STEPS, _RIDGE, _SMALL = 50, 1e-6, 1e-12

Floats = npt.NDArray[np.float64]


def true_shares(predicted: pl.DataFrame, truth: pl.DataFrame) -> pl.DataFrame:
    """`probability` and `share` of each labelled mention; `predicted` has mention, cluster and probability.

    >>> found = pl.DataFrame({"mention": ["a", "b", "c"], "cluster": [0, 0, 0], "probability": [0.9, 0.9, 0.4]})
    >>> true_shares(found, pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["x", "x", "y"]}))["share"].to_list()
    [0.5, 0.5, 0.0]
    """
    labelled = truth.filter(pl.col("cluster").is_not_null())
    clusters = align(predicted, labelled).mentions.select("true", "predicted")
    probability = labelled.select(mention="id").join(
        predicted, on="mention", how="left", maintain_order="left"
    )["probability"]
    together = pl.len().over("true", "predicted")
    mates = pl.len().over("predicted") - 1
    alone = (pl.len().over("true") == 1).cast(pl.Float64)
    share = pl.when(mates > 0).then((together - 1) / mates).otherwise(alone)
    return clusters.select(probability=probability, share=share).drop_nulls()


def reliability(shares: pl.DataFrame, bins: int = BINS) -> pl.DataFrame:
    """The table of `true_shares` in bins of equal width that are not empty: bin, mentions, mean probability, mean share.

    >>> reliability(pl.DataFrame({"probability": [0.25, 0.35, 1.0], "share": [0.0, 1.0, 1.0]}), 2).rows()
    [(0, 2, 0.3, 0.5), (1, 1, 1.0, 1.0)]
    """
    place = (pl.col("probability") * bins).floor().clip(0, bins - 1).cast(pl.Int64)
    means = pl.col("probability", "share").mean()
    return shares.group_by(bin=place).agg(means, mentions=pl.len()).sort("bin").select(
        "bin", "mentions", "probability", "share"
    )  # fmt: skip


def calibration_error(table: pl.DataFrame) -> float:
    """The expected calibration error of a table of `reliability`.

    >>> round(calibration_error(pl.DataFrame({"mentions": [3, 1], "probability": [0.9, 0.5], "share": [0.8, 0.5]})), 6)
    0.075
    """
    gap = (pl.col("probability") - pl.col("share")).abs()
    return float(table.select((gap * pl.col("mentions")).sum() / pl.col("mentions").sum()).item())


@dataclass(frozen=True)
class Squash:
    """logit p' = intercept + slope logit p."""

    intercept: float = 0.0
    slope: float = 1.0

    def __call__(self, probability: Floats) -> Floats:
        """The corrected probabilities.

        >>> Squash(0.0, 2.0)(np.array([0.5, 0.8])).round(4).tolist()
        [0.5, 0.9412]
        """
        result: Floats = 1.0 / (1.0 + np.exp(-(self.intercept + self.slope * _logit(probability))))
        return result


def fit_squash(probability: Floats, share: Floats, weight: Floats) -> Squash:
    """The correction of greatest likelihood: shares are weighted fractions of heads.

    >>> fit_squash(np.array([0.9, 0.9, 0.2, 0.2]), np.array([0.8, 0.7, 0.3, 0.4]), np.ones(4)).slope < 1
    True
    """
    given = np.stack([np.ones(len(probability)), _logit(probability)], axis=1)
    part = weight / weight.sum()
    found, loss = np.array([0.0, 1.0]), np.inf
    for _ in range(_MOST_STEPS):
        guess = 1.0 / (1.0 + np.exp(-given @ found))
        downhill = given.T @ (part * (share - guess))
        curvature = (given * (part * guess * (1.0 - guess))[:, None]).T @ given
        step = np.linalg.solve(curvature + _RIDGE * np.eye(2), downhill)
        before, loss = loss, _loss(found, given, share, part)
        while _loss(found + step, given, share, part) > loss and np.abs(step).max() > _SMALL:
            step = step / 2.0
        if before - loss < _SMALL:
            break
        found = found + step
    return Squash(float(found[0]), float(found[1]))


def _loss(found: Floats, given: Floats, share: Floats, part: Floats) -> float:
    """The mean of -ln likelihood."""
    logit = given @ found
    return float((part * (np.logaddexp(0.0, logit) - share * logit)).sum())


def _logit(probability: Floats) -> Floats:
    inner = np.clip(probability, NEAREST, 1.0 - NEAREST)
    result: Floats = np.log(inner / (1.0 - inner))
    return result
