"""What every request passes first (the name it calls us by, its size, its rate), and what every answer says.

A plain ASGI layer around the application, so that nothing it serves, static files and errors included, gets past it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from samehand.web.problems import problem
from samehand.web.security.forgery import NEW_VISIT
from samehand.web.security.limits import Buckets
from samehand.web.security.sessions import set_cookie
from samehand.web.settings import Settings, is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    # Not "no-referrer": browsers would then send the origin of our own forms as "null".
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """The application behind its guard. `limited`: whether clients are held to a rate."""

    def __init__(self, app: ASGIApp, settings: Settings, *, limited: bool) -> None:
        self._app, self._settings = app, settings
        self._buckets = Buckets(settings.requests_per_second, settings.burst) if limited else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on and add to the answer what every answer says."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._complete(scope, MutableHeaders(scope=message))
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, _Measured(receive, self._settings.largest_body), send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._is_our_name(headers.get("host", "")):
            return problem(421, "this server is not called by that name; say localhost")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._settings.largest_body:
            return problem(413, f"a request has at most {self._settings.largest_body} bytes")
        client = (scope.get("client") or ("", 0))[0]
        wait = self._buckets.wait(client) if self._buckets else 0.0
        if wait:
            return problem(429, "too many requests; wait a moment", {"Retry-After": str(math.ceil(wait))})
        return None

    def _is_our_name(self, host: str) -> bool:
        """Another site may make its own name mean this machine; its pages then call us by that name."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if self._settings.is_loopback:
            return is_loopback(name) or name in self._settings.names
        return not self._settings.names or name in (*self._settings.names, self._settings.host)

    def _complete(self, scope: Scope, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("cache-control", "no-store")
        number = scope.get("state", {}).get(NEW_VISIT)
        if number:
            carrier = Response()
            set_cookie(carrier, number, self._settings)
            headers.append("set-cookie", carrier.headers["set-cookie"])


class _Measured:
    """Receives a body, and stops when it is larger than it may be; chunked bodies do not say how long they are."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive, self._left = receive, limit

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, "the request is too large")
        return message
