"""`samehand export LIBRARY`: what a library holds, in the formats other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.cli.options import LibraryPlace


def export(
    library: LibraryPlace,
    format: Annotated[
        str, typer.Option("--format", help="bibtex, csl-json, ris, csv, parquet or jsonl.")
    ] = "bibtex",
    kind: Annotated[
        str, typer.Option(help="What to export as a table: papers, authors, venues or mentions.")
    ] = "papers",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="A file; standard output if absent.")
    ] = None,
) -> None:
    """Write a library's papers, authors, venues or mentions to a file or to standard output."""
    from samehand.library import Library
    from samehand.publish.exports import export_library

    with Library.open(library, create=False) as opened:
        tables = opened.references(), opened.mentions()
        told = {"works": opened.works(), "choices": opened.choices()}
        export_library(*tables, kind=kind, format=format, target=output, **told)
