"""Addresses of pages: the one that is shown, with some of its parameters changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request

from samehand.web.find.paging import DEEPEST

PageNumber = Annotated[int, Query(ge=1, le=DEEPEST)]
Words = Annotated[str, Query(max_length=200)]

Address = Callable[[Mapping[str, object]], str]


def address_of(request: Request) -> Address:
    """What gives the address of this page with parameters changed; None takes one away, and a change leads to page 1."""
    known = dict(request.query_params)

    def changed(changes: Mapping[str, object]) -> str:
        return changed_address(request.url.path, known, changes)

    return changed


def changed_address(path: str, known: Mapping[str, str], changes: Mapping[str, object]) -> str:
    """A path with these parameters.

    >>> changed_address("/authors", {"q": "ann lee", "page": "3"}, {"size": "1"})
    '/authors?q=ann+lee&size=1'
    >>> changed_address("/authors", {"q": "x"}, {"q": None})
    '/authors'
    """
    kept = {name: value for name, value in known.items() if name not in ("page", "act", "undone")}
    told = {name: value for name, value in (kept | dict(changes)).items() if value not in (None, "")}
    return f"{path}?{urlencode(told)}" if told else path
