"""The mentions that came after the last run, in the store: written, looked up by key, and moved when curators speak.

Everything here is called inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from samehand.curate.arrivals import (
    Arrival,
    Candidates,
    Placed,
    Settlement,
    concerning,
    decode_candidates,
    encode_candidates,
)
from samehand.curate.decisions import Closure
from samehand.publish.identifiers import EVENTS, REDIRECTS, mint
from samehand.records import Kind
from samehand.store import Store
from samehand.store.rows import next_position
from samehand.store.schema import TABLES

AT_ONCE = 500
"""So many values stand in one query."""

OF_BLOCK = '"mention" IN (SELECT "mention" FROM keys WHERE "key" = $1 AND "kind" = \'author\')'


def read_among(
    store: Store, table: str, column: str, values: Sequence[str], columns: Sequence[str] | None = None
) -> pl.DataFrame:
    """The rows of a table whose column has one of these values."""
    parts = [pl.Schema({name: TABLES[table][name] for name in columns or TABLES[table]}).to_frame()]
    for part in chunks(values):
        places = ", ".join(f"${number + 1}" for number in range(len(part)))
        parts.append(store.read(table, f'"{column}" IN ({places})', part, columns))
    return pl.concat(parts)


def delete_among(store: Store, table: str, column: str, values: Sequence[str]) -> None:
    """Delete the rows of a table whose column has one of these values."""
    for part in chunks(values):
        places = ", ".join(f"${number + 1}" for number in range(len(part)))
        store.execute(f'DELETE FROM {table} WHERE "{column}" IN ({places})', part)


def remove_mentions(store: Store, mentions: Sequence[str]) -> None:
    """Take out mentions that the last run had and whose references have left the library since."""
    stale = read_among(store, "assignments", "mention", mentions, ["mention", "entity"])
    ids = stale["mention"].to_list()
    for table, column in (
        ("mentions", "id"),
        ("assignments", "mention"),
        ("keys", "mention"),
        ("arrivals", "mention"),
    ):
        delete_among(store, table, column, ids)
    for entity in stale["entity"].unique():
        _rewrite_entity(store, entity, last_run(store))


def last_run(store: Store) -> int:
    """The number of the last run, 0 if there was none."""
    return store.number('SELECT COALESCE(MAX("id"), 0) FROM runs')


def mint_unused(store: Store, kind: Kind, mentions: Sequence[str]) -> list[str]:
    """An identifier for the entity that each mention would found, none of which was ever given."""
    used = pl.Series(dtype=pl.String)
    while True:
        wanted = mint(kind, pl.Series(mentions, dtype=pl.String), used)
        taken = read_among(store, "events", "entity", wanted.to_list(), ["entity"])["entity"]
        if taken.is_empty():
            return wanted.to_list()
        used = pl.concat([used, taken]).unique()


def arrivals_of(store: Store, key: str) -> list[Arrival]:
    """The arrivals of a block, in order."""
    if not store.number('SELECT COUNT(*) FROM arrivals WHERE "key" = $1', (key,)):
        return []
    rows = store.read("arrivals", '"key" = $1', (key,))
    return [as_arrival(row) for row in rows.iter_rows(named=True)]


def as_arrival(row: Mapping[str, object]) -> Arrival:
    """A row of the table of arrivals."""
    candidates = decode_candidates(str(row["candidates"]))
    return Arrival(str(row["mention"]), str(row["own"]), candidates, bool(row["asked"]))


def entities_of(store: Store, key: str) -> dict[str, str]:
    """The entities of a block's mentions, arrivals included."""
    return dict(store.read("assignments", OF_BLOCK, (key,), ["mention", "entity"]).iter_rows())


