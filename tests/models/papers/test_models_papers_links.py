"""Average link only ever raises the partition score, ends where no join does, and obeys decisions."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.models.papers.links import APART, Links, agglomerate, score, with_decisions

SIZE = 7


@st.composite
def some_links(draw: st.DrawFn) -> Links:
    pairs = [(a, b) for a in range(SIZE) for b in range(a + 1, SIZE)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True, min_size=1))
    odds = draw(st.lists(st.floats(-6, 6), min_size=len(kept), max_size=len(kept)))
    return Links(SIZE, np.array(sorted(kept)), np.array(odds), -5.0)


def joined(labels: np.ndarray, one: int, other: int) -> np.ndarray:
    return np.where(labels == other, one, labels)


@settings(max_examples=100, deadline=None)
@given(some_links())
def test_no_join_of_two_clusters_found_would_raise_the_score(links: Links) -> None:
    found = agglomerate(links, np.arange(SIZE))
    best = score(links, found)
    assert best >= score(links, np.arange(SIZE)) - 1e-9
    for one in np.unique(found):
        for other in np.unique(found):
            if one != other:
                assert score(links, joined(found, one, other)) <= best + 1e-9


@settings(max_examples=100, deadline=None)
@given(some_links(), st.permutations(range(SIZE)))
def test_a_start_is_kept_together(links: Links, order: list[int]) -> None:
    start = np.zeros(SIZE, np.int64)
    start[order[:3]], start[order[3:]] = 0, np.arange(1, SIZE - 2)
    found = agglomerate(links, np.unique(start, return_inverse=True)[1])
    assert len(np.unique(found[order[:3]])) == 1


def test_what_a_curator_told_apart_never_meets() -> None:
    links = Links(3, np.array([[0, 1], [1, 2], [0, 2]]), np.array([9.0, 9.0, 9.0]), -8.0)
    told = with_decisions(links, np.array([[2, 0]]))
    assert told.odds.min() == APART
    found = agglomerate(told, np.arange(3))
    assert found[0] != found[2]


def test_a_decision_about_a_pair_never_compared_counts_too() -> None:
    links = Links(3, np.array([[0, 1], [1, 2]]), np.array([30.0, 30.0]), -8.0)
    assert len(set(agglomerate(links, np.arange(3)).tolist())) == 1
    assert len(set(agglomerate(with_decisions(links, np.array([[0, 2]])), np.arange(3)).tolist())) == 2
