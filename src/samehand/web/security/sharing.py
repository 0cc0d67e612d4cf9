"""Other sites may read the reconciliation service, and nothing else (CORS); never with a browser's cookies.

With users, whoever has a bearer token may ask from anywhere. Without, only pages of this machine (OpenRefine runs there):
any page of the web could otherwise read the library through the browser of the person who opened it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from samehand.web.settings import is_loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SHARED = "/reconcile"


class Sharing:
    """The application, its reconciliation routes open to other sites. `anywhere`: to all of them."""

    def __init__(self, app: ASGIApp, *, anywhere: bool) -> None:
        self._app, self._anywhere = app, anywhere

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Say who may read the answer; answer a browser that only asks whether it may."""
        is_shared = scope["type"] == "http" and (scope["path"] + "/").startswith(f"{SHARED}/")
        reader = self._reader(Headers(scope=scope).get("origin")) if is_shared else None
        if reader is None:
            await self._app(scope, receive, send)
            return

        async def send_shared(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["access-control-allow-origin"] = reader
                headers.add_vary_header("Origin")
            await send(message)

        if scope["method"] == "OPTIONS":
            allowed = {
                "access-control-allow-methods": "GET, POST",
                "access-control-allow-headers": "Authorization, Content-Type",
                "access-control-max-age": "600",
            }
            await Response(status_code=204, headers=allowed)(scope, receive, send_shared)
            return
        await self._app(scope, receive, send_shared)

    def _reader(self, origin: str | None) -> str | None:
        """Which origin may read, for the header; None if this one may not."""
        if origin is None:
            return None
        if self._anywhere:
            return "*"
        return origin if is_loopback(urlsplit(origin).hostname or "") else None
