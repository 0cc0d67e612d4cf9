"""`samehand explain A B`: why two authors are one person, or not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.errors import UsageError


def explain(
    library: Annotated[
        str, typer.Option("--library", metavar="LIBRARY", help="A file, or postgresql://user@host/name.")
    ],
    left: Annotated[str, typer.Argument(metavar="A", help="A mention or an entity of an author.")],
    right: Annotated[
        str | None, typer.Argument(metavar="B", help="Another; the person A belongs to if absent.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", metavar="FILE.svg", help="Also draw it into this file.")
    ] = None,
) -> None:
    """Show what speaks for and against two authors being one person, as a waterfall.

    An entity alone: the weakest of the joins that made it. A mention alone: the mention and the rest of its person.
    """
    from samehand.library import Library
    from samehand.models.persons.explain import explain as explanation_of
    from samehand.publish.show import explanation_json, print_explanation

    if picture is not None and picture.suffix != ".svg":
        raise UsageError(f"{picture}: pictures are written as SVG; name a file that ends in .svg")
    with Library.open(library, create=False) as opened:
        explanation = explanation_of(opened, left, right or opened.resolve_id(left))
    if picture is not None:
        from samehand.publish.tables import whole_file
        from samehand.publish.waterfall import waterfall_svg

        with whole_file(picture) as stream:
            stream.write(waterfall_svg(explanation).encode())
    if json:
        print(explanation_json(explanation))
    else:
        print_explanation(explanation)
