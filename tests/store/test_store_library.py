"""The library as its users see it, on both back ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import polars as pl
import pytest

from samehand.errors import ConflictingDecisionError, UnknownEntityError, UsageError
from samehand.library import Added, Library
from samehand.read import Records
from samehand.records import (
    ASSIGNMENTS,
    CLUSTERING,
    MENTIONS,
    Kind,
    Reference,
    Reject,
    references_frame,
    rejects_frame,
)

STARTED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def library(location: str) -> Iterator[Library]:
    with Library(location) as library:
        yield library


def records(*rows: tuple[str, str, str], rejected: tuple[str, ...] = ()) -> Records:
    """Records from (source, id, title) rows, and one reject for each source named."""
    references = references_frame([Reference(source, 1, id=id, title=title) for source, id, title in rows])
    return Records(references, rejects_frame([Reject(source, 9, "broken", "@") for source in rejected]))


def save(library: Library, clusters: dict[str, int], kind: Kind = "author") -> int:
    """Save a run with these clusters of mentions, in this order."""
    rows = [(mention, kind, f"r-{mention}", 0, mention.upper()) for mention in clusters]
    mentions = pl.DataFrame(rows, schema=MENTIONS, orient="row")
    clustering = pl.DataFrame(
        {"mention": list(clusters), "cluster": list(clusters.values()), "probability": [0.5] * len(clusters)},
        schema=CLUSTERING,
    )
    return library.save_run(
        mentions, {kind: clustering}, settings={"model": "x"}, seed=7, started=STARTED, finished=STARTED
    )


def entity_of(library: Library) -> dict[str, str]:
    return dict(library.mentions().select("id", "entity").iter_rows())


# Adding


def test_the_same_content_again_changes_nothing(library: Library) -> None:
    given = records(("a", "1", "One"), ("b", "2", "Two"), rejected=("b", "c"))
    assert library.add(given) == Added(new=2, rejects=2)
    before = library.sources()
    assert library.add(given) == Added(unchanged=2, rejects=2)
    assert library.sources().equals(before)
    assert library.references().equals(given.references)
    assert library.rejects().equals(given.rejects)
    assert library.sources()["name"].to_list() == ["a", "b", "c"]


def test_changed_content_replaces_that_source_only(library: Library) -> None:
    library.add(records(("a", "1", "One"), ("a", "2", "Two"), ("b", "3", "Three"), rejected=("a", "b")))
    assert library.add(records(("a", "2", "Two, Revised"), ("b", "3", "Three"))) == Added(replaced=2)
    assert library.references()["title"].to_list() == ["Two, Revised", "Three"]
    assert library.rejects().is_empty()
    assert library.add(records(("b", "3", "Three"))) == Added(unchanged=1)


def test_an_id_that_another_source_has_gets_the_name_of_its_source(library: Library) -> None:
    library.add(records(("a", "1", "One")))
    library.add(records(("b", "1", "Uno"), ("b", "2", "Dos")))
    assert library.references()["id"].to_list() == ["1", "b:1", "2"]
    library.add(records(("a", "5", "Five")))
    library.add(records(("b", "1", "Uno!"), ("b", "2", "Dos")))
    assert set(library.references()["id"]) == {"5", "b:1", "2"}  # b:1 keeps its name though 1 is free now


def test_ids_stay_unique_in_the_worst_case(library: Library) -> None:
    library.add(records(("a", "1", "x"), ("a", "b:1", "x"), ("a", "b:1:2", "x")))
    library.add(records(("b", "1", "x"), ("b", "b:1", "x")))
    assert library.references()["id"].is_unique().all()
    assert library.references().height == 5


def test_two_texts_from_standard_input_are_two_sources(library: Library) -> None:
    library.add(records(("-", "-:1", "One")))
    assert library.add(records(("-", "-:1", "Two"))).new == 1
    assert library.references()["title"].to_list() == ["One", "Two"]
    assert library.add(records(("-", "-:1", "One"))).unchanged == 1


# Runs


def test_a_run_is_saved_and_read_back(library: Library) -> None:
    run = save(library, {"x": 1, "y": 0, "z": 1})
    mentions = library.mentions()
    assert mentions.columns == [*ASSIGNMENTS, "slot"]
    assert mentions["id"].to_list() == ["x", "y", "z"]
    assert mentions["probability"].to_list() == [0.5] * 3
    entities = library.entities("author")
    assert entities.select("name", "representative", "size").rows() == [("X", "x", 2), ("Y", "y", 1)]
    assert library.runs().select("id", "seed", "settings", "mention_count", "entity_count").rows() == [
        (run, 7, '{"model":"x"}', 3, 2)
    ]
    assert library.events(run)["event"].to_list() == ["created", "created"]
    assert library.events(run + 1).is_empty()


def test_identifiers_are_kept_merged_and_split(library: Library) -> None:
    save(library, {"x": 0, "y": 1, "z": 1})
    first = entity_of(library)
    assert save(library, {"z": 0, "y": 0, "x": 1}) == 2
    assert entity_of(library) == first
    run = save(library, {"x": 0, "y": 0, "z": 0})
    assert library.resolve_id(first["x"]) == first["y"]
    assert library.redirects().rows() == [(first["x"], first["y"], run)]
    assert library.entity(first["x"]).mentions["id"].to_list() == ["x", "y", "z"]
    save(library, {"x": 0, "y": 1, "z": 1})
    assert entity_of(library)["y"] == first["y"]
    assert entity_of(library)["x"] not in first.values()
    assert library.events(4)["event"].to_list() == ["created", "split"]


def test_an_entity_returns_with_its_identifier_after_many_runs(library: Library) -> None:
    save(library, {"x": 0, "y": 1})
    first = entity_of(library)
    save(library, {"y": 0})
    save(library, {"y": 0})
    with pytest.raises(UnknownEntityError, match="no mentions any more"):
        library.entity(first["x"])
    save(library, {"x": 1, "y": 0})
    assert entity_of(library) == first


def test_kinds_that_were_not_resolved_stay(library: Library) -> None:
    save(library, {"v1": 0, "v2": 0}, kind="venue")
    save(library, {"x": 0})
    assert library.mentions("venue")["id"].to_list() == ["v1", "v2"]
    assert library.entities()["kind"].to_list() == ["venue", "author"]
    save(library, {"v1": 0}, kind="venue")
    assert sorted(library.mentions()["id"]) == ["v1", "x"]


def test_incomplete_results_are_refused(library: Library) -> None:
    mentions = pl.DataFrame([("x", "author", "r", 0, "X")], schema=MENTIONS, orient="row")
    clustering = pl.DataFrame([("other", 0, 1.0)], schema=CLUSTERING, orient="row")
    times = {"settings": {}, "seed": 0, "started": STARTED, "finished": STARTED}
    with pytest.raises(UsageError, match="exactly once"):
        library.save_run(mentions, {"author": clustering}, **times)
    with pytest.raises(UsageError, match="no clustering of them"):
        library.save_run(mentions, {"venue": clustering.clear()}, **times)
    with pytest.raises(UsageError, match="stands twice"):
        library.save_run(pl.concat([mentions, mentions]), {"author": clustering}, **times)
    with pytest.raises(UsageError, match="lacks the column probability"):
        library.save_run(mentions, {"author": clustering.drop("probability")}, **times)
    assert library.runs().is_empty()


def test_times_of_any_zone_are_kept(library: Library) -> None:
    local = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    clustering = {"author": CLUSTERING.to_frame()}
    library.save_run(MENTIONS.to_frame(), clustering, settings={}, seed=0, started=local, finished=local)
    assert library.runs()["started"].item() == datetime(2026, 1, 1, tzinfo=UTC)


# Finding


def test_an_unknown_id_gets_near_matches(library: Library) -> None:
    save(library, {"smith-2001": 0, "jones-1999": 1})
    with pytest.raises(UnknownEntityError, match=r"'smith-2002'; did you mean smith-2001\?"):
        library.entity("smith-2002")
    known = entity_of(library)["jones-1999"]
    with pytest.raises(UnknownEntityError, match=known):
        library.resolve_id(known[:-1] + "u")


def test_a_mention_id_finds_its_entity(library: Library) -> None:
    save(library, {"x": 0, "y": 0})
    assert library.entity("y").id == library.resolve_id("x") == entity_of(library)["x"]


# Deciding


def test_a_decision_is_kept_with_who_when_and_what_was_named(library: Library) -> None:
    save(library, {"x": 0, "y": 0, "z": 1})
    ids = entity_of(library)
    number = library.decide("same", ids["x"], "z", by="ann", note="same address")
    row = library.decisions().row(0, named=True)
    assert (number, row["left"], row["right"]) == (1, "x", "z")
    assert (row["left_entity"], row["right_entity"]) == (ids["x"], None)
    assert (row["kind"], row["by"], row["note"], row["dormant"]) == ("author", "ann", "same address", False)
    assert abs(row["at"] - datetime.now(UTC)) < timedelta(minutes=5)


def test_the_decider_is_the_login_unless_named(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "palaeographer")
    save(library, {"x": 0, "y": 1})
    library.decide("unsure", "x", "y")
    assert library.decisions()["by"].to_list() == ["palaeographer"]


def test_contradictions_are_refused_and_name_what_to_undo(library: Library) -> None:
    save(library, dict.fromkeys("vwxyz", 0))
    library.decide("same", "x", "y")
    library.decide("unsure", "v", "w")
    library.decide("same", "y", "z")
    with pytest.raises(ConflictingDecisionError, match=r"undo one of decision 1, 3 first"):
        library.decide("different", "z", "x")
    library.decide("different", "w", "y")
    with pytest.raises(ConflictingDecisionError, match=r"undo one of decision 3, 4 first"):
        library.decide("same", "z", "w")
    assert library.decisions().height == 4
    assert library.undo(4) == 4
    assert library.decide("same", "z", "w") == 5


def test_deciding_again_supersedes(library: Library) -> None:
    save(library, {"x": 0, "y": 1})
    library.decide("same", "x", "y", by="ann")
    library.decide("different", "y", "x", by="ben")
    assert library.decisions()["judgement"].to_list() == ["different"]
    ledger = library.decisions(all=True)
    assert ledger["superseded_by"].to_list() == [2, None]
    assert ledger["undone_by"].to_list() == ["ben", None]


def test_undo_keeps_the_row(library: Library) -> None:
    save(library, {"x": 0, "y": 1, "z": 2})
    library.decide("same", "x", "y")
    library.decide("same", "y", "z")
    assert library.undo(by="ann") == 2
    assert library.undo() == 1
    with pytest.raises(UsageError, match="no decision to undo"):
        library.undo()
    with pytest.raises(UsageError, match="decision 2 is undone already"):
        library.undo(2)
    with pytest.raises(UsageError, match="decision 3 does not exist"):
        library.undo(3)
    assert library.decisions().is_empty()
    assert library.decisions(all=True)["undone_by"][1] == "ann"
    assert library.decide("same", "x", "y") == 3


def test_bad_pairs_are_refused(library: Library) -> None:
    save(library, {"x": 0, "y": 0})
    save(library, {"v": 0}, kind="venue")
    with pytest.raises(UsageError, match="both sides"):
        library.decide("same", "x", entity_of(library)["y"])
    with pytest.raises(UsageError, match="name two of one kind"):
        library.decide("same", "x", "v")
    with pytest.raises(UnknownEntityError):
        library.decide("same", "x", "nobody")
    with pytest.raises(UsageError, match="no judgement"):
        library.decide("perhaps", "x", "y")  # type: ignore[arg-type]


def test_a_run_obeys_decisions_that_were_made_while_it_was_at_work(library: Library) -> None:
    save(library, {"x": 0, "y": 1, "z": 1, "w": 1})
    first = entity_of(library)
    library.decide("same", "x", "y")
    library.decide("different", "z", "y")
    save(library, {"x": 0, "y": 1, "z": 1, "w": 1})
    now = entity_of(library)
    assert now["x"] == now["y"] == now["w"] == first["y"]
    assert now["z"] not in first.values()
    assert library.resolve_id(first["x"]) == first["y"]
    assert dict(library.mentions().select("id", "probability").iter_rows())["z"] == 1.0


def test_decisions_sleep_while_their_mentions_are_gone(library: Library) -> None:
    save(library, {"x": 0, "y": 1, "z": 2})
    library.decide("same", "x", "y")
    library.decide("same", "y", "z")
    save(library, {"x": 0, "z": 0})
    assert library.decisions()["dormant"].to_list() == [True, True]
    save(library, {"x": 0, "z": 1})  # still one person, through the absent y
    assert entity_of(library)["x"] == entity_of(library)["z"]
    save(library, {"x": 0, "y": 0, "z": 0})
    assert library.decisions()["dormant"].to_list() == [False, False]


def test_everything_is_there_after_reopening(location: str) -> None:
    with Library.open(location) as library:
        library.add(records(("a", "1", "One")))
        save(library, {"x": 0, "y": 1})
        library.decide("different", "x", "y")
        before = entity_of(library)
    with Library.open(location, create=False) as library:
        assert entity_of(library) == before
        assert library.decisions().height == library.references().height == 1
