"""The runs of a library, and one run: its settings, how it went, how fast each step was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson
import polars as pl
from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from samehand.store import Store
from samehand.web.find import rows
from samehand.web.find.paging import Asked, Row
from samehand.web.pages.addresses import PageNumber, address_of
from samehand.web.pages.drawings import Axis, curve, share
from samehand.web.pages.filters import number, seconds
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

TRACE = "trace"
"""Of a run's settings: how it went (a JSON object; each of its parts may be missing)."""


@router.get("/runs")
def runs(request: Request, library: Opened, person: Reader, page: PageNumber = 1) -> Response:
    """All runs, the latest first."""
    found = rows.runs(library.store, Asked(page))
    told = [row | {"told": _settings(row), "took": _took(row)} for row in found.rows]
    return render(request, "runs.html", page=found, rows=told, address=address_of(request))


@router.get("/runs/{run}")
def one(request: Request, library: Opened, person: Reader, run: int) -> Response:
    """One run."""
    row = rows.run(library.store, run)
    settings = _settings(row)
    trace = settings.pop(TRACE, None)
    trace = trace if isinstance(trace, dict) else {}
    return render(
        request,
        "run.html",
        section="/runs",
        run=row,
        took=_took(row),
        settings={name: value for name, value in settings.items() if value is not None},
        steps=_steps(trace.get("steps")),
        curves=_curves(trace.get("curve")),
        moves=_moves(trace.get("moves")),
        events=_events(library.store, run),
    )


def _settings(row: Row) -> dict[str, Any]:
    found = orjson.loads(row["settings"])
    return found if isinstance(found, dict) else {}


def _took(row: Row) -> float:
    return float((row["finished"] - row["started"]).total_seconds())


def _events(store: Store, run: int) -> list[tuple[str, str, int]]:
    schema = pl.Schema({"event": pl.String(), "kind": pl.String(), "count": pl.Int64()})
    sql = 'SELECT "event", "kind", COUNT(*) AS "count" FROM events WHERE "run" = $1 GROUP BY "event", "kind"'
    return list(store.query(schema, f'{sql} ORDER BY "kind", "event"', (run,)).iter_rows())


@dataclass(frozen=True)
class Measure:
    """A line of figures: its name, the figure in words, and a bar."""

    name: str
    figure: str
    svg: Markup


def _steps(steps: Any) -> list[Measure]:
    """How long each step took."""
    known = {str(name): float(value) for name, value in steps.items()} if isinstance(steps, dict) else {}
    longest = max([*known.values(), 1e-9])
    return [Measure(name, seconds(value), share(value / longest)) for name, value in known.items()]


def _moves(moves: Any) -> list[Measure]:
    """How many proposals of each move were accepted."""
    found = []
    for name, (proposed, accepted) in moves.items() if isinstance(moves, dict) else ():
        rate = accepted / proposed if proposed else 0.0
        found.append(Measure(str(name), f"{rate:.1%} of {number(proposed)}", share(rate)))
    return found


def _curves(points: Any) -> list[tuple[str, Markup]]:
    """Score and number of clusters over time."""
    if not isinstance(points, list) or len(points) < 2:
        return []
    times = [float(point[0]) for point in points]
    across = Axis(times[0], times[-1], seconds(times[0]), seconds(times[-1]), "time")
    drawn = []
    for place, title in ((1, "score"), (2, "clusters")):
        values = [float(point[place]) for point in points]
        low, high = min(values), max(values)
        up = Axis(low, high, number(low), number(high), title)
        said = (
            f"{title.capitalize()} from {number(values[0])} to {number(values[-1])} in {seconds(times[-1])}"
        )
        drawn.append((said, curve([list(zip(times, values, strict=True))], across, up, said)))
    return drawn
