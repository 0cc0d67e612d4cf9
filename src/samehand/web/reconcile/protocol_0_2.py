"""The reconciliation protocol 0.2, which OpenRefine speaks: one address takes queries and extensions as form fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import orjson
from fastapi import APIRouter, Form, HTTPException, Request
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from samehand.web.reconcile import serving, suggesting
from samehand.web.reconcile.core import LIMIT, Candidate, Query
from samehand.web.reconcile.serving import AskedId, Program
from samehand.web.reconcile.types import PROPERTIES, TYPE_OF, TYPES
from samehand.web.reconcile.values import Value, extended
from samehand.web.shelf import Opened

router = APIRouter(prefix="/reconcile", tags=["reconciliation 0.2"])


class GivenProperty(BaseModel):
    """A property and its value or values."""

    pid: str
    v: Any


class GivenQuery(BaseModel):
    """One query of a batch."""

    model_config = ConfigDict(extra="forbid")
    query: str | None = None
    type: str | list[str] | None = None
    limit: float = LIMIT
    properties: list[GivenProperty] = []
    type_strict: Literal["any", "should", "all"] | None = None

    @model_validator(mode="after")
    def asks_something(self) -> Self:
        """A query has a name, or properties."""
        if self.query is None and not self.properties:
            raise ValueError("a query has `query` or `properties`")
        return self

    def understood(self) -> Query:
        """The query as both versions have it."""
        types = [self.type] if isinstance(self.type, str) else self.type or []
        evidence = serving.evidence_of((given.pid, given.v) for given in self.properties)
        return Query(
            self.query or "", serving.kinds_of(types), int(max(1.0, min(self.limit, 1000.0))), evidence
        )


class WantedProperty(BaseModel):
    """A property to fetch; `settings.limit` is how many values."""

    id: str
    settings: dict[str, Any] = {}

    @property
    def most(self) -> int | None:
        """How many values are wanted; 0 and nothing are all."""
        text = str(self.settings.get("limit", "")).strip()
        return int(text) or None if text.isascii() and text.isdigit() and len(text) < 7 else None


class Extension(BaseModel):
    """Entities and the properties wanted of each."""

    ids: list[str] = Field(max_length=serving.MOST_IDS)
    properties: list[WantedProperty] = Field(max_length=50)


_QUERIES: TypeAdapter[dict[str, GivenQuery]] = TypeAdapter(dict[str, GivenQuery])


@router.get("", summary="Manifest, or queries as a parameter")
def manifest_or_match(
    request: Request, library: Opened, person: Program, queries: str | None = None, extend: str | None = None
) -> dict[str, Any]:
    """Without `queries` or `extend`: what the service is called and can do."""
    return _answer(request, library, queries, extend)


@router.post("", summary="Queries or extensions as form fields")
def match(
    request: Request,
    library: Opened,
    person: Program,
    queries: Annotated[str | None, Form()] = None,
    extend: Annotated[str | None, Form()] = None,
) -> dict[str, Any]:
    """A batch of queries: for each its candidates. Or `extend`: values of properties of entities."""
    return _answer(request, library, queries, extend)


def _answer(request: Request, library: Opened, queries: str | None, extend: str | None) -> dict[str, Any]:
    if queries is not None:
        batch = _parsed(_QUERIES, queries, "queries")
        found = serving.match_all(request, [query.understood() for query in batch.values()])
        return {
            key: {"result": [_told(one) for one in result]} for key, result in zip(batch, found, strict=True)
        }
    if extend is not None:
        return _extended(library, _parsed(TypeAdapter(Extension), extend, "extend"))
    return _manifest(str(request.base_url).rstrip("/"))


def _parsed(adapter: TypeAdapter[Any], text: str, name: str) -> Any:
    try:
        return adapter.validate_python(orjson.loads(text))
    except (orjson.JSONDecodeError, ValidationError) as error:
        first = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise HTTPException(400, f"{name} is not what the protocol has: {first}") from None


def _told(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "name": candidate.name,
        "description": candidate.description,
        "score": candidate.score,
        "match": candidate.match,
        "type": [TYPE_OF[candidate.kind].told()],
        "features": [{"id": name, "value": value} for name, value in candidate.features.items()],
    }


def _extended(library: Opened, asked: Extension) -> dict[str, Any]:
    names = [one.id for one in asked.properties]
    rows = extended(library, asked.ids, names)
    most = {one.id: one.most for one in asked.properties}
    return {
        "meta": [column(name) for name in names],
        "rows": {
            id: {name: list[Value](values[: most[name]]) or [{}] for name, values in found.items()}
            for id, found in rows.items()
        },
    }


def column(name: str) -> dict[str, Any]:
    """What heads the values of a property."""
    return {"id": name, "name": PROPERTIES[name].name if name in PROPERTIES else name}


def _manifest(base: str) -> dict[str, Any]:
    here = f"{base}/reconcile"
    flyout = {"flyout_service_url": here, "flyout_service_path": "/flyout/entity?id=${id}"}
    return {
        "versions": ["0.2"],
        "name": "samehand",
        "identifierSpace": f"{base}/entity/",
        "schemaSpace": f"{base}/reconcile/types/",
        "defaultTypes": [one.told() for one in TYPES.values()],
        "view": {"url": f"{base}/entity/{{{{id}}}}"},
        "preview": {
            "url": f"{here}/preview?id={{{{id}}}}",
            "width": serving.PREVIEW_WIDTH,
            "height": serving.PREVIEW_HEIGHT,
        },
        "suggest": {
            name: {
                "service_url": here,
                "service_path": f"/suggest/{name}",
                **(flyout if name == "entity" else {}),
            }
            for name in ("entity", "type", "property")
        },
        "extend": {
            "propose_properties": {"service_url": here, "service_path": "/properties"},
            "property_settings": [
                {
                    "name": "limit", "label": "Limit", "type": "number", "default": 0,
                    "help_text": "How many values at most; 0: all.",
                }
            ],
        },
    }  # fmt: skip


@router.get("/flyout/entity", summary="A few words about an entity")
def flyout(library: Opened, person: Program, id: AskedId) -> dict[str, str]:
    """A piece of HTML about an entity."""
    return {"id": id, "html": bytes(serving.preview(library, id).body).decode()}


@router.get("/properties", summary="Properties of a type")
def properties(
    person: Program, type: Annotated[str, Field(max_length=100)], limit: int = 100
) -> dict[str, Any]:
    """What can be fetched of entities of a type."""
    return {"type": type, "properties": serving.proposed_properties(type)[: max(1, limit)]}


router.include_router(suggesting.router)
