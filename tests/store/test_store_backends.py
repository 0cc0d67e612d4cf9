"""Both back ends keep tables exactly, in transactions, and refuse what is not a library."""

from __future__ import annotations

import sqlite3
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.errors import LibraryError, MissingExtraError
from samehand.records import REFERENCES, Reference, references_frame
from samehand.store import Store, adbc, open_store, schema, sqlite
from samehand.store.schema import TABLES, decode, encode, migrations

HOSTILE = [
    "",
    " ",
    'q"uo\\te',
    "line\nbreak",
    "null",
    "[]",
    "}",
    "Ærøskøbing 北京 \U0001f600",
    "'; DROP TABLE runs --",
]


def mentions(count: int, start: int = 0) -> pl.DataFrame:
    rows = [(number, f"m{number}", "paper", None, 0, None) for number in range(start, start + count)]
    return pl.DataFrame(rows, schema=TABLES["mentions"], orient="row")


def load(store: Store, frame: pl.DataFrame) -> None:
    with store.writing():
        store.append("mentions", frame)


def test_references_come_back_exactly(location: str) -> None:
    rows = [
        Reference("a.bib", 1, id="1"),
        Reference("a.bib", 2, id="2", authors=HOSTILE, affiliations=[""], truncated=True, year=-44, focus=0),
        *(Reference("b.bib", number, id=f"x{text}", title=text) for number, text in enumerate(HOSTILE)),
    ]
    frame = references_frame(rows)
    frame = frame.with_columns(keywords=pl.when(pl.col("id") == "1").then(None).otherwise("keywords"))
    store = open_store(location)
    with store.writing():
        store.append("references", frame.with_row_index("position"))
    store.close()
    back = open_store(location).read("references").drop("position")
    assert back.schema == REFERENCES
    assert back.equals(frame)


def test_a_column_may_be_null_for_long_and_text_after(location: str) -> None:
    frame = mentions(5000).with_columns(name=pl.when(pl.col("position") == 4999).then(pl.lit("late")))
    store = open_store(location)
    load(store, frame)
    assert store.read("mentions").equals(frame)
    assert store.read("mentions", "\"id\" = 'nobody'").schema == TABLES["mentions"]


def test_times_come_back_to_the_microsecond(location: str) -> None:
    moment = datetime(2026, 2, 3, 4, 5, 6, 789012, tzinfo=UTC)
    row = {"name": "a", "content": "x", "reference_count": 1, "reject_count": 0, "added": moment}
    store = open_store(location)
    with store.writing():
        store.append("sources", pl.DataFrame([row], schema=TABLES["sources"]))
    assert store.read("sources")["added"].item() == moment


def test_a_nul_is_kept_by_sqlite_and_replaced_on_a_server(location: str) -> None:
    store = open_store(location)
    load(store, mentions(1).with_columns(id=pl.lit("a\0b")))
    kept = store.read("mentions", '"id" = $1', ("a\0b",))["id"].to_list()
    assert kept == (["a\ufffdb"] if location.startswith("postgres") else ["a\0b"])


def test_rows_are_read_in_order_of_position(location: str) -> None:
    store = open_store(location)
    load(store, mentions(3, start=3))
    load(store, mentions(3))
    assert store.read("mentions")["position"].to_list() == list(range(6))


