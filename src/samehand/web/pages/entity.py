"""The page of one entity: its record, its spellings, who and what stands around it, its branches, its history."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from samehand.errors import UsageError
from samehand.library import Library
from samehand.records import Kind
from samehand.web.find import entity as find
from samehand.web.find.ledger import decisions_about
from samehand.web.find.paging import Asked
from samehand.web.pages import trees
from samehand.web.pages.acts_done import act_banner, acts_by_decision
from samehand.web.pages.addresses import PageNumber, address_of
from samehand.web.pages.drawings import timeline
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()
router.include_router(trees.router)

VARIANTS_SHOWN = 12
BESIDE_SHOWN = 10
HISTORY_SHOWN = 8
SECTIONS: dict[Kind, str] = {"author": "/authors", "paper": "/papers", "venue": "/venues"}
ROLES: dict[Kind, tuple[tuple[find.Role, str], ...]] = {
    "author": (("coauthor", "Co-authors"), ("venue", "Venues")),
    "venue": (("author", "Authors"),),
    "paper": (),
}
RECORD_FIELDS = {
    "author": ("orcid",),
    "venue": (),
    "paper": (
        "type", "venue", "year", "volume", "number", "pages", "publisher", "doi", "arxiv", "pmid", "isbn", "url", "key",
    ),
}  # fmt: skip


@router.get("/mention/{id:path}")
def mention(library: Opened, person: Reader, id: str) -> Response:
    """The entity that a mention belongs to."""
    return RedirectResponse(f"/entity/{find.live_id(library.store, id)}", 302)


@router.get("/entity/{id}")
def entity(
    request: Request,
    library: Opened,
    person: Reader,
    id: str,
    page: PageNumber = 1,
    works: PageNumber = 1,
    doubtful: bool = False,
    act: int | None = None,
    undone: int | None = None,
) -> Response:
    """One entity; an identifier that was merged away leads to the one that stands for it."""
    live = find.live_id(library.store, id)
    if live != id:
        return RedirectResponse(request.url.path.replace(id, live) + _query(request), 302)
    whole = find.whole(library, live)
    store = library.store
    decided = decisions_about(store, live, Asked(1, HISTORY_SHOWN))
    return render(
        request,
        "entity.html",
        section=SECTIONS[whole.kind],
        whole=whole,
        record=_record(whole),
        variants=find.variants_of(store, live, Asked(1, VARIANTS_SHOWN)),
        drawn=timeline(find.years_of(store, live)),
        beside=[
            (name, find.linked(store, live, role, Asked(1, BESIDE_SHOWN))) for role, name in ROLES[whole.kind]
        ],
        papers=find.linked(store, live, "paper", Asked(works, BESIDE_SHOWN))
        if whole.kind != "paper"
        else None,
        versions=find.versions_of(store, live) if whole.kind == "paper" else [],
        mentions=find.mentions_of(store, live, Asked(page), doubtful=doubtful),
        doubtful=doubtful,
        decided=decided,
        acts=acts_by_decision(store, [row["id"] for row in decided.rows]),
        events=find.events_of(store, live, Asked(1, HISTORY_SHOWN)),
        redirects=find.merged_into(store, live),
        banner=act_banner(store, act, undone),
        address=address_of(request),
        **_tree(request, library, live),
    )


def _query(request: Request) -> str:
    return f"?{request.url.query}" if request.url.query else ""


def _tree(request: Request, library: Library, entity: str) -> dict[str, Any]:
    """The tree if it is known, why there is none, or neither: then the browser asks for it later."""
    try:
        tree = trees.tree_of(request, library, entity)
    except UsageError as error:
        return {"tree": None, "no_tree": str(error), "entity": entity}
    shown = trees.shown_tree(library.store, tree) if tree else None
    return {"tree": shown, "no_tree": "", "entity": entity}


def _record(whole: find.Whole) -> list[tuple[str, str]]:
    """The single fields of the canonical record, in order."""
    return [(name, str(whole.record[name])) for name in RECORD_FIELDS[whole.kind] if name in whole.record]
