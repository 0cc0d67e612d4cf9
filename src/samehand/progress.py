"""How long work says where it is: a step has a name, a count, and where known a total.

The pipeline speaks to a `Progress`; the command line shows it as a bar with rate and estimate on a terminal,
and as plain lines elsewhere. Nobody listening costs nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Progress(Protocol):
    """What the pipeline tells: a step began, it is so far, it ended."""

    def begin(self, step: str) -> None: ...
    def update(self, done: float, total: float | None, detail: str = "") -> None: ...
    def end(self, outcome: str) -> None: ...


class Silent:
    """Nobody is listening."""

    def begin(self, step: str) -> None:
        pass

    def update(self, done: float, total: float | None, detail: str = "") -> None:
        pass

    def end(self, outcome: str) -> None:
        pass


class Lines:
    """Plain lines on stderr, for logs and pipes: one when a step ends, one every ten seconds meanwhile."""

    EVERY = 10.0

    def __init__(self) -> None:
        self.step = ""
        self.started = self.spoken = 0.0

    def begin(self, step: str) -> None:
        self.step = step
        self.started = self.spoken = time.monotonic()

    def update(self, done: float, total: float | None, detail: str = "") -> None:
        now = time.monotonic()
        if now - self.spoken >= self.EVERY:
            self.spoken = now
            share = f" {done / total:.0%}" if total else ""
            print(
                f"{self.step}:{share} {detail} after {now - self.started:.0f} s", file=sys.stderr, flush=True
            )

    def end(self, outcome: str) -> None:
        print(
            f"{self.step}: {outcome} ({time.monotonic() - self.started:.1f} s)", file=sys.stderr, flush=True
        )


class Bars:
    """A bar per step on a terminal, with rate and estimate; finished steps stay as one line."""

    def __init__(self) -> None:
        from rich.console import Console

        self.console = Console(stderr=True)
        self.bar: Any = None
        self.task: Any = None
        self.step = ""
        self.started = 0.0

    def begin(self, step: str) -> None:
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

        self.step, self.started = step, time.monotonic()
        self.bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[detail]}"),
            TimeRemainingColumn(compact=True),
            console=self.console,
            transient=True,
        )
        self.bar.start()
        self.task = self.bar.add_task(step, total=None, detail="")

    def update(self, done: float, total: float | None, detail: str = "") -> None:
        self.bar.update(self.task, completed=done, total=total, detail=detail)

    def end(self, outcome: str) -> None:
        self.bar.stop()
        seconds = time.monotonic() - self.started
        self.console.print(f"[green]✓[/] {self.step:<10} {outcome} [dim]{seconds:.1f} s[/]", highlight=False)


@contextmanager
def step(progress: Progress, name: str) -> Iterator[list[str]]:
    """One step of work; append to what it yields to say how it went.

    >>> with step(Silent(), "read") as outcome:
    ...     outcome.append("3 references")
    """
    outcome: list[str] = []
    progress.begin(name)
    try:
        yield outcome
    except BaseException:
        progress.end("failed")
        raise
    progress.end(", ".join(outcome) or "done")


def counted(number: int, thing: str) -> str:
    """A number of things, in words.

    >>> counted(1, "reject"), counted(2000, "reject")
    ('1 reject', '2,000 rejects')
    """
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def for_terminal(quiet: bool) -> Progress:
    """Bars on a terminal, plain lines elsewhere, nothing when asked to be quiet."""
    if quiet:
        return Silent()
    return Bars() if sys.stderr.isatty() else Lines()
