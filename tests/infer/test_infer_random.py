"""The random stream against published numbers, and its distributions against their definitions.

Seeds are fixed, so a test either always passes or never: the bounds are those of a fair stream, at about five
standard deviations.
"""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from samehand.infer.random import (
    below,
    categorical,
    exponential,
    gamma,
    next_word,
    normal,
    shuffle,
    stream,
    uniform,
)
from samehand.kernels import kernel

GOLDEN = 0x9E3779B97F4A7C15
DRAWS = 200_000


@kernel
def many_uniform(state, out):
    for i in range(out.shape[0]):
        out[i] = uniform(state)


@kernel
def many_below(state, n, out):
    for i in range(out.shape[0]):
        out[i] = below(state, n)


@kernel
def many_normal(state, out):
    for i in range(out.shape[0]):
        out[i] = normal(state)


@kernel
def many_exponential(state, out):
    for i in range(out.shape[0]):
        out[i] = exponential(state)


@kernel
def many_gamma(state, shape, out):
    for i in range(out.shape[0]):
        out[i] = gamma(state, shape)


@kernel
def many_categorical(state, weights, total, out):
    for i in range(out.shape[0]):
        out[i] = categorical(state, weights, total)


@kernel
def many_shuffles(state, out):
    for i in range(out.shape[0]):
        shuffle(state, out[i])


def drawn(kernel_of_many, *arguments, dtype=np.float64, key="test"):
    out = np.empty(DRAWS, dtype)
    kernel_of_many(stream(20, key), *arguments, out)
    return out


