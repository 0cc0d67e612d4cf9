"""Work on a Ray cluster: one on this machine, or one that runs already.

Tasks take the paths of files and give back small values, so little goes through Ray itself. A task whose worker or node
dies is run again elsewhere: it wrote its files whole or not at all.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

from samehand.errors import SamehandError, UsageError
from samehand.infer.run import Run

Result = TypeVar("Result")

RETRIES = 20
"""How often a task is begun again because its worker died."""

OBJECTS = 128 * 2**20
"""Bytes of Ray's own memory on this machine; hardly anything lies there."""

_ENVIRONMENT = {"POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


class Cluster:
    """A Ray cluster at an address, or a new one with so many workers on this machine."""

    name = "ray"

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            self._ray: Any = import_module("ray")
        except ImportError:
            raise UsageError("the engine ray needs Ray: pip install 'samehand[ray]'") from None
        self._own = not self._ray.is_initialized()
        if self._own:
            self._connect(address, workers)
        self.workers = int(self._ray.cluster_resources().get("CPU", 1))

    def _connect(self, address: str | None, workers: int | None) -> None:
        local: dict[str, Any] = {"num_cpus": workers or Run().threads, "object_store_memory": OBJECTS}
        told: dict[str, Any] = {"address": address} if address else local | {"include_dashboard": False}
        try:
            self._ray.init(
                log_to_driver=False,
                logging_level=logging.ERROR,
                runtime_env={"env_vars": _ENVIRONMENT},
                **told,
            )
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise UsageError(f"no Ray cluster at {address or 'this machine'}: {error}") from None

    def run(
        self, task: Callable[..., Result], calls: Sequence[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Result]]:
        """Each call's number and result, as they are done."""
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=RETRIES)(task)
        waiting = iter(enumerate(calls))
        running: dict[Any, int] = {}
        try:
            while True:
                while len(running) < 2 * self.workers and (following := next(waiting, None)) is not None:
                    running[remote.remote(*following[1])] = following[0]
                if not running:
                    return
                done, _ = ray.wait(list(running), num_returns=1)
                number = running.pop(done[0])
                yield number, self._result(done[0])
        finally:
            for call in running:
                ray.cancel(call, force=True)

    def _result(self, call: Any) -> Any:
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, SamehandError) else error from None
        except self._ray.exceptions.RayError as error:
            raise UsageError(
                f"the Ray cluster failed: {str(error).splitlines()[0]}; start the run again"
            ) from None

    def close(self) -> None:
        """Leave the cluster; one that was begun here ends."""
        if self._own:
            self._ray.shutdown()
