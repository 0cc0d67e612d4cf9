"""Rows per second into and out of a library: mentions, with their index, one transaction, commit included."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.records import KINDS
from samehand.store import Store, open_store

ROWS = 5_000_000
QUICK_ROWS = 500_000
ADDRESS = "SAMEHAND_TEST_POSTGRES"


def run(options: Options) -> Iterator[Row]:
    """Load invented mentions into SQLite, and into PostgreSQL where SAMEHAND_TEST_POSTGRES names a server."""
    rows = QUICK_ROWS if options.quick else ROWS
    mentions = invented_mentions(rows)
    if options.wants("mentions", "sqlite"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bench.library"
            yield _measure("sqlite", open_store(path), mentions, lambda _: path.stat().st_size)
    if options.wants("mentions", "postgres") and ADDRESS in os.environ:
        yield _measure("postgres", open_store(os.environ[ADDRESS]), mentions, _size_on_server)


def invented_mentions(rows: int) -> pl.DataFrame:
    """A table of mentions of the shape and size of real ones: a paper, three authors and a venue in turn.

    >>> invented_mentions(3)["id"].to_list()
    ['source.bib:0', 'source.bib:0/author/0', 'source.bib:0/author/1']
    """
    number = pl.int_range(rows, dtype=pl.Int64)
    author, venue = number % 5 - 1, number % 5 == 4
    is_author = (author >= 0) & ~venue
    reference = pl.lit("source.bib:") + (number // 5).cast(pl.String)
    suffix = pl.when(is_author).then(pl.lit("/author/") + author.cast(pl.String))
    name = pl.when(is_author).then(pl.lit("Family")).when(venue).then(pl.lit("Journal of Examples"))
    return pl.select(
        position=number,
        id=reference + suffix.when(venue).then(pl.lit("/venue")).otherwise(pl.lit("")),
        kind=pl.when(is_author)
        .then(pl.lit(KINDS[1]))
        .when(venue)
        .then(pl.lit(KINDS[2]))
        .otherwise(pl.lit(KINDS[0])),
        reference=reference,
        slot=pl.when(is_author).then(author).otherwise(0).cast(pl.Int32),
        name=name.otherwise(pl.lit("A Title of Some Length about ")) + (number % 9973).cast(pl.String),
    )


def _measure(method: str, store: Store, mentions: pl.DataFrame, size: Callable[[Store], int]) -> Row:
    try:
        with store.writing():
            store.execute("DELETE FROM mentions")
        written, write_cpu = _seconds(lambda: _load(store, mentions))
        read, read_cpu = _seconds(lambda: store.read("mentions"))
        return {
            "bench": "store",
            "set": "mentions",
            "method": method,
            "mentions": mentions.height,
            "write_seconds": written,
            "write_cpu_seconds": write_cpu,
            "written_per_second": mentions.height / written,
            "read_seconds": read,
            "read_cpu_seconds": read_cpu,
            "read_per_second": mentions.height / read,
            "size_mib": size(store) / 2**20,
        }
    finally:
        store.close()


def _load(store: Store, mentions: pl.DataFrame) -> None:
    with store.writing():
        store.append("mentions", mentions)


def _size_on_server(store: Store) -> int:
    return store.number("SELECT pg_total_relation_size('samehand.mentions')")


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of this process's CPU: on a busy machine they differ."""
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - start_cpu
