"""A clustering is made to follow decisions, whatever they are, and is changed no more than that takes."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from samehand.curate.decisions import DECISIONS, Closure, Judgement, violations
from samehand.curate.obeying import obeying
from samehand.records import CLUSTERING

MENTIONS = [f"m{number}" for number in range(8)]

words = st.tuples(
    st.sampled_from(["same", "different", "unsure"]),
    st.sampled_from(MENTIONS),
    st.sampled_from([*MENTIONS, "gone"]),
)


def ledger(*decided: tuple[str, str, str]) -> pl.DataFrame:
    rows = [
        dict.fromkeys(DECISIONS) | {"id": number, "judgement": word, "left": left, "right": right}
        for number, (word, left, right) in enumerate(decided, start=1)
    ]
    return pl.DataFrame(rows, schema=DECISIONS)


def clustering(clusters: dict[str, int], probability: float | None = 0.5) -> pl.DataFrame:
    rows = [(mention, cluster, probability) for mention, cluster in clusters.items()]
    return pl.DataFrame(rows, schema=CLUSTERING, orient="row")


def parts(table: pl.DataFrame) -> set[frozenset[str]]:
    return {frozenset(members) for members in table.group_by("cluster").agg("mention")["mention"]}


def possible(decided: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Those decisions that a library would take, one after the other."""
    taken: list[tuple[str, str, str]] = []
    for word, left, right in decided:
        implied = Closure(ledger(*taken)).implied(left, right)
        if left != right and {word, implied} != {Judgement.SAME, Judgement.DIFFERENT}:
            taken.append((word, left, right))
    return taken


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.lists(words, max_size=8))
def test_every_decision_is_followed_and_no_mention_is_lost(
    clusters: list[int], decided: list[tuple[str, str, str]]
) -> None:
    before = clustering(dict(zip(MENTIONS, clusters, strict=True)), None)
    decisions = ledger(*possible(decided))
    after = obeying(before, decisions)
    assert after["mention"].to_list() == MENTIONS
    assert violations(after, decisions).is_empty()
    if violations(before, decisions).is_empty():
        assert after.equals(before)


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8), st.lists(words, max_size=8))
def test_clusters_of_which_nobody_spoke_stay(
    clusters: list[int], decided: list[tuple[str, str, str]]
) -> None:
    before = clustering(dict(zip(MENTIONS, clusters, strict=True)))
    taken = possible(decided)
    spoken = {mention for _, left, right in taken for mention in (left, right)}
    untouched = {part for part in parts(before) if not part & spoken}
    assert untouched <= parts(obeying(before, ledger(*taken)))


def test_whole_clusters_are_joined_unless_that_brings_together_what_is_different() -> None:
    before = clustering({"x": 0, "a": 0, "b": 0, "y": 1, "c": 1})
    joined = obeying(before, ledger(("same", "x", "y")))
    assert parts(joined) == {frozenset("xabyc")}
    kept = obeying(before, ledger(("same", "x", "y"), ("different", "a", "c")))
    assert parts(kept) == {frozenset("xaby"), frozenset("c")}
    assert dict(kept.select("mention", "probability").iter_rows()) == {
        "x": 0.5,
        "a": 0.5,
        "b": 0.5,
        "y": 1.0,
        "c": 0.5,
    }


def test_the_smaller_group_leaves() -> None:
    before = clustering(dict.fromkeys("axyz", 0))
    after = obeying(before, ledger(("same", "x", "y"), ("different", "a", "y")))
    assert parts(after) == {frozenset("xyz"), frozenset("a")}


def test_what_is_different_from_one_group_stays_together() -> None:
    before = clustering(dict.fromkeys("abcdeu", 0))
    apart = [("different", "a", other) for other in "cde"]
    after = obeying(before, ledger(("same", "a", "b"), *apart))
    assert parts(after) == {frozenset("ab"), frozenset("cdeu")}
