"""Against requests that another site makes in a browser's name: a token in every form, and the origin checked.

The token is an HMAC, under a key that lives as long as the server, of the random number in the browser's cookie: another
site can neither read nor guess it. A request that changes something and comes from a browser (it has the cookie, or
headers that only browsers send) must bring it, in the field `csrf` of a form or in the header X-CSRF-Token. A program
sends a bearer token instead, which no browser adds by itself.
"""

from __future__ import annotations

import hmac
import secrets
from urllib.parse import urlsplit

from fastapi import HTTPException, Request

from samehand.web.security.sessions import COOKIE, visit

FIELD = "csrf"
HEADER = "x-csrf-token"
NEW_VISIT = "new_visit"
"""Of a request's state: the random number that its browser is to get."""
SAFE = ("GET", "HEAD", "OPTIONS")


def csrf_token(request: Request) -> str:
    """The token for the forms of a page. A browser without a cookie gets one with the answer (guard.py)."""
    number = visit(request) or getattr(request.state, NEW_VISIT, "")
    if not number:
        number = secrets.token_urlsafe(32)
        setattr(request.state, NEW_VISIT, number)
    return _token(request, number)


async def check_forgery(request: Request) -> None:
    """Refuse a request that changes something and may have been made by another site."""
    if request.method in SAFE or has_bearer(request) or not _is_browser(request):
        return
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host", ""):
        raise HTTPException(403, "this request comes from another site")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "this request comes from another site")
    given = request.headers.get(HEADER) or await _from_form(request)
    if not visit(request) or not hmac.compare_digest(given, _token(request, visit(request))):
        raise HTTPException(403, "the form has expired: load its page again, and send it once more")


def has_bearer(request: Request) -> bool:
    """Whether a program is speaking, with a token of its own."""
    return request.headers.get("authorization", "").lower().startswith("bearer ")


def _is_browser(request: Request) -> bool:
    names = ("origin", "sec-fetch-site", "referer")
    return COOKIE in request.cookies or any(name in request.headers for name in names)


def _token(request: Request, number: str) -> str:
    key: bytes = request.app.state.key
    return hmac.new(key, number.encode(), "sha256").hexdigest()


async def _from_form(request: Request) -> str:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("multipart/form-data", "application/x-www-form-urlencoded"):
        return ""
    value = (await request.form()).get(FIELD, "")
    return value if isinstance(value, str) else ""
