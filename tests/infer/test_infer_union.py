"""Constrained union-find against a slow, obvious one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samehand.infer.union import connected

COUNT = 7
pair = st.tuples(st.integers(0, COUNT - 1), st.integers(0, COUNT - 1))


def slowly(count: int, edges: list, same: list, different: list) -> list[set[int]]:
    groups = [{member} for member in range(count)]

    def join(a: int, b: int, forbidden: list) -> None:
        first = next(group for group in groups if a in group)
        second = next(group for group in groups if b in group)
        if first is second:
            return
        if any((x in first and y in second) or (x in second and y in first) for x, y in forbidden):
            return
        groups.remove(second)
        first |= second

    for a, b in same:
        join(a, b, [])
    for a, b in edges:
        join(a, b, different)
    return groups


@given(st.lists(pair, max_size=12), st.lists(pair, max_size=3), st.lists(pair, max_size=4))
def test_clusters_are_those_of_the_slow_definition(edges, same, different) -> None:
    labels = connected(COUNT, edges, same, different)
    expected = {frozenset(group) for group in slowly(COUNT, edges, same, different)}
    assert {frozenset(np.flatnonzero(labels == c).tolist()) for c in set(labels.tolist())} == expected


def test_clusters_are_numbered_by_first_member() -> None:
    assert connected(5, [(3, 4), (0, 2)]).tolist() == [0, 1, 0, 2, 2]


def test_a_chain_through_a_third_member_cannot_join_what_is_different() -> None:
    labels = connected(3, [(0, 1), (1, 2)], different=[(2, 0)])
    assert labels[0] == labels[1] != labels[2]


def test_nobody() -> None:
    assert connected(0, []).tolist() == []
