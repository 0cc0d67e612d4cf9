"""Logging in and out. The page with the form is one of web/pages (GET /login)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Form, HTTPException, Request
from starlette.responses import RedirectResponse, Response

from samehand.web.security import sessions
from samehand.web.security.forgery import check_forgery
from samehand.web.security.limits import Buckets
from samehand.web.security.people import by_password
from samehand.web.shelf import Opened

router = APIRouter(include_in_schema=False, dependencies=[Depends(check_forgery)])

TRIES_PER_SECOND = 0.1
TRIES_AT_ONCE = 5


@router.post("/login")
def log_in(
    request: Request,
    library: Opened,
    name: Annotated[str, Form(max_length=100)],
    password: Annotated[str, Form(max_length=1_000)],
    next: Annotated[str, Form(max_length=1_000)] = "/",
) -> Response:
    """Begin a session; a wrong password leads back to the form."""
    if _tries(request).wait(request.client.host if request.client else ""):
        raise HTTPException(429, "too many attempts; wait a minute", {"Retry-After": "60"})
    person = by_password(library.store, name, password)
    if person is None:
        return RedirectResponse("/login?wrong=1", 303)
    response = RedirectResponse(_own_path(next), 303)
    # A new number: one that somebody planted in the browser before is worth nothing.
    sessions.set_cookie(response, sessions.begin(library.store, person), request.app.state.settings)
    return response


@router.post("/logout")
def log_out(request: Request, library: Opened) -> Response:
    """End the session."""
    sessions.end(library.store, sessions.visit(request))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(sessions.COOKIE, path="/")
    return response


def _tries(request: Request) -> Buckets:
    tries: Buckets = request.app.state.tries
    return tries


def _own_path(path: str) -> str:
    """A path of this site, never an address elsewhere.

    >>> _own_path("/review?a=1"), _own_path("//evil.example/"), _own_path("https://evil.example/")
    ('/review?a=1', '/', '/')
    """
    is_own = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_own else "/"
