"""The command line: one file per command, heavy imports inside the commands.

Bad use exits with status 2, failed work with 1; either way one clear message on stderr, no traceback.
"""

from __future__ import annotations

import os
import sys

import typer

from samehand.errors import SamehandError

app = typer.Typer(
    name="samehand",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Decide which references are one paper, which names one person, which venue strings one venue.",
)


def _register() -> None:
    from samehand.cli import (
        bench,
        curate,
        evaluate,
        explain,
        export,
        generate,
        parse,
        questions,
        resolve,
        runs,
        serve,
        stream,
        train,
    )

    for command in (
        resolve.resolve,
        resolve.add,
        stream.stream,
        export.export,
        curate.entity,
        explain.explain,
        curate.decide,
        questions.questions,
        curate.undo,
        runs.runs,
        runs.diff,
        serve.serve,
        parse.parse,
        evaluate.evaluate,
        train.train,
        generate.generate,
        bench.bench,
    ):
        app.command()(command)
    app.add_typer(serve.users, name="users")


_register()


def main() -> None:
    """Run the command line; turn samehand's errors into a message and an exit status."""
    try:
        app()
    except SamehandError as error:
        print(f"samehand: {error}", file=sys.stderr)
        sys.exit(error.status)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("samehand: interrupted", file=sys.stderr)
        sys.exit(130)
