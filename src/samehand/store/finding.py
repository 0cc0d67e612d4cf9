"""Who is meant by an identifier: an entity, old or new, or a mention."""

from __future__ import annotations

import polars as pl
from rapidfuzz import process
from rapidfuzz.fuzz import ratio

from samehand.curate.ledger import Named, listed
from samehand.errors import UnknownEntityError
from samehand.records import ASSIGNMENTS
from samehand.store import Store


def entity_of(store: Store, id: str) -> str:
    """The live entity behind an entity id, old or new, or behind a mention id; or an UnknownEntityError."""
    for table, column, answer in (
        ("redirects", "old", "new"),
        ("assignments", "mention", "entity"),
    ):
        found = store.read(table, f'"{column}" = $1', (id,), [answer])
        id = found.item() if found.height else id
    if store.read("entities", '"id" = $1', (id,), ["id"]).height:
        return id
    raise _unknown(store, id)


def named(store: Store, id: str) -> Named:
    """The mention that a curator named, or the representative of the entity."""
    mention = store.read("mentions", '"id" = $1', (id,), ["kind"])
    if mention.height:
        return Named(id, None, mention.item())
    entity = entity_of(store, id)
    row = store.read("entities", '"id" = $1', (entity,)).row(0, named=True)
    return Named(row["representative"], entity, row["kind"])


def with_entities(mentions: pl.DataFrame, assignments: pl.DataFrame) -> pl.DataFrame:
    """Mentions with their entities; schema `records.ASSIGNMENTS`, then `slot`."""
    found = assignments.select("entity", "probability", id="mention")
    return mentions.join(found, on="id", how="left", maintain_order="left").select(*ASSIGNMENTS, "slot")


def _unknown(store: Store, id: str) -> UnknownEntityError:
    if store.read("events", '"entity" = $1', (id,), ["entity"]).height:
        return UnknownEntityError(
            f"{id}: this entity has no mentions any more; see the events of the library"
        )
    entities = store.read("entities", columns=["id"])["id"]
    mentions = store.read("mentions", 'SUBSTR("id", 1, 3) = $1', (id[:3],), ["id"])["id"]
    near = process.extract(id, [*entities, *mentions], scorer=ratio, limit=3, score_cutoff=50)
    hint = f"; did you mean {listed(match for match, _, _ in near)}?" if near else ""
    return UnknownEntityError(f"{store.location}: no entity or mention is called {id!r}{hint}")
