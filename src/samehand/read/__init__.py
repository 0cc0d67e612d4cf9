"""Reading: from files of any supported format to one table of references and one of rejects.

`read` is the whole step: every record of the input is a row of `references` or a row of `rejects`, never
neither. `read_batches` is the same as a stream, for input that does not fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

import polars as pl

from samehand.errors import ReadError, SamehandError, UsageError
from samehand.read.crossref import inherit
from samehand.read.detect import FORMATS, detect
from samehand.read.identify import identify
from samehand.read.open import PEEK, Place, Stream, open_stream, places, total_size
from samehand.records import REFERENCES, REJECTS, Reference, Reject, references_frame, rejects_frame

Progress = Callable[[int, int, int], None]
"""Called with (bytes done, bytes in all, records read); bytes as stored, 0 in all where unknown."""

Paths = str | Path | Sequence[str | Path]

Found = Reference | Reject | pl.DataFrame
"""What a reader yields: a record, a reject, or many references as one frame with schema REFERENCES."""

_MODULES = {
    "bibtex": "bibtex",
    "ris": "ris",
    "csl": "csl",
    "crossref": "crossref_json",
    "openalex": "openalex",
    "dblp": "dblp",
    "medline": "medline",
    "csv": "table_csv",
    "jsonl": "table_json",
    "parquet": "table_parquet",
    "text": "text",
}


@dataclass(frozen=True)
class Records:
    """What was read: `references` with schema REFERENCES, `rejects` with schema REJECTS."""

    references: pl.DataFrame
    rejects: pl.DataFrame


def read(paths: Paths, *, format: str | None = None, progress: Progress | None = None) -> Records:
    """All references of files, folders or standard input ("-"), with inherited fields and unique ids.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "hands.ris")
    ...     _ = path.write_text("TY  - BOOK\\nTI  - On Hands\\nAU  - Lee, Ann\\nER  - \\n")
    ...     records = read(path)
    >>> records.references["title"].to_list(), records.rejects.height
    (['On Hands'], 0)
    """
    batches = list(_batches(paths, format, 20_000, progress))
    references = pl.concat([REFERENCES.to_frame(), *(batch.references for batch in batches)])
    rejects = pl.concat([REJECTS.to_frame(), *(batch.rejects for batch in batches)])
    return Records(identify(inherit(references)), rejects)


def read_batches(paths: Paths, *, format: str | None = None, batch_size: int = 20_000) -> Iterator[Records]:
    """The same records as a stream of batches; fields are not inherited and ids not unique yet.

    >>> list(read_batches([]))
    []
    """
    if batch_size < 1:
        raise UsageError(f"batch_size is {batch_size}; it must be at least 1")
    return _batches(paths, format, batch_size, None)


def _batches(
    paths: Paths, format: str | None, batch_size: int, progress: Progress | None
) -> Iterator[Records]:
    if format is not None and format not in _MODULES:
        raise UsageError(f"no format named {format!r}; there are: {', '.join(FORMATS)}")
    meter = _Meter(progress, total_size(paths) if progress else 0)
    batch = _Batch()
    for place in places(paths):
        for found in _records(place, format, meter):
            for piece in _pieces(found, batch_size - batch.size, batch_size):
                batch.add(piece)
                if batch.size >= batch_size:
                    meter.report(batch.size)
                    yield batch.taken()
        meter.finish_file()
    meter.report(batch.size)
    if batch.size:
        yield batch.taken()


def _pieces(found: Found, room: int, rows: int) -> Iterator[Found]:
    """A frame in slices: what the open batch has room for, then so many rows each; else what was found."""
    if isinstance(found, pl.DataFrame) and found.height > room:
        yield found[:room]
        yield from found[room:].iter_slices(rows)
    else:
        yield found


@dataclass
class _Batch:
    """References in the order in which they were read, those that came one by one between those in frames."""

    frames: list[pl.DataFrame] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    size: int = 0

    def add(self, found: Found) -> None:
        if isinstance(found, pl.DataFrame):
            self._close_run()
            self.frames.append(found)
            self.size += found.height
            return
        if isinstance(found, Reject):
            self.rejects.append(found)
        else:
            self.references.append(found)
        self.size += 1

    def _close_run(self) -> None:
        """Turns the references that came one by one since the last frame into a frame."""
        if self.references:
            self.frames.append(references_frame(self.references))
            self.references = []

    def taken(self) -> Records:
        self._close_run()
        references = pl.concat(self.frames) if self.frames else REFERENCES.to_frame()
        records = Records(references, rejects_frame(self.rejects))
        self.frames, self.rejects, self.size = [], [], 0
        return records


@dataclass
class _Meter:
    """Adds up bytes over files and records over batches for the caller's progress bar."""

    progress: Progress | None
    total: int
    before: int = 0
    records: int = 0
    stream: Stream | None = None

    def report(self, new_records: int) -> None:
        self.records += new_records
        if self.progress:
            self.progress(
                self.before + (self.stream.bytes_done if self.stream else 0), self.total, self.records
            )

    def finish_file(self) -> None:
        self.before += self.stream.bytes_done if self.stream else 0
        self.stream = None


def _records(place: Place | Reject, format: str | None, meter: _Meter) -> Iterator[Found]:
    """The records of one file. A file found in a folder that is of no use is a reject, not an error."""
    if isinstance(place, Reject):
        yield place
        return
    try:
        yield from _file_records(place, format, meter)
    except SamehandError as error:
        if place.named:
            raise
        yield Reject(place.path, 0, str(error).removeprefix(f"{place.path}: "), "")


def _file_records(place: Place, format: str | None, meter: _Meter) -> Iterator[Found]:
    with open_stream(place.path) as stream:
        meter.stream = stream
        prefix = stream.peek(PEEK)
        if not prefix:
            yield Reject(place.path, 0, stream.finish() or "empty file", "")
            return
        name = format or detect(prefix, place.path)
        if name == "text" and not place.named and not _is_text_file(place.path):
            yield Reject(place.path, 0, "no format recognised; name the file itself to read it as text", "")
            return
        yield from _guarded(_reader(name)(cast(BinaryIO, stream), place.path), place.path)
        if problem := stream.finish():
            yield Reject(place.path, 0, problem, "")


def _is_text_file(path: str) -> bool:
    return path.lower().removesuffix(".gz").removesuffix(".zst").endswith((".txt", ".text"))


def _guarded(records: Iterator[Found], path: str) -> Iterator[Found]:
    try:
        yield from records
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}; check the file and the disk") from None


def _reader(name: str) -> Callable[[BinaryIO, str], Iterator[Found]]:
    module: Any = import_module(f"samehand.read.{_MODULES[name]}")
    return cast(Callable[[BinaryIO, str], Iterator[Found]], module.read)
