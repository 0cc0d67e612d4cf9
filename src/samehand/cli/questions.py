"""`samehand questions LIBRARY`: the questions that matter most, answered by one key each."""

from __future__ import annotations

from typing import Annotated

import typer

from samehand.cli.options import LibraryPlace


def questions(
    library: LibraryPlace,
    json: Annotated[
        bool, typer.Option("--json", help="List them, one JSON object a line; answer with samehand decide.")
    ] = False,
    most: Annotated[int, typer.Option(help="How many --json lists.")] = 20,
    by: Annotated[str | None, typer.Option(help="Who answers; your login name if absent.")] = None,
) -> None:
    """Ask whether two mentions are one person, the questions that put most right first.

    Keys: y one person, n two, u unsure, s skip, z undo (as often as you like), q quit. Answers bind every later run.
    """
    from samehand.library import Library

    with Library.open(library, create=False) as opened:
        if json:
            import orjson

            from samehand.curate.questions import questions as found

            for question in found(opened, most):
                print(orjson.dumps(question.to_dict()).decode())
            return
        from samehand.curate.questions_dialogue import ask
        from samehand.progress import counted

        answered = ask(opened, by)
    print(f"{counted(answered, 'answer')}; the next run obeys: samehand resolve --library {library}")
