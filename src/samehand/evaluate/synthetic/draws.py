"""The draws that the laws of a bibliography need, on the one stream of random numbers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, uniform
from samehand.kernels import kernel


@kernel
def happens(random: State, probability: float) -> bool:
    """True with this probability.

    >>> from samehand.infer.random import stream
    >>> happens(stream(0), 1.0), happens(stream(0), 0.0)
    (True, False)
    """
    return uniform(random) < probability


@kernel
def place(random: State, cumulative: npt.NDArray[np.float64]) -> int:
    """An index drawn by its share; `cumulative` ends in 1.

    >>> from samehand.infer.random import stream
    >>> int(place(stream(0), np.array([0.0, 1.0])))
    1
    """
    return np.searchsorted(cumulative, uniform(random), side="right")  # type: ignore[return-value]


@kernel
def rank(random: State, count: int, shift: float, exponent: float) -> int:
    """A rank below `count` by the law of Zipf and Mandelbrot: density (r + shift) ** -exponent on [0, count).

    The inverse of its distribution function, for exponent s other than 1 and shift q > 0:
    (q ** (1-s) + u * ((count+q) ** (1-s) - q ** (1-s))) ** (1 / (1-s)) - q.

    >>> from samehand.infer.random import stream
    >>> rank(stream(0), 1, 2.0, 1.5)
    0
    """
    power = 1.0 - exponent
    low, high = shift**power, (count + shift) ** power
    return min(count - 1, int((low + uniform(random) * (high - low)) ** (1.0 / power) - shift))
