"""Several clients at once, another writer, and a server that is killed: no decision is lost, none is made twice."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient

from samehand.library import Library
from samehand.web import shelf
from samehand.web.app import create_app
from samehand.web.security.people import add_user, make_token
from samehand.web.settings import Settings

from .conftest import make

PAIRS = [(f"hands{one}/author/1", f"graphs{other}/author/1") for one in range(6) for other in range(6)]


def decision(pair: tuple[str, str]) -> dict[str, str]:
    return {"judgement": "unsure", "left": pair[0], "right": pair[1]}


def test_curators_who_decide_at_once_are_all_heard(location: str) -> None:
    """On SQLite and PostgreSQL in turn."""
    make(location)
    with Library(location) as library:
        names = ("ann", "bob")
        for name in names:
            add_user(library.store, name, "curator", "correct horse")
        tokens = {name: make_token(library.store, name) for name in names}
    app = create_app(location, Settings(requests_per_second=1e6, burst=1_000_000))
    with TestClient(app, base_url="http://localhost"):

        def decide(number: int) -> tuple[int, str]:
            name = names[number % 2]
            client = TestClient(
                app, base_url="http://localhost", headers={"Authorization": f"Bearer {tokens[name]}"}
            )
            answer = client.post("/api/v1/decisions", json=decision(PAIRS[number]))
            assert answer.status_code == 201, answer.text
            return answer.json()["decision"], name

        with ThreadPoolExecutor(6) as pool:
            made = dict(pool.map(decide, range(len(PAIRS))))
    assert sorted(made) == list(range(1, len(PAIRS) + 1))
    with Library(location) as library:
        assert dict(library.decisions().select("id", "by").iter_rows()) == made


def test_the_same_pair_decided_at_once_has_one_decision_in_force(client: TestClient) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(lambda _: client.post("/api/v1/decisions", json=decision(PAIRS[0])), range(8))
        )
    assert {answer.status_code for answer in answers} == {201}
    assert client.get("/api/v1/decisions", params={"standing": "in force"}).json()["total"] == 1
    assert client.get("/api/v1/decisions").json()["total"] == 8


def test_while_another_process_writes_the_client_is_told_to_come_back(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "WAIT", 0.2)
    with (
        TestClient(create_app(str(place)), base_url="http://localhost") as client,
        Library(place) as other,
    ):
        assert client.app.state.keeper.wait(60)  # type: ignore[attr-defined]
        with other.store.writing():
            other.store.execute("DELETE FROM sessions")
            refused = client.post("/api/v1/decisions", json=decision(PAIRS[0]))
            assert client.get("/api/v1/counts").status_code == 200
        assert refused.status_code == 503
        assert int(refused.headers["retry-after"]) > 0
        assert str(place) not in refused.text
        assert client.post("/api/v1/decisions", json=decision(PAIRS[0])).status_code == 201


class Served:
    """A server in a process of its own, on any free port."""

    def __init__(self, place: Path) -> None:
        command = [
            sys.executable,
            "-c",
            "from samehand.cli import main; main()",
            "serve",
            str(place),
            "--port",
            "0",
        ]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = None
        while found is None:
            line = self.process.stderr.readline()
            assert line, "the server did not start"
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
        self.address = found[0]
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def served(place: Path) -> Iterator[Served]:
    server = Served(place)
    yield server
    server.kill()


def test_a_killed_server_loses_no_decision_that_it_acknowledged(served: Served, place: Path) -> None:
    acknowledged: list[int] = []

    def decide(start: int) -> None:
        with httpx.Client(base_url=served.address, timeout=20) as client:
            for number in range(start, 10_000, 2):
                try:
                    answer = client.post("/api/v1/decisions", json=decision(PAIRS[number % len(PAIRS)]))
                except httpx.HTTPError:
                    return
                assert answer.status_code in (201, 503), answer.text
                if answer.status_code == 201:
                    acknowledged.append(answer.json()["decision"])

    threads = [threading.Thread(target=decide, args=(start,)) for start in range(2)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while len(acknowledged) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    served.kill()
    for thread in threads:
        thread.join()
    assert len(acknowledged) >= 20
    with Library(place) as library:
        ledger = library.decisions(all=True)
    assert set(acknowledged) <= set(ledger["id"])
    assert ledger["id"].to_list() == list(range(1, ledger.height + 1))
    with sqlite3.connect(place) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_those_who_wait_have_their_turn_in_the_order_they_came() -> None:
    turns, order = shelf.Turns(), []

    def take(number: int) -> None:
        with turns:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(6)]
    with turns:
        for number, thread in enumerate(threads):
            thread.start()
            while len(turns._waiting) <= number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == list(range(6))
    with turns:
        assert not turns._waiting
