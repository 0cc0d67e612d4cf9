"""Compiled kernels: one decorator, and a line on stderr the first time one has to be compiled.

A kernel knows arrays and numbers, nothing else. It is compiled by numba at its first call, without the
global lock (`nogil`), and cached on disk, so that later processes load it in milliseconds.
Set `NUMBA_DISABLE_JIT=1` to run kernels as plain Python, for tests and debuggers.

The cache of a kernel is renewed when its own file changes, not when a kernel it calls does: after editing one that
others call, remove the `*.nbi` and `*.nbc` files under `src` (`make clean` does).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])


class _Announcer(event.Listener):
    """Says once per process that kernels are being compiled; loading from the cache says nothing."""

    def __init__(self) -> None:
        self.announced = False

    def on_start(self, event: Any) -> None:
        if not self.announced:
            self.announced = True
            print("samehand: compiling kernels (first use only; cached from now on) ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]


def kernel(function: Function) -> Function:
    """Compile `function` with numba: cached on disk, and free of Python's global lock."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))
