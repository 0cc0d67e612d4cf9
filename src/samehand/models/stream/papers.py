"""Whether a new paper or venue is one that a library has: by the rules of the baseline, among the few that may be.

Papers that share a key with the new ones (keys.py; a year earlier or later at most) are resolved together with them. A
venue is the one whose words are equal. No probability is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.models.baseline.papers import resolve
from samehand.models.stream.plain_others import NewOther
from samehand.normalise.mentions import paper_mentions
from samehand.store import Store
from samehand.store.arrivals import read_among


def known_papers(store: Store, papers: Sequence[NewOther], references: pl.DataFrame) -> dict[str, str]:
    """For each new paper, the entity of the library that it is, or the first new mention of the same paper.

    Those that share no key with any other are not named.
    """
    keys = Counter(key for paper in papers for key in {*paper.keys, *paper.near})
    near = read_among(store, "keys", "key", list(keys)).filter(kind="paper")
    shared = {key for key, count in keys.items() if count > 1} | set(near["key"])
    concerned = [paper.id for paper in papers if shared & {*paper.keys, *paper.near}]
    if not concerned:
        return {}
    found = read_among(store, "references", "id", near["reference"].unique().to_list()).drop("position")
    both = pl.concat([found, references.filter(pl.col("id").is_in(concerned))])
    mentions = paper_mentions(both).unique("id", keep="last", maintain_order=True)
    clusters = resolve(block("paper", mentions, both), NONE, Run(0, threads=1))
    entities = read_among(store, "assignments", "mention", near["mention"].unique().to_list())
    return _first_entities(clusters, entities, pl.Series(concerned))


def known_venues(store: Store, venues: Sequence[NewOther]) -> dict[str, str]:
    """The same for venues."""
    first = '"mention" IN (SELECT "mention" FROM keys WHERE "key" = $1 AND "kind" = \'venue\' LIMIT 1)'
    found: dict[str, str] = {}
    for venue in venues:
        for key in venue.keys:
            if key not in found:
                entity = store.read("assignments", first, (key,), ["entity"])["entity"].to_list()
                found[key] = entity[0] if entity else venue.id
    return {venue.id: found[key] for venue in venues for key in venue.keys}


def _first_entities(clusters: pl.DataFrame, entities: pl.DataFrame, new: pl.Series) -> dict[str, str]:
    """The first entity in the cluster of each new mention; where there is none, the cluster's first new mention."""
    joined = clusters.join(
        entities.select("mention", "entity"), on="mention", how="left", maintain_order="left"
    )
    first = joined.group_by("cluster").agg(
        entity=pl.col("entity").drop_nulls().first(),
        founder=pl.col("mention").filter(pl.col("mention").is_in(new.implode())).first(),
    )
    named = joined.filter(pl.col("mention").is_in(new.implode())).select("mention", "cluster")
    table = named.join(first, on="cluster").select("mention", pl.coalesce("entity", "founder"))
    return dict(table.iter_rows())
