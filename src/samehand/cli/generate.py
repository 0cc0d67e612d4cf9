"""`samehand generate`: a bibliography with the laws of real ones, of any size, with its truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.cli.options import Quiet, Seed


def generate(
    mentions: Annotated[int, typer.Option("--mentions", "-n", help="How many author mentions.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE.parquet", help="Where the mentions go.")
    ],
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the truth goes: .parquet, .csv or .csv.gz; FILE.truth.parquet if absent.",
        ),
    ] = None,
    like: Annotated[
        str, typer.Option(help="acl-a: names mostly in full; rexa: initials, papers cited again and again.")
    ] = "acl-a",
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Generate author mentions as `samehand resolve` takes them, and who each of them is."""
    from samehand.evaluate.synthetic import generate as write
    from samehand.progress import for_terminal

    write(mentions, output, seed=seed, like=like, truth=truth, progress=for_terminal(quiet))
