"""Writing files: CSV in which no spreadsheet finds a formula, and files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import polars as pl

from samehand.errors import SamehandError

FORMULA = r"^([=+\-@\t\r\n])"
"""How a cell begins that a spreadsheet may run as a formula."""


def guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame as CSV can hold it: lists joined by "; ", and a quote before cells that begin like formulas.

    >>> guarded(pl.DataFrame({"title": ["=1+1"], "authors": [["A. Lee", "B. Day"]]})).row(0)
    ("'=1+1", 'A. Lee; B. Day')
    """
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.List)]
    joined = frame.with_columns(
        pl.when(pl.col(name).list.len() > 0).then(pl.col(name).list.join("; ")) for name in lists
    )
    return joined.with_columns(pl.col(pl.String).str.replace(FORMULA, "'$1"))


def write_csv(frame: pl.DataFrame, stream: IO[bytes]) -> None:
    """CSV in UTF-8 with a header, cells guarded.

    >>> import io
    >>> stream = io.BytesIO()
    >>> write_csv(pl.DataFrame({"key": ["@lee"]}), stream)
    >>> stream.getvalue()
    b"key\\n'@lee\\n"
    """
    guarded(frame).write_csv(stream)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A stream into a temporary neighbour of `path`, which takes its place when all is written.

    >>> folder = Path(tempfile.mkdtemp())
    >>> with whole_file(folder / "a.txt") as stream:
    ...     _ = stream.write(b"hands")
    >>> (folder / "a.txt").read_bytes()
    b'hands'
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    """The process's mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, problem: OSError) -> SamehandError:
    reason = problem.strerror or str(problem)
    return SamehandError(f"{path}: cannot be written ({reason}); choose another folder or make room")
