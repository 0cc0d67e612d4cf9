"""Where a library keeps its tables: one SQL schema, one small interface, SQLite or PostgreSQL behind it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import polars as pl

Parameter = str | int | float | None


class Store(Protocol):
    """A database with the tables of `schema.TABLES`.

    SQL is the common subset of SQLite and PostgreSQL; parameters are $1, $2, ... in order of appearance.
    """

    location: str
    """What to call this library in messages; never holds a password."""

    def writing(self) -> AbstractContextManager[None]:
        """One transaction: all of it or nothing. One writer at a time; a second waits, then LibraryError."""

    def reading(self) -> AbstractContextManager[None]:
        """All reads inside see one moment, whatever is written meanwhile."""

    def read(
        self,
        table: str,
        where: str = "",
        parameters: Sequence[Parameter] = (),
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """The rows of a table for which `where` holds, in order of `position` where that is read."""

    def query(self, schema: pl.Schema, sql: str, parameters: Sequence[Parameter] = ()) -> pl.DataFrame:
        """The rows that a SELECT gives, in its order, as a frame with these columns."""

    def first(self, sql: str, parameters: Sequence[Parameter] = ()) -> tuple[Any, ...] | None:
        """The first row that a SELECT gives, as plain values: for small answers, quicker than a frame."""

    def number(self, sql: str, parameters: Sequence[Parameter] = ()) -> int:
        """The one whole number that a query gives."""

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows to a table, in bulk."""

    def execute(self, sql: str, parameters: Sequence[Parameter] = ()) -> None:
        """Run one statement; rows, if it gives any, are dropped."""

    def close(self) -> None:
        """Give the connection back; the store cannot be used afterwards."""


def open_store(location: str | Path, *, create: bool = True, wait: float = 30.0) -> Store:
    """The store at a location: "postgresql://..." is a server, anything else the path of an SQLite file.

    A store that is missing is made if `create`; one made by an older version is brought up to date. `wait` is
    how many seconds a writer waits for another.
    """
    if str(location).startswith(("postgresql://", "postgres://")):
        from samehand.store.postgres import PostgresStore

        return PostgresStore(str(location), create=create, wait=wait)
    from samehand.store.sqlite import SqliteStore

    return SqliteStore(Path(location), create=create, wait=wait)
