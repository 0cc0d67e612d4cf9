"""A small invented library, some of it hostile, and clients of the application that serves it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from samehand.library import Library
from samehand.models.stream.index import ensure_index
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import Reference, Reject, references_frame, rejects_frame
from samehand.web.app import create_app
from samehand.web.find.keeper import refresh
from samehand.web.security import people
from samehand.web.security.people import add_user, make_token
from samehand.web.settings import Settings

HOSTILE = '<script>alert(1)</script>"onload=x \u202e'
PASSWORD = "correct horse"
ROLES = ("reader", "curator", "admin")


def references() -> list[Reference]:
    """Twenty references of a few people, two of whom share a name, and one that wishes us ill."""
    found = []
    for number in range(6):
        found.append(
            Reference(
                "hands.bib",
                number,
                id=f"hands{number}",
                key=f"hands{number}",
                type="article",
                title=f"On the anatomy of hands and thumbs, part {number}",
                authors=["Ada Lovelace" if number % 2 else "A. Lovelace", "Müller, Jürgen"],
                venue="Journal of Ancient Hands" if number % 3 else "J. Anc. Hands",
                year=2000 + number,
                doi=f"10.1234/hands{number}",
            )
        )
        found.append(
            Reference(
                "graphs.bib",
                number,
                id=f"graphs{number}",
                type="inproceedings",
                title=f"Colouring sparse random graphs, volume {number}",
                authors=["Alan Lovelace", f"Bo Wu{'ng' if number > 3 else ''}"],
                venue="Proceedings of the Symposium on Graphs",
                year=1990 + number,
            )
        )
    found.append(
        Reference("evil.bib", 1, id="evil", title=HOSTILE, authors=[HOSTILE], venue=HOSTILE, year=1999)
    )
    found.append(
        Reference("slash.bib", 1, id="/a/b.bib:x y?", title="A path", authors=["Ann O'Lee"], year=1987)
    )
    return found


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Hashing a password is slow on purpose; tests have no time for that."""
    with pytest.MonkeyPatch.context() as patch:
        quick = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        patch.setattr(people, "_hasher", lambda: quick)
        yield


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, made once, with the lists that a server would make of it."""
    place = tmp_path_factory.mktemp("web") / "made.library"
    make(str(place))
    with Library(place) as library:
        refresh(library)
        ensure_index(library.store)
    return place


def make(location: str) -> None:
    """Make the library, with a reject and no users."""
    rejects = rejects_frame([Reject("evil.bib", 7, HOSTILE, "@article{")])
    with Library(location) as library:
        resolve(Records(references_frame(references()), rejects), library=library, threads=1)


@pytest.fixture
def place(made: Path, tmp_path: Path) -> Path:
    """A copy of the library that a test may change."""
    return Path(shutil.copy(made, tmp_path / "my.library"))


def ready(client: TestClient) -> TestClient:
    """The client, when lists and questions have been made."""
    state = client.app.state  # type: ignore[attr-defined]
    assert state.keeper.wait(60)
    assert state.queue.wait(60)
    return client


@pytest.fixture(scope="session")
def shared(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of an open server, for tests that change nothing."""
    place = shutil.copy(made, tmp_path_factory.mktemp("shared") / "my.library")
    with TestClient(create_app(str(place)), base_url="http://localhost") as client:
        yield ready(client)


@pytest.fixture
def client(place: Path) -> Iterator[TestClient]:
    """A client of an open server that a test has to itself."""
    with TestClient(create_app(str(place), Settings(curator="ann")), base_url="http://localhost") as client:
        yield ready(client)


@pytest.fixture(scope="session")
def guarded(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TestClient]]:
    """Clients of a server with users: one for each role, by token, and "nobody"."""
    place = str(shutil.copy(made, tmp_path_factory.mktemp("guarded") / "my.library"))
    with Library(place) as library:
        for role in ROLES:
            add_user(library.store, role, role, PASSWORD)
        tokens = {role: make_token(library.store, role) for role in ROLES}
    app = create_app(place, Settings(requests_per_second=1e6, burst=1_000_000))
    with ExitStack() as stack:
        clients = {"nobody": stack.enter_context(TestClient(app, base_url="http://localhost"))}
        for role, token in tokens.items():
            clients[role] = TestClient(
                app, base_url="http://localhost", headers={"Authorization": f"Bearer {token}"}
            )
        ready(clients["nobody"])
        yield clients
