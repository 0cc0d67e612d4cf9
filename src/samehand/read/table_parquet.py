"""Tables as Parquet, read in batches so that memory stays flat."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from samehand.errors import ReadError
from samehand.read.table_columns import Columns
from samehand.read.table_frames import Found, FrameReader, read_columns
from samehand.read.tables import Row, RowReader, candidate_columns, extra_json, plan_of, shape_of

BATCH_ROWS = 20_000


def read(stream: BinaryIO, source: str) -> Iterator[Found]:
    """The rows of a Parquet file; `line` is the number of the row. Binary columns are left alone.

    >>> import io, polars as pl
    >>> file = io.BytesIO()
    >>> pl.DataFrame({"venue": ["TODS"], "title": ["On Hands"]}).write_parquet(file)
    >>> [frame] = read(io.BytesIO(file.getvalue()), "a.parquet")
    >>> frame.select("scope", "venue").row(0)
    ('venue', 'TODS')
    """
    yield from _read(stream, source, None, 1)


def read_groups(path: str, groups: Sequence[int], line: int) -> Iterator[Found]:
    """The same for some row groups of a file, of which the first row has the number `line`."""
    with open(path, "rb") as stream:
        yield from _read(stream, path, groups, line)


def _read(stream: BinaryIO, source: str, groups: Sequence[int] | None, line: int) -> Iterator[Found]:
    with _seekable(stream) as file:
        try:
            table = pq.ParquetFile(file)
            columns = [field.name for field in table.schema_arrow if not _is_binary(field.type)]
            reader = RowReader(source, shape_of(columns, source))
            number = line
            for batch in table.iter_batches(BATCH_ROWS, groups, columns, use_threads=False):
                yield from _batch(reader, batch, range(number, number + batch.num_rows))
                number += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ReadError(
                f"{source}: damaged Parquet file ({reason}); write it again or get a new copy"
            ) from None


def _is_binary(kind: pa.DataType) -> bool:
    kinds = (
        pa.types.is_binary,
        pa.types.is_large_binary,
        pa.types.is_binary_view,
        pa.types.is_fixed_size_binary,
    )
    return any(is_kind(kind) for is_kind in kinds)


def _batch(reader: RowReader, batch: pa.RecordBatch, lines: range) -> Iterator[Found]:
    """Columns of usual types are taken as they are; a batch with others goes through rows."""
    held = candidate_columns(batch.schema.names)
    plan = plan_of(batch.schema.names, reader.scope)
    if any(len(held[name]) > 1 or not _is_usual(batch[column].type) for column, name in plan.used):
        yield from _through_rows(reader, batch, lines)
        return
    columns = {name: _column(batch[column]) for column, name in plan.used}
    fields: list[str | None] = [None] * batch.num_rows
    if plan.extra:
        fields = _extras(batch, plan.extra)
    yield from read_columns(
        reader,
        lines,
        Columns(batch.num_rows, columns),
        fields,
        lambda place: _given(batch.slice(place, 1).to_pylist()[0]),
    )


def _extras(batch: pa.RecordBatch, extra: Sequence[str]) -> list[str | None]:
    """`extra_json` of every row; columns of whole numbers and text without gaps are written all at once."""
    held = batch.select(list(extra))
    if all(column.null_count == 0 and _is_plain(column.type) for column in held.columns):
        frame = pl.DataFrame(held)
        return frame.select(pl.struct(sorted(frame.columns)).struct.json_encode()).to_series().to_list()
    return [extra_json(row, list(extra)) for row in held.to_pylist()]


def _is_plain(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _through_rows(reader: RowReader, batch: pa.RecordBatch, lines: range) -> Iterator[Found]:
    rows = FrameReader(reader.source, reader.scope)
    yield from rows.add(lines, [_given(row) for row in batch.to_pylist()])
    yield from rows.finish()


def _is_usual(kind: pa.DataType) -> bool:
    """Text, numbers and lists of text."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = kind.value_type
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
    numeric = pa.types.is_integer(kind) or pa.types.is_float64(kind)
    return bool(numeric or pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _column(array: pa.Array) -> list[Any] | pl.Series:
    column = pl.Series(array)
    return column if isinstance(column.dtype, (pl.String, pl.List)) else column.to_list()


def _given(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}


def _seekable(stream: BinaryIO) -> Any:
    """Parquet is read from its end: a stream that cannot seek goes to a temporary file first."""
    if stream.seekable():
        return stream
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    return copy
