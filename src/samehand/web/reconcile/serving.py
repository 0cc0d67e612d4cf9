"""What both versions of the protocol serve alike: who may ask, matching, suggestions, previews."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request
from starlette.responses import HTMLResponse

from samehand.errors import UnknownEntityError
from samehand.library import Library
from samehand.records import KINDS, Kind
from samehand.web.api.resolve import check_indexed
from samehand.web.find.entities import Search, search
from samehand.web.find.entity import live_id, whole
from samehand.web.find.paging import Asked, Row
from samehand.web.reconcile import core, papers, persons, venues
from samehand.web.reconcile.types import PROPERTIES, TYPE_OF, TYPES
from samehand.web.render import environment
from samehand.web.security.current import MustLogIn, current
from samehand.web.security.forgery import has_bearer
from samehand.web.security.people import Person, Role
from samehand.web.shelf import shelf_of

MOST_QUERIES = 100
MOST_IDS = 200
SUGGESTED = 10
PREVIEW_WIDTH, PREVIEW_HEIGHT = 400, 200

WEIGHERS: dict[Kind, core.Weigher] = {"paper": papers.weigh, "author": persons.weigh, "venue": venues.weigh}

FRAMED = (
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors http://localhost:* http://127.0.0.1:* https:"
)
"""Previews are shown in a frame of the client's page; they hold nothing that could be clicked."""


def _program(request: Request) -> Person:
    """Other sites may call these routes: a browser's cookie counts for nothing here, only a bearer token does."""
    if request.app.state.login and not has_bearer(request):
        raise MustLogIn
    person = current(request)
    if person.role is Role.NOBODY:
        raise MustLogIn
    return person


Program = Annotated[Person, Depends(_program)]
Prefix = Annotated[str, Query(max_length=300, description="What was typed so far.")]
Cursor = Annotated[int, Query(ge=0, le=10_000, description="How many suggestions to skip.")]
AskedId = Annotated[str, Query(min_length=1, max_length=40, description="An entity.")]


def match_all(request: Request, queries: Sequence[core.Query]) -> list[list[core.Candidate]]:
    """The candidates of each query."""
    if len(queries) > MOST_QUERIES:
        raise HTTPException(400, f"a batch has at most {MOST_QUERIES} queries, not {len(queries)}")
    with shelf_of(request).resolver() as library:
        check_indexed(library.store)
        return [core.match(library, query, WEIGHERS) for query in queries]


def kinds_of(types: Sequence[str]) -> tuple[Kind, ...]:
    """The kinds that are asked for: all if no type is named, none if only types that we do not have.

    >>> kinds_of([]), kinds_of(["Person"]), kinds_of(["Cheese"])
    (('paper', 'author', 'venue'), ('author',), ())
    """
    return tuple(TYPES[name].kind for name in dict.fromkeys(types) if name in TYPES) if types else KINDS


def values_as_text(value: Any) -> list[str]:
    """A property's value as the protocol may give it (text, number, truth, entity, or a list of these), as texts.

    >>> values_as_text([{"id": "a1", "name": "Ada"}, 1999, "x"])
    ['Ada', '1999', 'x']
    """
    values = value if isinstance(value, list) else [value]
    return [
        str(one.get("name") or one.get("id", "")) if isinstance(one, dict) else str(one) for one in values
    ]


def evidence_of(pairs: Iterable[tuple[str, Any]]) -> dict[str, list[str]]:
    """The values given for the properties that are evidence; others say nothing to the model."""
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        if name in PROPERTIES and PROPERTIES[name].evidence:
            texts = [text.strip()[: core.LONGEST] for text in values_as_text(value)]
            found.setdefault(name, []).extend(text for text in texts if text)
    return {name: values for name, values in found.items() if values}


def suggested_entities(library: Library, prefix: str, cursor: int) -> list[Row]:
    """Entities whose names begin like what was typed."""
    page = search(library.store, Search(None, prefix), Asked(1, min(200, cursor + SUGGESTED))).page
    return page.rows[cursor:] if prefix.strip() else []


def told_entity(row: Row) -> dict[str, Any]:
    """A suggested entity as the protocol has it."""
    return {
        "id": row["entity"],
        "name": row["name"],
        "description": core.described(row),
        "notable": [TYPE_OF[row["kind"]].told()],
    }


def suggested_types(prefix: str) -> list[dict[str, str]]:
    """The types whose name begins so."""
    return [
        one.told() | {"description": one.description} for one in TYPES.values() if _begins(one.name, prefix)
    ]


def suggested_properties(prefix: str) -> list[dict[str, str]]:
    """The properties whose name begins so."""
    return [one.told() for one in PROPERTIES.values() if _begins(one.name, prefix)]


def proposed_properties(type_name: str) -> list[dict[str, str]]:
    """The properties that entities of a type have."""
    if type_name not in TYPES:
        raise UnknownEntityError(f"no type is called {type_name!r}; there are: {', '.join(TYPES)}")
    kind = TYPES[type_name].kind
    return [{"id": one.id, "name": one.name} for one in PROPERTIES.values() if kind in one.fields]


def _begins(name: str, prefix: str) -> bool:
    return any(word.startswith(prefix.strip().lower()) for word in (name.lower(), *name.lower().split()))


def preview(library: Library, id: str) -> HTMLResponse:
    """A small page about an entity, to be shown in a frame."""
    entity = whole(library, live_id(library.store, id))
    record = entity.record
    lines = [
        ("Authors", "; ".join(record.get("authors", [])[:5])),
        ("Venue", record.get("venue")),
        ("Year", record.get("year")),
        ("Years", "-".join(str(record[name]) for name in ("first_year", "last_year") if record.get(name))),
        ("Papers", record.get("papers")),
        ("With", "; ".join(record.get("coauthors", [])[:5])),
        ("Also written", "; ".join(record.get("variants", [])[:4]) if entity.kind != "paper" else ""),
    ]
    page = environment().get_template("reconcile-preview.html")
    kind = TYPE_OF[entity.kind].name
    text = page.render(name=entity.name, id=entity.id, kind=kind, lines=[line for line in lines if line[1]])
    return HTMLResponse(text, headers={"content-security-policy": FRAMED})
