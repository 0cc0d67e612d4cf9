"""The files that leave samehand: exports in one format, and the folder of results of a run.

Same input, same bytes: nothing written here holds a time, a path of this machine or an order of chance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Protocol

import polars as pl

from samehand.errors import UsageError
from samehand.publish import bibtex, canonical, csl, ris
from samehand.publish.citation_keys import keys
from samehand.publish.tables import whole_file, write_csv
from samehand.records import ASSIGNMENTS

TABLE_FORMATS = ("parquet", "csv")
FORMATS = ("bibtex", "csl-json", "ris", "csv", "parquet", "jsonl")

WRITERS: dict[str, Callable[[pl.DataFrame, IO[bytes]], object]] = {
    "csv": write_csv,
    "parquet": pl.DataFrame.write_parquet,
    "jsonl": pl.DataFrame.write_ndjson,
}
"""The formats that hold any table."""


def _assigned(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    return mentions.select(ASSIGNMENTS.names())


EXPORTS: dict[str, Callable[[pl.DataFrame, pl.DataFrame, pl.DataFrame | None], pl.DataFrame]] = {
    "papers": canonical.papers,
    "authors": lambda references, mentions, works: canonical.authors(references, mentions),
    "venues": lambda references, mentions, works: canonical.venues(references, mentions),
    "mentions": lambda references, mentions, works: _assigned(references, mentions),
}
"""What can be exported, and how it is made."""


class Resolution(Protocol):
    """What a run leaves to be published."""

    @property
    def references(self) -> pl.DataFrame: ...  # schema records.REFERENCES
    @property
    def rejects(self) -> pl.DataFrame: ...  # schema records.REJECTS
    @property
    def mentions(self) -> pl.DataFrame: ...  # schema records.ASSIGNMENTS and `slot`
    @property
    def papers(self) -> pl.DataFrame: ...  # schema canonical.PAPERS
    @property
    def authors(self) -> pl.DataFrame: ...  # schema canonical.AUTHORS
    @property
    def venues(self) -> pl.DataFrame: ...  # schema canonical.VENUES
    @property
    def blocks(self) -> pl.DataFrame: ...  # kind, block, size
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def timings(self) -> dict[str, float]: ...  # step -> seconds; never written to a file


def export(
    references: pl.DataFrame,
    mentions: pl.DataFrame,
    format: str,
    target: str | Path | IO[bytes],
    *,
    kind: str = "papers",
    works: pl.DataFrame | None = None,
    choices: pl.DataFrame | None = None,
) -> None:
    """Write papers, authors, venues or mentions in one of `FORMATS` to a binary stream or a file.

    A file appears whole or not at all. BibTeX, CSL-JSON and RIS hold papers only. `works` says which papers are versions
    of one work (schema `store.schema.WORKS`), `choices` whose value a field of a BibTeX entry has (`CHOICES` there).

    >>> import io
    >>> from samehand.publish import example
    >>> stream = io.BytesIO()
    >>> export(example.references(), example.mentions(), "jsonl", stream)
    >>> stream.getvalue()[:37]
    b'{"entity":"phands","title":"On Hands"'
    """
    if format not in FORMATS:
        raise UsageError(f"no export format named {format!r}; there are: {', '.join(FORMATS)}")
    if kind not in EXPORTS:
        raise UsageError(f"nothing named {kind!r} to export; there are: {', '.join(EXPORTS)}")
    if kind != "papers" and format not in WRITERS:
        raise UsageError(f"{format} holds papers, not {kind}; choose {', '.join(WRITERS)} for {kind}")
    opened = whole_file(Path(target)) if isinstance(target, str | Path) else nullcontext(target)
    with opened as stream:
        if format in WRITERS:
            WRITERS[format](EXPORTS[kind](references, mentions, works), stream)
        elif format == "bibtex":
            _write_bibtex(references, mentions, stream, choices)
        else:
            tables = canonical.papers(references, mentions), canonical.authors(references, mentions)
            (csl if format == "csl-json" else ris).write(*tables, stream)


def export_library(
    references: pl.DataFrame,
    mentions: pl.DataFrame,
    *,
    kind: str,
    format: str,
    target: Path | None,
    works: pl.DataFrame | None = None,
    choices: pl.DataFrame | None = None,
) -> None:
    """`export` for the command line: without a target, to standard output."""
    place = sys.stdout.buffer if target is None else target
    export(references, mentions, format, place, kind=kind, works=works, choices=choices)


def check_table_format(table_format: str) -> None:
    """A UsageError unless mentions can be written in this format."""
    if table_format not in TABLE_FORMATS:
        raise UsageError(f"tables of mentions are written as parquet or csv, not {table_format!r}")


def write_outputs(
    resolution: Resolution,
    folder: str | Path,
    *,
    table_format: str = "parquet",
    choices: pl.DataFrame | None = None,
) -> list[Path]:
    """Write a run's results into `folder`, each file whole or not at all; the paths in order.

    `table_format="csv"` writes mentions.csv beside mentions.parquet. `choices` (`Library.choices`) says whose value
    curators want in the fields of clean.bib.

    >>> import tempfile, samehand
    >>> from samehand.publish import example
    >>> result = samehand.resolve(samehand.Records(example.references(), samehand.read([]).rejects))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(path.name for path in write_outputs(result, folder))[:4]
    ['authors.csv', 'clean.bib', 'keys.csv', 'mentions.parquet']
    """
    from samehand.publish.report import render

    check_table_format(table_format)
    folder = Path(folder)
    assigned = _assigned(resolution.references, resolution.mentions)
    tables = {
        "papers": resolution.papers,
        "authors": resolution.authors,
        "venues": resolution.venues,
        "keys": keys(resolution.references, resolution.mentions),
        "rejects": resolution.rejects,
    }
    if table_format == "csv":
        tables["mentions"] = assigned
    writers: dict[str, Callable[[IO[bytes]], object]] = {
        f"{name}.csv": partial(write_csv, table) for name, table in tables.items()
    }
    writers["mentions.parquet"] = assigned.write_parquet
    writers["clean.bib"] = lambda stream: _write_bibtex(
        resolution.references, resolution.mentions, stream, choices
    )
    writers["report.html"] = lambda stream: stream.write(render(resolution).encode())
    for name, writer in writers.items():
        with whole_file(folder / name) as stream:
            writer(stream)
    return [folder / name for name in writers]


def _write_bibtex(
    references: pl.DataFrame, mentions: pl.DataFrame, stream: IO[bytes], choices: pl.DataFrame | None = None
) -> None:
    text = TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="\n", write_through=True)
    bibtex.write(references, mentions, text, choices)
    text.detach()
