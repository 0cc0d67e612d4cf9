"""Every decision ever made: searched, and taken back."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from samehand.errors import UsageError
from samehand.records import Kind
from samehand.web.find.ledger import Asking, Standing, decisions
from samehand.web.find.paging import Asked
from samehand.web.pages.acts_done import acts_by_decision
from samehand.web.pages.addresses import PageNumber, Words, address_of
from samehand.web.render import render
from samehand.web.security.current import Curator, Reader
from samehand.web.shelf import Opened

router = APIRouter()

Unchosen = Literal[""]
"""What a form sends where nothing is chosen."""


@router.get("/history")
def history(
    request: Request,
    library: Opened,
    person: Reader,
    q: Words = "",
    by: Words = "",
    kind: Kind | Unchosen = "",
    standing: Standing | Unchosen = "",
    act: int | None = None,
    page: PageNumber = 1,
    undone: Annotated[int | None, Query()] = None,
) -> Response:
    """The decisions, the latest first; an act is one line, unless a word is looked for or its decisions are wanted."""
    asking = Asking(q, by or None, kind or None, standing or None, act, folded=not q)
    found = decisions(library.store, asking, Asked(page))
    acts = acts_by_decision(library.store, [row["id"] for row in found.rows])
    return render(
        request,
        "history.html",
        asking=asking,
        page=found,
        acts=acts,
        address=address_of(request),
        undone=undone,
    )


@router.post("/history/{decision}/undo")
def undo(request: Request, library: Opened, person: Curator, decision: int) -> Response:
    """Take back a decision, or the act it belongs to."""
    try:
        library.undo(decision, by=person.name)
    except UsageError as error:
        return render(request, "undo_refused.html", status=409, why=str(error))
    request.app.state.keeper.look()
    return RedirectResponse(f"/history?undone={decision}", 303)
