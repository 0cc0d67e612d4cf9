"""Papers that several references are of, and papers of one title that are kept apart."""

from __future__ import annotations

import polars as pl

from samehand.store import Store
from samehand.web.find.entities import SHOWN
from samehand.web.find.paging import Asked, Page

TWINS = pl.Schema({"sort": pl.String, "papers": pl.Int64})

_SEVERAL = "\"kind\" = 'paper' AND \"size_class\" <> '1'"
# Of the index alone: no row of the table is read.
_TWINS = (
    'SELECT "sort", COUNT(*) AS "papers" FROM facts WHERE "kind" = \'paper\' AND "sort" <> \'\' '
    'GROUP BY "sort" HAVING COUNT(*) > 1'
)


def merged_papers(store: Store, asked: Asked | None = None) -> Page:
    """Papers with several references, those with most first."""
    asked = asked or Asked()
    columns = ", ".join(f'"{name}"' for name in SHOWN)
    sql = f'SELECT {columns} FROM facts WHERE {_SEVERAL} ORDER BY "kind", "place" {asked.clause()}'
    with store.reading():
        total = store.number(f'SELECT COALESCE(SUM("count"), 0) FROM facets WHERE {_SEVERAL}')
        return Page.of(store.query(SHOWN, sql), total, asked)


def twin_papers(store: Store, asked: Asked | None = None) -> Page:
    """Titles that several papers have, those of most papers first: name, papers, size (references), first and last."""
    asked = asked or Asked()
    with store.reading():
        twins = store.query(TWINS, _TWINS).sort("papers", "sort", descending=[True, False])
        shown = twins.slice((asked.page - 1) * asked.size, asked.size)
        places = ", ".join(f"${number + 1}" for number in range(shown.height)) or "NULL"
        where = f'"kind" = \'paper\' AND "sort" IN ({places})'
        papers = store.read(
            "facts", where, shown["sort"].to_list(), ["sort", "entity", "name", "size", "place"]
        )
    found = (
        papers.sort("place")
        .group_by("sort")
        .agg(
            pl.col("name").first(),
            pl.col("size").sum(),
            first=pl.col("entity").first(),
            last=pl.col("entity").last(),
        )
    )
    return Page.of(shown.join(found, on="sort", maintain_order="left"), twins.height, asked)
