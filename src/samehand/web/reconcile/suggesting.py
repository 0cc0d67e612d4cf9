"""What both versions of the protocol have at the same addresses: suggestions while one types, and the small page."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import HTMLResponse

from samehand.web.reconcile import serving
from samehand.web.reconcile.serving import AskedId, Cursor, Prefix, Program
from samehand.web.shelf import Opened

router = APIRouter()


@router.get("/suggest/entity", summary="Suggest entities")
def suggest_entity(
    library: Opened, person: Program, prefix: Prefix = "", cursor: Cursor = 0
) -> dict[str, Any]:
    """Entities whose names begin like what was typed."""
    return {
        "result": [serving.told_entity(row) for row in serving.suggested_entities(library, prefix, cursor)]
    }


@router.get("/suggest/type", summary="Suggest types")
def suggest_type(person: Program, prefix: Prefix = "") -> dict[str, Any]:
    """Types whose names begin so."""
    return {"result": serving.suggested_types(prefix)}


@router.get("/suggest/property", summary="Suggest properties")
def suggest_property(person: Program, prefix: Prefix = "") -> dict[str, Any]:
    """Properties whose names begin so."""
    return {"result": serving.suggested_properties(prefix)}


@router.get("/preview", summary="A small page about an entity", response_class=HTMLResponse)
def preview(library: Opened, person: Program, id: AskedId) -> HTMLResponse:
    """To be shown in a frame."""
    return serving.preview(library, id)
