"""What could not be read, and why."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from samehand.web.find import rows
from samehand.web.find.paging import Asked
from samehand.web.pages.addresses import PageNumber, address_of
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()


@router.get("/rejects")
def rejects(request: Request, library: Opened, person: Reader, page: PageNumber = 1) -> Response:
    """The records that are in no entity."""
    found = rows.rejects(library.store, Asked(page))
    return render(request, "rejects.html", page=found, address=address_of(request))
