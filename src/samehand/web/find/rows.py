"""Rows of the library as they are: mentions, references, rejects, runs; and how many there are of everything."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from samehand.errors import UnknownEntityError
from samehand.records import ASSIGNMENTS, KINDS, REFERENCES, REJECTS, Kind
from samehand.store import Parameter, Store
from samehand.store.schema import RUNS, SOURCES
from samehand.web.find.counting import counted
from samehand.web.find.matching import Condition
from samehand.web.find.paging import Asked, Page, Row

COUNTED = ("references", "rejects", "sources", "mentions", "decisions", "runs", "redirects", "arrivals")

MENTION = pl.Schema({**ASSIGNMENTS, "slot": pl.Int64()})
_MENTION_COLUMNS = (
    'mentions."id" AS "id", mentions."kind" AS "kind", mentions."reference" AS "reference", '
    'mentions."name" AS "name", assignments."entity" AS "entity", '
    'assignments."probability" AS "probability", mentions."slot" AS "slot"'
)
_ASSIGNED = 'LEFT JOIN assignments ON assignments."mention" = mentions."id"'
_MENTION_FROM = f"FROM mentions {_ASSIGNED}"


def counts(store: Store) -> dict[str, int]:
    """How many rows each table has, and how many entities each kind."""
    with store.reading():
        found = {name: counted(store, f'SELECT COUNT(*) FROM "{name}"') for name in COUNTED}
        sizes = store.query(
            pl.Schema({"kind": pl.String(), "count": pl.Int64()}),
            'SELECT "kind", SUM("count") AS "count" FROM facets GROUP BY "kind"',
        )
    kinds = dict(sizes.iter_rows())
    return found | {f"{kind}s": int(kinds.get(kind, 0)) for kind in KINDS}


def mentions(
    store: Store, kind: Kind | None = None, reference: str | None = None, asked: Asked | None = None
) -> Page:
    """Mentions in their order, of one kind or of one reference if told so."""
    condition, asked = Condition(), asked or Asked()
    parts = ["1 = 1"]
    if kind:
        parts.append(f'mentions."kind" = {condition.bind(kind)}')
    if reference is not None:
        parts.append(f'mentions."reference" = {condition.bind(reference)}')
    where = " AND ".join(parts)
    # The page is cut out before it is joined: what is skipped need not be looked up.
    page = f'SELECT * FROM mentions WHERE {where} ORDER BY "position" {asked.clause()}'
    sql = f'SELECT {_MENTION_COLUMNS} FROM ({page}) AS mentions {_ASSIGNED} ORDER BY mentions."position"'
    with store.reading():
        # Of one reference there are as many different questions as references: those are not kept.
        sql_total = f"SELECT COUNT(*) FROM mentions WHERE {where}"
        if reference is None:
            total = counted(store, sql_total, condition.parameters)
        else:
            total = store.number(sql_total, condition.parameters)
        return Page.of(store.query(MENTION, sql, condition.parameters), total, asked)


def mentions_in(store: Store, reference: str) -> list[Row]:
    """All mentions of one reference."""
    sql = f'SELECT {_MENTION_COLUMNS} {_MENTION_FROM} WHERE mentions."reference" = $1 ORDER BY mentions."position"'
    return store.query(MENTION, sql, (reference,)).to_dicts()


def mention(store: Store, id: str) -> Row:
    """One mention with its entity."""
    rows = store.query(
        MENTION, f'SELECT {_MENTION_COLUMNS} {_MENTION_FROM} WHERE mentions."id" = $1', (id,)
    ).to_dicts()
    if not rows:
        raise UnknownEntityError(f"no mention is called {id!r}")
    return rows[0]


def reference(store: Store, id: str) -> Row:
    """One reference, schema `records.REFERENCES`."""
    rows = store.read("references", '"id" = $1', (id,)).drop("position").to_dicts()
    if not rows:
        raise UnknownEntityError(f"no reference is called {id!r}")
    return rows[0]


def references(store: Store, asked: Asked | None = None) -> Page:
    """References in the order they were added."""
    return _plain(store, "references", REFERENCES, asked or Asked(), '"position"')


def rejects(store: Store, asked: Asked | None = None) -> Page:
    """What could not be read, and why."""
    return _plain(store, "rejects", REJECTS, asked or Asked(), '"position"')


def sources(store: Store, asked: Asked | None = None) -> Page:
    """The sources, the latest first."""
    return _plain(store, "sources", SOURCES, asked or Asked(), '"added" DESC, "name"')


def runs(store: Store, asked: Asked | None = None) -> Page:
    """The runs, the latest first."""
    return _plain(store, "runs", RUNS, asked or Asked(), '"id" DESC')


def run(store: Store, number: int) -> Row:
    """One run."""
    rows = store.read("runs", '"id" = $1', (number,)).to_dicts()
    if not rows:
        raise UnknownEntityError(f"there is no run {number}")
    return rows[0]


def _plain(
    store: Store,
    table: str,
    schema: pl.Schema,
    asked: Asked,
    order: str,
    parameters: Sequence[Parameter] = (),
) -> Page:
    columns = ", ".join(f'"{name}"' for name in schema)
    sql = f'SELECT {columns} FROM "{table}" ORDER BY {order} {asked.clause()}'
    with store.reading():
        total = counted(store, f'SELECT COUNT(*) FROM "{table}"')
        return Page.of(store.query(schema, sql, parameters), total, asked)
