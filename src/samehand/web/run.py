"""Listening: the application under uvicorn, on one socket, until it is told to stop."""

from __future__ import annotations

import socket
import sys

import uvicorn

from samehand.errors import SamehandError
from samehand.web.app import create_app
from samehand.web.settings import Settings

SWITCH_SECONDS = 0.0005

AT_ONCE = 200
"""Requests under way at one time; more are told to come back."""


def run(location: str, settings: Settings) -> None:
    """Serve a library until the process is stopped; its address is printed when it listens."""
    with _listen(settings) as bound:
        app = create_app(location, settings)
        host, port = bound.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        told = f"samehand: http://{shown}:{port}/ serves {app.state.shelf.shown}; stop it with Ctrl-C"
        print(told, file=sys.stderr, flush=True)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, limit_concurrency=AT_ONCE
        )
        # Requests must not wait long for threads that find questions or make lists.
        sys.setswitchinterval(SWITCH_SECONDS)
        uvicorn.Server(config).run(sockets=[bound])


def _listen(settings: Settings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        bound = socket.create_server((settings.host.strip("[]"), settings.port), family=family)
    except OSError as error:
        raise SamehandError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}; choose another --port"
        ) from None
    # Without this the body of an answer waits 40 ms for the client to acknowledge its head.
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound
