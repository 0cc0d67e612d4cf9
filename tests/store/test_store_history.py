"""The state after any run is known for ever, whoever moved what between runs."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import samehand
from samehand.errors import LibraryError, UsageError
from samehand.library import Library
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import REJECTS, Reference, references_frame
from samehand.store import adbc, schema


def paper(key: str, author: str, title: str, source: str = "old.bib") -> Reference:
    return Reference(source, 1, id=key, title=title, authors=[author])


OLD = [
    paper("o1", "Ann Lee", "Thumbs of the left hand"),
    paper("o2", "Ann Lee", "Fingers of the left hand"),
    paper("o3", "Cy Day", "Galaxies"),
]


def records(*references: Reference) -> Records:
    return Records(identify(references_frame(references)), REJECTS.to_frame())


def run(library: Library, *references: Reference) -> dict[str, str]:
    """Resolve, and say what the library has then."""
    samehand.resolve(records(*references), library=library, model="baseline", threads=1)
    return now(library)


def now(library: Library) -> dict[str, str]:
    return dict(library.mentions().select("id", "entity").iter_rows())


def then(library: Library, number: int) -> dict[str, str]:
    return dict(library.state_after(number).select("mention", "entity").iter_rows())


def test_every_state_is_known_whatever_came_between(location: str) -> None:
    with Library(location) as library:
        states = [run(library, *OLD)]
        library.assign(paper("n1", "Ann Lee", "Fingers of the right hand", "new.bib"), keep=True)
        library.decide("different", "n1/author/1", "o1/author/1")
        states.append(run(library))
        library.merge("o3/author/1", "o1/author/1", by="ann")
        states.append(run(library))
        library.add(records(OLD[0]))
        states.append(run(library))
        states.append(run(library, *OLD))
        assert [then(library, number) for number in range(1, 6)] == states
        assert states[3].keys() < states[2].keys() == states[4].keys()


def test_only_differences_are_written(location: str) -> None:
    with Library(location) as library:
        first = run(library, *OLD)
        assert run(library) == first
        assert library.changes()["run"].unique().to_list() == [1]
        assert library.changes()["before"].null_count() == len(first)
        library.decide("different", "o1/author/1", "o2/author/1")
        last = run(library)
        moved = library.changes().filter(run=3).select("mention", "kind", "before", "after").rows()
        assert moved == [("o2/author/1", "author", first["o2/author/1"], last["o2/author/1"])]


def test_kinds_that_were_not_resolved_are_as_they_were(location: str) -> None:
    with Library(location) as library:
        first = run(library, *OLD)
        samehand.resolve([], library=library, model="baseline", only="author", threads=1)
        assert then(library, 2) == first


def test_runs_that_were_not_are_named(location: str) -> None:
    with Library(location) as library:
        with pytest.raises(UsageError, match="no runs yet"):
            library.state_after(1)
        run(library, *OLD)
        with pytest.raises(UsageError, match="there is no run 2; the library has runs 1 to 1"):
            library.state_after(2)


def test_an_older_library_has_a_history_from_its_last_run_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "old.library"
    with Library(tmp_path / "new.library") as library:
        run(library, *OLD)
        last = run(library)
    shutil.copy(tmp_path / "new.library", place)
    _make_older(place, schema.migrations()[3:])
    with Library(place) as library:
        assert then(library, 2) == last
        with pytest.raises(LibraryError, match="begins with run 2"):
            library.state_after(1)
        assert library.runs()["saved"].null_count() == 0
        assert run(library) == then(library, 3) == last
    with Library(place) as library:
        assert library.changes()["run"].unique().to_list() == [2]
    assert adbc.migrations() == schema.migrations()


def _make_older(place: Path, steps: list[list[str]]) -> None:
    """Take back what the migrations from 4 on made, as a library of schema 3 is."""
    words = [statement.split() for step in steps for statement in step]
    connection = sqlite3.connect(place)
    for said in words:
        if said[:2] == ["CREATE", "TABLE"]:
            connection.execute(f"DROP TABLE {said[2]}")
        if said[:2] == ["ALTER", "TABLE"]:
            connection.execute(f"ALTER TABLE {said[2]} DROP COLUMN {said[5]}")
    connection.execute("DELETE FROM meta WHERE \"key\" = 'history'")
    connection.execute("UPDATE meta SET \"value\" = '3' WHERE \"key\" = 'schema'")
    connection.commit()
    connection.close()
