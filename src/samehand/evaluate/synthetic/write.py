"""Stream a generated bibliography to files, row group by row group: memory does not grow with it.

A file is written under the name it will have plus ".part", and renamed when it is complete.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from samehand.errors import SamehandError, UsageError
from samehand.evaluate.synthetic.build import Numbers, Piece, fields
from samehand.evaluate.synthetic.laws import PROFILES
from samehand.evaluate.synthetic.text import MENTIONS, TRUTH
from samehand.progress import Progress, Silent, step

ROW_GROUP = 240_000
TRUTH_ENDINGS = (".parquet", ".csv", ".csv.gz")
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Generated:
    """What was written, and where."""

    mentions: int
    records: int
    persons: int
    output: Path
    truth: Path


def generate(
    mentions: int,
    output: Path,
    *,
    seed: int = 0,
    like: str = "acl-a",
    truth: Path | None = None,
    progress: Progress | None = None,
) -> Generated:
    """Write a bibliography of exactly `mentions` author mentions, and its truth; same arguments, same bytes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = generate(10, Path(folder, "ten.parquet"))
    ...     made.mentions, made.truth.name
    (10, 'ten.truth.parquet')
    """
    truth = truth or output.with_name(output.name.removesuffix(".parquet") + ".truth.parquet")
    _check(mentions, output, seed, like, truth)
    done = Numbers(0, 0, 0)
    progress = progress or Silent()
    with (
        step(progress, "generate") as outcome,
        _table(output, MENTIONS) as table,
        _table(truth, TRUTH) as key,
    ):
        for group in row_groups(fields(PROFILES[like], mentions, seed), ROW_GROUP):
            table.write_table(pa.concat_tables([piece.mentions for piece in group]), ROW_GROUP)
            key.write_table(pa.concat_tables([piece.truth for piece in group]))
            done = done.plus(*(piece.counts for piece in group))
            progress.update(done.mentions, mentions, f"{done.mentions:,} mentions")
        outcome.append(f"{mentions:,} mentions of {done.persons:,} persons in {done.records:,} records")
    return Generated(mentions, done.records, done.persons, output, truth)


def row_groups(pieces: Iterator[Piece], size: int) -> Iterator[list[Piece]]:
    """The pieces in groups of at least `size` mentions; the last may be smaller."""
    group: list[Piece] = []
    for piece in pieces:
        group.append(piece)
        if sum(each.mentions.num_rows for each in group) >= size:
            yield group
            group = []
    if group:
        yield group


def _check(mentions: int, output: Path, seed: int, like: str, truth: Path) -> None:
    """Refuse what cannot be done, before any work."""
    if mentions < 1:
        raise UsageError(f"{mentions} mentions cannot be generated; give --mentions a number from 1 on")
    if not 0 <= seed <= MOST_SEED:
        raise UsageError(f"seed {seed} is out of range; give --seed a number from 0 to {MOST_SEED}")
    if like not in PROFILES:
        raise UsageError(f"no profile named {like!r}; give --like one of: {', '.join(PROFILES)}")
    if output.suffix != ".parquet":
        raise UsageError(f"{output}: mentions are written as Parquet; give -o a name that ends in .parquet")
    if not truth.name.endswith(TRUTH_ENDINGS):
        raise UsageError(f"{truth}: give --truth a name that ends in {', '.join(TRUTH_ENDINGS)}")
    if truth.absolute() == output.absolute():
        raise UsageError(f"{truth}: mentions and truth cannot be one file; give --truth another name")
    for path in (output, truth):
        if not path.parent.is_dir():
            raise UsageError(f"{path.parent}: no such folder; make it first")


@contextmanager
def _table(path: Path, schema: pa.Schema) -> Iterator[Any]:
    """A writer of tables; what fails leaves no file under the final name."""
    part = path.with_name(path.name + ".part")
    try:
        with _writer(path, part, schema) as writer:
            yield writer
        os.replace(part, path)
    except OSError as error:
        raise SamehandError(
            f"{path}: cannot be written: {error.strerror or error}; free the space or choose another place"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def _writer(path: Path, part: Path, schema: pa.Schema) -> Iterator[Any]:
    """Parquet or CSV by the ending of `path`, written to `part`."""
    if path.suffix == ".parquet":
        repeated = [name for name in schema.names if name != "id"]
        with pa.parquet.ParquetWriter(
            part,
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=repeated,
            write_statistics=False,
        ) as writer:
            yield writer
    else:
        compression = "gzip" if path.suffix == ".gz" else None
        with (
            pa.output_stream(part, compression=compression) as stream,
            pa.csv.CSVWriter(stream, schema) as writer,
        ):
            yield writer
