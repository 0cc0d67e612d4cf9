"""The fields of parsed citations, as a person reads them in a terminal and a program as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samehand.models.citations.parsing.marginals import FIELDS, Field

Fields = Mapping[str, Field]


@dataclass(frozen=True)
class Parsed:
    """A citation and its fields, read alone and together with others of its paper; None where not asked for."""

    id: str
    text: str
    alone: Fields | None
    together: Fields | None


def parsed_json(parsed: Parsed) -> str:
    """One JSON object: `id`, `text`, and under `alone` and `together` the fields and their `probability`.

    >>> parsed_json(Parsed("a:1", "Lee", {"title": Field("On", 0.5)}, None))
    '{"id":"a:1","text":"Lee","alone":{"title":"On","probability":{"title":0.5}}}'
    """
    told = {"alone": parsed.alone, "together": parsed.together}
    record: dict[str, Any] = {"id": parsed.id, "text": parsed.text}
    record |= {name: _plain(fields) for name, fields in told.items() if fields is not None}
    return orjson.dumps(record).decode()


def _plain(fields: Fields) -> dict[str, Any]:
    values: dict[str, Any] = {name: field.value for name, field in fields.items()}
    return values | {"probability": {name: round(field.probability, 6) for name, field in fields.items()}}


def print_parsed(citations: Iterable[Parsed], console: Console | None = None) -> None:
    """Each citation, and under it its fields with their probabilities; the reading together with others stands beside
    where it differs."""
    console = console or Console()
    for parsed in citations:
        console.print(Text(parsed.text, style="italic"))
        console.print(_table(parsed))
        console.print()


def _table(parsed: Parsed) -> Table:
    columns = [fields for fields in (parsed.alone, parsed.together) if fields is not None]
    if len(columns) == 2 and all(columns[0][name].value == columns[1][name].value for name in FIELDS):
        columns = columns[1:]
    table = Table(box=None, show_header=len(columns) == 2, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("alone", "together")[: len(columns)]:
        table.add_column(heading, overflow="fold")
        table.add_column("", justify="right")
    for name in FIELDS:
        if any(fields[name].value for fields in columns):
            table.add_row(Text(f"  {name}", style="dim"), *_cells([fields[name] for fields in columns]))
    return table


def _cells(fields: list[Field]) -> list[Text]:
    """Value and probability of a field in each column; what differs is marked."""
    differs = len({field.value for field in fields}) > 1
    cells = []
    for field in fields:
        value = "; ".join(field.value) if isinstance(field.value, tuple) else str(field.value or "")
        cells.append(Text(value, style="bold" if differs else ""))
        cells.append(
            Text(f"{field.probability:.2f}", style="green" if field.probability >= 0.95 else "yellow")
        )
    return cells
