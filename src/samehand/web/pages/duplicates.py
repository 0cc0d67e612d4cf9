"""Duplicates: entries of one paper side by side, field by field, with the entry that they become."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from samehand.errors import UsageError
from samehand.library import Library
from samehand.publish.bibtex import entry_text
from samehand.web.find.duplicates import merged_papers, twin_papers
from samehand.web.find.entity import live_id
from samehand.web.find.paging import Asked
from samehand.web.pages.addresses import PageNumber, address_of
from samehand.web.pages.fields import Merging, merging
from samehand.web.pages.parts import render_part
from samehand.web.render import render
from samehand.web.security.current import Curator, Reader
from samehand.web.shelf import Opened

router = APIRouter()

FIELD = "field-"
"""How the names of a form's fields begin whose values are references."""

Id = Annotated[str, Query(max_length=100)]


async def _sent(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


Sent = Annotated[dict[str, str], Depends(_sent)]


@router.get("/duplicates")
def duplicates(
    request: Request,
    library: Opened,
    person: Reader,
    show: Literal["merged", "apart"] = "merged",
    page: PageNumber = 1,
) -> Response:
    """Papers with several entries, or papers of one title that are kept apart."""
    found = (merged_papers if show == "merged" else twin_papers)(library.store, Asked(page))
    return render(request, "duplicates.html", show=show, page=found, address=address_of(request))


@router.get("/duplicates/{paper}")
def compare(
    request: Request, library: Opened, person: Reader, paper: str, other: Id = "", saved: bool = False
) -> Response:
    """The entries of one paper, or of two that may be one."""
    return _page(request, library, paper, other, saved=saved)


@router.post("/duplicates/{paper}/preview")
def preview(request: Request, library: Opened, person: Reader, paper: str, sent: Sent) -> Response:
    """The entry that the choices give, alone."""
    ids = _ids(library, paper, sent.get("other", ""))
    return render_part(request, "entry.html", "The merged entry", **_entry(merging(library, ids), sent))


@router.post("/duplicates/{paper}")
def accept(request: Request, library: Opened, person: Curator, paper: str, sent: Sent) -> Response:
    """Keep the choices; two papers become one."""
    other = sent.get("other", "")
    ids = _ids(library, paper, other)
    made = merging(library, ids)
    try:
        if len(ids) > 1:
            library.merge(*ids, by=person.name, note="duplicate entries")
        library.choose(ids[0], made.differing(_chosen(sent)), by=person.name)
    except UsageError as error:
        return _page(request, library, paper, other, why=str(error))
    request.app.state.keeper.look()
    return RedirectResponse(f"/duplicates/{live_id(library.store, ids[0])}?saved=1", 303)


def _page(
    request: Request, library: Library, paper: str, other: str, *, saved: bool = False, why: str = ""
) -> Response:
    ids = _ids(library, paper, other)
    made = merging(library, ids)
    return render(
        request,
        "duplicate.html",
        status=409 if why else 200,
        section="/duplicates",
        ids=ids,
        made=made,
        saved=saved,
        why=why,
        prefix=FIELD,
        **_entry(made, {}),
    )


def _ids(library: Library, paper: str, other: str) -> list[str]:
    """The papers that are looked at: one, or two."""
    found = dict.fromkeys(live_id(library.store, id) for id in (paper, other) if id)
    kinds = [library.store.read("entities", '"id" = $1', (id,), ["kind"]).item() for id in found]
    if any(kind != "paper" for kind in kinds):
        raise UsageError("only papers have entries to compare")
    return list(found)


def _chosen(sent: dict[str, str]) -> dict[str, str]:
    return {name.removeprefix(FIELD): value for name, value in sent.items() if name.startswith(FIELD)}


def _entry(made: Merging, sent: dict[str, str]) -> dict[str, Any]:
    entry = made.entry(_chosen(sent))
    return {
        "text": entry_text(entry),
        "key": entry.key,
        "aliases": [key for key in made.keys if key != entry.key],
    }
