"""Tables as CSV or TSV: delimiter found in the header, quoted line breaks, ragged rows rejected by line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import BinaryIO

from samehand.errors import UsageError
from samehand.read.lines import Overlong, text_lines
from samehand.read.table_frames import Found, FrameReader
from samehand.read.tables import Row, shape_of
from samehand.read.values import rejected
from samehand.records import Reject

DELIMITERS = (",", "\t", ";", "|")


PART_ROWS = 500
PART_SIZE = 1 << 18
"""Rows go on together when there are so many, or so many characters of lines."""


def read(stream: BinaryIO, source: str) -> Iterator[Found]:
    """The rows of a CSV table, whose first line must name the columns.

    >>> import io
    >>> [frame] = read(io.BytesIO(b"title;authors;year\\nOn Hands;Ann Lee and Bo Ek;2001\\n"), "a.csv")
    >>> frame.select("authors", "line").row(0)
    (['Ann Lee', 'Bo Ek'], 2)
    """
    lines = _Lines(stream, source)
    header_line = next(lines, "")
    delimiter = delimiter_of(header_line)
    header = [name.strip() for name in cells_of(header_line, delimiter)]
    reader = FrameReader(source, shape_of([name for name in header if name], source))
    _check_header(header, source)
    numbers: list[int] = []
    rows: list[Row] = []
    for found in _rows(lines, header, delimiter):
        if isinstance(found, Reject):
            yield found
            continue
        numbers.append(found[0])
        rows.append(found[1])
        if len(rows) >= PART_ROWS or lines.size >= PART_SIZE:
            yield from reader.add(numbers, rows)
            numbers, rows, lines.size = [], [], 0
    yield from reader.add(numbers, rows)
    yield from reader.finish()


def _check_header(header: list[str], source: str) -> None:
    named = [name for name in header if name]
    doubled = sorted({name for name in named if named.count(name) > 1})
    if doubled:
        raise UsageError(f"{source}: line 1 names a column twice: {', '.join(doubled)}; rename one of them")


def delimiter_of(header: str) -> str:
    """The delimiter that parts the header into the most columns.

    >>> delimiter_of("a;b,c;d")
    ';'
    """
    return max(DELIMITERS, key=lambda delimiter: len(cells_of(header, delimiter)))


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of one line; none where it is no line of a table.

    >>> cells_of('a,"b,c"', ",")
    ['a', 'b,c']
    """
    try:
        return next(csv.reader([line.replace("\r", " ")], delimiter=delimiter), [])
    except csv.Error:
        return []


class _Lines:
    """Lines for the csv module, remembering the last one taken and any that were too long."""

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._lines = text_lines(stream)
        self.source, self.number, self.last, self.size = source, 0, "", 0
        self.rejects: list[Reject] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for number, line in self._lines:
            self.number = number
            if not isinstance(line, Overlong):
                self.last = line
                self.size += len(line)
                return line.replace("\r", " ") + "\n"
            self.rejects.append(rejected(self.source, self.number, "line too long", line.beginning))
        raise StopIteration


def _rows(lines: _Lines, header: list[str], delimiter: str) -> Iterator[tuple[int, Row] | Reject]:
    """(first line, row) for each record; what does not fit the header is rejected."""
    rows = csv.reader(lines, delimiter=delimiter)
    while True:
        first_line = lines.number + 1
        try:
            cells = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            reason = f"{error} (a quotation mark that is never closed?)"
            yield rejected(lines.source, first_line, reason, lines.last)
            continue
        if cells and any(cells):
            yield _row(cells, header, first_line, lines.source)
        yield from lines.rejects
        lines.rejects.clear()
    yield from lines.rejects


def _row(cells: list[str], header: list[str], line: int, source: str) -> tuple[int, Row] | Reject:
    if len(cells) < len(header) or any(cells[len(header) :]):
        reason = f"{len(cells)} cells where the header has {len(header)} columns"
        return rejected(source, line, reason, " | ".join(cells))
    return line, {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
