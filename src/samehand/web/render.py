"""Pages: templates of this package, everything escaped unless it is ours."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from samehand.web.security import csrf_token, current


@cache
def environment() -> Environment:
    """The templates. What they do not know is an error, not an empty string."""
    return Environment(
        loader=PackageLoader("samehand.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A page. Templates know besides their context: `request`, `person`, `csrf_token()`, `login` (whether people
    log in), `index_busy` (whether the lists are being made anew)."""
    known = {
        "request": request,
        "person": current(request),
        "csrf_token": lambda: csrf_token(request),
        "login": request.app.state.login,
        "index_busy": request.app.state.keeper.busy,
    }
    return HTMLResponse(environment().get_template(template).render(known | context), status)


def error_page(
    request: Request, status: int, title: str, detail: str, headers: Mapping[str, str] | None = None
) -> HTMLResponse:
    """The page that says what went wrong."""
    page = render(request, "error.html", status=status, title=title, detail=detail)
    page.headers.update(headers or {})
    return page
