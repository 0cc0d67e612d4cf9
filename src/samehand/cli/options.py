"""Arguments and options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.errors import UsageError

LibraryPlace = Annotated[
    str, typer.Argument(metavar="LIBRARY", help="A library: a file, or postgresql://user@host/name.")
]
Files = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILES...", help="Files or folders of references; - for standard input."),
]
Output = Annotated[Path | None, typer.Option("-o", "--output", metavar="DIR", help="Where results go.")]
Model = Annotated[str, typer.Option(help="Which model resolves.")]
Weights = Annotated[
    Path | None, typer.Option(help="Weights of the author model, as `samehand train` writes them.")
]
Versions = Annotated[
    str,
    typer.Option(
        help="Report, conference paper and article of one work: separate papers, or merged into one."
    ),
]
Only = Annotated[str | None, typer.Option(help="Limit the work: papers, authors or venues.")]
InputFormat = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Input format; told by the content if absent."),
]
TableFormat = Annotated[
    str, typer.Option("--format", help="csv also writes mentions.csv; parquet only mentions.parquet.")
]
Seed = Annotated[int, typer.Option(help="Seed of all random choices; same seed, same bytes.")]
Threads = Annotated[int | None, typer.Option(help="How many cores to use; all if absent.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No progress, no summary.")]


def limit_threads(threads: int | None) -> None:
    """Hold the libraries that read it at import to this many threads; call before importing them."""
    import os

    if threads is not None and threads < 1:
        raise UsageError(f"--threads takes 1 or more, not {threads}")
    if threads is not None:
        for name in ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS"):
            os.environ[name] = str(threads)


EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="Work in shards, without holding the input in memory: threads, ray, or ray://ADDRESS.",
    ),
]
