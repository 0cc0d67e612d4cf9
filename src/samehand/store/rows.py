"""Rows on their way into a table: in order, in place of others, of some kinds only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from samehand.records import KINDS, Kind
from samehand.store import Parameter, Store
from samehand.store.schema import TABLES

Condition = tuple[str, Sequence[Parameter]]
"""Which rows, as SQL, and its parameters; an empty text is every row."""

EVERY: Condition = ("", ())


def of_kinds(kinds: Iterable[Kind]) -> Condition:
    """The rows of these kinds; no condition where that is every row.

    >>> of_kinds(["venue", "paper"])
    ('"kind" IN ($1, $2)', ['paper', 'venue'])
    """
    wanted = [kind for kind in KINDS if kind in set(kinds)]
    if len(wanted) == len(KINDS):
        return EVERY
    places = ", ".join(f"${number}" for number in range(1, len(wanted) + 1))
    return f'"kind" IN ({places})', wanted


def next_position(store: Store, table: str) -> int:
    """The position after the last row of a table."""
    return store.number(f'SELECT COALESCE(MAX("position"), -1) + 1 FROM "{table}"')


def append_in_order(store: Store, table: str, frame: pl.DataFrame) -> None:
    """Add rows after those that are there."""
    start = next_position(store, table)
    position = pl.int_range(start, start + frame.height, dtype=pl.Int64, eager=True)
    store.append(table, frame.with_columns(position.alias("position")))


def replace_rows(store: Store, table: str, frame: pl.DataFrame, where: Condition = EVERY) -> None:
    """Put these rows in the place of those for which the condition holds."""
    condition, parameters = where
    store.execute(f"DELETE FROM {table}" + (f" WHERE {condition}" if condition else ""), parameters)
    if "position" in TABLES[table]:
        append_in_order(store, table, frame)
    else:
        store.append(table, frame)
