"""Where a test may make a library: a file, or a database of its own on the server of scripts/postgres."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True)
settings.register_profile("new")
settings.load_profile(os.environ.get("SAMEHAND_EXAMPLES", "fixed"))
"""The examples that hypothesis invents are the same in every run; with SAMEHAND_EXAMPLES=new they are new ones."""

ADDRESS = "SAMEHAND_TEST_POSTGRES"

PUBLISHED = (
    "models/trees", "models/pairwise", "models/topics", "models/stream", "models/baseline", "models/venues/published",
    "models/citations/published", "test_models_trees", "test_models_pairwise", "test_models_topics",
    "test_models_stream", "test_models_venues_geweke", "test_models_venues_posterior", "test_models_venues_published",
    "test_models_venues_edit", "test_models_citations_published", "test_bench_trees", "test_bench_stream",
    "test_bench_venues",
)  # fmt: skip
"""Tests of the published models."""

LATER = ("tests/web", "tests/browser", "tests/faults")
"""Tests that run the default models, and begin when those of the published models are done and the kernels compiled."""

DEFAULT = (
    "models/", "tests/cli", "tests/curate", "tests/stateful", "tests/bench", "tests/test_", "tests/store",
    "samehand/curate", "samehand/pipeline", "samehand/library", "samehand/sharded",
)  # fmt: skip
"""Tests that run the default models."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one family of models run in one process, so that two processes do not compile the same kernels."""
    for item in items:
        for group, parts in (("published", PUBLISHED), ("later", LATER), ("default", DEFAULT)):
            if any(part in item.nodeid for part in parts):
                item.add_marker(pytest.mark.xdist_group(group))
                break


@pytest.fixture
def postgres() -> Iterator[str]:
    """The address of an empty database, removed after the test."""
    if ADDRESS not in os.environ:
        pytest.skip(f"{ADDRESS} is not set; run the tests with: scripts/postgres run pytest")
    name = f"test_{uuid.uuid4().hex}"
    _on_server(f"CREATE DATABASE {name}")
    yield os.environ[ADDRESS].rpartition("/")[0] + f"/{name}"
    _on_server(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new library can be made, on each back end in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "test.library")
    address: str = request.getfixturevalue("postgres")
    return address


def _on_server(sql: str) -> None:
    import adbc_driver_postgresql.dbapi

    with (
        adbc_driver_postgresql.dbapi.connect(os.environ[ADDRESS], autocommit=True) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
