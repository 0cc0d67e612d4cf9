"""The reconciliation protocol, version 1.0 (draft): JSON in, JSON out, an address for each thing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from samehand import __version__
from samehand.web.reconcile import core, serving, suggesting
from samehand.web.reconcile.protocol_0_2 import Extension, column
from samehand.web.reconcile.serving import Program
from samehand.web.reconcile.types import TYPE_OF, TYPES
from samehand.web.reconcile.values import extended
from samehand.web.shelf import Opened

router = APIRouter(prefix="/reconcile/1.0", tags=["reconciliation 1.0 (draft)"])

Scalar = str | bool | int | float


class EntityValue(BaseModel):
    """A value that is an entity."""

    id: str
    name: str | None = None


Given = Scalar | EntityValue


class Condition(BaseModel):
    """What a candidate is compared with."""

    matchType: Literal["name", "id", "property"]  # noqa: N815
    propertyId: str | None = None  # noqa: N815
    propertyValue: Given | list[Given]  # noqa: N815
    required: bool = False
    matchQuantifier: Literal["any", "all", "none"] = "any"  # noqa: N815
    matchQualifier: str | None = None  # noqa: N815

    @model_validator(mode="after")
    def names_its_property(self) -> Condition:
        """A condition on a property says which."""
        if self.matchType == "property" and self.propertyId is None:
            raise ValueError("a condition on a property needs propertyId")
        return self

    def values(self) -> list[str]:
        """What is given, as texts."""
        given = self.propertyValue if isinstance(self.propertyValue, list) else [self.propertyValue]
        return serving.values_as_text(
            [one.model_dump() if isinstance(one, EntityValue) else one for one in given]
        )


class GivenQuery(BaseModel):
    """One query of a batch."""

    model_config = ConfigDict(extra="forbid")
    type: str | None = None
    limit: float = core.LIMIT
    lang: str | None = None
    dir: Literal["ltr", "rtl", "auto"] | None = None
    conditions: list[Condition] = Field(min_length=1, max_length=50)

    def understood(self) -> core.Query:
        """The query as both versions have it."""
        values = {
            kind: [one for one in self.conditions if one.matchType == kind]
            for kind in ("name", "id", "property")
        }
        names = [text for one in values["name"] for text in one.values()]
        ids = [text for one in values["id"] for text in one.values()]
        told = [
            (one.propertyId or "", one.values())
            for one in values["property"]
            if one.matchQuantifier != "none"
        ]
        required = tuple(
            core.Requirement(one.propertyId or "", one.values(), one.matchQuantifier)
            for one in values["property"]
            if one.required
        )
        return core.Query(
            name=names[0] if names else "",
            kinds=serving.kinds_of([self.type] if self.type else []),
            limit=int(max(1.0, min(self.limit, 1000.0))),
            evidence=serving.evidence_of(told),
            id=ids[0] if ids and not names else None,
            required=required,
        )


class Batch(BaseModel):
    """Queries to be answered in order."""

    queries: list[GivenQuery] = Field(max_length=serving.MOST_QUERIES)


@router.get("", summary="Manifest")
def manifest(request: Request, person: Program) -> dict[str, Any]:
    """What the service is called and can do."""
    base = str(request.base_url).rstrip("/")
    told = {
        "versions": ["1.0-draft"],
        "name": "samehand",
        "serviceVersion": __version__,
        "view": {"url": f"{base}/entity/{{{{id}}}}"},
        "defaultTypes": [one.told() for one in TYPES.values()],
        "suggest": {"entity": True, "property": True, "type": True},
        "preview": {"width": serving.PREVIEW_WIDTH, "height": serving.PREVIEW_HEIGHT},
        "extend": {
            "proposeProperties": True,
            "propertySettings": [
                {
                    "id": "limit",
                    "name": "Limit",
                    "type": "number",
                    "default": 0,
                    "helpText": "Values at most; 0: all.",
                }
            ],
        },
        "standardizedScore": True,
    }
    if request.app.state.login:
        told["authentication"] = {"type": "apiKey", "name": "Authorization", "in": "header"}
    return told


@router.post("/match", summary="Match")
def match(request: Request, person: Program, batch: Batch) -> dict[str, Any]:
    """The candidates of each query, in order."""
    found = serving.match_all(request, [query.understood() for query in batch.queries])
    return {"results": [{"candidates": [_told(one) for one in candidates]} for candidates in found]}


def _told(candidate: core.Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "name": candidate.name,
        "description": candidate.description,
        "score": candidate.score,
        "match": candidate.match,
        "type": [TYPE_OF[candidate.kind].told()],
        "features": [
            {"id": name, "name": core.FEATURE_NAMES[name], "value": value}
            for name, value in candidate.features.items()
        ],
    }


@router.get("/extend/propose", summary="Properties of a type")
def propose(
    person: Program,
    type: Annotated[str, Query(max_length=100)],
    limit: Annotated[int, Query(ge=1, le=100)] = 100,
) -> dict[str, Any]:
    """What can be fetched of entities of a type."""
    return {"type": type, "properties": serving.proposed_properties(type)[:limit]}


@router.post("/extend", summary="Extend")
def extend(library: Opened, person: Program, asked: Extension) -> dict[str, Any]:
    """Values of properties of entities."""
    names = [one.id for one in asked.properties]
    most = {one.id: one.most for one in asked.properties}
    rows = extended(library, asked.ids, names)
    return {
        "meta": [column(name) for name in names],
        "rows": [
            {
                "id": id,
                "properties": [
                    {"id": name, "values": values[: most[name]] or [{}]} for name, values in found.items()
                ],
            }
            for id, found in rows.items()
        ],
    }


router.include_router(suggesting.router)
