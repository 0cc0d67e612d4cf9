"""Parts of pages: sent alone when the script asks for them, as a page of their own otherwise."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from samehand.web.render import render

PART = "x-part"
"""The header by which the script asks for a part alone."""


def is_part(request: Request) -> bool:
    """Whether only the part is wanted."""
    return PART in request.headers


def render_part(
    request: Request, part: str, title: str, *, status: int = 200, **context: Any
) -> HTMLResponse:
    """A part of a page; as a whole page with this title for a browser that runs no script."""
    template = part if is_part(request) else "part.html"
    return render(request, template, status=status, part=part, title=title, **context)
