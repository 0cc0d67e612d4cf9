"""Lists of authors, papers and venues: searched by words, narrowed by facets, paged."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from samehand.errors import UnknownEntityError
from samehand.library import Library
from samehand.records import Kind
from samehand.web.find.entities import SIZE_CLASSES, SURE_CLASSES, Search, Sort, search
from samehand.web.find.entity import live_id
from samehand.web.find.paging import Asked
from samehand.web.pages.addresses import PageNumber, Words, address_of
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

ABOUT = {
    "author": "Persons, each with all the names it is written under.",
    "paper": "Each paper once, with all references to it.",
    "venue": "Journals, conferences and publishers' series.",
    None: "Every name, title and venue.",
}
SORT_NAMES = {"size": "largest", "name": "name", "doubt": "least sure", "year": "latest"}
KIND_NAMES = {"author": "Authors", "paper": "Papers", "venue": "Venues", None: "Search"}

Class = Annotated[str | None, Query(max_length=20)]


def _narrowing(
    q: Words = "", size: Class = None, sure: Class = None, decade: int | None = None, sort: Sort = "size"
) -> Search:
    """What a request asks for, of any kind."""
    return Search(None, q, size, sure, decade, sort)


Narrowing = Annotated[Search, Depends(_narrowing)]


@router.get("/authors")
def authors(
    request: Request, library: Opened, person: Reader, wanted: Narrowing, page: PageNumber = 1
) -> Response:
    """All authors."""
    return _listed(request, library, replace(wanted, kind="author"), page)


@router.get("/papers")
def papers(
    request: Request, library: Opened, person: Reader, wanted: Narrowing, page: PageNumber = 1
) -> Response:
    """All papers."""
    return _listed(request, library, replace(wanted, kind="paper"), page)


@router.get("/venues")
def venues(
    request: Request, library: Opened, person: Reader, wanted: Narrowing, page: PageNumber = 1
) -> Response:
    """All venues."""
    return _listed(request, library, replace(wanted, kind="venue"), page)


@router.get("/search")
def everything(
    request: Request,
    library: Opened,
    person: Reader,
    wanted: Narrowing,
    kind: Kind | None = None,
    page: PageNumber = 1,
) -> Response:
    """Entities of all kinds; an identifier leads straight to its entity."""
    if wanted.words.strip():
        with suppress(UnknownEntityError):
            return RedirectResponse(f"/entity/{live_id(library.store, wanted.words.strip())}", 302)
    return _listed(request, library, replace(wanted, kind=kind), page)


def _listed(request: Request, library: Library, wanted: Search, page: int) -> Response:
    found = search(library.store, wanted, Asked(page))
    of_all = request.url.path == "/search"
    kind = None if of_all else wanted.kind
    return render(
        request,
        "browse.html",
        wanted=wanted,
        page=found.page,
        facets=_facets(found.facets, wanted, of_all),
        title=KIND_NAMES[kind],
        about=ABOUT[kind],
        of_all=of_all,
        sorts=SORT_NAMES,
        address=address_of(request),
        is_indexing=request.app.state.keeper.busy,
    )


def _facets(counts: dict[str, dict[str, int]], wanted: Search, of_all: bool) -> list[dict[str, object]]:
    """The facets in order: name of the parameter, heading, the class asked for, and every class with its count."""
    decades = sorted(counts["decade"], reverse=True)
    facets = [
        ("size", "Mentions", wanted.size, SIZE_CLASSES),
        ("sure", "How sure", wanted.sure, SURE_CLASSES),
    ]
    shown = [*facets, ("decade", "Latest year", wanted.decade and str(wanted.decade), decades)]
    if of_all:
        shown.insert(0, ("kind", "Kind", wanted.kind, ("author", "paper", "venue")))
    return [
        {
            "name": name,
            "heading": heading,
            "chosen": chosen,
            "classes": [(one, counts[name][one]) for one in classes if counts[name].get(one)],
        }
        for name, heading, chosen, classes in shown
    ]
