"""Whether a new paper or venue is one that a library has: by the rules of the baseline, among the few that may be.

Papers that share a key with the new ones (keys.py; a year earlier or later at most) are resolved together with them. A
venue is the one whose words are equal. No probability is claimed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import polars as pl

from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.models.baseline.papers import resolve
from samehand.models.stream.keys import IDENTIFIERS, KEY
from samehand.models.stream.plain_others import NewOther
from samehand.models.stream.plain_papers import same_papers
from samehand.normalise.mentions import paper_mentions
from samehand.records import REFERENCES
from samehand.store import Store
from samehand.store.arrivals import read_among

FEW = 60
"""So many papers are quicker in plain Python."""

LOOKED_AT = ("id", "scope", "title", "authors", "year", "pages", "text", *IDENTIFIERS)
"""The columns of references by which papers are compared."""

MENTION = ("mention", "entity")


def known_papers(store: Store, papers: Sequence[NewOther], references: pl.DataFrame) -> dict[str, str]:
    """For each new paper, the entity of the library that it is, or the first new mention of the same paper.

    Those that share no key with any other are not named.
    """
    keys = Counter(key for paper in papers for key in {*paper.keys, *paper.near})
    near = read_among(store, "keys", "key", list(keys), KEY).filter(kind="paper")
    shared = {key for key, count in keys.items() if count > 1} | set(near["key"])
    concerned = [paper.id for paper in papers if shared & {*paper.keys, *paper.near}]
    if not concerned:
        return {}
    found = read_among(store, "references", "id", near["reference"].unique().to_list(), LOOKED_AT)
    new = references.filter(pl.col("id").is_in(concerned)).select(LOOKED_AT)
    clusters = _clusters(pl.concat([found, new]).unique("id", keep="last", maintain_order=True))
    entities = read_among(store, "assignments", "mention", near["mention"].unique().to_list(), MENTION)
    return _first_entities(clusters, dict(entities.iter_rows()), concerned)


def _clusters(papers: pl.DataFrame) -> list[tuple[str, int]]:
    """Each paper with the number of its cluster, by the rules of the baseline."""
    if papers.height <= FEW:
        return list(zip(papers["id"], same_papers(papers.to_dicts()), strict=True))
    whole = pl.concat([REFERENCES.to_frame(), papers], how="diagonal")
    clusters = resolve(block("paper", paper_mentions(whole), whole), NONE, Run(0, threads=1))
    return list(clusters.select("mention", "cluster").iter_rows())


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


def _first_entities(
    clusters: Sequence[tuple[str, int]], entities: Mapping[str, str], new: Collection[str]
) -> dict[str, str]:
    """The first entity in the cluster of each new mention; where there is none, the cluster's first new mention.

    >>> _first_entities([("x", 0), ("n1", 0), ("n2", 1), ("n3", 1)], {"x": "p1"}, ["n1", "n2", "n3"])
    {'n1': 'p1', 'n2': 'n2', 'n3': 'n2'}
    """
    wanted = {*new}
    first: dict[int, str] = {}
    for mention, cluster in clusters:
        if mention in entities:
            first.setdefault(cluster, entities[mention])
    for mention, cluster in clusters:
        if mention in wanted:
            first.setdefault(cluster, mention)
    return {mention: first[cluster] for mention, cluster in clusters if mention in wanted}
