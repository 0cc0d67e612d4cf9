"""Work in threads of this process: kernels and Polars let go of the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from samehand.infer.run import Run

Result = TypeVar("Result")


class Threads:
    """So many threads; as many as there are processors if it is not said."""

    name = "threads"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or Run().threads

    def run(
        self, task: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Result]]:
        """Each call's number and result, as they are done."""
        with ThreadPoolExecutor(self.workers) as pool:
            waiting = iter(enumerate(calls))
            running: dict[Future[Result], int] = {}
            try:
                while True:
                    while len(running) < self.workers and (following := next(waiting, None)) is not None:
                        running[pool.submit(task, *following[1])] = following[0]
                    if not running:
                        return
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        yield running.pop(done), done.result()
            finally:
                for future in running:
                    future.cancel()

    def close(self) -> None:
        """Nothing is held between runs."""
