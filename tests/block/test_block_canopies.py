"""Canopies and their pairs against the definition, over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from samehand.block.canopies import LOOSE, TIGHT, canopies, index_words, pairs_within

titles = st.lists(
    st.lists(st.sampled_from(["red", "fox", "oak", "den", "hen", "sun"]), max_size=5), min_size=1, max_size=9
)


def series(lists: list[list[str]]) -> pl.Series:
    return pl.Series(lists, dtype=pl.List(pl.String))


def overlap(tokens: list[list[str]], a: int, b: int) -> float:
    holders = {word: sum(word in other for other in tokens) for words in tokens for word in words}
    weight = {word: np.log1p(len(tokens) / count) for word, count in holders.items()}
    shared = sum(weight[word] for word in set(tokens[a]) & set(tokens[b]))
    union = sum(weight[word] for word in set(tokens[a]) | set(tokens[b]))
    return shared / union if union else 0.0


def on_a_threshold(tokens: list[list[str]]) -> bool:
    """Whether rounding alone decides on which side of a threshold some pair falls."""
    overlaps = [overlap(tokens, a, b) for a, b in combinations(range(len(tokens)), 2)]
    return any(abs(o - threshold) < 1e-9 for o in overlaps for threshold in (LOOSE, TIGHT))


def by_definition(tokens: list[list[str]]) -> list[set[int]]:
    centres = set(range(len(tokens)))
    result = []
    for centre in range(len(tokens)):
        if centre in centres:
            near = {m for m in range(len(tokens)) if overlap(tokens, centre, m) >= LOOSE}
            result.append(near | {centre})
            centres -= {m for m in near if overlap(tokens, centre, m) >= TIGHT}
    return result


@given(titles)
def test_canopies_are_those_of_the_definition(tokens) -> None:
    assume(not on_a_threshold(tokens))
    built = canopies(index_words(series(tokens)))
    members = [set(part.tolist()) for part in np.split(built.members, built.starts[1:-1])]
    assert members == by_definition(tokens)


@given(titles)
def test_every_mention_is_in_a_canopy(tokens) -> None:
    assert set(canopies(index_words(series(tokens))).members.tolist()) == set(range(len(tokens)))


@given(titles, st.sampled_from([0.3, 0.5, 0.9]))
def test_pairs_are_all_pairs_of_a_canopy_that_overlap_enough(tokens, at_least) -> None:
    assume(not on_a_threshold(tokens))
    index = index_words(series(tokens))
    built = canopies(index)
    anyone = np.full(len(tokens), -1)
    found = set(pairs_within(built, index, anyone, at_least).rows())
    shared = {pair for members in by_definition(tokens) for pair in combinations(sorted(members), 2)}
    near = {p for p in shared if abs(overlap(tokens, *p) - at_least) > 1e-9}
    assert found & near == {p for p in near if overlap(tokens, *p) >= at_least}


def test_groups_keep_pairs_apart_and_unknown_goes_with_all() -> None:
    index = index_words(series([["fox", "den"]] * 3))
    pairs = pairs_within(canopies(index), index, np.array([1, 2, -1]), 0.5)
    assert pairs.rows() == [(0, 2), (1, 2)]


def test_common_words_bring_no_candidates_but_count_and_are_listed() -> None:
    tokens = series([["the", "fox"], ["the", "fox"], ["the", "oak"], ["the"]])
    built = canopies(index_words(tokens, common=2))
    assert built.cut.rows() == []  # the last title has no rarer word, so that "the" is looked up for it
    built = canopies(index_words(tokens.head(3), common=2))
    assert built.cut.rows() == [("the", 3)]
    members = [set(part.tolist()) for part in np.split(built.members, built.starts[1:-1])]
    assert members == [{0, 1}, {2}]


@pytest.mark.parametrize("tokens", [[], [[]], [[], []]])
def test_empty(tokens) -> None:
    assert canopies(index_words(series(tokens))).sizes.tolist() == [1] * len(tokens)
