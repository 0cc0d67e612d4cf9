"""schemathesis: whatever a client sends, the answer is what the OpenAPI document says, and never a failure of ours."""

from __future__ import annotations

from typing import Any

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import CHECKS, load_all_checks

load_all_checks()

EXAMPLES = 8
WANTED = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "response_headers_conformance",
]


class Started:
    """An application that runs already, and is not to be started for every request."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return
        for done in ("lifespan.startup.complete", "lifespan.shutdown.complete"):
            await receive()
            await send({"type": done})


def test_every_operation_keeps_to_its_description(client: TestClient) -> None:
    local = {"host": "localhost"}
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", Started(client.app), headers=local)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 30
    for operation in operations:
        check(operation)


def check(operation: Any) -> None:
    """Send what hypothesis makes of an operation's description, and hold the answers against it."""

    @given(operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def sent(case: schemathesis.Case) -> None:
        answer = case.call(headers={"host": "localhost"})
        case.validate_response(answer, checks=CHECKS.get_by_names(WANTED))

    sent()
