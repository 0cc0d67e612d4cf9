"""`samehand evaluate PREDICTED TRUTH`: how well a clustering agrees with the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    predicted: Annotated[
        Path, typer.Argument(help="Table with id and entity (or cluster), such as mentions.parquet.")
    ],
    truth: Annotated[Path, typer.Argument(help="Table with id and cluster; ids it lacks are not scored.")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    errors: Annotated[int, typer.Option(min=0, help="How many of the worst errors to list.")] = 10,
    intervals: Annotated[
        bool, typer.Option("--intervals/--no-intervals", help="95% intervals by resampling true clusters.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 0,
) -> None:
    """Score a clustering: B-cubed, pairwise, exact clusters, CEAF and more, with intervals and worst errors.

    Both are CSV, TSV, JSON lines or Parquet files, perhaps compressed (.gz, .zst).
    """
    from rich.console import Console

    from samehand.evaluate import evaluate as score
    from samehand.evaluate.show import show

    found = score(predicted, truth, intervals=intervals, seed=seed, worst=errors)
    if json:
        print(found.to_json())
    else:
        show(found, Console())
