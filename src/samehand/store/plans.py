"""Acts as a curator asks for them, by identifiers, planned on what the library holds. Called inside a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from samehand.curate.acts import Group, Plan, plan_merge, plan_move, plan_split
from samehand.curate.arrivals import concerning
from samehand.errors import UsageError
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.store.finding import entity_of
from samehand.store.ledger import read_ledger


def merge(store: Store, left: str, right: str) -> Plan:
    """Make two entities one."""
    one, other = (read_group(store, entity_of(store, id)) for id in (left, right))
    return plan_merge(one, other, _about(store, [one, other]))


def split(store: Store, entity: str, mentions: Sequence[str]) -> Plan:
    """Take mentions out of an entity."""
    group = read_group(store, entity_of(store, entity))
    return plan_split(group, mentions, _about(store, [group]))


def move(store: Store, mentions: Sequence[str], into: str) -> Plan:
    """Take mentions out of their entity and put them into another."""
    if not mentions:
        raise UsageError("no mention is chosen; choose those that shall move")
    one, other = (read_group(store, entity_of(store, id)) for id in (mentions[0], into))
    return plan_move(one, mentions, other, _about(store, [one, other]))


def _about(store: Store, groups: Iterable[Group]) -> pl.DataFrame:
    return ledger_about(store, [mention for group in groups for mention in group.mentions])


def read_group(store: Store, entity: str) -> Group:
    """A live entity with its mentions in order."""
    kind = store.read("entities", '"id" = $1', (entity,), ["kind"]).item()
    sure = store.read("assignments", '"entity" = $1', (entity,), ["mention", "probability"])
    found = read_among(store, "mentions", "id", sure["mention"].to_list(), ["position", "id"]).sort(
        "position"
    )
    known = dict(sure.iter_rows())
    return Group(entity, kind, {mention: known[mention] for mention in found["id"]})


def ledger_about(store: Store, mentions: Iterable[str]) -> pl.DataFrame:
    """The decisions in force that say something about these mentions, directly or through others."""
    return concerning(read_ledger(store), set(mentions))
