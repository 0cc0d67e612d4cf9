"""What decisions imply, checked against a search over all the ways to divide the mentions."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.curate.decisions import Closure, Judgement, cannot_link, consistent, must_link, violations
from samehand.errors import UsageError

MENTIONS = "abcde"
Row = tuple[str, str, str]

rows = st.lists(
    st.tuples(
        st.sampled_from(["same", "different", "unsure"]), st.sampled_from(MENTIONS), st.sampled_from(MENTIONS)
    ).filter(lambda row: row[1] != row[2]),
    max_size=6,
)


def ledger(rows: list[Row]) -> pl.DataFrame:
    columns = ["id", "judgement", "left", "right", "undone_at"]
    values = [(number, *row, None) for number, row in enumerate(rows, start=1)]
    schema = dict(zip(columns, (pl.Int64, pl.String, pl.String, pl.String, pl.String), strict=True))
    return pl.DataFrame(values, schema=schema, orient="row")


def partitions(mentions: str) -> list[dict[str, int]]:
    """Every way to divide the mentions into clusters, once: each joins a cluster so far or opens the next."""
    ways: list[dict[str, int]] = [{}]
    for mention in mentions:
        ways = [{**way, mention: cluster} for way in ways for cluster in range(len(set(way.values())) + 1)]
    return ways


ALL = partitions(MENTIONS)


def obeys(cluster: dict[str, int], rows: list[Row]) -> bool:
    return all(
        judgement == "unsure" or (cluster[left] == cluster[right]) == (judgement == "same")
        for judgement, left, right in rows
    )


@settings(deadline=None)
@given(rows)
def test_implications_are_those_of_every_clustering_that_obeys(rows: list[Row]) -> None:
    good = [cluster for cluster in ALL if obeys(cluster, rows)]
    assert consistent(ledger(rows)) == bool(good)
    if not good:
        return
    closure = Closure(ledger(rows))
    for left, right in product(MENTIONS, MENTIONS):
        together = {cluster[left] == cluster[right] for cluster in good}
        expected = {(True,): "same", (False,): "different"}.get(tuple(together), "unsure")
        assert closure.implied(left, right) == expected


@settings(deadline=None)
@given(rows, st.integers(0, len(ALL) - 1))
def test_violations_are_empty_exactly_where_a_clustering_obeys(rows: list[Row], which: int) -> None:
    if not consistent(ledger(rows)):
        return
    cluster = ALL[which]
    frame = pl.DataFrame({"mention": list(cluster), "cluster": list(cluster.values())})
    assert violations(frame, ledger(rows)).is_empty() == obeys(cluster, rows)


@settings(deadline=None)
@given(rows)
def test_links_say_as_much_as_the_decisions(rows: list[Row]) -> None:
    if not consistent(ledger(rows)):
        return
    linked: list[Row] = [("same", *pair) for pair in must_link(ledger(rows))]
    linked += [("different", *pair) for pair in cannot_link(ledger(rows))]
    for cluster in ALL:
        assert obeys(cluster, linked) == obeys(cluster, rows)


@settings(deadline=None)
@given(rows)
def test_evidence_alone_implies_the_same(rows: list[Row]) -> None:
    if not consistent(ledger(rows)):
        return
    closure = Closure(ledger(rows))
    for left, right in product(MENTIONS, MENTIONS):
        evidence = closure.evidence(left, right)
        alone = Closure(ledger(rows).filter(pl.col("id").is_in(evidence)))
        assert alone.implied(left, right) == closure.implied(left, right)


def test_a_group_holds_together_without_the_mention_that_joined_it() -> None:
    decisions = ledger([("same", "a", "b"), ("same", "b", "c"), ("different", "b", "d")])
    assert must_link(decisions, present={"a", "c", "d"}) == [("a", "c")]
    assert cannot_link(decisions, present={"a", "c", "d"}) == [("a", "d")]
    apart = pl.DataFrame({"mention": ["a", "c"], "cluster": [0, 1]})
    assert violations(apart, decisions).rows() == [("same", "a", "c", [1, 2])]


def test_undone_decisions_imply_nothing() -> None:
    decisions = ledger([("same", "a", "b")]).with_columns(undone_at=pl.lit("yesterday"))
    assert must_link(decisions) == []


def test_contradictions_name_the_decisions() -> None:
    decisions = ledger(
        [("same", "a", "b"), ("unsure", "a", "e"), ("same", "b", "c"), ("different", "c", "a")]
    )
    assert Closure(decisions).contradictions() == [[1, 3, 4]]


def test_judgements_add_like_steps_of_a_path() -> None:
    same, different, unsure = Judgement
    assert same + same is same
    assert same + different is different
    assert different + same is different
    assert different + different is unsure
    assert unsure + same is unsure
    with pytest.raises(UsageError, match="same, different, unsure"):
        Judgement.parse("maybe")
