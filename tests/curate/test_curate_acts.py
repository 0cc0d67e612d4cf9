"""Acts on entities: at once, binding, previewed, taken back; on both back ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.curate.acts import Group, plan_merge, plan_move, plan_split
from samehand.curate.decisions import DECISIONS, Closure, Judgement, violations
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.library import Library
from samehand.records import CLUSTERING, MENTIONS, Kind, Reference

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def library(location: str) -> Iterator[Library]:
    with Library(location) as library:
        save(library, {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "f": 2})
        yield library


def save(library: Library, clusters: dict[str, int], kind: Kind = "author") -> int:
    rows = [(mention, kind, f"r-{mention}", 0, mention.upper()) for mention in clusters]
    table = {
        "mention": list(clusters),
        "cluster": list(clusters.values()),
        "probability": [0.5] * len(clusters),
    }
    return library.save_run(
        pl.DataFrame(rows, schema=MENTIONS, orient="row"),
        {kind: pl.DataFrame(table, schema=CLUSTERING)},
        settings={},
        seed=0,
        started=NOW,
        finished=NOW,
    )


def held(library: Library) -> set[str]:
    """The entities as the mentions they hold."""
    groups = library.mentions().group_by("entity").agg(pl.col("id").sort().str.join(""))
    return set(groups["id"])


def whose(library: Library, mention: str) -> str:
    return library.resolve_id(mention)


def check(library: Library) -> None:
    """Rows of entities say what the mentions say; redirects lead to the living; decisions are obeyed."""
    mentions, entities = library.mentions(), library.entities()
    sizes = dict(mentions.group_by("entity").len().iter_rows())
    assert dict(entities.select("id", "size").iter_rows()) == sizes
    first = mentions.unique("entity", keep="first", maintain_order=True).select("entity", "id")
    assert set(entities.select("id", "representative").iter_rows()) == set(first.iter_rows())
    redirects = library.redirects()
    assert set(redirects["new"]) <= set(entities["id"])
    assert not set(redirects["old"]) & set(entities["id"])
    clusters = mentions.select(mention="id", cluster="entity")
    assert violations(clusters, library.decisions()).height == 0


def test_a_merge_is_one_decision_and_leaves_a_redirect(library: Library) -> None:
    small, large = whose(library, "d"), whose(library, "a")
    act = library.merge("d", "a", by="ann")
    assert held(library) == {"abcde", "f"}
    assert whose(library, "d") == large == library.resolve_id(small)
    assert [part.taken for part in act.parts] == [(small,)]
    assert library.decisions().select("judgement", "by").rows() == [("same", "ann")]
    check(library)


def test_a_split_makes_one_new_entity_and_the_larger_part_keeps_the_identifier(library: Library) -> None:
    entity = whose(library, "a")
    act = library.split(entity, ["c"], by="ann")
    assert held(library) == {"ab", "c", "de", "f"}
    assert whose(library, "a") == entity
    assert [(part.entity, part.is_new) for part in act.parts] == [
        (whose(library, "c"), True),
        (entity, False),
    ]
    assert ("split", entity, whose(library, "c")) in library.events().select(
        "event", "entity", "other"
    ).rows()
    check(library)


def test_a_move_puts_mentions_into_another_entity(library: Library) -> None:
    target = whose(library, "f")
    library.move(["b", "c"], target, by="ann")
    assert held(library) == {"a", "bcf", "de"}
    check(library)


@pytest.mark.parametrize("what", ["merge", "split", "move"])
def test_a_preview_says_what_happens_and_changes_nothing(library: Library, what: str) -> None:
    before = library.mentions(), library.entities(), library.events(), library.decisions(all=True)

    def act(preview: bool) -> list[tuple[str, tuple[str, ...]]]:
        found = {
            "merge": lambda: library.merge("a", "d", preview=preview),
            "split": lambda: library.split("a", ["a", "b"], preview=preview),
            "move": lambda: library.move(["a"], "d", preview=preview),
        }[what]()
        return [(part.entity, part.mentions) for part in found.parts]

    foretold = act(True)
    after = library.mentions(), library.entities(), library.events(), library.decisions(all=True)
    assert all(one.equals(other) for one, other in zip(before, after, strict=True))
    assert act(False) == foretold
    assert {entity for entity, _ in foretold} <= set(library.entities()["id"])


@pytest.mark.parametrize("what", ["merge", "split", "move"])
def test_an_act_is_taken_back_whole_and_at_once(library: Library, what: str) -> None:
    before = dict(library.mentions().select("id", "entity").iter_rows())
    act = {
        "merge": lambda: library.merge("a", "d"),
        "split": lambda: library.split("a", ["a", "b"]),
        "move": lambda: library.move(["a"], "d"),
    }[what]()
    assert act.id is not None
    library.undo(act.decisions[0])
    assert dict(library.mentions().select("id", "entity").iter_rows()) == before
    assert library.decisions().height == 0
    assert library.acts()["undone_at"].null_count() == 0
    check(library)
    with pytest.raises(UsageError, match="undone already"):
        library.undo_act(act.id)


def test_the_next_run_must_keep_what_the_curator_did(library: Library) -> None:
    library.split("a", ["c"])
    library.merge("d", "f")
    save(library, {"a": 0, "b": 0, "c": 1, "d": 2, "e": 2, "f": 2})
    assert held(library) == {"ab", "c", "def"}
    check(library)


def test_what_was_split_off_can_be_joined_elsewhere_and_the_rest_split_again(library: Library) -> None:
    library.split("a", ["c"])
    library.split("a", ["b"])
    library.merge("c", "f")
    assert held(library) == {"a", "b", "cf", "de"}
    check(library)


def test_acts_taken_back_out_of_order(library: Library) -> None:
    first = library.merge("a", "d")
    second = library.merge("f", "a")
    assert first.id
    assert second.id
    library.undo_act(first.id)
    assert held(library) == {"abcf", "de"}
    check(library)
    library.undo_act(second.id)
    assert held(library) == {"abc", "de", "f"}
    check(library)


def test_a_conflict_names_the_decisions_and_writes_nothing(library: Library) -> None:
    number = library.decide("same", "a", "b")
    with pytest.raises(ConflictingDecisionError, match=f"undo decision {number} first"):
        library.split("a", ["a"])
    other = library.decide("different", "c", "d")
    with pytest.raises(ConflictingDecisionError, match=f"undo decision {other} first"):
        library.merge("a", "d")
    assert held(library) == {"abc", "de", "f"}
    assert library.decisions()["id"].to_list() == [number, other]
    assert library.acts().height == 0


def test_an_act_whose_undoing_another_decision_forbids_stays(library: Library) -> None:
    act = library.split("a", ["c"])
    assert act.id
    library.undo(library.decide("different", "a", "f"))
    save(library, {"a": 0, "b": 0, "c": 1, "d": 2, "e": 2, "f": 3})
    number = library.decide("different", "b", "c", by="bob")
    with pytest.raises(ConflictingDecisionError, match=str(number)):
        library.undo_act(act.id)
    assert held(library) == {"ab", "c", "de", "f"}
    assert library.acts()["undone_at"].null_count() == 1


def test_an_act_can_be_undone_though_a_decision_before_it_has_not_been_followed_yet(library: Library) -> None:
    library.decide("different", "b", "c")
    act = library.split("a", ["c"])
    assert act.id
    library.undo_act(act.id)
    assert held(library) == {"abc", "de", "f"}


def test_wrong_requests(library: Library) -> None:
    with pytest.raises(UsageError, match="all mentions"):
        library.split("d", ["d", "e"])
    with pytest.raises(UsageError, match="not in"):
        library.split("d", ["a"])
    with pytest.raises(UsageError, match="two different"):
        library.merge("a", "b")
    with pytest.raises(UsageError, match="already"):
        library.move(["a"], "b")
    with pytest.raises(UsageError, match="does not exist"):
        library.undo_act(99)


def test_an_unsure_decision_gives_way(library: Library) -> None:
    unsure = library.decide("unsure", "a", "d")
    library.merge("a", "d")
    ledger = library.decisions(all=True)
    assert ledger.filter(id=unsure)["superseded_by"].to_list() == [unsure + 1]


MENTIONS_OF = {"a1": "abcd", "a2": "ef"}
facts = st.lists(
    st.tuples(st.sampled_from(["same", "different"]), *[st.sampled_from("abcdef")] * 2).filter(
        lambda row: row[1] != row[2]
    ),
    max_size=4,
)


@settings(max_examples=150, deadline=None)
@given(facts=facts, taken=st.sets(st.sampled_from("abcd"), min_size=1, max_size=3), move=st.booleans())
def test_no_division_that_obeys_the_decisions_undoes_an_act(
    facts: list[tuple[str, str, str]], taken: set[str], move: bool
) -> None:
    """Every pair that the act parts is implied different; and with one decision fewer, some pair is not."""
    ledger = _ledger(facts)
    if Closure(ledger).contradictions():
        return
    one, two = (Group(id, "author", dict.fromkeys(members, 0.5)) for id, members in MENTIONS_OF.items())
    try:
        plan = plan_move(one, sorted(taken), two, ledger) if move else plan_split(one, sorted(taken), ledger)
    except ConflictingDecisionError:
        return
    words = [(word.value, left, right) for word, left, right in plan.words]
    after = Closure(_ledger([*facts, *words]))
    assert not after.contradictions()
    parted = list(product(taken, set("abcd") - taken))
    assert all(after.implied(*pair) is Judgement.DIFFERENT for pair in parted)
    if not move:
        for fewer in combinations(words, max(0, len(words) - 1)):
            less = Closure(_ledger([*facts, *fewer]))
            assert not words or any(less.implied(*pair) is not Judgement.DIFFERENT for pair in parted)


def test_a_merge_that_is_decided_already_needs_no_decision() -> None:
    one, two = (Group(id, "author", dict.fromkeys(members, 0.5)) for id, members in MENTIONS_OF.items())
    assert plan_merge(one, two, _ledger([("same", "a", "e")])).words == []


def _ledger(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    made = [
        dict.fromkeys(DECISIONS) | {"id": number, "judgement": word, "left": left, "right": right}
        for number, (word, left, right) in enumerate(rows, start=1)
    ]
    return pl.DataFrame(made, schema=DECISIONS)


def test_acts_on_what_arrived_since_the_last_run(location: str) -> None:
    papers = [
        Reference("a.bib", n, id=f"x{n}", title=f"On {word}", authors=[name])
        for n, (word, name) in enumerate([("hands", "Ann Lee"), ("feet", "Zoe Fox"), ("ink", "Ann Lee")])
    ]
    with Library(location) as library:
        for paper in papers:
            library.assign(paper, keep=True)
        before = {f"x{n}/author/1": library.resolve_id(f"x{n}/author/1") for n in range(3)}
        merged = library.merge("x0/author/1", "x1/author/1")
        assert library.resolve_id("x0/author/1") == library.resolve_id("x1/author/1")
        check(library)
        assert merged.id
        library.undo_act(merged.id)
        assert {mention: library.resolve_id(mention) for mention in before} == before
        check(library)


steps = st.lists(
    st.tuples(
        st.sampled_from(["merge", "split", "move", "undo", "run"]),
        st.sampled_from("abcdef"),
        st.sampled_from("abcdef"),
        st.integers(0, 5),
    ),
    max_size=8,
)


@settings(max_examples=12, deadline=None)
@given(steps=steps)
def test_any_sequence_of_acts_leaves_a_sound_library(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, int]]
) -> None:
    """Rows, redirects and decisions agree after every step, and nothing vanishes; all undone, all is as it was."""
    with Library(tmp_path_factory.mktemp("acts") / "x.library") as library:
        save(library, {"a": 0, "b": 0, "c": 0, "d": 1, "e": 1, "f": 2})
        for what, left, right, number in steps:
            with suppress(UsageError):
                _step(library, what, left, right, number)
            check(library)
            assert sorted("".join(held(library))) == list("abcdef")
        if all(what != "run" for what, *_ in steps):
            for act in reversed(library.acts().filter(pl.col("undone_at").is_null())["id"].to_list()):
                library.undo_act(act)
            check(library)
            assert library.decisions().height == 0


def _step(library: Library, what: str, left: str, right: str, number: int) -> None:
    if what == "merge":
        library.merge(left, right)
    elif what == "split":
        library.split(left, [left, *([right] if number % 2 else [])])
    elif what == "move":
        library.move([left], right)
    elif what == "undo":
        library.undo_act(number)
    else:
        clusters = dict(library.mentions().select("id", "entity").iter_rows())
        numbers = {entity: place for place, entity in enumerate(dict.fromkeys(clusters.values()))}
        save(library, {mention: numbers[entity] for mention, entity in clusters.items()})
