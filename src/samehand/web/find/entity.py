"""One entity: its record, and what stands around it, each part paged by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import orjson
import polars as pl

from samehand.errors import UnknownEntityError
from samehand.library import Library
from samehand.publish.exports import EXPORTS
from samehand.publish.identifiers import EVENTS
from samehand.records import ASSIGNMENTS, Kind
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.web.find.entities import SHOWN
from samehand.web.find.paging import Asked, Page, Row

Role = Literal["coauthor", "author", "venue", "paper"]

RECORD_REFERENCES = 300
"""Until the records are made, that of an entity with more references is chosen from the first so many."""

MENTION = pl.Schema({**ASSIGNMENTS, "year": pl.Int64(), "title": pl.String()})


@dataclass(frozen=True)
class Whole:
    """An entity: identifier, kind, the facts of the list (None until they are made), and its canonical record."""

    id: str
    kind: Kind
    name: str
    size: int
    facts: Row | None
    record: Row


def live_id(store: Store, id: str) -> str:
    """The identifier behind an entity id, old or new, or behind a mention id; UnknownEntityError if there is none.

    Unlike `Library.resolve_id` it looks for nothing similar: that would read the whole library.
    """
    row = store.first(_LIVE, (id, id, id))
    if row is None:
        raise UnknownEntityError(f"no entity or mention is called {id!r}")
    return str(row[0])


_LIVE = (
    'SELECT "id" FROM entities WHERE "id" = COALESCE((SELECT "new" FROM redirects WHERE "old" = $1), '
    '(SELECT "entity" FROM assignments WHERE "mention" = $2), $3)'
)


def whole(library: Library, id: str) -> Whole:
    """The entity behind an identifier, with its canonical record."""
    store = library.store
    with store.reading():
        live = live_id(store, id)
        row = store.read("entities", '"id" = $1', (live,)).row(0, named=True)
        facts = store.read("facts", '"entity" = $1', (live,), list(SHOWN))
        record = _record(store, live, row["kind"])
    told = facts.row(0, named=True) if facts.height else None
    name = told["name"] if told else row["name"] or ""
    return Whole(live, row["kind"], name, row["size"], told, record)


def _record(store: Store, entity: str, kind: Kind) -> Row:
    """The canonical record of an entity without empty fields; of one that came since the records were made, made now."""
    kept = store.read("records", '"entity" = $1', (entity,), ["record"])["record"].to_list()
    record = orjson.loads(kept[0]) if kept else _made_record(store, entity, kind)
    return {name: value for name, value in record.items() if value not in (None, [], "")}


def _made_record(store: Store, entity: str, kind: Kind) -> Row:
    """The row that publish/canonical.py makes of an entity's first references."""
    first = (
        'SELECT mentions."reference" AS "reference" FROM assignments JOIN mentions '
        'ON mentions."id" = assignments."mention" WHERE assignments."entity" = $1 '
        f"LIMIT {RECORD_REFERENCES}"
    )
    ids = store.query(pl.Schema({"reference": pl.String()}), first, (entity,))["reference"].unique().to_list()
    references = read_among(store, "references", "id", ids).sort("position").drop("position")
    mentions = read_among(store, "mentions", "reference", ids).sort("position").drop("position")
    assigned = read_among(store, "assignments", "mention", mentions["id"].to_list())
    mentions = mentions.join(
        assigned.select("entity", "probability", id="mention"), on="id", how="left", maintain_order="left"
    )
    works = store.read("works", '"work" IN (SELECT "work" FROM works WHERE "entity" = $1)', (entity,))
    table = EXPORTS[f"{kind}s"](references, mentions.select(*ASSIGNMENTS, "slot"), works)
    found = table.filter(pl.col("entity") == entity)
    return found.row(0, named=True) if found.height else {}


def mentions_of(store: Store, entity: str, asked: Asked | None = None, *, doubtful: bool = False) -> Page:
    """The mentions of an entity with title and year of their references; the least probable first if `doubtful`."""
    asked = asked or Asked()
    order = 'assignments."probability", mentions."position"' if doubtful else 'mentions."position"'
    sql = (
        'SELECT mentions."id", mentions."kind", mentions."reference", mentions."name", assignments."entity", '
        'assignments."probability", "references"."year", "references"."title" '
        'FROM assignments JOIN mentions ON mentions."id" = assignments."mention" '
        'LEFT JOIN "references" ON "references"."id" = mentions."reference" '
        f'WHERE assignments."entity" = $1 ORDER BY {order} {asked.clause()}'
    )
    total = store.number('SELECT COUNT(*) FROM assignments WHERE "entity" = $1', (entity,))
    return Page.of(store.query(MENTION, sql, (entity,)), total, asked)


