"""`samehand runs` and `samehand diff`: what was done to a library, and what that changed."""

from __future__ import annotations

from typing import Annotated

import typer

from samehand.cli.options import LibraryPlace


def runs(
    library: LibraryPlace,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object per run, the last for one not finished.")
    ] = False,
) -> None:
    """List the runs of a library: when, how long, with which settings, and what each merged and split."""
    from samehand.library import Library
    from samehand.publish.runs import describe_runs, print_runs, run_json, unfinished

    with Library.open(library, create=False) as opened:
        found, under_way = describe_runs(opened), unfinished(opened)
    if json:
        for run in [*found, *([under_way] if under_way else [])]:
            print(run_json(run))
    else:
        print_runs(found, under_way)


def diff(
    library: LibraryPlace,
    before: Annotated[int, typer.Argument(metavar="RUN1", help="The number of a run (samehand runs).")],
    after: Annotated[int, typer.Argument(metavar="RUN2", help="A later one.")],
    kind: Annotated[str | None, typer.Option("--kind", help="Only papers, authors or venues.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Say which papers, authors and venues merged, split, moved, appeared or vanished between two runs, and why."""
    from samehand.library import Library
    from samehand.pipeline import only_kind
    from samehand.publish.runs import diff_json, print_diff

    with Library.open(library, create=False) as opened:
        found = opened.diff(before, after, only_kind(kind, "--kind"))
    if json:
        print(diff_json(found))
    else:
        print_diff(found)
