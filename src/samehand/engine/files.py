"""Files between tasks: written once, whole or not at all, read without being copied."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np
import polars as pl
import pyarrow as pa


def write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file under another name, then give it its own: who sees it sees all of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder, "a"), lambda file: file.write(b"hands"))
    ...     Path(folder, "a").read_bytes()
    b'hands'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_frame(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as an Arrow file."""
    write_whole(path, lambda file: frame.write_ipc(file, compat_level=pl.CompatLevel.oldest()))


def read_frame(
    path: Path, begin: int = 0, rows: int | None = None, columns: Sequence[str] | None = None
) -> pl.DataFrame:
    """The rows of an Arrow file from `begin` on; the file is mapped into memory, and only what is used is read."""
    with pa.memory_map(str(path)) as file:
        table = pa.ipc.open_file(file).read_all()
    if columns is not None:
        table = table.select(columns)
    frame = pl.from_arrow(table.slice(begin, rows))
    assert isinstance(frame, pl.DataFrame)
    return frame


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays by name."""
    write_whole(path, lambda file: np.savez(file, **arrays))


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays of a file by name."""
    with np.load(path, allow_pickle=False) as held:
        return {name: held[name] for name in held.files}
