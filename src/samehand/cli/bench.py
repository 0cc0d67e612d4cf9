"""`samehand bench NAME`: run one benchmark, as a table for people or one JSON object per line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def bench(
    name: Annotated[str, typer.Argument(help="Which benchmark; 'list' names them all.")],
    data: Annotated[
        Path | None, typer.Option(envvar="SAMEHAND_DATA", help="Folder of labelled sets.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    set_name: Annotated[str | None, typer.Option("--set", help="Only this set.")] = None,
    method: Annotated[str | None, typer.Option(help="Only this method.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smaller, honest run in under a minute.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of all random choices.")] = 0,
    mentions: Annotated[
        int | None, typer.Option(help="Only this size, where a benchmark has several.")
    ] = None,
) -> None:
    """Run one of the benchmarks: accuracy on labelled sets, speed, memory."""
    from samehand.bench import BENCHES, Options, load
    from samehand.bench.show import print_json, print_table

    if name == "list":
        for bench_name, purpose in BENCHES.items():
            print(f"{bench_name:12} {purpose}")
        return
    run = load(name)
    rows = run(Options(data=data, set=set_name, method=method, quick=quick, seed=seed, mentions=mentions))
    (print_json if json else print_table)(rows)
