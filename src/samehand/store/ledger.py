"""The ledger of decisions in the store. Called inside a transaction of the caller."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from samehand.curate.arrivals import concerning
from samehand.curate.decisions import Judgement, is_pair
from samehand.curate.ledger import check_conflict, check_pair, decision_row
from samehand.errors import UsageError
from samehand.store import Store
from samehand.store.finding import named
from samehand.store.schema import encode_time


def read_ledger(store: Store, *, all: bool = False) -> pl.DataFrame:
    """The decisions in force, or `all` ever made, oldest first; schema `curate.decisions.DECISIONS`."""
    return store.read("decisions", "" if all else '"undone_at" IS NULL').sort("id")


def record(
    store: Store, verdict: Judgement, left: str, right: str, *, by: str, note: str | None
) -> tuple[int, list[str]]:
    """Write a decision, see `Library.decide`; its number and the two mentions it is about."""
    first, second = named(store, left), named(store, right)
    check_pair(first, second)
    ledger = read_ledger(store)
    same_pair = is_pair(first.mention, second.mention)
    others = concerning(ledger.filter(~same_pair), (first.mention, second.mention))
    check_conflict(verdict, first.mention, second.mention, others)
    number = store.number("SELECT COALESCE(MAX(id), 0) + 1 FROM decisions")
    for earlier in ledger.filter(same_pair)["id"]:
        _retire(store, earlier, by, number)
    store.append("decisions", decision_row(number, verdict, first, second, by, note))
    return number, [first.mention, second.mention]


def latest(store: Store) -> int:
    """The number of the latest decision in force."""
    active = read_ledger(store)["id"]
    if active.is_empty():
        raise UsageError("there is no decision to undo")
    return int(active[-1])


def take_back(store: Store, decision: int, *, by: str) -> list[str]:
    """Undo a decision, see `Library.undo`; the two mentions that it is about."""
    found = store.read("decisions", '"id" = $1', (decision,))
    if found.is_empty() or found["undone_at"][0] is not None:
        raise UsageError(
            f"decision {decision} " + ("is undone already" if found.height else "does not exist")
        )
    _retire(store, decision, by, None)
    return [*found["left"], *found["right"]]


def _retire(store: Store, decision: int, by: str, successor: int | None) -> None:
    """Mark a decision as no longer in force; the ledger keeps it."""
    now = encode_time(datetime.now(UTC))
    store.execute(
        'UPDATE decisions SET "undone_at" = $1, "undone_by" = $2, "superseded_by" = $3 WHERE "id" = $4',
        (now, by, successor, decision),
    )
