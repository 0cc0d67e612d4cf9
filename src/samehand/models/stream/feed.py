"""References as they come: files in batches, standard input line by line."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import polars as pl

from samehand.errors import ReadError, UnknownFormatError
from samehand.read import Records, read, read_batches
from samehand.read.identify import identify
from samehand.read.lines import LINE_LIMIT
from samehand.records import REFERENCES, REJECTS, Reject, rejects_frame

BATCH = 200
"""So many references of a file are assigned and kept at once."""


def from_files(files: Sequence[str], format: str | None = None) -> Iterator[tuple[Records, int, int]]:
    """The records of files in batches, each with how many references are done with it, of how many."""
    records = read(files, format=format)
    total = records.references.height
    for start in range(0, max(total, 1), BATCH):
        part = records.references[start : start + BATCH]
        rejects = records.rejects if start == 0 else records.rejects.clear()
        yield Records(part, rejects), start + part.height, total


def from_lines(stream: BinaryIO, format: str | None = None) -> Iterator[Records]:
    """The records of each line as soon as it is there; blank lines are skipped.

    A line is a whole record in any format that fits on one: a JSON object, a BibTeX entry, a citation. All lines of a
    session are one source, whose name no other session has. What cannot be read is a reject, and the next line is read.

    >>> import io
    >>> lines = io.BytesIO(b'{"title": "On Hands", "authors": ["Ann Lee"]}\\n\\nLee, A. On Thumbs. 2001.\\n')
    >>> [batch.references["line"].to_list() for batch in from_lines(lines)]
    [[1], [3]]
    """
    source = f"-:{secrets.token_hex(4)}"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "line"
        number = 0
        while line := stream.readline(LINE_LIMIT):
            number += 1
            if line.strip():
                place.write_bytes(line)
                yield _read_line(place, source, number, format)


def _read_line(place: Path, source: str, number: int, format: str | None) -> Records:
    said = (pl.lit(source).alias("source"), pl.lit(number, pl.Int64).alias("line"))
    try:
        batches = list(read_batches(place, format=format))
    except (UnknownFormatError, ReadError) as error:
        reason = str(error).removeprefix(f"{place}: ")
        return Records(REFERENCES.to_frame(), rejects_frame([Reject(source, number, reason, "")]))
    references = pl.concat([REFERENCES.to_frame(), *(batch.references for batch in batches)])
    rejects = pl.concat([REJECTS.to_frame(), *(batch.rejects for batch in batches)])
    return Records(identify(references.with_columns(*said)), rejects.with_columns(*said))
