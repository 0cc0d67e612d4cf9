"""`samehand train TRUTH FILES -o weights.toml`: learn the author model's weights from labelled mentions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.cli.options import InputFormat, Quiet


def train(
    truth: Annotated[
        Path | None, typer.Argument(help="Table with id and cluster of author mentions.", show_default=False)
    ] = None,
    files: Annotated[
        list[str] | None, typer.Argument(help="The references these mentions stand in.", show_default=False)
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Where to write the weights.")] = Path(
        "weights.toml"
    ),
    library: Annotated[
        str | None, typer.Option(help="Learn from the decisions in this library instead.")
    ] = None,
    input_format: InputFormat = None,
    quiet: Quiet = False,
) -> None:
    """Learn weights for the author model; `samehand resolve --weights` uses them."""
    from samehand.errors import UsageError
    from samehand.library import Library
    from samehand.models.persons.train import train as learn
    from samehand.models.persons.train import train_on_decisions
    from samehand.progress import for_terminal

    progress = for_terminal(quiet)
    if library is not None and truth is None:
        with Library.open(library, create=False) as opened:
            weights = train_on_decisions(opened, progress=progress)
    elif library is None and truth is not None and files:
        weights = learn(truth, files, format=input_format, progress=progress)
    else:
        raise UsageError("name a truth file and the files it labels, or --library L with decisions")
    output.write_text(weights.toml(), "utf-8")
    if not quiet:
        print(f"Weights are in {output}; use them with: samehand resolve FILES --weights {output}")
