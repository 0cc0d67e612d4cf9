"""Papers, persons and venues: found by words and classes, and one with everything around it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from samehand.records import Kind
from samehand.web.api.lists import Fresh, Listed, Paging, listed
from samehand.web.find import entity as find
from samehand.web.find.entities import Search, Sort, search
from samehand.web.shelf import Opened

router = APIRouter(tags=["entities"], dependencies=[Fresh])

SizeClass = Literal["1", "2-9", "10-99", "100-999", "1000+"]
SureClass = Literal["doubtful", "likely", "sure", "certain", "unknown"]

EntityId = Annotated[
    str,
    Path(
        max_length=40,
        pattern="^[a-z][0-9a-z]*$",
        description="An identifier, old or new.",
        examples=["a9gv2vgcqez"],
    ),
]


class EntityFacts(BaseModel):
    """An entity as lists show it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "entity": "a9gv2vgcqez", "kind": "author", "name": "Ada Lovelace", "size": 12, "papers": 7,
                    "first_year": 1998, "last_year": 2011, "sure": 0.97,
                }
            ]
        }
    )  # fmt: skip
    entity: str = Field(description="Its identifier, which stays.")
    kind: Kind
    name: str = Field(description="The canonical name or title.")
    size: int = Field(description="How many mentions it has.")
    papers: int = Field(description="In how many papers it stands.")
    first_year: int | None
    last_year: int | None
    sure: float | None = Field(
        description="Mean probability of its mentions; null where the model gives none."
    )


class LinkedEntity(EntityFacts):
    """An entity beside another one."""

    weight: int = Field(
        description="Of a paper its year (0: unknown), else how many references the two share."
    )


class FoundEntities(Listed[EntityFacts]):
    """Entities found, with how many are in each class of each facet (its own class not counted as asked for)."""

    facets: dict[str, dict[str, int]]


class YearCount(BaseModel):
    """In how many references of a year an entity stands."""

    year: int
    count: int


class EntityRecord(BaseModel):
    """One entity."""

    entity: str = Field(description="Its identifier.")
    kind: Kind
    name: str
    size: int = Field(description="How many mentions it has.")
    record: dict[str, Any] = Field(
        description="The canonical record: the columns of papers.csv, authors.csv or venues.csv."
    )
    years: list[YearCount]
    merged_from: list[str] = Field(description="Old identifiers that lead here.")
    versions: list[EntityFacts] = Field(description="Other versions of the same work.")


class Redirect(BaseModel):
    """An identifier and the entity behind it."""

    old: str
    new: str


class MentionOf(BaseModel):
    """A mention with what its reference says."""

    id: str
    kind: Kind
    reference: str
    name: str | None = Field(description="As written.")
    entity: str
    probability: float | None = Field(description="That it belongs to this entity.")
    year: int | None
    title: str | None


@router.get("/entities", summary="Find entities")
def entities(
    request: Request,
    response: Response,
    library: Opened,
    asked: Paging,
    q: Annotated[
        str, Query(max_length=300, description="Words of a name, in any order; each may be a beginning.")
    ] = "",
    kind: Kind | None = None,
    size_class: Annotated[SizeClass | None, Query(description="How many mentions.")] = None,
    sure_class: Annotated[SureClass | None, Query(description="How sure the model is.")] = None,
    decade: Annotated[
        int | None, Query(ge=0, le=9990, multiple_of=10, description="Of the last year.")
    ] = None,
    sort: Sort = "size",
) -> FoundEntities:
    """Entities whose names have all the words. Sorted by size, those that have every word whole come first."""
    found = search(library.store, Search(kind, q, size_class, sure_class, decade, sort), asked)
    page = listed(request, response, found.page, EntityFacts)
    return FoundEntities(**page.model_dump(), facets=found.facets)


@router.get(
    "/entities/{id}",
    summary="One entity",
    responses={308: {"description": "It was merged; `Location` leads to the entity it is part of now."}},
    response_model=EntityRecord,
)
def entity(request: Request, response: Response, library: Opened, id: EntityId) -> EntityRecord | Response:
    """The canonical record of an entity, its years, and the identifiers that lead to it."""
    live = find.live_id(library.store, id)
    if live != id:
        return RedirectResponse(request.url_for("entity", id=live).path, 308, request.state.fresh)
    whole = find.whole(library, id)
    return EntityRecord(
        entity=whole.id,
        kind=whole.kind,
        name=whole.name,
        size=whole.size,
        record=whole.record,
        years=[YearCount(year=year, count=count) for year, count in find.years_of(library.store, id)],
        merged_from=find.merged_into(library.store, id),
        versions=[EntityFacts.model_validate(row) for row in find.versions_of(library.store, id)],
    )


@router.get("/entities/{id}/mentions", summary="Mentions of an entity")
def entity_mentions(
    request: Request,
    response: Response,
    library: Opened,
    id: EntityId,
    asked: Paging,
    doubtful: Annotated[bool, Query(description="The least probable first.")] = False,
) -> Listed[MentionOf]:
    """The mentions of an entity, in the library's order or the doubtful ones first."""
    page = find.mentions_of(library.store, find.live_id(library.store, id), asked, doubtful=doubtful)
    return listed(request, response, page, MentionOf)


@router.get("/entities/{id}/{role}", summary="Entities beside an entity")
def entity_links(
    request: Request,
    response: Response,
    library: Opened,
    id: EntityId,
    role: Literal["coauthors", "authors", "venues", "papers"],
    asked: Paging,
) -> Listed[LinkedEntity]:
    """Co-authors and venues of a person, authors of a venue (the 50 most frequent); all papers of either."""
    roles: dict[str, find.Role] = {
        "coauthors": "coauthor", "authors": "author", "venues": "venue", "papers": "paper"
    }  # fmt: skip
    page = find.linked(library.store, find.live_id(library.store, id), roles[role], asked)
    return listed(request, response, page, LinkedEntity)


@router.get("/redirects/{id}", summary="Where an identifier leads")
def redirect(library: Opened, id: EntityId) -> Redirect:
    """The entity that an old identifier is part of now; an identifier in use leads to itself."""
    return Redirect(old=id, new=find.live_id(library.store, id))
