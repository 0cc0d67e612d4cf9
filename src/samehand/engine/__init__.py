"""Where the work of a run is done: threads of this process, or a Ray cluster, behind one small interface.

Work is a task, a function whose result is a pure function of its arguments and the files these name, and a list of calls
of it. Whoever runs them, wherever and in whatever order, the results are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from samehand.errors import UsageError

Result = TypeVar("Result")


class Engine(Protocol):
    """Runs calls of a task."""

    name: str
    workers: int

    def run(
        self, task: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Result]]:
        """Each call's number and result, as they are done. The first error is raised, and no further call begun."""

    def close(self) -> None:
        """Give back what the engine holds."""


def open_engine(place: str = "threads", workers: int | None = None) -> Engine:
    """The engine at a place: "threads", "ray" for a cluster on this machine, or "ray://address" for one that runs.

    >>> engine = open_engine("threads", 2)
    >>> sorted(engine.run(pow, [(2, 3), (3, 2)]))
    [(0, 8), (1, 9)]
    """
    if place == "threads":
        from samehand.engine.threads import Threads

        return Threads(workers)
    if place == "ray" or place.startswith("ray://"):
        from samehand.engine.ray import Cluster

        return Cluster(place.removeprefix("ray").removeprefix("://") or None, workers)
    raise UsageError(f"no engine is called {place!r}; say threads, ray, or ray://ADDRESS")
