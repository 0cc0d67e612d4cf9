"""`samehand resolve FILES`: the main job, from files of references to papers, authors and venues."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from samehand.cli.options import (
    EngineName,
    Files,
    InputFormat,
    LibraryPlace,
    Model,
    Only,
    Output,
    Quiet,
    Seed,
    TableFormat,
    Threads,
    Versions,
    Weights,
    limit_threads,
)

if TYPE_CHECKING:
    import polars as pl

    from samehand.pipeline import Resolution


def resolve(
    files: Files = None,
    output: Output = None,
    library: Annotated[
        str | None, typer.Option(help="Keep everything in this library: a file, or postgresql://...")
    ] = None,
    model: Model = "samehand",
    weights: Weights = None,
    versions: Versions = "separate",
    only: Only = None,
    input_format: InputFormat = None,
    table_format: TableFormat = "parquet",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what clean.bib would change; write nothing.")
    ] = False,
    seed: Seed = 0,
    threads: Threads = None,
    engine: EngineName = None,
    quiet: Quiet = False,
) -> None:
    """Resolve references into papers, authors and venues.

    With --library and no files, everything in the library is resolved again, under its curators' decisions. With
    --engine, authors of a collection of any size are resolved in shards; the same command goes on with a run that was
    killed.
    """
    from samehand.errors import UsageError

    if not files and library is None:
        raise UsageError("nothing to resolve: name files or folders, - for standard input, or --library L")
    if dry_run and library is not None:
        raise UsageError("--dry-run writes nothing, and --library keeps everything: choose one")
    _check(threads, table_format)
    from samehand.pipeline import only_kind

    if engine is not None and library is None:
        _in_shards(files or [], output, model, only_kind(only), engine, quiet, input_format,
                   weights=weights, seed=seed, workers=threads)  # fmt: skip
        return
    how = {"model": model, "weights": weights, "versions": versions, "only": only_kind(only)}
    told = {"format": input_format, "seed": seed, "threads": threads, "engine": engine}
    result, choices = _run(files or [], library, quiet, create=True, **how, **told)
    if dry_run:
        from samehand.publish.bibtex import difference

        print(difference(result.references, result.mentions))
        return
    _finish(result, output, table_format, quiet, choices)


def add(
    library: LibraryPlace,
    files: Files = None,
    output: Output = None,
    model: Model = "samehand",
    weights: Weights = None,
    versions: Versions = "separate",
    input_format: InputFormat = None,
    table_format: TableFormat = "parquet",
    seed: Seed = 0,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Add references to a library, and resolve again what they touch; identifiers of unchanged entities stay."""
    from samehand.errors import UsageError

    if not files:
        raise UsageError("nothing to add: name files or folders, or - for standard input")
    _check(threads, table_format)
    how = {"model": model, "weights": weights, "versions": versions}
    told = {"format": input_format, "seed": seed, "threads": threads, "touched": True}
    result, choices = _run(files, library, quiet, create=False, **how, **told)
    _finish(result, output, table_format, quiet, choices)


def _in_shards(
    files: list[str],
    output: object,
    model: str,
    only: str | None,
    engine: str,
    quiet: bool,
    input_format: str | None,
    **settings: Any,
) -> None:
    """Resolve authors out of core."""
    from samehand.errors import UsageError
    from samehand.models import DEFAULT

    if output is None or only != "author" or model != DEFAULT:
        raise UsageError(
            "without a library, --engine resolves the authors of files into a folder: say --only authors and -o DIR, "
            "and leave out --model"
        )
    from samehand.progress import counted, for_terminal
    from samehand.sharded import resolve_sharded

    found = resolve_sharded(
        files, str(output), engine=engine, format=input_format, progress=for_terminal(quiet), **settings
    )
    if not quiet:
        print(f"{counted(found.mentions, 'mention')} of {counted(found.persons, 'person')}: {found.path}")


def _check(threads: int | None, table_format: str) -> None:
    limit_threads(threads)
    from samehand.publish.exports import check_table_format

    check_table_format(table_format)


def _run(
    files: list[str], library: str | None, quiet: bool, *, create: bool, **settings: Any
) -> tuple[Resolution, pl.DataFrame | None]:
    """The result, and what the curators of the library chose for the fields of its entries."""
    from contextlib import nullcontext

    from samehand.errors import ReadError
    from samehand.library import Library
    from samehand.pipeline import resolve
    from samehand.progress import for_terminal

    place = Library.open(library, create=create) if library is not None else nullcontext()
    with place as opened:
        result = resolve(files, library=opened, progress=for_terminal(quiet), **settings)
        choices = opened.choices() if opened is not None else None
    if result.references.is_empty():
        reasons = result.rejects["reason"].value_counts(sort=True).head(3)
        why = "; ".join(f"{count:,} x {reason}" for reason, count in reasons.iter_rows())
        raise ReadError(f"no references in {', '.join(files)}" + (f": {why}" if why else ""))
    return result, choices


def _finish(
    result: Resolution, output: object, table_format: str, quiet: bool, choices: pl.DataFrame | None
) -> None:
    from samehand.progress import counted, for_terminal, step
    from samehand.publish.exports import write_outputs

    if output is not None:
        with step(for_terminal(quiet), "write") as outcome:
            files = write_outputs(result, Path(str(output)), table_format=table_format, choices=choices)
            outcome.append(counted(len(files), "file"))
    if not quiet:
        _summary(result, output)


def _summary(result: Resolution, output: object) -> None:
    from rich.console import Console
    from rich.table import Table

    from samehand.progress import counted

    table = Table(box=None, header_style="bold")
    for heading in ("", "mentions", "entities", "merged"):
        table.add_column(heading, justify="left" if heading == "" else "right")
    for kind in ("paper", "author", "venue"):
        mentions = result.mentions.filter(kind=kind)
        if mentions.height:
            entities = mentions["entity"].n_unique()
            merged = f"{1 - entities / mentions.height:.0%}"
            table.add_row(f"{kind}s", f"{mentions.height:,}", f"{entities:,}", merged)
    console = Console()
    console.print(table)
    if result.rejects.height:
        console.print(
            f"{counted(result.rejects.height, 'record')} could not be read; rejects.csv says why.",
            style="yellow",
        )
    if output is not None:
        console.print(f"Results are in {output}; open {output}/report.html to look at them.", highlight=False)
