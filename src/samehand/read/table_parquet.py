"""Tables as Parquet, read in batches so that memory stays flat."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from samehand.errors import ReadError
from samehand.read.tables import RowReader, column_names, shape_of
from samehand.records import Reference, Reject

BATCH_ROWS = 5_000


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The rows of a Parquet file; `line` is the number of the row.

    >>> import io, polars as pl
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"venue": ["TODS"], "title": ["On Hands"]}).write_parquet(file)
    >>> [record] = read(io.BytesIO(file.getvalue()), "a.parquet")
    >>> record.scope, record.venue
    ('venue', 'TODS')
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    with _seekable(stream) as file:
        try:
            table = pq.ParquetFile(file)
            columns = table.schema_arrow.names
            reader = RowReader(source, shape_of(columns, source))
            wanted = [column for column in columns if column in column_names(columns)]
            number = 0
            for batch in table.iter_batches(BATCH_ROWS, columns=wanted, use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield reader.read(_given(row), number)
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReadError(
                f"{source}: damaged Parquet file ({reason}); write it again or get a new copy"
            ) from None


def _given(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _seekable(stream: BinaryIO) -> Any:
    """Parquet is read from its end: a stream that cannot seek goes to a temporary file first."""
    if stream.seekable():
        return stream
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy
