"""Tables as JSON lines, or as a JSON array of flat objects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from samehand.read.json_stream import Record, records
from samehand.read.tables import RowReader, shape_of
from samehand.records import Reference, Reject

ROWS_TO_JUDGE_BY = 500


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The rows of a JSON table; their shape is decided by the columns of the first rows together.

    >>> import io
    >>> [record] = read(io.BytesIO(b'{"id": "m1", "name": "Ann Lee", "coauthors": ["Bo Ek"]}'), "a.jsonl")
    >>> record.scope, record.authors, record.focus
    ('author', ['Ann Lee', 'Bo Ek'], 0)
    """
    rows = records(stream, source)
    beginning: list[Record | Reject] = []
    while not _columns(beginning) and (more := list(islice(rows, ROWS_TO_JUDGE_BY))):
        yield from (row for row in beginning if isinstance(row, Reject))
        beginning = more
    columns = _columns(beginning)
    reader = RowReader(source, shape_of(columns, source)) if columns else None
    for row in chain(beginning, rows):
        if isinstance(row, Reject):
            yield row
        elif reader is not None:
            row[1].pop("segments", None)
            yield reader.read(row[1], row[0])


def _columns(rows: list[Record | Reject]) -> list[str]:
    """All columns of these rows, in order of first appearance."""
    columns: dict[str, None] = {}
    for row in rows:
        if not isinstance(row, Reject):
            columns.update(dict.fromkeys(row[1]))
    return list(columns)
