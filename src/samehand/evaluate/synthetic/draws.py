"""Random draws for kernels: the splitmix64 stream, and the distributions the laws need.

A stream is one 64-bit word in an array; every unit of work begins a stream of its own, told apart by the
seed, the unit's number and the purpose, so that the order in which units are made does not matter.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel

Stream = npt.NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@kernel
def scattered(word: np.uint64) -> np.uint64:
    """A one-to-one map of 64-bit words whose result looks random (Stafford's finaliser)."""
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@kernel
def hashed(seed: int, unit: int, purpose: int) -> np.uint64:
    """A random-looking word for each three numbers."""
    word = scattered(np.uint64(seed) + _STEP)
    word = scattered((word ^ np.uint64(unit)) + _STEP)
    return scattered((word ^ np.uint64(purpose)) + _STEP)


@kernel
def begin(seed: int, unit: int, purpose: int) -> Stream:
    """The stream of one unit of work for one purpose."""
    return np.full(1, hashed(seed, unit, purpose), np.uint64)


@kernel
def next_word(random: Stream) -> np.uint64:
    """The next 64 random bits (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators")."""
    random[0] += _STEP
    return scattered(random[0])


@kernel
def uniform(random: Stream) -> float:
    """A number in [0, 1) with 53 random bits."""
    return float(next_word(random) >> _11) * (1.0 / 9007199254740992.0)


@kernel
def below(random: Stream, count: int) -> int:
    """A whole number from 0 to `count` - 1, all alike."""
    return int(uniform(random) * count)


@kernel
def happens(random: Stream, probability: float) -> bool:
    """True with this probability."""
    return uniform(random) < probability


@kernel
def normal(random: Stream) -> float:
    """A standard normal number (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(random)))
    return radius * math.cos(2.0 * math.pi * uniform(random))


@kernel
def exponential(random: Stream, mean: float) -> float:
    """An exponential number with this mean."""
    return -mean * math.log(1.0 - uniform(random))


@kernel
def rank(random: Stream, count: int, shift: float, exponent: float) -> int:
    """A rank below `count` by the law of Zipf and Mandelbrot: density (r + shift) ** -exponent on [0, count).

    The inverse of its distribution function, for exponent s other than 1 and shift q:
    (q ** (1-s) + u * ((count+q) ** (1-s) - q ** (1-s))) ** (1 / (1-s)) - q.
    """
    power = 1.0 - exponent
    low, high = shift**power, (count + shift) ** power
    return min(count - 1, int((low + uniform(random) * (high - low)) ** (1.0 / power) - shift))


@kernel
def place(random: Stream, cumulative: npt.NDArray[np.float64]) -> int:
    """An index drawn by its share; `cumulative` ends in 1."""
    return int(np.searchsorted(cumulative, uniform(random), side="right"))
