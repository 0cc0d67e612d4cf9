"""The one stream of random numbers: an explicit array, advanced by kernels, the same on every machine.

A stream is SplitMix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators"): a counter
that moves by a fixed odd step, and a bijection that scrambles it. Its state is two words, `[position, step]`;
`stream` draws both from a hash of a run's seed and a block's key, so that every block has a sequence of its
own, whichever worker takes it and in whatever order. (With one step for all, streams would be stretches of
one single cycle, and ten million of them would begin to overlap.)

Kernels pass the state on; nothing here reads a clock or keeps a global. With `NUMBA_DISABLE_JIT=1` the same
functions run as plain Python and give the same numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from samehand.kernels import bare, kernel

State = npt.NDArray[np.uint64]
Function = TypeVar("Function", bound=Callable[..., Any])

_FIRST_SHIFT, _SECOND_SHIFT, _LAST_SHIFT = np.uint64(30), np.uint64(27), np.uint64(31)
_FIRST_FACTOR, _SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_TO_53_BITS, _TWO_TO_MINUS_53 = np.uint64(11), 2.0**-53
_ONE, _LARGEST = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)
_TWO_PI = 2.0 * math.pi


def stream(seed: int, key: str | bytes = "") -> State:
    """A fresh state for a run's `seed` and a block's `key`: blake2b of both, as position and odd step.

    >>> stream(1, "a smith").tolist() == stream(1, "a smith").tolist() != stream(1, "b smith").tolist()
    True
    """
    name = key if isinstance(key, bytes) else key.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(b"%d\0%b" % (seed, name), digest_size=16, person=b"samehand").digest()
    position, step = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
    return np.array([position, _sound_step(step)], dtype=np.uint64)


def _sound_step(step: int) -> int:
    """The step made odd, for a full period; where fewer than 24 neighbouring bits differ, every other bit is
    flipped, because a step of long runs leaves patterns (section 5 of the paper)."""
    step |= 1
    return step if (step ^ (step >> 1)).bit_count() >= 24 else step ^ 0xAAAAAAAAAAAAAAAA


def _wraps(function: Function) -> Function:
    """In plain Python, numpy warns where unsigned arithmetic wraps round; here that is meant."""
    return function if hasattr(function, "py_func") else np.errstate(over="ignore")(function)


@_wraps
@bare
def next_word(state: State) -> np.uint64:
    """The next 64 random bits: position += step, then the finaliser of SplitMix64.

    x = position;  y = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;  z = (y ^ y >> 27) * 0x94D049BB133111EB;  z ^ z >> 31

    >>> int(next_word(np.array([1234567, 0x9E3779B97F4A7C15], dtype=np.uint64)))
    6457827717110365317
    """
    state[0] += state[1]
    y = (state[0] ^ (state[0] >> _FIRST_SHIFT)) * _FIRST_FACTOR
    z = (y ^ (y >> _SECOND_SHIFT)) * _SECOND_FACTOR
    return z ^ (z >> _LAST_SHIFT)


@bare
def uniform(state: State) -> float:
    """Uniform on [0, 1): the upper 53 bits of a word, times 2^-53.

    >>> 0.0 <= uniform(stream(0)) < 1.0
    True
    """
    return float(next_word(state) >> _TO_53_BITS) * _TWO_TO_MINUS_53


@_wraps
@bare
def below(state: State, n: int) -> int:
    """Uniform over 0 .. n - 1, for n >= 1, without bias.

    A word modulo n; words of the last, incomplete run of n below 2^64 are drawn again (each with probability
    less than n / 2^64).

    >>> below(stream(0), 1)
    0
    """
    count = np.uint64(n)
    last_start = _LARGEST - (count - _ONE)
    while True:
        word = next_word(state)
        remainder = word % count
        if word - remainder <= last_start:
            return np.int64(remainder)  # type: ignore[return-value]  # an unsigned index plus a signed one would be a float


@bare
def normal(state: State) -> float:
    """Standard normal, by Box and Muller: sqrt(-2 ln(1 - u)) cos(2 pi v). Two words each, nothing kept back.

    >>> math.isfinite(normal(stream(0)))
    True
    """
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(state)))
    return radius * math.cos(_TWO_PI * uniform(state))


@bare
def exponential(state: State) -> float:
    """Exponential with mean 1: -ln(1 - u).

    >>> exponential(stream(0)) >= 0.0
    True
    """
    return -math.log(1.0 - uniform(state))


@bare
def gamma(state: State, shape: float) -> float:
    """Gamma with the given shape > 0 and scale 1 (Marsaglia and Tsang 2000).

    With d = shape - 1/3, c = 1 / sqrt(9 d), x normal, v = (1 + c x)^3: d v is accepted where v > 0 and
    ln u < x^2 / 2 + d - d v + d ln v. A shape below 1 is drawn as Gamma(shape + 1) u^(1 / shape).

    >>> gamma(stream(0), 0.5) >= 0.0
    True
    """
    boost = 1.0
    if shape < 1.0:
        boost = math.pow(1.0 - uniform(state), 1.0 / shape)
        shape += 1.0
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(state)
        v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x)
        if v > 0.0 and math.log(1.0 - uniform(state)) < 0.5 * x * x + d - d * v + d * math.log(v):
            return boost * d * v


@bare
def categorical(state: State, weights: npt.NDArray[np.float64], total: float) -> int:
    """Index i with probability weights[i] / total, where `total` is the positive sum of the weights.

    Where rounding carries the draw past the end, the last index with a positive weight is the answer.

    >>> categorical(stream(0), np.array([0.0, 2.0, 0.0]), 2.0)
    1
    """
    rest = uniform(state) * total
    chosen = 0
    for index in range(weights.shape[0]):
        if weights[index] > 0.0:
            chosen = index
            rest -= weights[index]
            if rest < 0.0:
                break
    return chosen


@kernel
def shuffle(state: State, array: npt.NDArray[Any]) -> None:
    """Put a one-dimensional array in random order, in place, each order equally likely (Fisher and Yates).

    >>> row = np.arange(4)
    >>> shuffle(stream(0), row)
    >>> sorted(row.tolist())
    [0, 1, 2, 3]
    """
    for last in range(array.shape[0] - 1, 0, -1):
        other = below(state, last + 1)
        array[last], array[other] = array[other], array[last]
