"""Two authors side by side, and what speaks for and against their being one."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from samehand.errors import UsageError
from samehand.library import Library
from samehand.models.persons.explanation import Explanation
from samehand.publish.waterfall import verdict
from samehand.web.pages.drawings import waterfall
from samehand.web.pages.evidence import MOMENT, PATIENCE, evidence_of
from samehand.web.pages.parts import is_part, render_part
from samehand.web.pages.sides import sight
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

Id = Annotated[str, Query(max_length=500)]


@router.get("/compare")
def compare(request: Request, library: Opened, person: Reader, left: Id, right: Id) -> Response:
    """Two author entities or mentions compared; the part alone for the script."""
    found = compared(request, library, left, right, PATIENCE if is_part(request) else MOMENT)
    if is_part(request):
        status = 202 if found["is_waiting"] else 200
        return render_part(request, "compared.html", "Compared", status=status, **found)
    return render(request, "compare.html", section="/authors", left=left, right=right, **found)


def compared(
    request: Request, library: Library, left: str, right: str, wait: float = MOMENT
) -> dict[str, Any]:
    """What the template of a comparison needs; `is_waiting` if the model's answer is not there yet."""
    try:
        found = evidence_of(request).explanation(library, left, right, wait)
    except UsageError as error:
        return {
            "is_waiting": False,
            "why_not": str(error),
            "sides": _plain_sides(library, left, right),
            "falls": [],
        }
    if found is None:
        return {"is_waiting": True, "why_not": "", "sides": [], "falls": []}
    return {"is_waiting": False, "why_not": ""} | _told(library, found)


def _told(library: Library, found: Explanation) -> dict[str, Any]:
    sides = [sight(library.store, side.mentions) for side in (found.left, found.right)]
    return {"sides": sides, "falls": waterfall(found), "said": verdict(found), "explanation": found}


def _plain_sides(library: Library, left: str, right: str) -> list[Any]:
    """Both sides where the model has nothing to say."""
    try:
        return [sight(library.store, library.entity(id).mentions["id"].to_list()) for id in (left, right)]
    except UsageError:
        return []
