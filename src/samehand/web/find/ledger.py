"""The decisions of curators, paged, searched, and those about one entity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from samehand.curate.decisions import DECISIONS
from samehand.records import Kind
from samehand.store import Store
from samehand.web.find.matching import Condition
from samehand.web.find.paging import Asked, Page

Standing = Literal["in force", "undone"]

DECIDED = pl.Schema(
    {
        **DECISIONS,
        "left_name": pl.String(),
        "right_name": pl.String(),
        "left_now": pl.String(),
        "right_now": pl.String(),
    }
)
"""A decision, how its two mentions are written, and the entities they belong to now (null: no longer there)."""

_FROM = (
    'FROM decisions LEFT JOIN mentions AS l ON l."id" = decisions."left" '
    'LEFT JOIN mentions AS r ON r."id" = decisions."right" '
    'LEFT JOIN assignments AS la ON la."mention" = decisions."left" '
    'LEFT JOIN assignments AS ra ON ra."mention" = decisions."right"'
)


@dataclass(frozen=True)
class Asking:
    """Which decisions: with `text` in a name, note, mention or curator; by whom; of which kind; still in force or not.

    `act` asks for those of one act; with `folded`, the last decision of an act stands for all of it.
    """

    text: str = ""
    by: str | None = None
    kind: Kind | None = None
    standing: Standing | None = None
    act: int | None = None
    folded: bool = False


def decisions(store: Store, asking: Asking | None = None, asked: Asked | None = None) -> Page:
    """Every decision ever made that is asked for, the latest first; rows of schema `DECIDED`."""
    asking, condition = asking or Asking(), Condition()
    parts = ["1 = 1"]
    if asking.text:
        parts.append(_mentioning(asking.text, condition))
    if asking.by:
        parts.append(f'decisions."by" = {condition.bind(asking.by)}')
    if asking.kind:
        parts.append(f'decisions."kind" = {condition.bind(asking.kind)}')
    if asking.standing:
        undone = "IS NULL" if asking.standing == "in force" else "IS NOT NULL"
        parts.append(f'decisions."undone_at" {undone}')
    if asking.act is not None:
        within = 'decisions."id" BETWEEN acts."first_decision" AND acts."last_decision"'
        parts.append(
            f'EXISTS (SELECT 1 FROM acts WHERE acts."id" = {condition.bind(asking.act)} AND {within})'
        )
    elif asking.folded:
        inside = 'decisions."id" >= acts."first_decision" AND decisions."id" < acts."last_decision"'
        parts.append(f"NOT EXISTS (SELECT 1 FROM acts WHERE {inside})")
    return _page(store, " AND ".join(parts), condition, asked or Asked())


def decisions_about(store: Store, entity: str, asked: Asked | None = None) -> Page:
    """The decisions on mentions that an entity has now, the latest first."""
    condition = Condition()
    mine = [
        f'decisions."{side}" IN (SELECT "mention" FROM assignments WHERE "entity" = {condition.bind(entity)})'
        for side in ("left", "right")
    ]
    return _page(store, f"({' OR '.join(mine)})", condition, asked or Asked())


def _mentioning(text: str, condition: Condition) -> str:
    columns = ('l."name"', 'r."name"', *(f'decisions."{name}"' for name in ("note", "left", "right", "by")))
    return (
        "("
        + " OR ".join(f"LOWER({name}) LIKE {condition.bind(_pattern(text))} ESCAPE '!'" for name in columns)
        + ")"
    )


def _pattern(text: str) -> str:
    """What LIKE takes for any text that contains this one.

    >>> _pattern("50%_A!")
    '%50!%!_a!!%'
    """
    escaped = text.lower().replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return f"%{escaped}%"


def _page(store: Store, where: str, condition: Condition, asked: Asked) -> Page:
    columns = ", ".join(f'decisions."{name}" AS "{name}"' for name in DECISIONS)
    columns += ', l."name" AS "left_name", r."name" AS "right_name"'
    columns += ', la."entity" AS "left_now", ra."entity" AS "right_now"'
    sql = f'SELECT {columns} {_FROM} WHERE {where} ORDER BY decisions."id" DESC {asked.clause()}'
    with store.reading():
        total = store.number(f"SELECT COUNT(*) {_FROM} WHERE {where}", condition.parameters)
        return Page.of(store.query(DECIDED, sql, condition.parameters), total, asked)
