"""The decorator of the tree model's inner kernels: compiled without reference counting.

A kernel that only reads and writes arrays it was given need not count who holds them: its caller does. numba counts
all the same, with an atomic addition and subtraction per array and call, which costs more still where threads share an
array. A bare kernel makes no array; one that does is a `samehand.kernels.kernel`.
"""

from __future__ import annotations

from samehand.kernels import Function, compiled


def bare(function: Function) -> Function:
    """Compile `function` without reference counting."""
    return compiled(function, _nrt=False)
