"""A library that grows: only what is touched is resolved again; in shards the answer is the same, and survives a kill."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from samehand import Library, resolve
from samehand.growth import run_folder
from samehand.models.persons import growing
from samehand.read import Records
from samehand.records import Reference, references_frame, rejects_frame

TEAM = ["Ottoline Quist", "Perpetua Rask"]


def papers(source: str, author: str, others: list[str], count: int, topic: str) -> Records:
    made = [
        Reference(source, n + 1, id=f"{source}{n}", title=f"{topic} part {n}", authors=[author, *others])
        for n in range(count)
    ]
    return Records(references_frame(made), rejects_frame([]))


def entities(library: Library) -> dict[str, str]:
    return dict(library.mentions("author").select("id", "entity").iter_rows())


@pytest.fixture
def library(tmp_path: Path) -> Library:
    found = Library(tmp_path / "growing.library")
    resolve(papers("a", "Jo Lee", TEAM, 4, "thumbs and rings"), library=found)
    resolve(papers("b", "Ann Marchetti", ["Bo Day"], 4, "harbours and tides"), library=found)
    return found


def test_only_touched_blocks_are_resolved_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = entities(library)
    seen: list[str] = []
    whole = growing.resolve_work

    def watched(work, weights, run):
        seen.extend(work.keys)
        return whole(work, weights, run)

    monkeypatch.setattr(growing, "resolve_work", watched)
    resolve(papers("c", "Ann Marchetti", ["Bo Day"], 2, "harbours and tides"), library=library, touched=True)
    assert sorted(seen) == ["a marchetti", "b day"]
    after = entities(library)
    assert {mention: after[mention] for mention in before} == before
    assert after["c0/author/1"] == after["b0/author/1"]


def test_the_answer_is_that_of_a_whole_run(library: Library, tmp_path: Path) -> None:
    more = papers("c", "J. Lee", [TEAM[0]], 3, "thumbs and rings")
    resolve(more, library=library, touched=True)
    grown = library.mentions("author").select("id", "entity", "probability")
    resolve([], library=library)
    assert library.mentions("author").select("id", "entity").equals(grown.select("id", "entity"))


def test_what_is_gone_or_revised_is_touched(library: Library) -> None:
    changed = papers("b", "Ann Marchetti", ["Cy Elm"], 2, "stars and dust")
    resolve(changed, library=library, touched=True)
    known = library.mentions("author")
    assert known.filter(pl.col("reference").str.starts_with("b")).height == 4
    assert known["entity"].null_count() == 0
    assert "Cy Elm" in known["name"].to_list()


def test_a_decision_is_obeyed(library: Library) -> None:
    library.decide("different", "a0/author/1", "a1/author/1", by="ida")
    resolve(papers("c", "Zoe Hill", [], 1, "moss"), library=library, touched=True)
    found = entities(library)
    assert found["a0/author/1"] != found["a1/author/1"]


def test_in_shards_the_answer_is_the_same(location: str) -> None:
    """On either back end, with a decision in force."""
    with Library(location) as library:
        resolve(papers("a", "Jo Lee", TEAM, 4, "thumbs and rings"), library=library)
        library.decide("different", "a0/author/1", "a1/author/1", by="ida")
        library.decide("same", "a0/author/2", "a1/author/3", by="ida")
        resolve([], library=library)
        whole = library.mentions("author")
        resolve([], library=library, engine="threads")
        assert library.mentions("author").drop("probability").equals(whole.drop("probability"))
        assert library.tasks().is_empty()
        assert not run_folder(library).exists()


KILLED = """
import sys
from samehand import Library, resolve
from samehand.models.persons import variant_shards

def die(*arguments):
    import os, signal
    os.kill(os.getpid(), signal.SIGKILL)

variant_shards.match = die
with Library(sys.argv[1]) as library:
    resolve([], library=library, engine="threads")
"""


def test_a_killed_run_of_a_library_goes_on(location: str) -> None:
    with Library(location) as library:
        resolve(papers("a", "Jo Lee", TEAM, 4, "thumbs and rings"), library=library)
        before = entities(library)
        killed = subprocess.run([sys.executable, "-c", KILLED, location], check=False)
        assert killed.returncode == -9
        assert "resolve" in library.tasks()["step"].to_list()
        found = next((run_folder(library) / "found").glob("*.arrow"))
        written = found.stat().st_mtime_ns
        record = library.record_task
        seen: list[tuple[str, int]] = []

        def watched(plan: str, step: str, number: int) -> None:
            if step == "resolve":
                seen.append((step, found.stat().st_mtime_ns))
            record(plan, step, number)

        library.record_task = watched  # type: ignore[method-assign]
        resolve([], library=library, engine="threads")
        assert seen == [("resolve", written)]
        assert entities(library) == before
