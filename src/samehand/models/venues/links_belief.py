"""How sure the link model is that a mention belongs with its venue.

A reference may name the wrong venue ("ACL" for what appeared in its journal). How often is seen from papers that are
mentioned more than once, under venues that differ.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.models.venues.links_strings import Floats, Longs

PRIOR_SLIPS, PRIOR_MENTIONS = 1.0, 20.0
"""Before any paper is seen: one mention in twenty names the wrong venue."""


def belonging(answer: Longs, samples: Longs, size: Floats) -> Floats:
    """For each item the share of samples in which it is with most of its cluster; `size` is an item's mentions.

    >>> samples = np.array([[0, 0, 0], [0, 0, 2], [0, 1, 1], [0, 0, 0]])
    >>> belonging(np.array([0, 0, 0]), samples, np.array([3.0, 1.0, 1.0])).tolist()
    [1.0, 0.75, 0.5]
    """
    times = np.zeros(answer.shape[0])
    for labels in samples:
        both, part = np.unique(answer * answer.shape[0] + labels, return_inverse=True)
        weight = np.bincount(part, weights=size)
        home = both // answer.shape[0]
        order = np.lexsort((-weight, home))
        most = np.zeros(both.shape[0], np.bool_)
        most[order[np.unique(home[order], return_index=True)[1]]] = True
        times += most[part]
    shares: Floats = times / samples.shape[0]
    return shares


def slip_share(cluster: Longs, titles: pl.DataFrame) -> float:
    """The share of mentions that name another venue than most mentions of their paper do.

    Counted over papers mentioned more than once, with PRIOR_SLIPS in PRIOR_MENTIONS added; `titles` has the columns
    `mention` and `work`.

    >>> titles = pl.DataFrame({"mention": [0, 1, 2, 3], "work": ["x", "x", "x", "y"]})
    >>> round(slip_share(np.array([5, 5, 6, 6]), titles), 3)
    0.087
    """
    placed = titles.with_columns(cluster=pl.Series(cluster[titles["mention"].to_numpy()], dtype=pl.Int64))
    votes = (
        placed.group_by("work", "cluster")
        .len()
        .group_by("work")
        .agg(pl.col("len").sum(), most=pl.col("len").max())
    )
    repeated = votes.filter(pl.col("len") > 1)
    mentions, agreeing = float(repeated["len"].sum()), float(repeated["most"].sum())
    return (mentions - agreeing + PRIOR_SLIPS) / (mentions + PRIOR_MENTIONS)
