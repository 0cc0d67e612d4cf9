"""Tables of logarithms, thinning of draws, plain-Python kernels, and the benchmark of the tree kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from samehand.bench import Options
from samehand.bench.kernel import entity_bags, entity_row
from samehand.infer.random import stream
from samehand.models.trees import layout as at
from samehand.models.trees.bags import GRID, TABLED, log_of, slot_of, x_log_x
from samehand.models.trees.search import FEW, looked_at
from samehand.models.trees.settings import published


@pytest.mark.parametrize("count", [1, 2, 7, TABLED - 1, TABLED, TABLED + 1, 10**6])
def test_tabled_logarithms_are_the_logarithms(count: int) -> None:
    assert log_of(float(count)) == pytest.approx(math.log(count), abs=1e-12)
    assert x_log_x(float(count)) == math.floor(count * math.log(count) * GRID + 0.5) / GRID


def test_a_token_has_the_same_slot_in_plain_python() -> None:
    pool = np.zeros(64, np.int64)
    python = getattr(slot_of, "py_func", slot_of)
    for token in np.array([0, 5, 90_000, 2**31 - 2], np.int32):
        assert python(pool, 0, 64, token) == slot_of(pool, 0, 64, token)


@pytest.mark.parametrize("leaves", [1, FEW, 5 * FEW])
def test_a_large_node_is_looked_at_in_inverse_proportion_to_its_leaves(leaves: int) -> None:
    links = np.zeros((1, at.LINKS), np.int32)
    links[0, at.LEAVES] = leaves
    random = stream(0, "draws")
    seen = sum(looked_at(links, 0, random) for _ in range(4000)) / 4000
    assert seen == pytest.approx(min(1.0, FEW / leaves), abs=0.03)


def test_the_generated_person_shares_tokens_and_the_others_do_not() -> None:
    bags = entity_bags(100, 0, published("trees-2013").fields)
    held = [set(bags.tokens[a:b].tolist()) for a, b in zip(bags.starts[:-1], bags.starts[1:], strict=True)]
    names = {token for token in range(len(bags.field)) if all(token in own for own in held)}
    person, others = set.union(*held[:100]), set.union(*held[100:])
    assert len(held) == 125
    assert person & others == names
    assert len(names) == 2


def test_the_benchmark_says_how_fast_and_how_large() -> None:
    row = entity_row(10, Options())
    assert row["mentions"] == 20
    assert row["steps_per_second"] > 0
    assert 50 < row["bytes_at_rest"] < 200 < row["bytes_active"]
