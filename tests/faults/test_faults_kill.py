"""Kill -9 at any moment leaves a library whole, and what was acknowledged stays."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from samehand.library import Library

MENTION_COUNT = 1500
REFERENCE_COUNT = 200
WORKER = Path(__file__).with_name("kill_worker.py")


class Worker:
    """A process that waits for `go`, works until it is killed, and tells what it acknowledged."""

    def __init__(self, location: str, seed: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER), location, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._said: list[str] = []

    def go(self) -> None:
        assert self._process.stdout is not None
        assert self._process.stdin is not None
        assert self._process.stdout.readline() == "ready\n"
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def wait_for(self, acknowledgements: int) -> None:
        """Return when so many things are done: how fast the machine is must not matter."""
        assert self._process.stdout is not None
        for _ in range(acknowledgements):
            self._said.append(self._process.stdout.readline())

    def kill(self) -> list[list[str]]:
        """Kill -9; the words of every line it got to say."""
        self._process.kill()
        rest, complaints = self._process.communicate()
        assert complaints == ""
        self._said += rest.splitlines(keepends=True)
        return [line.split() for line in self._said if line.endswith("\n")]


@pytest.fixture
def started() -> Iterator[list[Worker]]:
    """Workers that a test has started, killed when it ends whatever happens."""
    workers: list[Worker] = []
    yield workers
    for worker in workers:
        worker._process.kill()
        worker._process.wait()


def check_consistent(library: Library) -> None:
    """Every promise about one state of a library at rest."""
    mentions, entities, runs = library.mentions(), library.entities(), library.runs()
    assert mentions["id"].is_unique().all()
    assert mentions["entity"].null_count() == 0
    counted = mentions.group_by("entity").agg(pl.len().cast(pl.Int64).alias("size")).sort("entity")
    assert counted.rows() == entities.select("id", "size").sort("id").rows()
    if runs.height:
        assert runs.row(-1, named=True)["mention_count"] == mentions.height
        assert runs.row(-1, named=True)["entity_count"] == entities.height
        known = library.state_after(runs["id"][-1]).select("mention", "entity")
        assert dict(known.iter_rows()) == dict(mentions.select("id", "entity").iter_rows())
    assert library.events()["run"].is_in(runs["id"].implode()).all()
    assert library.redirects()["new"].is_in(entities["id"].implode()).all()
    check_one_version(library)
    assert library.sources()["reference_count"].sum() == library.references().height
    assert library.sources()["reject_count"].sum() == library.rejects().height


def check_one_version(library: Library) -> None:
    """Each addition replaced the one source as a whole."""
    references = library.references()
    assert references.height in (0, REFERENCE_COUNT)
    assert references["title"].n_unique() <= 1


def check_acknowledged(library: Library, said: list[list[str]]) -> None:
    ledger = library.decisions(all=True).select("id", "judgement", "left", "right")
    decided = {number: tuple(rest) for number, *rest in ledger.rows()}
    runs = set(library.runs()["id"])
    for word, number, *rest in said:
        if word == "decided":
            assert decided[int(number)] == tuple(rest)
        else:
            assert int(number) in runs


def check_integrity(path: str) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def kill_often(location: str, times: int, started: list[Worker]) -> list[list[str]]:
    """Kill a worker again and again, with the next two getting ready meanwhile; everything they said."""
    chance = random.Random(20260101)
    said: list[list[str]] = []
    started.extend(Worker(location, seed) for seed in (1, 2))
    for number in range(times):
        worker = started[number]
        worker.go()
        worker.wait_for(chance.choice([0, 0, 1, 1, 2, 3]))
        time.sleep(chance.uniform(0.0, 0.1))
        said += worker.kill()
        started.append(Worker(location, number + 3))
        with Library(location) as library:
            check_consistent(library)
            check_acknowledged(library, said)
        if not location.startswith("postgresql:"):
            check_integrity(location)
    return said


def test_sqlite_survives_being_killed(tmp_path: Path, started: list[Worker]) -> None:
    said = kill_often(str(tmp_path / "killed.library"), 25, started)
    assert {word for word, *_ in said} == {"decided", "saved"}


@pytest.mark.postgres
def test_a_server_survives_clients_being_killed(postgres: str, started: list[Worker]) -> None:
    said = kill_often(postgres, 5, started)
    assert said


def test_readers_and_two_writers_at_once(location: str, started: list[Worker]) -> None:
    started.extend(Worker(location, seed) for seed in (1, 2))
    for worker in started:
        worker.go()
    with Library(location) as library:
        for worker in started:
            for _ in range(3):
                worker.wait_for(1)
                mentions = library.mentions()
                assert mentions["entity"].null_count() == 0
                assert mentions.height == MENTION_COUNT
                check_one_version(library)
        said = [line for worker in started for line in worker.kill()]
        check_consistent(library)
        check_acknowledged(library, said)
