"""A library on a PostgreSQL server: the tables live in the schema `samehand` of a database."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import ModuleType
from urllib.parse import unquote, urlsplit

import polars as pl

from samehand.errors import LibraryError, MissingExtraError
from samehand.store import Parameter
from samehand.store.adbc import DRIVER_ERRORS, AdbcStore

LOCK_NUMBER = int.from_bytes(b"samehand", "big")
"""The advisory lock that makes a process the one writer of the database."""

CONNECT_SECONDS = 10


class PostgresStore(AdbcStore):
    """One schema of one database; see AdbcStore.

    PostgreSQL cannot store the character NUL in text: it is stored as U+FFFD, the replacement character.
    """

    begin_reading = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"
    db_schema = "samehand"

    def __init__(self, address: str, *, create: bool, wait: float) -> None:
        driver = _driver()
        _check_address(address)
        self._secrets = _secrets(address)
        self.location = _printable(address)
        try:
            connection = driver.connect(_with_timeout(address), autocommit=True)
        except DRIVER_ERRORS as error:
            raise self._explain("cannot connect", error) from None
        super().__init__(self.location, connection, wait)
        self.begin_writing = (
            "BEGIN",
            f"SET LOCAL lock_timeout = {max(1, int(wait * 1000))}",
            f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})",
            "SET LOCAL lock_timeout = 0",
        )
        try:
            self._open(create)
        except BaseException:
            self.close()
            raise

    def _open(self, create: bool) -> None:
        self.execute("SET client_min_messages = warning")
        self.execute("SET search_path TO samehand")
        if not create and not self._has_tables():
            raise LibraryError(f"{self.location}: no library here yet; make one with: samehand add")
        self.migrate()

    def _has_tables(self) -> bool:
        return bool(
            self.number("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'samehand' AND tablename = 'meta'")
        )

    def _prepare(self) -> None:
        self.execute("CREATE SCHEMA IF NOT EXISTS samehand")

    def append(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows to a table with COPY."""
        super().append(
            table, frame.with_columns(pl.col(pl.String).str.replace_all("\0", "\ufffd", literal=True))
        )

    def execute(self, sql: str, parameters: Sequence[Parameter] = ()) -> None:
        """Run one statement; rows, if it gives any, are dropped."""
        super().execute(sql, _storable(parameters))

    def _query(self, sql: str, parameters: Sequence[Parameter] = ()) -> object:
        return super()._query(sql, _storable(parameters))

    def _explain(self, doing: str, error: Exception) -> LibraryError:
        message = str(error).strip()
        if getattr(error, "sqlstate", None) == "55P03":
            return self._busy()
        return LibraryError(f"{self.location}: {doing}: {self._without_secrets(message)}")

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def _driver() -> ModuleType:
    try:
        import adbc_driver_postgresql.dbapi
    except ImportError:
        raise MissingExtraError(
            "a library on a PostgreSQL server needs a driver: pip install 'samehand[postgres]'"
        ) from None
    driver: ModuleType = adbc_driver_postgresql.dbapi
    return driver


def _check_address(address: str) -> None:
    """Refuse an address that the driver would misread, quoting pieces of the password in its message."""
    try:
        _ = urlsplit(address).port
    except ValueError:
        raise LibraryError(
            "not a valid postgresql:// address; write special characters of the password as %XX "
            "(postgresql://user:password@host:port/database)"
        ) from None


_PASSWORD = re.compile(r"://[^:/?#@]*:(?P<user>.*)@|[?&](?:ssl)?password=(?P<query>[^&]*)")


def _secrets(address: str) -> list[str]:
    """The passwords in an address, as written and as decoded, longest first.

    >>> _secrets("postgresql://me:open%20sesame@host/db")
    ['open%20sesame', 'open sesame']
    """
    written = [match["user"] or match["query"] for match in _PASSWORD.finditer(address)]
    secrets = {text for password in written if password for text in (password, unquote(password))}
    return sorted(secrets, key=len, reverse=True)


def _printable(address: str) -> str:
    """The address with its passwords starred out.

    >>> _printable("postgresql://me:sesame@host/db?sslmode=require&password=x")
    'postgresql://me:***@host/db?sslmode=require&password=***'
    """

    def star(match: re.Match[str]) -> str:
        start, end = match.span("user" if match["user"] is not None else "query")
        return address[match.start() : start] + "***" + address[end : match.end()]

    return _PASSWORD.sub(star, address)


def _with_timeout(address: str) -> str:
    """The address with a limit on the time to connect, unless it has one: a silent host must not hang us."""
    if "connect_timeout=" in address:
        return address
    return f"{address}{'&' if '?' in address else '?'}connect_timeout={CONNECT_SECONDS}"


def _storable(parameters: Sequence[Parameter]) -> list[Parameter]:
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in parameters]