def test_bulk_loads_build_the_indexes_anew(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BULK", 10)
    store = open_store(location)
    load(store, mentions(50))
    with pytest.raises(LibraryError, match="cannot write"):
        load(store, mentions(1))
    with pytest.raises(LibraryError, match="cannot write"):
        load(store, mentions(50, start=49))
    assert store.read("mentions").height == 50


def test_a_transaction_that_fails_leaves_nothing(location: str) -> None:
    store = open_store(location)

    def fail() -> None:
        with store.writing():
            store.append("mentions", mentions(5))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert store.read("mentions").is_empty()
    load(store, mentions(5))
    assert store.read("mentions").height == 5


def test_readers_see_one_moment_while_a_writer_writes(location: str) -> None:
    writer, reader = open_store(location), open_store(location)
    load(writer, mentions(5))
    with reader.reading():
        assert reader.read("mentions").height == 5
        with writer.writing():
            writer.append("mentions", mentions(5, start=5))
            assert reader.read("mentions").height == 5
        assert reader.read("mentions").height == 5
    assert reader.read("mentions").height == 10


def test_a_second_writer_waits_then_says_so(location: str) -> None:
    first, second = open_store(location), open_store(location, wait=0.2)
    with first.writing(), pytest.raises(LibraryError, match=r"another process has been writing for 0\.2 s"):
        load(second, mentions(1))
    load(second, mentions(1))
    assert first.read("mentions").height == 1


def test_a_second_writer_gets_its_turn(location: str) -> None:
    first, second = open_store(location), open_store(location)
    thread = threading.Thread(target=load, args=(second, mentions(1, start=1)))
    with first.writing():
        thread.start()
        first.append("mentions", mentions(1))
    thread.join()
    assert first.read("mentions")["id"].to_list() == ["m0", "m1"]


def test_threads_may_share_a_store(location: str) -> None:
    store = open_store(location)
    threads = [threading.Thread(target=load, args=(store, mentions(10, start=10 * n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read("mentions")["id"].n_unique() == 80


def test_an_older_library_is_migrated_and_a_newer_one_refused(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(open_store(location), mentions(2))
    later = [
        *migrations(),
        ["ALTER TABLE mentions ADD COLUMN colour TEXT", "UPDATE mentions SET colour = 'red'"],
    ]
    with monkeypatch.context() as patch:
        patch.setattr(adbc, "migrations", lambda: later)
        store = open_store(location)
        assert store.number("SELECT COUNT(*) FROM mentions WHERE colour = 'red'") == 2
        store.close()
    newest = len(migrations())
    with pytest.raises(
        LibraryError,
        match=f"newer samehand: library schema {newest + 1}, this one knows schemas up to {newest}",
    ):
        open_store(location)


def test_a_migration_that_fails_leaves_the_library_as_it_was(
    location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    load(open_store(location), mentions(2))
    broken = [*migrations(), ["DELETE FROM mentions", "ALTER TABLE nonsense ADD COLUMN colour TEXT"]]
    with monkeypatch.context() as patch:
        patch.setattr(adbc, "migrations", lambda: broken)
        with pytest.raises(LibraryError, match="nonsense"):
            open_store(location)
    assert open_store(location).read("mentions").height == 2


def test_the_sql_has_the_columns_of_the_frames(location: str) -> None:
    store = open_store(location)
    for table, columns in TABLES.items():
        assert store.read(table).schema == columns
        with store.writing():
            store.append(table, columns.to_frame())


def test_two_processes_may_make_the_same_library(location: str) -> None:
    failures: list[BaseException] = []

    def make() -> None:
        try:
            open_store(location).close()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_nothing_is_made_unless_asked(location: str) -> None:
    for _ in range(2):
        with pytest.raises(LibraryError, match="make one with"):
            open_store(location, create=False)


def test_other_files_are_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "refs.bib"
    text.write_text("@article{x, title={A Paper that Must Survive}}")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE precious (x)")
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        with pytest.raises(LibraryError, match=r"not a samehand library.*name another file"):
            open_store(path)
        assert path.read_bytes() == before
    with pytest.raises(LibraryError, match="a folder"):
        open_store(tmp_path)
    with pytest.raises(LibraryError, match="folder does not exist"):
        open_store(tmp_path / "no" / "such.library")


def test_a_damaged_file_gives_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.library"
    store = open_store(path)
    load(store, mentions(5000))
    store.close()
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(LibraryError, match=r"damaged\.library"):
        open_store(path).read("mentions")


def test_an_empty_file_becomes_a_library(tmp_path: Path) -> None:
    path = tmp_path / "killed.library"
    path.touch()
    assert open_store(path).read("mentions").is_empty()


def test_odd_file_names_are_just_names(tmp_path: Path) -> None:
    for name in ("file:memory?mode=ro.library", "100% mine.library", ":memory:"):
        load(open_store(tmp_path / name), mentions(1))
        assert open_store(tmp_path / name, create=False).read("mentions").height == 1


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?user=me&password=s3cret",
        "postgresql://me:s3cret@[/db",
        "postgresql://me:/s3cret@localhost/db",
        "postgresql://me:s3cr%65t@127.0.0.1:1/db",
    ],
)
def test_a_server_out_of_reach_is_named_without_its_password(address: str) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    with pytest.raises(LibraryError) as caught:
        open_store(address)
    assert "s3cr" not in str(caught.value)
    assert "postgresql://" in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_missing_driver_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql", None)
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'samehand\[postgres\]'"):
        open_store("postgresql://localhost/db")


@settings(deadline=None)
@given(st.lists(st.none() | st.lists(st.none() | st.text(), max_size=3), max_size=4))
def test_lists_of_any_text_come_back_exactly(values: list[list[str | None] | None]) -> None:
    columns = pl.Schema({"values": pl.List(pl.String)})
    frame = pl.DataFrame({"values": values}, schema=columns)
    assert decode(encode(frame, columns), columns).equals(frame)


def test_migrations_are_never_renumbered() -> None:
    assert schema.migrations()[0][0].startswith("CREATE TABLE meta")
    assert all(statements for statements in migrations())
