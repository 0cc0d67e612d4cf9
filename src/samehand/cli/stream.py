"""`samehand stream LIBRARY FILES`: new references to a library, one by one, without resolving it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from samehand.cli.options import Files, InputFormat, LibraryPlace, Quiet

if TYPE_CHECKING:
    from samehand.library import Library
    from samehand.read import Records


def stream(
    library: LibraryPlace,
    files: Files = None,
    ask: Annotated[
        float, typer.Option(metavar="P", help="Authors less probable than this become questions.")
    ] = 0.9,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for each reference.")] = False,
    input_format: InputFormat = None,
    quiet: Quiet = False,
) -> None:
    """Assign new references to the papers, persons and venues of a library, in milliseconds, and keep them.

    - reads standard input, one record a line, and answers each line at once. What is uncertain becomes a question
    (samehand questions); the next run (samehand resolve --library) takes in everything that came.
    """
    import sys

    from samehand.errors import UsageError
    from samehand.library import Library
    from samehand.models.stream.feed import from_lines

    if not files:
        raise UsageError("nothing to assign: name files or folders, or - for standard input")
    if not 0.0 <= ask <= 1.0:
        raise UsageError(f"--ask takes a probability from 0 to 1, not {ask:g}")
    with Library.open(library, create=False) as opened:
        counted = _Count()
        if files == ["-"]:
            for records in from_lines(sys.stdin.buffer, input_format):
                _assign(opened, records, ask, json, counted)
        else:
            _assign_files(opened, files, input_format, ask, json, quiet, counted)
        merged = opened.repair()
    if not quiet:
        _summary(counted, len(merged), library)


class _Count:
    """What came so far."""

    references = rejects = questions = 0


def _assign(library: Library, records: Records, ask: float, json: bool, count: _Count) -> None:
    from rich.console import Console

    from samehand.publish.assignments import assignments_json, print_assignments

    found = library.assign(records, keep=True, ask=ask)
    if json:
        for line in assignments_json(found):
            print(line, flush=True)
    else:
        print_assignments(found, Console(highlight=False, soft_wrap=True))
    count.references += records.references.height
    count.rejects += records.rejects.height
    count.questions += sum(one.asked for one in found)


def _assign_files(
    library: Library,
    files: list[str],
    input_format: str | None,
    ask: float,
    json: bool,
    quiet: bool,
    count: _Count,
) -> None:
    from samehand.models.stream.feed import from_files
    from samehand.progress import counted, for_terminal, step

    progress = for_terminal(quiet)
    with step(progress, "assign") as outcome:
        for records, done, total in from_files(files, input_format):
            _assign(library, records, ask, json, count)
            progress.update(done, total, counted(done, "reference"))
        outcome.append(counted(count.references, "reference"))


def _summary(count: _Count, merged: int, library: str) -> None:
    import sys

    from samehand.progress import counted

    parts = [counted(count.references, "reference")]
    if count.rejects:
        parts.append(f"{counted(count.rejects, 'record')} that could not be read")
    if merged:
        parts.append(f"{counted(merged, 'new person')} found to be known after all")
    parts.append(counted(count.questions, "question"))
    hint = f"; answer with: samehand questions {library}" if count.questions else ""
    print(", ".join(parts) + hint, file=sys.stderr)
