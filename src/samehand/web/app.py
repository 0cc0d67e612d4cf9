"""The application: one library, its pages and interfaces, behind one guard. No state outside the object it returns."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock

from anyio import to_thread
from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from samehand import __version__
from samehand.errors import UsageError
from samehand.web import api, pages, problems, reconcile
from samehand.web.citations import Citations
from samehand.web.find.keeper import Keeper
from samehand.web.queue import Queue
from samehand.web.security import login
from samehand.web.security.guard import Guard
from samehand.web.security.limits import Buckets
from samehand.web.security.people import users
from samehand.web.security.sharing import Sharing
from samehand.web.settings import Settings
from samehand.web.shelf import Shelf

THREADS = 8
STATIC = Path(__file__).parent / "static"


def create_app(location: str, settings: Settings | None = None) -> FastAPI:
    """The application for the library at a location, which must exist.

    Where the library has users, people log in; without users it is open to everybody who can reach it, and therefore
    only served to this machine.
    """
    settings = settings or Settings()
    shelf = Shelf(location)
    with shelf.library() as library:
        has_users = bool(users(library.store))
    if not has_users and not settings.is_loopback:
        shelf.close()
        raise UsageError(
            f"without users a library is served to this machine only, not on {settings.host}; "
            f"add one with: samehand users add {shelf.shown} NAME --role admin"
        )
    app = FastAPI(
        title="samehand",
        version=__version__,
        description=api.DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        lifespan=_running,
    )
    app.state.settings, app.state.shelf, app.state.login = settings, shelf, has_users
    app.state.key = secrets.token_bytes(32)
    app.state.exporting = Lock()
    app.state.tries = Buckets(login.TRIES_PER_SECOND, login.TRIES_AT_ONCE)
    app.state.keeper, app.state.queue, app.state.citations = Keeper(shelf), Queue(shelf), Citations(shelf)
    problems.install(app)
    for router in (login.router, api.router, reconcile.router, pages.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    app.add_middleware(Sharing, anywhere=has_users)
    app.add_middleware(Guard, settings=settings, limited=has_users)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """While the application runs, lists and questions are kept up to date in the background."""
    # Threads beyond a few only wait for one another: Python runs one at a time.
    to_thread.current_default_thread_limiter().total_tokens = THREADS
    for part in (app.state.keeper, app.state.queue, app.state.citations):
        part.start()
    try:
        yield
    finally:
        app.state.queue.stop()
        app.state.keeper.stop()
        app.state.shelf.close()