def settle_again(store: Store, mentions: Sequence[str], decisions: pl.DataFrame) -> list[str]:
    """Move arrivals to where they belong now that the word on these mentions has changed; the blocks concerned.

    `decisions` are those in force on authors.
    """
    keys = read_among(store, "keys", "mention", mentions).filter(kind="author")["key"].unique().to_list()
    for key in keys:
        arrivals = arrivals_of(store, key)
        if not arrivals:
            continue
        now = entities_of(store, key)
        closure = Closure(concerning(decisions, now))
        came = {arrival.mention for arrival in arrivals}
        state = Settlement(
            {mention: entity for mention, entity in now.items() if mention not in came}, closure
        )
        placed = {arrival.mention: state.place(arrival) for arrival in arrivals}
        moves = {mention: found for mention, found in placed.items() if now.get(mention) != found.entity}
        move(store, moves, {mention: now[mention] for mention in moves})
        for arrival in (arrival for arrival in arrivals if arrival.mention in moves):
            # What it had founded once leads to where it is now.
            new = moves[arrival.mention].entity
            store.execute('UPDATE redirects SET "new" = $1 WHERE "old" = $2', (new, arrival.own))
    return keys


def change_candidates(store: Store, own: str, candidates: Candidates) -> None:
    """Give the arrival that founded an entity other candidates."""
    store.execute(
        'UPDATE arrivals SET "candidates" = $1 WHERE "own" = $2', (encode_candidates(candidates), own)
    )


def move(store: Store, moves: Mapping[str, Placed], before: Mapping[str, str]) -> None:
    """Give mentions other entities. An entity that loses its last mention leads to where its founder went."""
    for mention, found in moves.items():
        store.execute(
            'UPDATE assignments SET "entity" = $1, "probability" = $2 WHERE "mention" = $3',
            (found.entity, found.probability, mention),
        )
    run = last_run(store)
    for entity in dict.fromkeys([*(found.entity for found in moves.values()), *before.values()]):
        _rewrite_entity(store, entity, run)
    for mention, entity in before.items():
        if not store.number('SELECT COUNT(*) FROM assignments WHERE "entity" = $1', (entity,)):
            _redirect(store, entity, moves[mention].entity, run)


def _rewrite_entity(store: Store, entity: str, run: int) -> None:
    """Make the row of an entity what its mentions say; one without mentions has no row."""
    known = store.read("entities", '"id" = $1', (entity,))
    store.execute('DELETE FROM entities WHERE "id" = $1', (entity,))
    members = store.read("assignments", '"entity" = $1', (entity,), ["mention"])["mention"].to_list()
    if not members:
        return
    store.execute('DELETE FROM redirects WHERE "old" = $1', (entity,))
    first = read_among(store, "mentions", "id", members).sort("position").row(0, named=True)
    row = {
        "position": known["position"][0] if known.height else next_position(store, "entities"),
        "id": entity,
        "kind": first["kind"],
        "name": first["name"],
        "representative": first["id"],
        "size": len(members),
    }
    store.append("entities", pl.DataFrame([row], schema=TABLES["entities"]))
    if not store.number('SELECT COUNT(*) FROM events WHERE "entity" = $1', (entity,)):
        add_events(store, [(run, "created", "author", entity, None, len(members))])


def _redirect(store: Store, old: str, new: str, run: int) -> None:
    store.execute('DELETE FROM redirects WHERE "old" = $1', (old,))
    store.execute('UPDATE redirects SET "new" = $1 WHERE "new" = $2', (new, old))
    store.append("redirects", pl.DataFrame([(old, new, run)], schema=REDIRECTS, orient="row"))
    add_events(store, [(run, "merged", "author", old, new, 1)])


def add_events(store: Store, rows: Iterable[tuple[int, str, str, str, str | None, int]]) -> None:
    """Say what happened to entities."""
    store.append("events", pl.DataFrame(list(rows), schema=EVENTS, orient="row"))


def chunks(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """The values in parts that fit into one query."""
    for start in range(0, len(values), AT_ONCE):
        yield values[start : start + AT_ONCE]
