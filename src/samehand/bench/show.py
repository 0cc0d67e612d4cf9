"""How rows of figures are printed: as JSON lines the moment they are known, or as tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table

from samehand.bench import Row


def print_json(rows: Iterable[Row]) -> None:
    """One JSON object per line, flushed at once so that a long run can be watched."""
    for row in rows:
        print(orjson.dumps(row, option=orjson.OPT_SERIALIZE_NUMPY).decode(), flush=True)


def print_table(rows: Iterator[Row]) -> None:
    """A table for people; rows with different figures stand in different tables."""
    console = Console()
    with console.status("measuring ..."):
        measured = list(rows)
    for columns, group in groupby(measured, key=_columns):
        console.print(_table(columns, list(group)))


def _columns(row: Row) -> tuple[str, ...]:
    return tuple(row)


def _table(columns: tuple[str, ...], rows: list[Row]) -> Table:
    table = Table(box=None, header_style="bold")
    for column in columns:
        table.add_column(column, justify="left" if column in ("bench", "set", "method") else "right")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    return table


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "" if value is None else str(value)
