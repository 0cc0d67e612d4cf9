"""What changed between two runs is told, with the reason that comes first."""

from __future__ import annotations

import json
from collections.abc import Iterator

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samehand
from samehand.curate.diff import Change, Diff
from samehand.curate.differences import WHATS, compare, merges_and_splits
from samehand.errors import UsageError
from samehand.library import Library
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import REJECTS, Reference, references_frame
from samehand.store.history import STATE, differences

states = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["p1", "p2", "p3", "p4"]))


def state(entities: dict[str, str]) -> pl.DataFrame:
    return pl.DataFrame([(m, "paper", e) for m, e in entities.items()], schema=STATE, orient="row")


def told(before: dict[str, str], after: dict[str, str]) -> set[tuple[str, str, str | None, str]]:
    rows = compare(state(before), state(after)).drop("kind").iter_rows()
    return {(what, entity, other, "".join(mentions)) for what, entity, other, mentions in rows}


def test_each_sort_of_change_has_its_word() -> None:
    before = {
        "a": "p1",
        "b": "p1",
        "c": "p1",
        "d": "p2",
        "e": "p3",
        "f": "p3",
        "g": "p4",
        "h": "p5",
        "i": "p5",
    }
    after = {
        "a": "p1",
        "b": "p6",
        "c": "p3",
        "d": "p3",
        "e": "p3",
        "h": "p7",
        "i": "p7",
        "k": "p1",
        "l": "p8",
    }
    assert told(before, after) == {
        ("split", "p1", "p6", "b"),
        ("moved", "p1", "p3", "c"),
        ("merged", "p2", "p3", "d"),
        ("shrank", "p3", None, "f"),
        ("vanished", "p4", None, "g"),
        ("renamed", "p5", "p7", "hi"),
        ("grew", "p1", None, "k"),
        ("appeared", "p8", None, "l"),
    }


def test_two_that_are_one_under_a_new_name_are_merged() -> None:
    merged = {("merged", "p1", "p3", "a"), ("merged", "p2", "p3", "b")}
    assert told({"a": "p1", "b": "p2"}, {"a": "p3", "b": "p3"}) == merged


@given(states, states)
def test_nothing_is_told_twice_or_left_out(before: dict[str, str], after: dict[str, str]) -> None:
    rows = compare(state(before), state(after))
    moved = sorted(m for m in {*before, *after} if before.get(m) != after.get(m))
    assert sorted(m for mentions in rows["mentions"] for m in mentions) == moved
    assert set(rows["what"]) <= set(WHATS)
    gone = set(before.values()) - set(after.values())
    ended = rows.filter(pl.col("what").is_in(["merged", "renamed", "vanished"]))["entity"]
    assert set(ended) == gone
    assert ended.is_unique().all()


@given(st.lists(states, min_size=2, max_size=4))
def test_merges_and_splits_of_each_run_agree_with_its_states(history: list[dict[str, str]]) -> None:
    tables = [state({}), *map(state, history)]
    steps = [differences(run, *tables[run - 1 : run + 1]) for run in range(1, len(tables))]
    found = {run: (merged, split) for run, merged, split in merges_and_splits(pl.concat(steps)).iter_rows()}
    for run in range(1, len(tables)):
        rows = compare(*tables[run - 1 : run + 1])
        kept = pl.col("entity").is_in(tables[run]["entity"].implode())
        merged = rows.filter(pl.col("what").is_in(["merged", "renamed"]))["entity"].n_unique()
        split = rows.filter((pl.col("what") == "split") & kept)["other"].n_unique()
        assert found.get(run, (0, 0)) == (merged, split)


def paper(key: str, author: str, title: str, source: str = "old.bib") -> Reference:
    return Reference(source, 1, id=key, title=title, authors=[author], venue="Journal of Hands")


OLD = [
    paper("o1", "Ann Lee", "Thumbs of the left hand"),
    paper("o2", "Ann Lee", "Fingers of the left hand"),
    paper("o3", "Cy Day", "Galaxies"),
]


def resolve(library: Library, *references: Reference, **settings: object) -> None:
    records = Records(identify(references_frame(references)), REJECTS.to_frame())
    samehand.resolve(records, library=library, **{"model": "baseline", "threads": 1, **settings})  # type: ignore[arg-type]


@pytest.fixture
def library(location: str) -> Iterator[Library]:
    with Library(location) as library:
        resolve(library, *OLD)
        yield library


def only(diff: Diff, what: str, kind: str = "author") -> Change:
    [change] = [change for change in diff.changes if (change.what, change.kind) == (what, kind)]
    return change


