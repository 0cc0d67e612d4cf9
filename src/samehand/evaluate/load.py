"""Tables of labels from files: CSV, TSV, JSON lines or Parquet, each also compressed (.gz, .zst).

The file's name says the format. Every value of a CSV or TSV file is read as text, so that "007" stays "007".
"""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path

import orjson
import polars as pl
import zstandard

from samehand.errors import ReadError, UnknownFormatError

LARGEST = 8 << 30
"""Bytes a compressed file may grow to: past any honest table of labels, short of filling the memory."""

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def read_table(path: str | Path) -> pl.DataFrame:
    """The table in a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "truth.csv"
    ...     _ = path.write_text("id,cluster\\n007,a\\n")
    ...     read_table(path).rows()
    [('007', 'a')]
    """
    path = Path(path)
    form = _form(path)
    content = _content(path)
    try:
        return _parse(content, form)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        line = _bad_line(content) if form == "jsonl" else None
        where = path if line is None else f"{path}, line {line}"
        reason = str(error).strip().splitlines()[0]
        message = f"{where}: not a readable {form} table ({reason}); correct or convert the file"
        raise ReadError(message) from None


def _form(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    if not suffixes or suffixes[-1] not in FORMATS:
        raise UnknownFormatError(
            f"{path}: the name does not say the format; give a file that ends in "
            f"{', '.join(FORMATS)}, or one of these followed by .gz or .zst"
        )
    return FORMATS[suffixes[-1]]


def _content(path: Path) -> bytes:
    """The file's bytes, decompressed, and refused where they grow past `LARGEST`."""
    try:
        with path.open("rb") as raw:
            if path.suffix.lower() == ".gz":
                content = gzip.GzipFile(fileobj=raw).read(LARGEST + 1)
            elif path.suffix.lower() == ".zst":
                content = _zstd_content(raw)
            else:
                return raw.read()
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadError(f"{path}: cannot be read ({reason}); check the path and the file") from None
    if len(content) > LARGEST:
        raise ReadError(f"{path}: more than {LARGEST:,} bytes when decompressed; give a smaller table")
    return content


def _zstd_content(raw: io.BufferedReader) -> bytes:
    """Decompressed bytes of all frames; read a kilobyte at a time, which can become 44 MiB at the worst."""
    decompressor = zstandard.ZstdDecompressor()
    frame = decompressor.decompressobj()
    parts, size, ended = [], 0, False
    while (piece := raw.read(1 << 10)) and size <= LARGEST:
        while piece:
            parts.append(frame.decompress(piece))
            size += len(parts[-1])
            piece, ended = frame.unused_data, frame.eof
            if ended:
                frame = decompressor.decompressobj()
    if size <= LARGEST and not ended:
        raise EOFError("the archive is cut short")
    return b"".join(parts)


def _parse(content: bytes, form: str) -> pl.DataFrame:
    if form == "parquet":
        return pl.read_parquet(io.BytesIO(content))
    if form == "jsonl":
        return pl.read_ndjson(io.BytesIO(content), infer_schema_length=None)
    separator = "," if form == "csv" else "\t"
    return pl.read_csv(io.BytesIO(content), separator=separator, infer_schema=False)


def _bad_line(content: bytes) -> int | None:
    """The first line that is not a JSON object, if there is one."""
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            if line.strip() and not isinstance(orjson.loads(line), dict):
                return number
        except orjson.JSONDecodeError:
            return number
    return None
