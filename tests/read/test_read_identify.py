"""Identifiers: unique, stable, and the input's own where possible."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from samehand.read.identify import identify
from samehand.records import Reference, references_frame


def ids(*rows):
    frame = references_frame([Reference(source, line, id=own, key=key) for source, line, own, key in rows])
    return identify(frame)["id"].to_list()


def test_own_ids_are_kept():
    assert ids(("a", 1, "x", None), ("a", 2, "y", "k"), ("b", 1, "z", None)) == ["x", "y", "z"]


def test_repeats_within_a_source_are_numbered():
    assert ids(("a", 1, "x", None), ("a", 2, "x", None), ("a", 3, "x", None)) == ["x", "x~2", "x~3"]


def test_an_id_of_another_source_gets_its_source():
    assert ids(("a", 1, "x", None), ("b", 1, "x", None), ("b", 2, "x", None)) == ["x", "b:x", "b:x~2"]


def test_without_an_id_the_key_or_the_line():
    assert ids(("a", 1, None, "k"), ("a", 7, None, None), ("a", 8, None, "k"), ("b", 1, None, "k")) == [
        "a:k", "a:7", "a:k~2", "b:k",
    ]  # fmt: skip


def test_contrived_collisions_leave_own_ids_alone():
    found = ids(
        ("a", 1, "x", None),
        ("a", 2, "x", None),
        ("a", 3, "x~2", None),
        ("a", 4, None, "y"),
        ("b", 1, "a:y", None),
    )
    assert found[0] == "x"
    assert found[2] == "x~2"
    assert found[4] == "a:y"
    assert len(set(found)) == 5


def test_no_references_no_trouble():
    assert ids() == []


NAME = st.sampled_from(["x", "x~2", "x~2~2", "a:x", "b:x", "a:1", "a:1~2"])


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(1, 3), st.none() | NAME, st.none() | NAME), max_size=12
    )
)
def test_always_unique_stable_and_first_come_first_served(rows):
    found = ids(*rows)
    assert len(set(found)) == len(rows)
    assert found == ids(*rows)
    firsts = {own: place for place, (_, _, own, _) in reversed(list(enumerate(rows))) if own}
    assert all(found[place] == own for own, place in firsts.items())
