"""The person behind a request, and the dependencies by which a route says who may use it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from samehand.web.security import people
from samehand.web.security.forgery import check_forgery, has_bearer
from samehand.web.security.people import NOBODY, Person, Role
from samehand.web.security.sessions import visit, whose
from samehand.web.shelf import shelf_of


def current(request: Request) -> Person:
    """Who makes a request: by bearer token, by session, or where nobody logs in, the admin of the settings."""
    known = getattr(request.state, "person", None)
    if known is None:
        known = request.state.person = _find(request)
    return known


def _find(request: Request) -> Person:
    if not request.app.state.login:
        return Person(request.app.state.settings.signature(), Role.ADMIN)
    number = visit(request)
    if not number and not has_bearer(request):
        return NOBODY
    with shelf_of(request).library() as library:
        if has_bearer(request):
            token = request.headers["authorization"].split(None, 1)[1].strip()
            return people.by_token(library.store, token) or NOBODY
        return whose(library.store, number) or NOBODY


class MustLogIn(HTTPException):
    """Nobody is logged in: a page leads to the login, an interface answers 401."""

    def __init__(self) -> None:
        super().__init__(401, "log in, or send a bearer token", {"WWW-Authenticate": "Bearer"})


def _at_least(role: Role) -> Callable[..., Awaitable[Person]]:
    async def allowed(request: Request, unforged: Annotated[None, Depends(check_forgery)]) -> Person:
        # Where people log in, the library is asked who it is: that is for a thread.
        person = await run_in_threadpool(current, request) if request.app.state.login else current(request)
        if person.role is Role.NOBODY:
            raise MustLogIn
        if person.role < role:
            raise HTTPException(
                403, f"this needs the role {role.name.lower()}; you are {person.role.name.lower()}"
            )
        return person

    allowed.__name__ = role.name.lower()
    return allowed


reader = _at_least(Role.READER)
"""Dependency: whoever may look."""
curator = _at_least(Role.CURATOR)
"""Dependency: whoever may decide."""
admin = _at_least(Role.ADMIN)
"""Dependency: whoever may do everything."""

Reader = Annotated[Person, Depends(reader)]
Curator = Annotated[Person, Depends(curator)]
Admin = Annotated[Person, Depends(admin)]
