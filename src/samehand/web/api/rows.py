"""Mentions, references, runs and rejects as the library has them; and how much there is of everything."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field, field_validator

from samehand.records import Kind
from samehand.web.api.lists import Fresh, Listed, Paging, listed
from samehand.web.find import rows as find
from samehand.web.shelf import Opened

router = APIRouter(dependencies=[Fresh])

AnyId = Annotated[
    str,
    Path(min_length=1, max_length=2_000, description="Its identifier.", examples=["thesis.bib:Lamport1978"]),
]


class Mention(BaseModel):
    """One slot of a reference that names something."""

    id: str
    kind: Kind
    reference: str | None
    slot: int | None = Field(description="Position of an author in the list, from 0.")
    name: str | None = Field(description="As written.")
    entity: str | None = Field(description="The entity it belongs to; null if it has not been resolved.")
    probability: float | None


class ReferenceRecord(BaseModel):
    """One bibliographic record as one source wrote it."""

    id: str
    source: str
    line: int | None
    scope: str | None
    key: str | None
    type: str | None
    title: str | None
    authors: list[str] | None
    editors: list[str] | None
    venue: str | None
    year: int | None
    volume: str | None
    number: str | None
    pages: str | None
    publisher: str | None
    doi: str | None
    arxiv: str | None
    pmid: str | None
    isbn: str | None
    url: str | None
    text: str | None = Field(description="The raw citation, if it was one.")


class ReferenceWithMentions(ReferenceRecord):
    """A reference and its mentions."""

    mentions: list[Mention]


class Run(BaseModel):
    """A run that was saved."""

    id: int
    started: datetime
    finished: datetime
    seed: int
    settings: dict[str, Any]
    mention_count: int
    entity_count: int

    @field_validator("settings", mode="before")
    @classmethod
    def parsed(cls, value: Any) -> Any:
        """Settings are stored as JSON text."""
        return orjson.loads(value) if isinstance(value, str) else value


class Reject(BaseModel):
    """What could not be read, and why."""

    source: str
    line: int | None
    reason: str | None
    raw: str | None


@router.get("/counts", summary="How much there is", tags=["library"])
def counts(library: Opened) -> dict[str, int]:
    """The number of rows of every table, and of entities of every kind."""
    return find.counts(library.store)


@router.get("/mentions", summary="Mentions", tags=["mentions"])
def mentions(
    request: Request,
    response: Response,
    library: Opened,
    asked: Paging,
    kind: Kind | None = None,
    reference: Annotated[
        str | None, Query(max_length=2_000, description="Only those of this reference.")
    ] = None,
) -> Listed[Mention]:
    """Mentions in the library's order."""
    return listed(request, response, find.mentions(library.store, kind, reference, asked), Mention)


@router.get("/mentions/{id:path}", summary="One mention", tags=["mentions"])
def mention(library: Opened, id: AnyId) -> Mention:
    """A mention and the entity it belongs to."""
    return Mention.model_validate(find.mention(library.store, id))


@router.get("/references", summary="References", tags=["references"])
def references(
    request: Request, response: Response, library: Opened, asked: Paging
) -> Listed[ReferenceRecord]:
    """References in the order they were added."""
    return listed(request, response, find.references(library.store, asked), ReferenceRecord)


@router.get("/references/{id:path}", summary="One reference", tags=["references"])
def reference(library: Opened, id: AnyId) -> ReferenceWithMentions:
    """A reference with its mentions."""
    row = find.reference(library.store, id)
    mine = [Mention.model_validate(one) for one in find.mentions_in(library.store, id)]
    return ReferenceWithMentions(**ReferenceRecord.model_validate(row).model_dump(), mentions=mine)


@router.get("/runs", summary="Runs", tags=["runs"])
def runs(request: Request, response: Response, library: Opened, asked: Paging) -> Listed[Run]:
    """The runs, the latest first."""
    return listed(request, response, find.runs(library.store, asked), Run)


@router.get("/runs/{number}", summary="One run", tags=["runs"])
def run(library: Opened, number: Annotated[int, Path(ge=1, le=2**31 - 1)]) -> Run:
    """A run with its settings."""
    return Run.model_validate(find.run(library.store, number))


@router.get("/rejects", summary="Rejects", tags=["references"])
def rejects(request: Request, response: Response, library: Opened, asked: Paging) -> Listed[Reject]:
    """What could not be read, and why."""
    return listed(request, response, find.rejects(library.store, asked), Reject)
