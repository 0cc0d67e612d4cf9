"""What these pages are, their keys, and the form to log in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from samehand.web.render import render
from samehand.web.security.current import Reader

router = APIRouter()


@router.get("/about")
def about(request: Request, person: Reader) -> Response:
    """What these pages are."""
    return render(request, "about.html")


@router.get("/login")
def login(request: Request, wrong: int = 0, next: Annotated[str, Query(max_length=1_000)] = "/") -> Response:
    """The form to log in."""
    return render(request, "login.html", wrong=bool(wrong), next=next)
