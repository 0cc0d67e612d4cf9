"""Merge, split and move: choose, look at what it would give, do it; and undo."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from samehand.curate.acts import Act, What
from samehand.errors import ConflictingDecisionError, UnknownEntityError, UsageError
from samehand.library import Library
from samehand.normalise.tokens import tokens
from samehand.web.find.entities import Search, search
from samehand.web.find.entity import live_id
from samehand.web.find.paging import Asked
from samehand.web.pages.addresses import Words
from samehand.web.pages.sides import sight
from samehand.web.pages.trees import branch_mentions
from samehand.web.render import render
from samehand.web.security.current import Curator
from samehand.web.shelf import Opened

router = APIRouter()

CANDIDATES = 15

Text = Annotated[str, Form(max_length=200)]
Note = Annotated[str, Form(max_length=1_000)]
Chosen = Annotated[list[str], Form(max_length=1_000)]
Listed = Annotated[str, Form(max_length=1_000_000)]
"""Mentions as a JSON list: what a page passes on to the next."""


@router.get("/entity/{id}/merge")
def choose_other(request: Request, library: Opened, person: Curator, id: str, q: Words = "") -> Response:
    """With which other entity to merge: a search among those of its kind."""
    return _choose(request, library, live_id(library.store, id), "merge", [], q)


@router.post("/entity/{id}/preview")
def preview(
    request: Request,
    library: Opened,
    person: Curator,
    id: str,
    what: Annotated[What, Form()],
    mention: Chosen = [],  # noqa: B006 (FastAPI copies it)
    mentions: Listed = "[]",
    branch: Chosen = [],  # noqa: B006 (FastAPI copies it)
    into: Text = "",
    q: Text = "",
) -> Response:
    """What an act would give; nothing is changed. A move or merge without a target leads to the choice of one."""
    entity = live_id(library.store, id)
    chosen = branch_mentions(request, library, entity, branch) if branch else [*mention, *_read(mentions)]
    if what != "split" and not into:
        return _choose(request, library, entity, what, chosen, q)
    about = _about(library, entity, what, chosen, into)
    try:
        act = _act(library, what, entity, chosen, into, None, preview=True)
    except UsageError as error:
        return _refused(request, error, about)
    return render(request, "preview.html", parts=_parts(library, act), act=act, words=_words(act), **about)


@router.post("/entity/{id}/act")
def do(
    request: Request,
    library: Opened,
    person: Curator,
    id: str,
    what: Annotated[What, Form()],
    mentions: Listed = "[]",
    into: Text = "",
    note: Note = "",
) -> Response:
    """Do it, and show the entity as it is then."""
    entity = live_id(library.store, id)
    chosen = _read(mentions)
    about = _about(library, entity, what, chosen, into)
    try:
        act = _act(library, what, entity, chosen, into, person.name, note=note.strip() or None)
    except UsageError as error:
        return _refused(request, error, about)
    request.app.state.keeper.look()
    return RedirectResponse(f"/entity/{act.parts[0].entity}?act={act.id}", 303)


@router.post("/acts/{number}/undo")
def undo(request: Request, library: Opened, person: Curator, number: int, back: Text = "") -> Response:
    """Take an act back, and show the entity from which that was asked."""
    library.undo_act(number, by=person.name)
    request.app.state.keeper.look()
    try:
        return RedirectResponse(f"/entity/{live_id(library.store, back)}?undone={number}", 303)
    except UnknownEntityError:
        return RedirectResponse("/history", 303)


def _act(
    library: Library,
    what: What,
    entity: str,
    mentions: list[str],
    into: str,
    by: str | None,
    *,
    note: str | None = None,
    preview: bool = False,
) -> Act:
    if what == "merge":
        return library.merge(entity, into, by=by, note=note, preview=preview)
    if what == "split":
        return library.split(entity, mentions, by=by, note=note, preview=preview)
    return library.move(mentions, into, by=by, note=note, preview=preview)


def _about(library: Library, entity: str, what: What, mentions: list[str], into: str) -> dict[str, Any]:
    """What the page of an act says about it in any case."""
    return {"entity": _named(library, entity), "what": what, "mentions": mentions, "into": into}


def _read(mentions: str) -> list[str]:
    """The list that a page passed on.

    >>> _read('["x"]')
    ['x']
    """
    try:
        found = orjson.loads(mentions)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, list) or not all(isinstance(mention, str) for mention in found):
        raise UsageError("the form is damaged; go back and choose again")
    return found


def _choose(
    request: Request, library: Library, entity: str, what: What, mentions: list[str], words: str
) -> Response:
    """The choice of a target."""
    own = _named(library, entity)
    wanted = words or _usual_word(own["name"])
    found = search(library.store, Search(own["kind"], wanted), Asked(1, CANDIDATES + 1))
    candidates = [row for row in found.page.rows if row["entity"] != entity][:CANDIDATES]
    return render(
        request, "choose.html", entity=own, what=what, mentions=mentions, words=wanted, candidates=candidates
    )


def _usual_word(name: str) -> str:
    """What to look for first: the last long word of a name, which of a person is the family name.

    >>> _usual_word("Ann B. Lee"), _usual_word("")
    ('lee', '')
    """
    words = tokens(name)
    long = [word for word in words if len(word) > 2]
    return (long or words or [""])[-1]


def _named(library: Library, entity: str) -> dict[str, Any]:
    row = library.store.read("entities", '"id" = $1', (entity,)).row(0, named=True)
    facts = library.store.read("facts", '"entity" = $1', (entity,), ["name"])
    return {
        "id": entity,
        "kind": row["kind"],
        "size": row["size"],
        "name": facts["name"][0] if facts.height else row["name"],
    }


def _parts(library: Library, act: Act) -> list[dict[str, Any]]:
    return [{"part": part, "sight": sight(library.store, part.mentions)} for part in act.parts]


def _words(act: Act) -> dict[str, int]:
    return dict(Counter(word.value for word, _, _ in act.words))


def _refused(request: Request, error: UsageError, about: dict[str, Any]) -> Response:
    status = 409 if isinstance(error, ConflictingDecisionError) else 400
    return render(request, "refused.html", status=status, why=str(error), **about)
