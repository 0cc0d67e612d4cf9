"""What a library says of new references, for people in a terminal and for programs as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import orjson
from rich.console import Console
from rich.text import Text

from samehand.models.stream.assignment import Assignment
from samehand.publish.shown import shown

NAME_SHOWN = 34
OTHERS_SHOWN = 2


def by_reference(assignments: Iterable[Assignment]) -> Iterator[tuple[str, list[Assignment]]]:
    """The assignments of each reference."""
    for reference, found in groupby(assignments, key=lambda one: one.reference):
        yield reference, list(found)


def assignments_json(assignments: Iterable[Assignment]) -> Iterator[str]:
    """One JSON object for each reference."""
    for reference, found in by_reference(assignments):
        told = {"reference": reference, "assignments": [one.to_dict() for one in found]}
        yield orjson.dumps(told).decode()


def print_assignments(assignments: Iterable[Assignment], console: Console) -> None:
    """Each reference with its mentions, the entities they were given, and what else they may be."""
    for reference, found in by_reference(assignments):
        known = " (in the library already)" if found[0].known else ""
        console.print(Text(shown(reference), style="bold").append(known, style="dim"))
        for one in found:
            console.print(_line(one))


def _line(found: Assignment) -> Text:
    best = found.candidates[0]
    whose = shown(best.name or "", NAME_SHOWN) if best.entity else "new"
    text = Text(f"  {found.kind:<7}{shown(found.name, NAME_SHOWN):<{NAME_SHOWN + 2}} ")
    text.append(f"{found.entity or '':<12} ", style="cyan").append(
        whose, style="" if best.entity else "green"
    )
    if best.probability is not None:
        text.append(f" {best.probability:.2f}", style="bold yellow" if found.asked else "dim")
    others = [
        f"{shown(other.name or '', NAME_SHOWN) if other.entity else 'new'} {other.probability:.2f}"
        for other in found.candidates[1 : OTHERS_SHOWN + 1]
        if other.probability is not None and other.probability >= 0.01
    ]
    if others:
        text.append(f"  or {', '.join(others)}", style="dim")
    return text.append("  ?", style="bold yellow") if found.asked else text