def test_decisions_come_first_made_and_undone(library: Library) -> None:
    library.decide("different", "o1/author/1", "o2/author/1", by="ann")
    resolve(library, paper("n1", "Ann Lee", "Feet", "new.bib"))
    split = only(library.diff(1, 2), "split")
    assert [reason.cause for reason in split.why] == ["decision", "references"]
    assert split.why[0].text == "decision 1 by ann: different o1/author/1 o2/author/1"
    library.undo(by="ben")
    resolve(library)
    merged = only(library.diff(2, 3), "merged")
    assert merged.why[0].text.startswith("decision 1 was undone by ben")
    assert [change.what for change in library.diff(1, 3).changes if change.kind == "author"] == [
        "renamed",
        "grew",
    ]


def test_an_act_is_one_reason_however_many_decisions_it_made(library: Library) -> None:
    resolve(library, *(paper(f"n{place}", "Ann Lee", f"Feet {place}", "new.bib") for place in range(3)))
    act = library.split(library.resolve_id("o1/author/1"), ["n0/author/1", "n1/author/1"], by="ann")
    assert len(act.decisions) > 1
    resolve(library)
    assert decided(library.diff(2, 3)) == {("split 1 by ann",)}
    library.undo_act(1, by="ben")
    resolve(library)
    assert decided(library.diff(3, 4)) == {("split 1 was undone by ben",)}


def decided(diff: Diff) -> set[tuple[str, ...]]:
    """What is said of decisions, in each change of authors."""
    changes = [change for change in diff.changes if change.kind == "author"]
    return {tuple(one.text for one in change.why if one.cause == "decision") for change in changes}


def test_a_decision_that_changed_nothing_is_no_reason(library: Library) -> None:
    library.decide("same", "o1/author/1", "o2/author/1")
    resolve(library, paper("n1", "Ann Lee", "Feet", "new.bib"))
    assert [reason.cause for reason in only(library.diff(1, 2), "grew").why] == ["references"]


def test_references_that_came_changed_and_went(library: Library) -> None:
    resolve(
        library, OLD[0], paper("o2", "Bo Kim", "Fingers of the left hand"), paper("o4", "Eve Moe", "Acids")
    )
    diff = library.diff(1, 2)
    assert diff.references == "1 reference added (o4), 1 changed (o2), 1 removed (o3)"
    assert only(diff, "split").why[0].text == "1 reference changed (o2)"
    assert only(diff, "appeared").why[0].text == "1 reference added (o4)"
    assert only(diff, "vanished").why[0].text == "1 reference removed (o3)"
    assert only(diff, "split").mentions == ["o2/author/1"]
    assert diff.counts("author") == {"split": 1, "appeared": 1, "vanished": 1}
    assert {change.kind for change in library.diff(1, 2, "paper").changes} == {"paper"}


def test_a_reference_that_only_stands_elsewhere_is_not_changed(library: Library) -> None:
    before = library.references()
    library.add(Records(before.with_columns(line=pl.col("line") + 7), REJECTS.to_frame()))
    resolve(library)
    assert library.diff(1, 2).references == ""


def test_settings_and_then_evidence(library: Library) -> None:
    resolve(library, model="samehand", seed=3)
    resolve(library)
    back = library.diff(1, 3)
    assert {change.what for change in back.changes} <= {"renamed"}
    assert back.settings == ""
    assert library.diff(1, 2).settings == "model baseline -> samehand, seed 0 -> 3"


def test_evidence_where_there_is_no_other_reason(library: Library) -> None:
    mentions = library.mentions().select("id", "kind", "reference", "slot", "name", "entity")
    authors = mentions.filter(kind="author")
    clustering = authors.select(
        mention="id", cluster=pl.int_range(pl.len()).cast(pl.UInt32), probability=pl.lit(0.5)
    )
    first = library.runs().row(0, named=True)
    library.save_run(
        authors,
        {"author": clustering},
        settings=json.loads(first["settings"]),
        seed=0,
        started=first["started"],
        finished=first["finished"],
    )
    evidence, elsewhere = only(library.diff(1, 2), "split").why
    assert evidence.cause == "evidence"
    assert "Ann Lee and Ann Lee: one person with probability" in evidence.text
    assert elsewhere.text == "no reason is on record"


def test_the_earlier_run_comes_first(library: Library) -> None:
    with pytest.raises(UsageError, match="name the earlier run first"):
        library.diff(1, 1)


def test_nothing_changed(library: Library) -> None:
    resolve(library)
    assert library.diff(1, 2).changes == []
