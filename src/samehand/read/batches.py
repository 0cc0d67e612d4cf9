"""Input in batches that can be read on their own, by whoever is to work on them.

A Parquet file is divided into runs of row groups, which are read where they are. Anything else is read once, in order,
and kept as Arrow files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from samehand.engine.files import read_frame, write_frame
from samehand.read import Paths, Records, read_batches
from samehand.read.identify import identify
from samehand.read.open import places
from samehand.read.table_parquet import read_groups
from samehand.records import REFERENCES, REJECTS, Reject, references_frame, rejects_frame


@dataclass(frozen=True)
class Batch:
    """Row groups of a Parquet file, the first row of which has the number `line`; or, with none, a file of references."""

    path: str
    groups: tuple[int, ...] = ()
    line: int = 1
    rows: int = 0


def divide(paths: Paths, folder: Path, size: int, format: str | None = None) -> Iterator[Batch]:
    """Batches of about `size` rows each; those that are not read from where they are lie in `folder`."""
    for number, place in enumerate(places(paths)):
        if isinstance(place, Reject):
            yield copy_batch(Records(REFERENCES.to_frame(), rejects_frame([place])), folder / f"{number:05}")
        elif format in (None, "parquet") and (table := _parquet(place.path)) is not None:
            yield from _row_groups(place.path, table, size)
        else:
            for part, records in enumerate(read_batches(place.path, format=format, batch_size=size)):
                yield copy_batch(records, folder / f"{number:05}-{part:05}")


def _parquet(path: str) -> pq.FileMetaData | None:
    """What a Parquet file says of its row groups; None of any other file, and of one that is damaged."""
    if not path.endswith(".parquet") or not Path(path).is_file():
        return None
    try:
        return pq.ParquetFile(path).metadata
    except (pa.ArrowException, OSError):
        return None


def _row_groups(path: str, table: pq.FileMetaData, size: int) -> Iterator[Batch]:
    groups: list[int] = []
    line, rows = 1, 0
    for group in range(table.num_row_groups):
        groups.append(group)
        rows += table.row_group(group).num_rows
        if rows >= size or group == table.num_row_groups - 1:
            yield Batch(path, tuple(groups), line, rows)
            groups, line, rows = [], line + rows, 0


def copy_batch(records: Records, target: Path) -> Batch:
    """Keep records as files that begin with `target`, and give the batch that they are."""
    write_frame(target.with_suffix(".rejects"), records.rejects)
    write_frame(target.with_suffix(".arrow"), identify(records.references))
    return Batch(str(target.with_suffix(".arrow")), rows=records.references.height)


def read_batch(batch: Batch) -> Records:
    """The references and rejects of a batch."""
    if not batch.groups:
        path = Path(batch.path)
        return Records(
            read_frame(path).cast(REFERENCES), read_frame(path.with_suffix(".rejects")).cast(REJECTS)
        )
    frames, rejects = [REFERENCES.to_frame()], list[Reject]()
    for found in read_groups(batch.path, batch.groups, batch.line):
        if isinstance(found, pl.DataFrame):
            frames.append(found)
        elif isinstance(found, Reject):
            rejects.append(found)
        else:
            frames.append(references_frame([found]))
    return Records(identify(pl.concat(frames)), rejects_frame(rejects))


def rows_of(batches: Sequence[Batch]) -> int:
    """How many rows the batches have."""
    return sum(batch.rows for batch in batches)
