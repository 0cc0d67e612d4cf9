"""Several processes write to one library at once: nothing is lost, and what curators decided always holds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import samehand
from samehand.curate.decisions import consistent, violations
from samehand.library import Library
from samehand.read import Records
from samehand.records import Reference, references_frame, rejects_frame

WORKER = Path(__file__).with_name("writers_worker.py")
AUTHORS = ["Ann Lee", "A. Lee", "Adam Lee", "Bo Kim"]
OLD = [
    Reference("old", n, id=f"o{n}", title=f"Thumbs {n}", authors=[AUTHORS[n % 4]], venue="Hands")
    for n in range(12)
]


class Writer:
    """A process with a role (see writers_worker.py) that waits for `go`."""

    def __init__(self, location: str, role: str, seed: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), location, role, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[list[str]] = []

    def go(self) -> None:
        """Let it go on."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def hear(self, word: str, times: int = 1) -> None:
        """Return when it has said a word so many times more."""
        assert self.process.stdout is not None
        for _ in range(times):
            line = self.process.stdout.readline().split()
            assert line[:1] == [word], self.process.communicate()
            self.said.append(line)

    def kill(self) -> list[list[str]]:
        """Kill -9; the words of every line it got to say in full."""
        self.process.kill()
        rest, complaints = self.process.communicate()
        assert complaints == ""
        return self.said + [line.split() for line in rest.splitlines(keepends=True) if line.endswith("\n")]


Start = Callable[[str, int], Writer]


@pytest.fixture
def start(location: str) -> Iterator[Start]:
    """Makes a library of OLD, and starts processes that write to it; they are ended whatever happens."""
    with Library(location) as library:
        old = Records(references_frame(OLD), rejects_frame([]))
        samehand.resolve(old, library=library, model="baseline", threads=1)
    writers: list[Writer] = []

    def started(role: str, seed: int) -> Writer:
        writers.append(Writer(location, role, seed))
        return writers[-1]

    yield started
    for writer in writers:
        writer.process.kill()
        writer.process.wait()


def ready(*writers: Writer) -> None:
    for writer in writers:
        writer.hear("ready")
    for writer in writers:
        writer.go()


def acknowledged(said: list[list[str]], word: str) -> list[list[str]]:
    return [rest for first, *rest in said if first == word]


def check(library: Library, *, decided: list[list[str]] = (), kept: list[list[str]] = ()) -> None:  # type: ignore[assignment]
    """What was acknowledged is there, and the library is whole."""
    ledger = library.decisions(all=True).select("id", "judgement", "left", "right").rows()
    assert {(str(number), *rest) for number, *rest in ledger} >= {tuple(row) for row in decided}
    assert consistent(library.decisions())
    mentions = library.mentions()
    assert {id for [id] in kept} <= set(library.references()["id"])
    assert {id for [id] in kept} <= set(mentions["reference"])
    assert mentions["entity"].null_count() == 0
    sizes = dict(mentions.group_by("entity").len().iter_rows())
    assert dict(library.entities().select("id", "size").iter_rows()) == sizes
    assert set(library.redirects()["new"]) <= set(sizes)
    assert library.sources()["reference_count"].sum() == library.references().height


def check_obeyed(library: Library) -> None:
    clusters = library.mentions("author").select(mention="id", cluster="entity")
    assert violations(clusters, library.decisions().filter(kind="author")).is_empty()


def test_a_run_obeys_a_curator_who_decides_while_it_is_at_work(location: str, start: Start) -> None:
    run, curator = start("run", 1), start("curate", 2)
    ready(run, curator)
    run.hear("begun")
    curator.hear("decided", 8)
    said = curator.kill()
    run.go()
    run.hear("saved")
    with Library(location) as library:
        check(library, decided=acknowledged(said, "decided"))
        check_obeyed(library)
        assert library.runs().height == 2
        assert dict(library.state_after(2).select("mention", "entity").iter_rows()) == dict(
            library.mentions().select("id", "entity").iter_rows()
        )


def test_two_curators_at_once(location: str, start: Start) -> None:
    curators = [start("curate", seed) for seed in (1, 2)]
    ready(*curators)
    for curator in curators:
        curator.hear("decided", 8)
    said = [line for curator in curators for line in curator.kill()]
    decided = acknowledged(said, "decided")
    with Library(location) as library:
        check(library, decided=decided)
        assert len({number for number, *_ in decided}) == len(decided) >= 16
        samehand.resolve(
            Records(references_frame([]), rejects_frame([])), library=library, model="baseline", threads=1
        )
        check_obeyed(library)


def test_what_a_stream_keeps_while_a_run_is_at_work_is_not_lost(location: str, start: Start) -> None:
    run, stream = start("run", 1), start("stream", 7)
    ready(run, stream)
    run.hear("begun")
    stream.hear("kept", 5)
    run.go()
    run.hear("saved")
    stream.hear("kept", 2)
    kept = acknowledged(stream.kill(), "kept")
    with Library(location) as library:
        check(library, kept=kept)
        waiting = library.arrivals()["mention"].to_list()
        assert {f"{id}/author/1" for [id] in kept} <= set(waiting)
        samehand.resolve(
            Records(references_frame([]), rejects_frame([])), library=library, model="baseline", threads=1
        )
        check(library, kept=kept)
        assert library.arrivals().is_empty()
        assert set(library.mentions()["reference"]) == set(library.references()["id"])


def test_one_is_killed_while_the_other_writes(location: str, start: Start) -> None:
    decided: list[list[str]] = []
    kept: list[list[str]] = []
    for attempt, role in enumerate(["runs", "stream", "runs"]):
        victim, curator = start(role, attempt), start("curate", 10 + attempt)
        ready(victim, curator)
        curator.hear("decided", 2)
        time.sleep(0.13 * attempt)
        kept += acknowledged(victim.kill(), "kept")
        curator.hear("decided", 2)  # it writes on, undisturbed
        decided += acknowledged(curator.kill(), "decided")
        with Library(location) as library:
            check(library, decided=decided, kept=kept)
    with Library(location) as library:
        samehand.resolve(
            Records(references_frame([]), rejects_frame([])), library=library, model="baseline", threads=1
        )
        check(library, decided=decided, kept=kept)
        check_obeyed(library)