def chi_square(counts, expected) -> float:
    """Standardised: about normal(0, 1) for many cells when the counts are as expected."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    freedom = len(counts) - 1
    return (statistic - freedom) / math.sqrt(2 * freedom)


def test_published_vectors_of_splitmix64() -> None:
    state = np.array([1234567, GOLDEN], dtype=np.uint64)
    assert [int(next_word(state)) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_uniform_is_uniform_in_one_and_two_dimensions() -> None:
    values = drawn(many_uniform)
    assert values.min() >= 0.0
    assert values.max() < 1.0
    cells = np.bincount((values * 1000).astype(int), minlength=1000)
    assert abs(chi_square(cells, DRAWS / 1000)) < 5
    pairs = (values[0::2] * 32).astype(int) * 32 + (values[1::2] * 32).astype(int)
    assert abs(chi_square(np.bincount(pairs, minlength=1024), DRAWS / 2 / 1024)) < 5


def test_every_bit_of_a_word_is_fair() -> None:
    state = stream(3)
    words = np.array([next_word(state) for _ in range(20_000)], dtype=np.uint64)
    ones = ((words[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)).sum(axis=0)
    assert np.abs(ones - 10_000.0).max() < 5 * math.sqrt(5_000)


@pytest.mark.parametrize("n", [1, 2, 7, 1000])
def test_below_is_uniform(n: int) -> None:
    values = drawn(many_below, n, dtype=np.int64)
    assert 0 <= values.min() <= values.max() < n
    if n > 1:
        assert abs(chi_square(np.bincount(values, minlength=n), DRAWS / n)) < 5


def test_below_has_no_bias_where_a_remainder_alone_would() -> None:
    # 2^64 modulo 3 * 2^61 is 2^62: plain remainders would fall below 2^62 with probability 3/4, not 2/3.
    values = drawn(many_below, 3 * 2**61, dtype=np.int64)
    share = float((values < 2**62).mean())
    assert abs(share - 2 / 3) < 5 * math.sqrt(2 / 9 / DRAWS)


def moments_agree(values, mean: float, variance: float, fourth: float) -> bool:
    """Sample mean and variance within five standard errors; `fourth` is the central fourth moment."""
    near_mean = abs(values.mean() - mean) < 5 * math.sqrt(variance / len(values))
    near_variance = abs(values.var() - variance) < 5 * math.sqrt((fourth - variance**2) / len(values))
    return near_mean and near_variance


def test_moments_of_the_continuous_distributions() -> None:
    assert moments_agree(drawn(many_uniform), 1 / 2, 1 / 12, 1 / 80)
    assert moments_agree(drawn(many_normal), 0.0, 1.0, 3.0)
    assert moments_agree(drawn(many_exponential), 1.0, 1.0, 9.0)


@pytest.mark.parametrize("shape", [0.1, 0.5, 1.0, 2.5, 40.0])
def test_moments_of_gamma(shape: float) -> None:
    assert moments_agree(drawn(many_gamma, shape), shape, shape, 3 * shape**2 + 6 * shape)


def test_normal_has_the_normal_distribution_function() -> None:
    values = np.sort(drawn(many_normal))
    exact = np.array([0.5 * (1 + math.erf(x / math.sqrt(2))) for x in values])
    assert np.abs(exact - (np.arange(DRAWS) + 0.5) / DRAWS).max() < 2.2 / math.sqrt(DRAWS)


def test_categorical_frequencies() -> None:
    weights = np.array([0.0, 1.0, 5.0, 0.0, 2.0, 2.0, 0.0])
    counts = np.bincount(
        drawn(many_categorical, weights, weights.sum(), dtype=np.int64), minlength=len(weights)
    )
    assert (counts[weights == 0] == 0).all()
    assert abs(chi_square(counts[weights > 0], DRAWS * weights[weights > 0] / weights.sum())) < 5


def test_categorical_never_gives_an_impossible_index_when_the_total_is_rounded_up() -> None:
    weights = np.array([0.0, 0.25, 0.0])
    assert set(drawn(many_categorical, weights, 1.0, dtype=np.int64).tolist()) == {1}


def test_shuffle_gives_every_order_of_four_equally_often() -> None:
    rows = np.tile(np.arange(4), (48_000, 1))
    many_shuffles(stream(5), rows)
    found = dict.fromkeys(itertools.permutations(range(4)), 0)
    for row in rows.tolist():
        found[tuple(row)] += 1
    assert abs(chi_square(np.array(list(found.values())), 2000.0)) < 5


def test_streams_differ_by_key_and_by_seed_and_are_uncorrelated() -> None:
    names = [(0, ""), (0, "a"), (0, "b"), (1, "a"), (-1, "a"), (10, "a"), (2**70, "a")]
    values = np.empty((len(names), 50_000))
    for row, (seed, key) in enumerate(names):
        many_uniform(stream(seed, key), values[row])
    correlation = np.corrcoef(values) - np.eye(len(names))
    assert np.abs(correlation).max() < 5 / math.sqrt(50_000)


def test_streams_of_neighbouring_keys_begin_apart() -> None:
    first = np.array([uniform(stream(0, f"block {i}")) for i in range(20_000)])
    assert abs(chi_square(np.bincount((first * 100).astype(int), minlength=100), 200.0)) < 5
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 5 / math.sqrt(20_000)


def test_a_key_is_its_bytes_and_the_step_is_odd() -> None:
    assert (stream(1, "Zürich") == stream(1, "Zürich".encode())).all()
    assert all(int(stream(seed)[1]) % 2 == 1 for seed in range(100))
    assert stream(0, "\ud800").shape == (2,)


SCRIPT = """
import numpy as np
from samehand.infer.random import below, categorical, exponential, gamma, next_word, normal, shuffle, stream, uniform
state = stream(7, "both")
row = np.arange(20)
for _ in range(20):
    print(int(next_word(state)), uniform(state).hex(), below(state, 1000), below(state, 3 * 2**61))
    print(normal(state).hex(), exponential(state).hex(), gamma(state, 0.3).hex(), gamma(state, 3.0).hex())
    print(categorical(state, np.array([1.0, 2.0, 3.0]), 6.0))
    shuffle(state, row)
    print(row.tolist())
print(state.tolist())
"""


def test_plain_python_gives_the_same_numbers_and_no_warning() -> None:
    outputs = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", SCRIPT],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == 81