LINKED = pl.Schema({**SHOWN, "weight": pl.Int64()})


def linked(store: Store, entity: str, role: Role, asked: Asked | None = None) -> Page:
    """Who stands beside an entity: co-authors, authors and venues by shared references, papers by year."""
    asked = asked or Asked()
    columns = ", ".join(f'facts."{name}"' for name in SHOWN)
    # An entity that was merged since the links were made is found under its new identifier.
    joined = (
        'FROM facts AS own JOIN links ON links."place" = own."place" '
        'LEFT JOIN redirects ON redirects."old" = links."other" '
        'JOIN facts ON facts."entity" = COALESCE(redirects."new", links."other") '
        'WHERE own."entity" = $1 AND links."role" = $2'
    )
    sql = (
        f'SELECT {columns}, links."weight" AS "weight" {joined} '
        f'ORDER BY links."weight" DESC, links."other" DESC {asked.clause()}'
    )
    counted = (
        'SELECT COUNT(*) FROM facts AS own JOIN links ON links."place" = own."place" '
        'WHERE own."entity" = $1 AND links."role" = $2'
    )
    with store.reading():
        total = store.number(counted, (entity, role))
        return Page.of(store.query(LINKED, sql, (entity, role)), total, asked)


def years_of(store: Store, entity: str) -> list[tuple[int, int]]:
    """In how many references of each year an entity stands, in order of years."""
    sql = (
        'SELECT years."year" AS "year", years."count" AS "count" FROM facts JOIN years '
        'ON years."place" = facts."place" WHERE facts."entity" = $1 ORDER BY years."year"'
    )
    found = store.query(pl.Schema({"year": pl.Int64(), "count": pl.Int64()}), sql, (entity,))
    return list(found.iter_rows())


def variants_of(store: Store, entity: str, asked: Asked | None = None) -> Page:
    """The spellings of an entity's name with their counts, the most frequent first."""
    asked = asked or Asked()
    grouped = (
        'SELECT mentions."name" AS "name", COUNT(*) AS "count" FROM assignments '
        'JOIN mentions ON mentions."id" = assignments."mention" '
        'WHERE assignments."entity" = $1 GROUP BY mentions."name"'
    )
    schema = pl.Schema({"name": pl.String(), "count": pl.Int64()})
    frame = store.query(schema, f'{grouped} ORDER BY "count" DESC, "name" {asked.clause()}', (entity,))
    total = store.number(f"SELECT COUNT(*) FROM ({grouped}) AS spellings", (entity,))
    return Page.of(frame, total, asked)


def versions_of(store: Store, paper: str) -> list[Row]:
    """The other papers of the same work, with the facts of the list."""
    columns = ", ".join(f'facts."{name}"' for name in SHOWN)
    sql = (
        f'SELECT {columns} FROM works AS own JOIN works ON works."work" = own."work" '
        'JOIN facts ON facts."entity" = works."entity" '
        'WHERE own."entity" = $1 AND works."entity" <> own."entity" ORDER BY facts."place"'
    )
    return store.query(SHOWN, sql, (paper,)).to_dicts()


def merged_into(store: Store, entity: str) -> list[str]:
    """The old identifiers that lead to an entity."""
    return sorted(store.read("redirects", '"new" = $1', (entity,), ["old"])["old"].to_list())


def events_of(store: Store, entity: str, asked: Asked | None = None) -> Page:
    """What runs did to an entity, the latest first."""
    asked = asked or Asked()
    columns = ", ".join(f'"{name}"' for name in EVENTS)
    where = 'WHERE "entity" = $1 OR "other" = $2'
    sql = f'SELECT {columns} FROM events {where} ORDER BY "run" DESC, "event", "other" {asked.clause()}'
    total = store.number(f"SELECT COUNT(*) FROM events {where}", (entity, entity))
    return Page.of(store.query(EVENTS, sql, (entity, entity)), total, asked)
