"""Acts that were done: what to say after one, and which act a decision belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from samehand.store import Store
from samehand.store.schema import ACTS

SAID = {"merge": "Merged.", "split": "Split.", "move": "Moved."}


@dataclass(frozen=True)
class Done:
    """An act in the list: what it was, and how many decisions it made."""

    id: int
    what: str
    by: str
    decisions: int
    is_undone: bool


@dataclass(frozen=True)
class Banner:
    """What stands at the top of a page after an act; `act` can be undone from there."""

    text: str
    act: int | None


def act_banner(store: Store, act: int | None, undone: int | None) -> Banner | None:
    """What to say about the act that led to this page, if one did."""
    if undone is not None and _acts(store, '"id" = $1', (undone,)):
        return Banner("Undone: everything is as it was before.", None)
    found = _acts(store, '"id" = $1', (act,)) if act is not None else []
    if not found or found[0].is_undone:
        return None
    counted = f"{found[0].decisions} decision{'s' if found[0].decisions != 1 else ''}"
    return Banner(f"{SAID[found[0].what]} It holds at once; {counted} bind every later run.", found[0].id)


def acts_by_decision(store: Store, decisions: Sequence[int]) -> dict[int, Done]:
    """The act that each of these decisions belongs to, where it belongs to one."""
    if not decisions:
        return {}
    where = '"first_decision" <= $1 AND "last_decision" >= $2'
    columns = list(ACTS)
    rows = store.read("acts", where, (max(decisions), min(decisions)), [c for c in columns if c != "moves"])
    found: dict[int, Done] = {}
    for row in rows.iter_rows(named=True):
        done = _done(row)
        for number in decisions:
            if row["first_decision"] <= number <= row["last_decision"]:
                found[number] = done
    return found


def _acts(store: Store, where: str, parameters: tuple[int | None, ...]) -> list[Done]:
    frame: pl.DataFrame = store.read("acts", where, parameters, [name for name in ACTS if name != "moves"])
    return [_done(row) for row in frame.iter_rows(named=True)]


def _done(row: dict[str, object]) -> Done:
    first, last = row["first_decision"], row["last_decision"]
    count = last - first + 1 if isinstance(first, int) and isinstance(last, int) else 0
    return Done(int(str(row["id"])), str(row["what"]), str(row["by"]), count, row["undone_at"] is not None)
