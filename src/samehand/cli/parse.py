"""`samehand parse FILES`: the fields of raw citations, with probabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samehand.cli.options import InputFormat, Seed
from samehand.errors import UsageError

if TYPE_CHECKING:
    from samehand.read import Records

REJECTS_TOLD = 20
"""So many records that could not be read are told one by one."""


def parse(
    files: Annotated[
        list[str], typer.Argument(metavar="FILES...", help="Files with citations; - for standard input.")
    ],
    together: Annotated[
        bool, typer.Option("--together", help="Only as read together with the other citations of each paper.")
    ] = False,
    alone: Annotated[bool, typer.Option("--alone", help="Only as each citation reads by itself.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the JSON lines to this file.")
    ] = None,
    input_format: InputFormat = None,
    seed: Seed = 0,
) -> None:
    """Divide raw citation strings into title, authors, venue and so on, and say how sure each is.

    Each citation is read by itself, and again with the help of those that cite the same paper; where the two
    differ, both are shown.
    """
    from samehand.models.citations.parsing.read import parse_all
    from samehand.models.citations.parsing.show import parsed_json, print_parsed
    from samehand.read import read

    if alone and together:
        raise UsageError("--alone and --together exclude each other; give neither to see both")
    records = read(files, format=input_format)
    _tell_rejects(records)
    found = parse_all(records.references, alone=not together, together=not alone, seed=seed)
    if not found:
        named = ", ".join(files)
        raise UsageError(
            f"{named}: no raw citations; give plain text with one on each line, or a table with a column text"
        )
    if output is not None:
        from samehand.publish.tables import whole_file

        with whole_file(output) as stream:
            stream.writelines(f"{parsed_json(parsed)}\n".encode() for parsed in found)
    elif json:
        for parsed in found:
            print(parsed_json(parsed))
    else:
        print_parsed(found)


def _tell_rejects(records: Records) -> None:
    """Say on stderr how many records could not be read, and why: no line of the input vanishes unseen."""
    import sys

    from samehand.progress import counted
    from samehand.publish.shown import shown

    if records.rejects.is_empty():
        return
    print(f"{counted(records.rejects.height, 'record')} could not be read:", file=sys.stderr)
    for source, line, reason in (
        records.rejects.select("source", "line", "reason").head(REJECTS_TOLD).iter_rows()
    ):
        print(f"  {shown(source)}:{line}: {shown(reason)}", file=sys.stderr)
    if records.rejects.height > REJECTS_TOLD:
        print(f"  and {records.rejects.height - REJECTS_TOLD:,} more", file=sys.stderr)
