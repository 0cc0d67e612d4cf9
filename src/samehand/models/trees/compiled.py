"""The decorator of the tree model's inner kernels: compiled without reference counting.

A kernel that only reads and writes arrays it was given need not count who holds them: its caller does. numba counts
all the same, with an atomic addition and subtraction per array and call, which costs more still where threads share an
array. A bare kernel makes no array; one that does is a `samehand.kernels.kernel`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def bare(function: Function) -> Function:
    """Compile `function` with numba, without reference counting; a division by 0 gives inf or nan, as in numpy."""
    compiler = cast(Any, numba.njit)(cache=True, nogil=True, _nrt=False, error_model="numpy")
    return cast(Function, compiler(function))
