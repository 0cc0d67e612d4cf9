"""Venues, weighed by the venue model: the string is resolved together with the spellings of the candidates."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.library import Library
from samehand.models.venues.links import resolve
from samehand.normalise.mentions import venue_mentions
from samehand.records import Reference, references_frame
from samehand.store import Store
from samehand.web.find.paging import Row
from samehand.web.reconcile.core import Query, Weighed
from samehand.web.reconcile.persons import SOURCE, as_year

SPELLINGS = 6
"""So many spellings of each candidate are compared."""


def weigh(library: Library, query: Query, by_words: Sequence[Row]) -> dict[str, Weighed]:
    """The venue that the model puts the string with, if any."""
    if not query.name.strip() or not by_words:
        return {}
    entities = [row["entity"] for row in by_words]
    spellings = _spellings(library.store, entities)
    asked = Reference(SOURCE, 1, id=SOURCE, scope="venue", venue=query.name, title=query.first("title"),
                      year=as_year(query.first("year")))  # fmt: skip
    others = [
        Reference(SOURCE, 2, id=f"{SOURCE}:{number}", scope="venue", venue=name, year=year)
        for number, (_, name, year) in enumerate(spellings)
    ]
    references = references_frame([asked, *others])
    found = resolve(block("venue", venue_mentions(references), references), NONE, Run(threads=1))
    own = found.filter(pl.col("mention") == SOURCE)
    together = found.filter(pl.col("cluster") == own["cluster"][0], pl.col("mention") != SOURCE)["mention"]
    votes = [spellings[int(mention.removeprefix(f"{SOURCE}:"))][0] for mention in together]
    share = own["probability"][0]
    return {entity: Weighed(share * votes.count(entity) / len(votes)) for entity in dict.fromkeys(votes)}


def _spellings(store: Store, entities: Sequence[str]) -> list[tuple[str, str, int | None]]:
    """Entity, name and a year of the most frequent spellings of each."""
    schema = pl.Schema({"name": pl.String(), "year": pl.Int64()})
    sql = (
        'SELECT mentions."name" AS "name", MAX("references"."year") AS "year" FROM assignments '
        'JOIN mentions ON mentions."id" = assignments."mention" '
        'LEFT JOIN "references" ON "references"."id" = mentions."reference" '
        'WHERE assignments."mention" IN (SELECT "mention" FROM assignments WHERE "entity" = $1 LIMIT 200) '
        f'GROUP BY mentions."name" ORDER BY COUNT(*) DESC, mentions."name" LIMIT {SPELLINGS}'
    )
    return [
        (entity, name, year)
        for entity in entities
        for name, year in store.query(schema, sql, (entity,)).iter_rows()
        if name
    ]
