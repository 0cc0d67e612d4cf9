"""The REST interface under /api/v1, one file for each thing it is about; lists.py has paging and ETags."""

from fastapi import APIRouter

from samehand.web.api import decisions, entities, exports, questions, resolve, rows
from samehand.web.problems import JSON, Problem

DESCRIPTION = """
Papers, persons and venues of one samehand library: look them up, ask whose the mentions of a new reference are, answer
questions, make decisions, take the whole away.

- **Lists** have `page` and `size`; the answer says `total` and `pages`, and a `Link` header leads to its neighbours.
- **ETag**: every GET of the library's content has one; send it back in `If-None-Match`, and as long as the library has
  not changed the answer is 304.
- **Errors** are problem details (RFC 9457, `application/problem+json`), all of one shape.
- **Who**: a bearer token (`samehand users token`), or the session of a browser with its `X-CSRF-Token` header. Without
  users, a server that only this machine can reach asks for nothing.
"""

STATUSES = {
    400: "The request cannot be carried out.",
    401: "Log in, or send a bearer token.",
    403: "This needs another role.",
    404: "There is no such thing.",
    409: "It contradicts what was decided, or somebody was quicker.",
    422: "The request is not valid; `errors` says where.",
    429: "Too many requests; `Retry-After` says how long to wait.",
    503: "Another process is writing; try again.",
}

router = APIRouter(
    prefix="/api/v1",
    responses={
        status: {"model": Problem, "description": text, "content": {JSON: {}}}
        for status, text in STATUSES.items()
    },
)
for part in (entities, rows, resolve, questions, decisions, exports):
    router.include_router(part.router)
