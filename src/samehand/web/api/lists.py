"""What lists have in common: pages with links to their neighbours, and ETags of the library's state."""

from __future__ import annotations

import hashlib
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from samehand import __version__
from samehand.web.find.paging import DEEPEST, LARGEST, Asked, Page
from samehand.web.find.state import found_state, state
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

Item = TypeVar("Item", bound=BaseModel)


class Listed(BaseModel, Generic[Item]):
    """One page of a list."""

    items: list[Item]
    total: int = Field(description="How many there are on all pages.", examples=[51])
    page: int = Field(description="Which page this is, from 1.", examples=[1])
    pages: int = Field(description="How many pages there are.", examples=[3])
    size: int = Field(description="How many items a page has at most.", examples=[25])


async def _asked(
    page: Annotated[int, Query(ge=1, le=DEEPEST, description="Which page, from 1.")] = 1,
    size: Annotated[int, Query(ge=1, le=LARGEST, description="Items on a page.")] = 25,
) -> Asked:
    return Asked(page, size)


Paging = Annotated[Asked, Depends(_asked)]


def listed(request: Request, response: Response, page: Page, kind: type[Item]) -> Listed[Item]:
    """A page as the interface gives it; its links go into the headers."""
    response.headers["Link"] = _links(request, page)
    return Listed[kind](  # type: ignore[valid-type]
        items=[kind.model_validate(row) for row in page.rows],
        total=page.total,
        page=page.asked.page,
        pages=page.last,
        size=page.asked.size,
    )


def _links(request: Request, page: Page) -> str:
    here = page.asked.page
    neighbours = {"first": 1, "prev": here - 1, "next": here + 1, "last": page.last}
    links = [
        f'<{request.url.include_query_params(page=number)}>; rel="{name}"'
        for name, number in neighbours.items()
        if 1 <= number <= page.last and not (name in ("prev", "next") and number == here)
    ]
    return ", ".join(links)


def _fresh(request: Request, response: Response, library: Opened, person: Reader) -> None:
    """Say what state of the library the answer is of; nothing more if the client knows that state.

    Handlers that return a response of their own take the headers from `request.state.fresh`.
    """
    with library.store.reading():
        known = f"{__version__} {state(library.store)} {found_state(library.store)}"
    tag = f'"{hashlib.blake2b(known.encode(), digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    given = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in given or given == ["*"]:
        raise HTTPException(304, headers=headers)
    response.headers.update(headers)
    request.state.fresh = headers


Fresh = Depends(_fresh)
"""Dependency of every GET that only the library's state decides; it lets readers in and nobody else."""
