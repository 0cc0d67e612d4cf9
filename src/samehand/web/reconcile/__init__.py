"""The reconciliation service for OpenRefine and its kin: two versions of the protocol (0.2, 1.0-draft) over one core."""

from fastapi import APIRouter

from samehand.web.problems import JSON, Problem
from samehand.web.reconcile import protocol_0_2, protocol_1_0

router = APIRouter(
    responses={
        status: {"model": Problem, "description": text, "content": {JSON: {}}}
        for status, text in {
            400: "The batch is not what the protocol has.",
            401: "Send a bearer token.",
            404: "There is no such thing.",
            422: "The request is not valid.",
            503: "The library is being indexed, or written to.",
        }.items()
    }
)
for part in (protocol_1_0, protocol_0_2):
    router.include_router(part.router)
