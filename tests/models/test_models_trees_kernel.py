"""Tables of logarithms, thinning of draws, plain-Python kernels, and the benchmark of the tree kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from samehand.bench import Options
from samehand.bench.kernel import Block, entity_bags, entity_row
from samehand.infer.random import stream
from samehand.models.trees import layout as at
from samehand.models.trees.bags import GRID, TABLED, log_of, slot_of, x_log_x
from samehand.models.trees.draws import FEW, FEW_WHOLE, looked_at
from samehand.models.trees.settings import published
from samehand.models.trees.shape import COMPARABLE, SLACK, may_join, may_rise, tallest


@pytest.mark.parametrize("count", [1, 2, 7, TABLED - 1, TABLED, TABLED + 1, 10**6])
def test_tabled_logarithms_are_the_logarithms(count: int) -> None:
    assert log_of(float(count)) == pytest.approx(math.log(count), abs=1e-12)
    assert x_log_x(float(count)) == math.floor(count * math.log(count) * GRID + 0.5) / GRID


def test_a_token_has_the_same_slot_in_plain_python() -> None:
    pool = np.zeros(64, np.int64)
    python = getattr(slot_of, "py_func", slot_of)
    for token in np.array([0, 5, 90_000, 2**31 - 2], np.int32):
        assert python(pool, 0, 64, token) == slot_of(pool, 0, 64, token)


@pytest.mark.parametrize("leaves", [1, FEW, 5 * FEW, FEW_WHOLE, 5 * FEW_WHOLE])
@pytest.mark.parametrize(("parent", "few"), [(0, FEW), (-1, FEW_WHOLE)])
def test_a_large_node_is_looked_at_in_inverse_proportion_to_its_leaves(
    leaves: int, parent: int, few: int
) -> None:
    links = np.zeros((1, at.LINKS), np.int32)
    links[0, at.LEAVES], links[0, at.PARENT] = leaves, parent
    random = stream(0, "draws")
    seen = sum(looked_at(links, 0, random) for _ in range(4000)) / 4000
    assert seen == pytest.approx(min(1.0, few / leaves), abs=0.03)


def bounds(most_children: int = 8, most_depth: int = 12) -> np.ndarray:
    structure = np.zeros(at.STRUCTURE)
    structure[[at.MOST_CHILDREN, at.MOST_DEPTH]] = most_children, most_depth
    return structure


def two_trees(left: tuple[int, int], right: tuple[int, int]) -> np.ndarray:
    """The links of two roots, each given by its height and its leaves."""
    links = np.full((2, at.LINKS), -1, np.int32)
    links[:, at.CHILDREN] = 2
    links[0, [at.HEIGHT, at.LEAVES]], links[1, [at.HEIGHT, at.LEAVES]] = left, right
    return links


def test_no_tree_of_a_few_leaves_is_too_high() -> None:
    assert all(tallest(bounds(), leaves) >= leaves - 1 for leaves in range(1, 9))
    assert [tallest(bounds(), leaves) for leaves in (1, 2, 64, 10**6)] == [SLACK, SLACK + 1, SLACK + 6, 12]


def test_a_small_tree_must_not_make_a_high_tree_higher_and_a_comparable_one_may() -> None:
    small, large = two_trees((10, 64), (1, 2)), two_trees((10, 64), (3, 64 // COMPARABLE))
    assert not may_rise(small, bounds(), 0, 1)
    assert may_rise(large, bounds(), 0, 1)
    assert not may_rise(large, bounds(most_depth=10), 0, 1)
    assert may_join(small, bounds(), 1, 0)
    assert not may_join(small, bounds(most_children=2), 1, 0)


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


@pytest.mark.parametrize("members", [2, 9, 65])
def test_a_built_person_is_one_balanced_tree_with_the_bags_it_should_have(members: int) -> None:
    settings = published("trees-2013")
    bags = entity_bags(members, 0, settings.fields)
    block = Block(bags, settings, stream(0, "block"))
    block.build(members)
    links, stats = block.forest[0], block.forest[3]
    root = int(links[:members, at.LEAVES].argmax())
    while links[root, at.PARENT] >= 0:
        root = int(links[root, at.PARENT])
    assert block.largest() == links[root, at.LEAVES] == members
    assert links[:, at.CHILDREN].max() <= 8
    assert links[root, at.HEIGHT] == math.ceil(math.log(members, 8) - 1e-9)
    tokens = bags.tokens[: bags.starts[members]]
    distinct = np.bincount(bags.field[np.unique(tokens)], minlength=len(settings.fields))
    squares = np.bincount(bags.field, weights=np.bincount(tokens, minlength=len(bags.field)) ** 2.0)
    assert stats[root, :, at.DISTINCT].tolist() == distinct.tolist()
    assert stats[root, : len(squares), at.SQUARES].tolist() == squares.tolist()
