"""STR, the baseline of the 2008 venues paper: drop stop words, merge identical strings, then merge clusters
that share an identical title."""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.models.baseline import chain, clustering


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster venue mentions (schema `normalise.mentions.VENUES`) into venues."""
    venues = blocked.mentions
    known = venues.with_columns(pl.col("key").replace("", None), pl.col("title_key").replace("", None))
    edges = pl.concat([chain(known, ["key"]), chain(known, ["title_key"])])
    return clustering(venues["id"], edges, constraints)
