"""Papers, weighed by the paper model: the query is compared with some references of each candidate.

If a_i is the mean log-odds that the query and the references of candidate i are one paper, then, as it is one of them at
most, p_i = exp(a_i) / (1 + sum exp(a_j)).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from samehand.library import Library
from samehand.models.papers.evidence import PLACE, evidence
from samehand.models.papers.facts import facts_of
from samehand.models.papers.layout import lay_out
from samehand.models.papers.odds import paper_odds
from samehand.models.papers.weights import default
from samehand.normalise.identifiers import doi
from samehand.records import Reference, references_frame
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.web.find.paging import Row
from samehand.web.reconcile.core import Query, Weighed
from samehand.web.reconcile.persons import SOURCE, as_year

PER_PAPER = 3
"""So many references of each candidate are compared."""

FEATURES = {"title": "title_best", "authors": "authors_found", "venue": "venue_overlap", "year": "year_equal",
            "doi": "identifier_equal"}  # fmt: skip
"""Features of ours, and those of the model that say the same."""


def weigh(library: Library, query: Query, by_words: Sequence[Row]) -> dict[str, Weighed]:
    """The papers found by words, and the one with the same DOI."""
    store = library.store
    asked = _reference(query)
    entities = list(dict.fromkeys([*(row["entity"] for row in by_words), *_with_doi(store, asked.doi)]))
    held = _some_references(store, entities)
    if held.is_empty() or not (asked.title or asked.doi):
        return {}
    known = held.drop("entity", "position")
    layout = lay_out(facts_of(pl.concat([references_frame([asked]), known])))
    pairs = np.stack([np.zeros(held.height, np.int64), np.arange(1, held.height + 1)], axis=1)
    rows = evidence(layout, pairs)
    table = pl.DataFrame({"entity": held["entity"], "odds": paper_odds(rows, default())}).with_columns(
        pl.Series(name, rows[:, PLACE[feature]]) for name, feature in FEATURES.items()
    )
    best = table.group_by("entity", maintain_order=True).agg(
        pl.col("odds").mean(), *(pl.col(name).max() for name in FEATURES)
    )
    odds = np.exp(best["odds"].to_numpy())
    shares = odds / (1.0 + odds.sum())
    return {
        row["entity"]: Weighed(
            float(share), {name: round(row[name], 3) for name in FEATURES if _given(query, name)}
        )
        for row, share in zip(best.iter_rows(named=True), shares, strict=True)
    }


def _given(query: Query, name: str) -> bool:
    return name == "title" or bool(query.evidence.get(name))


def _reference(query: Query) -> Reference:
    return Reference(
        SOURCE,
        1,
        id=SOURCE,
        title=query.first("title") or query.name or None,
        authors=list(query.evidence.get("authors", [])),
        venue=query.first("venue"),
        year=as_year(query.first("year")),
        doi=doi(query.first("doi") or ""),
    )


def _with_doi(store: Store, found: str | None) -> list[str]:
    if found is None:
        return []
    same = '"mention" IN (SELECT "mention" FROM keys WHERE "key" = $1 AND "kind" = \'paper\')'
    return store.read("assignments", same, (f"doi:{found}",), ["entity"])["entity"].unique().to_list()


def _some_references(store: Store, entities: Sequence[str]) -> pl.DataFrame:
    """`entity` and some references of each."""
    assigned = read_among(store, "assignments", "entity", entities, ["mention", "entity"])
    some = assigned.group_by("entity", maintain_order=True).head(PER_PAPER)
    mentions = read_among(store, "mentions", "id", some["mention"].to_list(), ["id", "reference"])
    held = some.join(mentions, left_on="mention", right_on="id").select("entity", "reference")
    references = read_among(store, "references", "id", held["reference"].to_list())
    return references.join(held, left_on="id", right_on="reference")
