"""`samehand entity`, `decide` and `undo`: looking at an entity, and a curator's word on it."""

from __future__ import annotations

from typing import Annotated

import typer

from samehand.cli.options import LibraryPlace

Json = Annotated[bool, typer.Option("--json", help="One JSON object.")]


def entity(
    library: LibraryPlace,
    identifier: Annotated[str, typer.Argument(metavar="ID", help="An entity, as authors.csv names it.")],
    json: Json = False,
) -> None:
    """Show one paper, author or venue: its record, its mentions, where it was merged from."""
    from samehand.library import Library
    from samehand.publish.show import entity_json, print_entity

    with Library.open(library, create=False) as opened:
        if json:
            print(entity_json(opened, identifier))
        else:
            print_entity(opened, identifier)


def decide(
    library: LibraryPlace,
    judgement: Annotated[
        str | None, typer.Argument(metavar="[same|different|unsure]", help="Your word.")
    ] = None,
    left: Annotated[str | None, typer.Argument(metavar="A", help="A mention or an entity.")] = None,
    right: Annotated[str | None, typer.Argument(metavar="B", help="Another.")] = None,
    by: Annotated[str | None, typer.Option(help="Who decides; your login name if absent.")] = None,
    note: Annotated[str | None, typer.Option(help="Why.")] = None,
) -> None:
    """Say that two mentions or entities are the same or different; it binds every later run.

    With only a library, the decisions in force are listed.
    """
    from samehand.errors import UsageError
    from samehand.library import Library
    from samehand.publish.show import print_decisions

    with Library.open(library, create=False) as opened:
        if judgement is None:
            print_decisions(opened)
            return
        if left is None or right is None:
            raise UsageError("decide takes: LIBRARY same|different|unsure A B")
        number = opened.decide(judgement, left, right, by=by, note=note)
    print(f"decision {number}: {judgement} {left} {right}")
    print(f"It takes effect with the next run: samehand resolve --library {library}")


def undo(
    library: LibraryPlace,
    decision: Annotated[int | None, typer.Argument(help="Its number; the last one if absent.")] = None,
    by: Annotated[str | None, typer.Option(help="Who undoes; your login name if absent.")] = None,
) -> None:
    """Take a decision back; it stays in the ledger as undone."""
    from samehand.library import Library

    with Library.open(library, create=False) as opened:
        undone = opened.undo(decision, by=by)
    print(f"decision {undone} is undone; the next run no longer obeys it")
