"""Sessions of browsers: a random number in a cookie, whose hash the library keeps with the user's name."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime, timedelta

import polars as pl
from fastapi import Request, Response

from samehand.store import Store
from samehand.store.schema import SESSIONS, encode_time
from samehand.web.security.people import Person, by_name, hashed
from samehand.web.settings import Settings

COOKIE = "samehand"
LASTS = timedelta(hours=12)


def visit(request: Request) -> str:
    """The random number that a browser sends; "" if it sends none."""
    return request.cookies.get(COOKIE, "")


def begin(store: Store, person: Person) -> str:
    """A new session of a person; its number. Sessions that have ended are forgotten."""
    number, now = secrets.token_urlsafe(32), datetime.now(UTC)
    with store.writing():
        store.execute('DELETE FROM sessions WHERE "ends" < $1', (encode_time(now),))
        row = (hashed(number), person.name, now, now + LASTS)
        store.append("sessions", pl.DataFrame([row], schema=SESSIONS, orient="row"))
    return number


def end(store: Store, number: str) -> None:
    """Log out."""
    store.execute('DELETE FROM sessions WHERE "hash" = $1', (hashed(number),))


def whose(store: Store, number: str) -> Person | None:
    """The person of a session that has not ended."""
    now = encode_time(datetime.now(UTC))
    rows = store.read("sessions", '"hash" = $1 AND "ends" >= $2', (hashed(number), now), ["name"])
    return by_name(store, str(rows.item())) if rows.height else None


def set_cookie(response: Response, number: str, settings: Settings) -> None:
    """Give a browser its number: for this site only, out of reach of scripts."""
    response.set_cookie(COOKIE, number, httponly=True, samesite="strict", secure=settings.https, path="/")
