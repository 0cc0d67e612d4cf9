"""What the two back ends share: transactions, Arrow in and out, and migrations, over ADBC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import RLock
from typing import TYPE_CHECKING, Any

import adbc_driver_manager
import polars as pl
import pyarrow

from samehand.errors import LibraryBusyError, LibraryError
from samehand.store import Parameter
from samehand.store.schema import TABLES, decode, encode, migrations

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

DRIVER_ERRORS = (adbc_driver_manager.Error, pyarrow.ArrowException, OSError)


class AdbcStore:
    """A store over an ADBC connection in autocommit mode; transactions are begun and ended in SQL.

    Threads may share a store: each transaction and each read outside of one has the connection to itself.
    """

    begin_writing: tuple[str, ...]
    begin_reading: str
    db_schema: str | None = None

    def __init__(self, location: str, connection: Connection, wait: float) -> None:
        self.location = location
        self._connection = connection
        self._wait = wait
        self._lock = RLock()
        self._inside = False

    def writing(self) -> AbstractContextManager[None]:
        """One transaction that alone may write."""
        return self._transaction(self.begin_writing)

    def reading(self) -> AbstractContextManager[None]:
        """One transaction that sees one moment; inside `writing` it is the same transaction."""
        return self._transaction((self.begin_reading,))

    @contextmanager
    def _transaction(self, begin: Sequence[str]) -> Iterator[None]:
        with self._lock:
            if self._inside:
                yield
                return
            self._inside = True
            try:
                for statement in begin:
                    self.execute(statement)
                yield
                self.execute("COMMIT")
            except BaseException:
                # The error that brought us here is the one to report, not that the connection is gone too.
                with suppress(LibraryError):
                    self.execute("ROLLBACK")
                raise
            finally:
                self._inside = False

    def read(
        self,
        table: str,
        where: str = "",
        parameters: Sequence[Parameter] = (),
        columns: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """The rows of a table for which `where` holds, in order of `position` where that is read."""
        schema = pl.Schema({name: TABLES[table][name] for name in columns or TABLES[table]})
        names = ", ".join(f'"{name}"' for name in schema)
        sql = f'SELECT {names} FROM "{table}"' + (f" WHERE {where}" if where else "")
        frame = decode(self._rows(schema, sql, parameters), schema)
        in_order = "position" not in schema or frame["position"].is_sorted()
        return frame if in_order else frame.sort("position")

    def query(self, schema: pl.Schema, sql: str, parameters: Sequence[Parameter] = ()) -> pl.DataFrame:
        """The rows that a SELECT gives, in its order, as a frame with these columns."""
        return decode(self._rows(schema, f"SELECT * FROM ({sql}) AS found", parameters), schema)

    def first(self, sql: str, parameters: Sequence[Parameter] = ()) -> tuple[Any, ...] | None:
        """The first row that a SELECT gives, as plain values."""
        table = self._query(sql, parameters)
        return tuple(column[0].as_py() for column in table.columns) if table.num_rows else None

    def number(self, sql: str, parameters: Sequence[Parameter] = ()) -> int:
        """The one whole number that a query gives."""
        return int(self._query(sql, parameters).column(0)[0].as_py())

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows to a table, in bulk."""
        rows = encode(frame, TABLES[table]).to_arrow()
        with self._guard(f"cannot write {table}"), self._connection.cursor() as cursor:
            cursor.adbc_ingest(table, rows, mode="append", db_schema_name=self.db_schema)

    def execute(self, sql: str, parameters: Sequence[Parameter] = ()) -> None:
        """Run one statement; rows, if it gives any, are dropped."""
        with self._guard("cannot write"), self._connection.cursor() as cursor:
            cursor.execute(sql, _bound(parameters))
            # Drivers report some errors only when the rows are fetched.
            if cursor.description:
                cursor.fetch_arrow_table()

    def close(self) -> None:
        """Give the connection back."""
        with self._lock, self._guard("cannot close"):
            self._connection.close()

    def _rows(self, schema: pl.Schema, sql: str, parameters: Sequence[Parameter]) -> pl.DataFrame:
        return to_frame(self._query(sql, parameters))

    def _query(self, sql: str, parameters: Sequence[Parameter] = ()) -> pyarrow.Table:
        with self._lock, self._guard("cannot read"), self._connection.cursor() as cursor:
            cursor.execute(sql, _bound(parameters))
            return cursor.fetch_arrow_table()

    @contextmanager
    def _guard(self, doing: str) -> Iterator[None]:
        """Turn what the driver raises into a LibraryError for people."""
        try:
            yield
        except DRIVER_ERRORS as error:
            raise self._explain(doing, error) from None

    def _explain(self, doing: str, error: Exception) -> LibraryError:
        return LibraryError(f"{self.location}: {doing}: {error}")

    def _busy(self) -> LibraryBusyError:
        return LibraryBusyError(
            f"{self.location}: another process has been writing for {self._wait:g} s; try again later"
        )

    def _has_tables(self) -> bool:
        raise NotImplementedError

    def _prepare(self) -> None:
        """What a new library needs before its first table."""

    def migrate(self) -> None:
        """Bring the schema up to the version of this program, in one transaction."""
        steps = migrations()
        if self._has_tables() and self._version() == len(steps):
            return
        with self.writing():
            version = self._version() if self._has_tables() else 0
            if version > len(steps):
                raise LibraryError(
                    f"{self.location}: made by a newer samehand: library schema {version}, this one knows "
                    f"schemas up to {len(steps)}; update with: pip install --upgrade samehand"
                )
            if version == 0:
                self._prepare()
            for statement in (statement for step in steps[version:] for statement in step):
                self.execute(statement)
            self.execute("DELETE FROM meta WHERE \"key\" = 'schema'")
            self.execute("INSERT INTO meta VALUES ('schema', $1)", (str(len(steps)),))

    def _version(self) -> int:
        return self.number('SELECT CAST("value" AS BIGINT) FROM meta WHERE "key" = \'schema\'')


def _bound(parameters: Sequence[Parameter]) -> pyarrow.RecordBatch | None:
    """Parameters as the driver takes them.

    Types are told: PyArrow looks for pandas at every list whose type it has to guess, which takes longer than the query.
    Many texts are made into one array first, because each array costs too.
    """
    if not parameters:
        return None
    texts = [value for value in parameters if isinstance(value, str)]
    if len(texts) == len(parameters):
        column = pyarrow.array(texts, pyarrow.string())
        columns = [column.slice(place, 1) for place in range(len(texts))]
    else:
        columns = [pyarrow.array([value], _ARROW_TYPES[type(value)]) for value in parameters]
    return pyarrow.RecordBatch.from_arrays(columns, [str(number) for number in range(len(columns))])


_ARROW_TYPES = {
    str: pyarrow.string(),
    int: pyarrow.int64(),
    bool: pyarrow.int64(),
    float: pyarrow.float64(),
    type(None): pyarrow.null(),
}


def to_frame(table: pyarrow.Table) -> pl.DataFrame:
    """An Arrow table as a Polars frame."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame
