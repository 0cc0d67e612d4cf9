"""Compiled kernels: three decorators, and lines on stderr when they have to be compiled.

A kernel knows arrays and numbers, nothing else. It is compiled by numba at its first call, without the
global lock (`nogil`), and cached on disk, so that later processes load it in milliseconds.
Set `NUMBA_DISABLE_JIT=1` to run kernels as plain Python, for tests and debuggers.

The cache of a kernel is renewed when its own file changes, not when a kernel it calls does: after editing one that
others call, remove the `*.nbi` and `*.nbc` files under `src` (`make clean` does).
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types
from numba.core.registry import CPUDispatcher

Function = TypeVar("Function", bound=Callable[..., Any])


class _Announcer(event.Listener):
    """Says once per process that kernels are being compiled, and every ten seconds how many were; loading from the cache
    says nothing."""

    EVERY = 10.0

    def __init__(self) -> None:
        self.compiled = 0
        self.spoken: float | None = None

    def on_start(self, event: Any) -> None:
        if self.spoken is None:
            self._say("compiling kernels (first use only; cached from now on) ...")

    def on_end(self, event: Any) -> None:
        self.compiled += 1
        if self.spoken is not None and time.monotonic() - self.spoken >= self.EVERY:
            self._say(f"compiling kernels: {self.compiled} so far ...")

    def _say(self, what: str) -> None:
        self.spoken = time.monotonic()
        print(f"samehand: {what}", file=sys.stderr, flush=True)


_announcer = _Announcer()
event.register("numba:compile", _announcer)  # type: ignore[no-untyped-call]


def _passed(kind: Any) -> Any:
    """The type as which an argument is passed on: a known constant as any other, a short integer as a long one."""
    kind = cast(Any, types).unliteral(kind)
    return types.int64 if isinstance(kind, types.Integer) and cast(Any, kind).signed else kind


class _Kernel(CPUDispatcher):
    """A kernel of which other kernels call one version, whatever integers they have at hand: numba's own dispatcher would
    compile one for each width and for each constant, which is much of what a first use costs."""

    def get_call_template(self, args: Sequence[Any], kws: Any) -> Any:
        return super().get_call_template([_passed(each) for each in args], kws)


def compiled(function: Function, **options: object) -> Function:
    """Compile `function` with numba and further options of its: cached on disk, and free of Python's global lock.

    Divisions are as numpy's: by zero they give inf or nan.
    """
    if cast(Any, numba.config).DISABLE_JIT:
        return function
    made = _Kernel(
        function, targetoptions={"nopython": True, "nogil": True, "error_model": "numpy", **options}
    )
    made.enable_caching()
    return cast(Function, made)


def kernel(function: Function) -> Function:
    """Compile `function`."""
    return compiled(function)


_NUMBERS = re.compile(r"None|int|float|bool|np.uint64|tuple\[(int|float|bool|, )+\]")


def bare(function: Function) -> Function:
    """Compile `function`, which makes no array and returns none, without reference counting.

    A kernel that only reads and writes arrays it was given need not count who holds them: its caller does. numba
    counts all the same, with an atomic addition and subtraction per array and call: much of the time of a small kernel,
    and more still where threads share an array. Making an array in a bare kernel is an error when it is compiled.
    """
    returned = function.__annotations__["return"]
    if not _NUMBERS.fullmatch(returned if isinstance(returned, str) else "None"):
        raise TypeError(f"{function.__name__} returns {returned}: a bare kernel returns numbers")
    return compiled(function, _nrt=False)


def part(function: Function) -> Function:
    """Compile `function` as part of the one kernel that calls it, not once more by itself."""
    return compiled(function, inline="always")
