"""Errors in one shape: problem details (RFC 9457) for programs, a page for people."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from samehand.errors import (
    ConflictingDecisionError,
    LibraryBusyError,
    SamehandError,
    UnknownEntityError,
    UsageError,
)

JSON = "application/problem+json"
FOR_PROGRAMS = ("/api/", "/reconcile")

STATUS: tuple[tuple[type[SamehandError], int], ...] = (
    (UnknownEntityError, 404),
    (ConflictingDecisionError, 409),
    (UsageError, 400),
    (LibraryBusyError, 503),
    (SamehandError, 500),
)


class Fault(BaseModel):
    """One thing that is wrong with a request."""

    where: str = Field(description="Where: body, query or path, then the name of the field.")
    what: str = Field(description="What is wrong there.")


class Problem(BaseModel):
    """What went wrong, as RFC 9457 has it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "no such entity"}
            ]
        }
    )
    type: str = "about:blank"
    title: str = Field(description="The name of the status.")
    status: int = Field(description="The HTTP status again.")
    detail: str = Field(description="What is wrong and how to put it right, in one sentence.")
    errors: list[Fault] = Field(default=[], description="Of a request that is not valid: every fault.")


def problem(
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: list[dict[str, str]] | None = None,
) -> Response:
    """A response that says what went wrong.

    >>> problem(404, "no such entity").body
    b'{"type":"about:blank","title":"Not Found","status":404,"detail":"no such entity"}'
    """
    told: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    if errors:
        told["errors"] = errors
    return Response(orjson.dumps(told), status, dict(headers or {}), media_type=JSON)


def status_of(error: SamehandError) -> int:
    """The HTTP status that an error means.

    >>> status_of(UnknownEntityError("a1"))
    404
    """
    return next(status for kind, status in STATUS if isinstance(error, kind))


def install(app: FastAPI) -> None:
    """Let every error of the application be told in this shape."""
    app.add_exception_handler(SamehandError, _samehand)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unforeseen)


def _told(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    if request.url.path.startswith(FOR_PROGRAMS):
        return problem(status, detail, headers)
    from samehand.web.render import error_page

    return error_page(request, status, HTTPStatus(status).phrase, detail, headers)


def _samehand(request: Request, error: Exception) -> Response:
    assert isinstance(error, SamehandError)
    status = status_of(error)
    headers = {"Retry-After": "2"} if status == 503 else None
    # What a failed library says may name files of the server: that is for its own messages.
    detail = str(error) if status < 500 else _BUSY if status == 503 else _FAILED
    if status == 500:
        print(f"samehand: {error}", flush=True)
    return _told(request, status, detail, headers)


_BUSY = "another process is writing to the library; try again in a moment"
_FAILED = "the library cannot do this now; the server's messages say why"


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 304:
        return Response(status_code=304, headers=error.headers)
    if error.status_code == 401 and not request.url.path.startswith(FOR_PROGRAMS):
        return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
    return _told(request, error.status_code, str(error.detail), error.headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [
        {"where": ".".join(str(part) for part in fault["loc"]), "what": str(fault["msg"])}
        for fault in error.errors()
    ]
    detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:3])
    if request.url.path.startswith(FOR_PROGRAMS):
        return problem(422, detail, errors=faults)
    return _told(request, 422, detail)


def _unforeseen(request: Request, error: Exception) -> Response:
    return _told(request, 500, _FAILED)
