"""The overview: what is in the library, what happened last, how sure it is, and what to look at first."""

from __future__ import annotations

from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from samehand.records import KINDS
from samehand.store import Store
from samehand.web.find import rows
from samehand.web.find.doubt import most_misplaced
from samehand.web.find.entities import SIZE_CLASSES, SURE_CLASSES
from samehand.web.find.ledger import Asking, decisions
from samehand.web.find.paging import Asked
from samehand.web.find.state import found_state, state
from samehand.web.pages.acts_done import acts_by_decision
from samehand.web.pages.drawings import share, timeline
from samehand.web.queue import HELD
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

SHOWN = 6
DOUBTFUL_SHOWN = 10
COUNTS = ("references", "papers", "authors", "venues", "decisions", "rejects")
LEADS = {
    "papers": "/papers",
    "authors": "/authors",
    "venues": "/venues",
    "decisions": "/history",
    "rejects": "/rejects",
}
EVENTS = ("created", "merged", "split", "vanished", "returned")


@router.get("/")
def overview(request: Request, library: Opened, person: Reader) -> Response:
    """The first page."""
    return render(
        request,
        "overview.html",
        **_known(request, library.store),
        most=HELD,
        questions=request.app.state.queue.progress(library, person.name),
        is_indexing=request.app.state.keeper.busy,
    )


def _known(request: Request, store: Store) -> dict[str, Any]:
    """All that the state of the library and its lists decide: kept until it changes."""
    now = f"{state(store)} {found_state(store)}"
    kept: tuple[str, dict[str, Any]] | None = getattr(request.app.state, "overview", None)
    if kept is None or kept[0] != now:
        with store.reading():
            kept = (now, _looked_up(store))
        request.app.state.overview = kept
    return kept[1]


def _looked_up(store: Store) -> dict[str, Any]:
    known = rows.counts(store)
    facets = store.read("facets")
    runs = rows.runs(store, Asked(1, SHOWN)).rows
    decided = decisions(store, Asking(folded=True), Asked(1, SHOWN)).rows
    return {
        "counts": [(name, known[name], LEADS.get(name)) for name in COUNTS],
        "mentions": known["mentions"],
        "runs": runs,
        "changed": _changed(store, runs[0]["id"] if runs else 0),
        "sure": _classes(facets, "sure_class", SURE_CLASSES),
        "sizes": _classes(facets, "size_class", SIZE_CLASSES),
        "decades": _decades(facets),
        "first": most_misplaced(store, DOUBTFUL_SHOWN),
        "decided": decided,
        "acts": acts_by_decision(store, [row["id"] for row in decided]),
        "sources": rows.sources(store, Asked(1, SHOWN)),
    }


def _changed(store: Store, run: int) -> list[tuple[str, int]]:
    """What the last run, and acts since, did to entities."""
    schema = pl.Schema({"event": pl.String(), "count": pl.Int64()})
    sql = 'SELECT "event", COUNT(*) AS "count" FROM events WHERE "run" = $1 GROUP BY "event"'
    found = dict(store.query(schema, sql, (run,)).iter_rows())
    return [(event, found[event]) for event in EVENTS if event in found]


def _classes(facets: pl.DataFrame, column: str, classes: tuple[str, ...]) -> list[dict[str, Any]]:
    """For each class and kind, how many entities there are and what share of their kind they are."""
    totals = dict(facets.group_by("kind").agg(pl.col("count").sum()).iter_rows())
    counted = facets.group_by("kind", column).agg(pl.col("count").sum())
    count = {(kind, name): number for kind, name, number in counted.iter_rows()}
    lines = []
    for name in classes:
        cells = [(kind, count.get((kind, name), 0)) for kind in KINDS]
        bars: list[tuple[str, int, Markup]] = [
            (kind, number, share(number / max(totals.get(kind, 0), 1))) for kind, number in cells
        ]
        if any(number for _, number, _ in bars):
            lines.append({"name": name, "cells": bars})
    return lines


def _decades(facets: pl.DataFrame) -> Any:
    """Papers by decade, as a timeline of decades."""
    papers = facets.filter((pl.col("kind") == "paper") & pl.col("decade").is_not_null())
    counted = papers.group_by("decade").agg(pl.col("count").sum()).sort("decade")
    return timeline([(decade // 10, count) for decade, count in counted.iter_rows()])
