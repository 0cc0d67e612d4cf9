"""A library in one SQLite file, in WAL mode: one process writes while others read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import adbc_driver_sqlite.dbapi
import polars as pl

from samehand.errors import LibraryBusyError, LibraryError
from samehand.store import Parameter
from samehand.store.adbc import DRIVER_ERRORS, AdbcStore, to_frame
from samehand.store.schema import stored_dtype

APPLICATION_ID = int.from_bytes(b"SmHd", "big")
"""Marks the file as a samehand library (PRAGMA application_id)."""

MAGIC = b"SQLite format 3\0"

BULK = 100_000
"""From this many rows on, it is quicker to build a table's indexes anew after loading."""


class SqliteStore(AdbcStore):
    """One file; see AdbcStore."""

    begin_writing = ("BEGIN IMMEDIATE",)
    begin_reading = "BEGIN"

    def __init__(self, path: Path, *, create: bool, wait: float) -> None:
        _check_file(path, create)
        try:
            # An absolute path, so that no file name can be taken for a "file:" address.
            connection = adbc_driver_sqlite.dbapi.connect(str(path.absolute()), autocommit=True)
        except DRIVER_ERRORS as error:
            raise LibraryError(f"{path}: cannot open this library: {error}") from None
        super().__init__(str(path), connection, wait)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        self.execute(f"PRAGMA busy_timeout = {int(self._wait * 1000)}")
        self._check_is_library()
        # Measured on bulk loads: pages of 16 KiB (for new files) and a cache of 64 MiB halve the time of a
        # commit and of building an index.
        self.execute("PRAGMA page_size = 16384")
        self.execute("PRAGMA cache_size = -65536")
        self._use_wal()
        # FULL: a decision that was acknowledged survives a power cut, not only a kill.
        self.execute("PRAGMA synchronous = FULL")
        # After a bulk load, give the disk space of the log back.
        self.execute("PRAGMA journal_size_limit = 67108864")
        self.migrate()

    def _use_wal(self) -> None:
        """Switch to write-ahead logging; SQLite does not wait by itself for another that is switching too."""
        deadline = time.monotonic() + self._wait
        while True:
            try:
                self.execute("PRAGMA journal_mode = WAL")
                return
            except LibraryBusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def _check_is_library(self) -> None:
        # Tables first: whoever is making this library commits them together with the mark.
        tables = self.number("SELECT COUNT(*) FROM sqlite_master")
        if tables and self.number("SELECT application_id FROM pragma_application_id") != APPLICATION_ID:
            raise LibraryError(
                f"{self.location}: an SQLite file, but not a samehand library; name another file"
            )

    def _has_tables(self) -> bool:
        return bool(self.number("SELECT COUNT(*) FROM sqlite_master WHERE name = 'meta'"))

    def _prepare(self) -> None:
        self.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows to a table; for many rows, take the indexes away first and build them anew."""
        indexes = self._indexes(table) if frame.height >= BULK else {}
        for name in indexes:
            self.execute(f'DROP INDEX "{name}"')
        super().append(table, frame)
        for statement in indexes.values():
            self.execute(statement)

    def _indexes(self, table: str) -> dict[str, str]:
        where = "type = 'index' AND tbl_name = $1 AND sql IS NOT NULL"
        rows = to_frame(self._query(f"SELECT name, sql FROM sqlite_master WHERE {where}", (table,)))
        return dict(rows.iter_rows())

    def _rows(self, schema: pl.Schema, sql: str, parameters: Sequence[Parameter]) -> pl.DataFrame:
        # The driver takes a column's type from its first values, and null has none: a typed row goes first.
        example = ", ".join(
            f'{_EXAMPLE[str(stored_dtype(dtype))]} AS "{name}"' for name, dtype in schema.items()
        )
        return to_frame(self._query(f"SELECT {example} UNION ALL {sql}", parameters))[1:]

    def _explain(self, doing: str, error: Exception) -> LibraryError:
        if "database is locked" in str(error):
            return self._busy()
        return super()._explain(doing, error)


_EXAMPLE = {"String": "''", "Int64": "0", "Float64": "0.0"}


def _check_file(path: Path, create: bool) -> None:
    """Refuse what cannot be a library before anything opens, locks or changes it."""
    if path.is_dir():
        raise LibraryError(f"{path}: a folder; a library is a file (or a postgresql:// address)")
    if not path.exists():
        if not create:
            raise LibraryError(
                f"{path}: no such library; make one with: samehand resolve FILES --library {path}"
            )
        if not path.absolute().parent.is_dir():
            raise LibraryError(f"{path}: its folder does not exist; make the folder first")
        return
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
    except OSError as error:
        raise LibraryError(f"{path}: cannot open this library: {error.strerror}") from None
    # An empty file is what a process leaves that was killed while making a library.
    if start not in (b"", MAGIC):
        raise LibraryError(f"{path}: not a samehand library; name another file, this one is left as it is")
