"""Identifiers through any history of merges, splits, departures and returns."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.publish import identifiers
from samehand.publish.identifiers import REDIRECTS, Identifiers, assign, mint

Clusters = dict[str, int]

histories = st.lists(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4), max_size=8), min_size=1, max_size=6
)


class History:
    """The runs of a library in the smallest form: last known entity of each mention, redirects, used ids."""

    def __init__(self) -> None:
        self.former: dict[str, str] = {}
        self.now: dict[str, str] = {}
        self.used: set[str] = set()
        self.redirects = REDIRECTS.to_frame()
        self.run_count = 0

    def run(self, clusters: Clusters) -> Identifiers:
        self.run_count += 1
        clustering = pl.DataFrame(
            {"mention": list(clusters), "cluster": list(clusters.values())},
            schema={"mention": pl.String, "cluster": pl.UInt32},
        )
        result = assign(
            {"author": clustering},
            table(self.now),
            run=self.run_count,
            redirects=self.redirects,
            used=pl.Series(sorted(self.used), dtype=pl.String),
            former=table(self.former),
        )
        entity = dict(result.entities.select("cluster", "entity").iter_rows())
        known = self.former | self.now
        self.now = {mention: entity[cluster] for mention, cluster in clusters.items()}
        self.former = {mention: known[mention] for mention in known.keys() - self.now.keys()}
        self.used |= set(entity.values())
        self.redirects = result.redirects
        return result

    def follow(self, entity: str) -> str:
        return dict(self.redirects.select("old", "new").iter_rows()).get(entity, entity)


def table(entities: dict[str, str]) -> pl.DataFrame:
    columns = {"mention": list(entities), "entity": list(entities.values())}
    return pl.DataFrame(columns, schema={"mention": pl.String, "entity": pl.String})


def events(result: Identifiers) -> list[tuple[str, str, str | None, int]]:
    return result.events.select("event", "entity", "other", "mentions").rows()


@settings(deadline=None, max_examples=40)
@given(histories)
def test_every_cluster_has_one_identifier_of_its_own(history: list[Clusters]) -> None:
    library = History()
    for clusters in history:
        library.run(clusters)
        groups = {(clusters[mention], entity) for mention, entity in library.now.items()}
        assert len(groups) == len({entity for _, entity in groups}) == len(set(clusters.values()))


@settings(deadline=None, max_examples=40)
@given(histories)
def test_the_same_clusters_again_change_nothing(history: list[Clusters]) -> None:
    library = History()
    for clusters in history:
        library.run(clusters)
        before, redirects = library.now, library.redirects
        renumbered = {mention: 9 - cluster for mention, cluster in reversed(clusters.items())}
        assert events(library.run(renumbered)) == []
        assert library.now == before
        assert library.redirects.equals(redirects)


@settings(deadline=None, max_examples=40)
@given(histories)
def test_an_old_identifier_reaches_a_live_entity_that_shares_a_mention(history: list[Clusters]) -> None:
    library = History()
    for clusters in history:
        before = library.now
        library.run(clusters)
        stayed = [mention for mention in before if mention in clusters]
        for entity in {before[mention] for mention in stayed}:
            shared = {library.now[mention] for mention in stayed if before[mention] == entity}
            assert library.follow(entity) in shared


@settings(deadline=None, max_examples=40)
@given(histories)
def test_redirects_are_flat_and_never_leave_a_live_entity(history: list[Clusters]) -> None:
    library = History()
    for clusters in history:
        library.run(clusters)
        old = set(library.redirects["old"])
        assert library.redirects["old"].is_unique().all()
        assert not old & set(library.redirects["new"])
        assert not old & set(library.now.values())


@settings(deadline=None, max_examples=40)
@given(histories)
def test_a_new_identifier_was_never_used(history: list[Clusters]) -> None:
    library = History()
    for clusters in history:
        used = set(library.used)
        result = library.run(clusters)
        created = set(result.events.filter(event="created")["entity"])
        assert created == library.used - used


@settings(deadline=None, max_examples=40)
@given(histories)
def test_history_does_not_depend_on_the_order_of_rows(history: list[Clusters]) -> None:
    one, other = History(), History()
    for clusters in history:
        one.run(clusters)
        other.run({mention: 4 - cluster for mention, cluster in reversed(clusters.items())})
        assert one.now == other.now


def test_a_merge_keeps_the_larger_and_redirects_the_smaller() -> None:
    library = History()
    library.run({"a": 0, "b": 1, "c": 1})
    small, large = library.now["a"], library.now["b"]
    result = library.run({"a": 0, "b": 0, "c": 0})
    assert set(library.now.values()) == {large}
    assert result.redirects.rows() == [(small, large, 2)]
    assert events(result) == [("merged", small, large, 1)]


def test_a_split_leaves_the_identifier_with_the_larger_part() -> None:
    library = History()
    library.run({"a": 0, "b": 0, "c": 0})
    whole = library.now["a"]
    result = library.run({"a": 0, "b": 1, "c": 1})
    assert library.now["b"] == library.now["c"] == whole
    part = library.now["a"]
    assert part != whole
    assert events(result) == [("created", part, None, 1), ("split", whole, part, 1)]


def test_of_equal_parts_the_one_with_the_smallest_mention_keeps_the_identifier() -> None:
    library = History()
    library.run({"a": 0, "b": 0})
    whole = library.now["a"]
    library.run({"a": 1, "b": 0})
    assert library.now["a"] == whole


def test_two_merges_in_a_row_redirect_straight_to_the_end() -> None:
    library = History()
    library.run({"a": 0, "b": 1, "c": 1, "d": 2, "e": 2, "f": 2})
    first, second, third = (library.now[mention] for mention in "abd")
    library.run({"a": 0, "b": 0, "c": 0, "d": 2, "e": 2, "f": 2})
    library.run(dict.fromkeys("abc", 0) | dict.fromkeys("def", 0))
    survivor = library.now["a"]
    assert {first, second, third} - {survivor} == set(library.redirects["old"])
    assert set(library.redirects["new"]) == {survivor}


def test_an_entity_that_vanished_gets_its_identifier_back() -> None:
    library = History()
    library.run({"a": 0, "b": 1})
    old = library.now["a"]
    assert events(library.run({"b": 0})) == [("vanished", old, None, 0)]
    assert events(library.run({"a": 1, "b": 0})) == [("returned", old, None, 1)]
    assert library.now["a"] == old


def test_a_mention_that_returns_does_not_take_the_identifier_away() -> None:
    library = History()
    library.run({"a": 0, "b": 0, "c": 0})
    whole = library.now["c"]
    library.run({"c": 0})
    library.run({"a": 1, "b": 1, "c": 0})
    assert library.now["c"] == whole


def test_other_kinds_are_left_alone() -> None:
    previous = pl.DataFrame({"mention": ["a"], "entity": ["v0000000000"]})
    result = assign({"author": pl.DataFrame({"mention": ["a"], "cluster": [0]})}, previous)
    assert events(result) == [("created", result.entities["entity"][0], None, 1)]


def test_identifiers_are_a_letter_and_ten_characters_of_crockford() -> None:
    given_ids = mint("venue", pl.Series([str(number) for number in range(1000)]))
    assert given_ids.str.contains("^v[0-9a-hjkmnp-tv-z]{10}$").all()
    assert given_ids.is_unique().all()


def test_collisions_are_resolved_in_the_same_way_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "LENGTH", 2)  # 1,024 identifiers for 900 mentions
    mentions = pl.Series([f"m{number:03}" for number in range(900)])
    used = mint("paper", mentions[:100])
    fresh = mint("paper", mentions[100:], used)
    assert pl.concat([used, fresh]).is_unique().all()
    assert mint("paper", mentions[100:].reverse(), used).reverse().equals(fresh)
