"""New references to a library, on both back ends: assigned, kept, moved by decisions, repaired, taken in by a run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import samehand
from samehand.errors import LibraryError
from samehand.library import Library
from samehand.models.stream.assignment import Assignment
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import REJECTS, Reference, Reject, references_frame, rejects_frame


def paper(key: str, authors: list[str], title: str, year: int = 2001, **more: object) -> Reference:
    return Reference("old.bib", 1, id=key, title=title, authors=authors, year=year, **more)  # type: ignore[arg-type]


OLD = [
    paper("o1", ["Ann Lee", "Bo Kim"], "Thumbs and fingers of the left hand", venue="Journal of Hands"),
    paper("o2", ["Ann Lee", "Bo Kim"], "Thumbs and fingers of the right hand", 2002, venue="Journal of Hands"),
    paper("o3", ["A. Lee", "Bo Kim"], "Fingers and thumbs compared", 2003, venue="Journal of Hands"),
    paper("o4", ["Adam Lee", "Cy Day"], "Galaxies far away", 2001, venue="Stars"),
    paper("o5", ["Adam Lee", "Cy Day"], "Nearer galaxies and farther stars", 2002, venue="Stars"),
    paper("o6", ["Eve Moe"], "Something else entirely in chemistry", 2002, venue="Acids", doi="10.1/acid"),
]  # fmt: skip


def records(*references: Reference) -> Records:
    return Records(identify(references_frame(references)), REJECTS.to_frame())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the library of OLD, made once."""
    place = tmp_path_factory.mktemp("assign") / "old.library"
    with Library(place) as library:
        _resolve(library, *OLD)
    return place


@pytest.fixture
def library(location: str, made: Path) -> Iterator[Library]:
    if not location.startswith("postgres"):
        shutil.copy(made, location)
    with Library(location) as library:
        if library.references().is_empty():
            _resolve(library, *OLD)
        yield library


def _resolve(library: Library, *references: Reference) -> None:
    """The rules of the baseline are enough here, and quick."""
    samehand.resolve(records(*references), library=library, model="baseline", threads=1)


def entity_of(library: Library) -> dict[str, str]:
    return dict(library.mentions().select("id", "entity").iter_rows())


def found(assignments: list[Assignment], kind: str) -> list[Assignment]:
    return [one for one in assignments if one.kind == kind]


ANN = paper("n1", ["Lee, Ann", "Kim, B."], "The thumb of the left hand", 2004, venue="Journal of Hands")
ADAM = paper("n2", ["A. Lee", "C. Day"], "A galaxy of stars", 2003, venue="Stars")
NEW = paper("n3", ["Ann Lee", "Zoe Zed"], "Monasteries of Burgundy", 2004, venue="History")


def test_nothing_is_changed_unless_told(library: Library) -> None:
    before = library.mentions(), library.references(), library.entities()
    library.assign(ANN)
    after = library.mentions(), library.references(), library.entities()
    assert all(one.equals(other) for one, other in zip(before, after, strict=True))


def test_persons_venues_and_papers_are_recognised(library: Library) -> None:
    where = entity_of(library)
    ann, kim = found(library.assign(ANN), "author")
    assert (ann.entity, kim.entity) == (where["o1/author/1"], where["o1/author/2"])
    assert ann.candidates[0].name == "Ann Lee"
    assert sum(one.probability or 0.0 for one in ann.candidates) == pytest.approx(1.0, abs=0.01)
    assert [one.entity for one in found(library.assign(ANN), "venue")] == [where["o1/venue"]]
    assert [one.entity for one in found(library.assign(ANN), "paper")] == [None]
    adam = found(library.assign(ADAM), "author")[0]
    assert adam.entity == where["o4/author/1"]
    again = paper("n9", ["E. Moe"], "Something else entirely, in chemistry", 2002, doi="10.1/acid")
    assert found(library.assign(again), "paper")[0].entity == where["o6"]


def test_somebody_new_is_new(library: Library) -> None:
    lee, zed = found(library.assign(NEW), "author")
    assert zed.candidates[0].entity is None
    assert zed.probability == 1.0
    assert {one.entity for one in lee.candidates} >= {None, entity_of(library)["o1/author/1"]}


def test_two_authors_of_one_paper_are_two_persons(library: Library) -> None:
    twins = paper("n4", ["Ann Lee", "A. Lee", "Bo Kim"], "Thumbs of both hands", 2004)
    first, second, _ = found(library.assign(twins, keep=True), "author")
    assert first.entity != second.entity


def test_what_is_kept_is_there_with_identifiers_that_a_run_keeps(library: Library) -> None:
    before = entity_of(library)
    kept = library.assign(records(ANN, ADAM, NEW), keep=True)
    assert {one.mention for one in kept} == set(entity_of(library)) - set(before)
    assert [one.mention for one in kept[:4]] == ["n1", "n1/author/1", "n1/author/2", "n1/venue"]
    now = entity_of(library)
    assert before.items() <= now.items()
    assert library.references()["id"].to_list()[-3:] == ["n1", "n2", "n3"]
    sizes = dict(library.entities().select("id", "size").iter_rows())
    assert sizes == dict(library.mentions().group_by("entity").len().iter_rows())
    zed = now["n3/author/2"]
    assert library.events().filter(entity=zed)["event"].to_list() == ["created"]
    _resolve(library)
    assert entity_of(library)["n3/author/2"] == zed
    assert library.resolve_id(now["n1/author/1"]) == entity_of(library)["o1/author/1"]
    assert library.arrivals().is_empty()


def test_the_second_of_two_new_papers_finds_the_first(library: Library) -> None:
    second = paper("n5", ["Zoe Zed", "Ann Lee"], "Abbeys and monasteries of Burgundy", 2005, venue="History")
    library.assign(NEW, keep=True)
    zed = found(library.assign(second, keep=True), "author")[0]
    assert zed.entity == entity_of(library)["n3/author/2"]
    assert found(library.assign(second), "venue")[0].entity == entity_of(library)["n3/venue"]


def test_memory_and_a_fresh_look_say_the_same(library: Library, location: str) -> None:
    library.assign(records(ANN, ADAM, NEW), keep=True)
    last = paper("n6", ["Ann Lee", "Bo Kim"], "Fingers again", 2006)
    library.repair()  # which also looks up anew how common words are
    with Library(location) as other:
        assert _rounded(other.assign(last)) == _rounded(library.assign(last))


def _rounded(assignments: list[Assignment]) -> list[list[tuple[str | None, float | None]]]:
    return [
        [(one.entity, one.probability and round(one.probability, 6)) for one in each.candidates]
        for each in assignments
    ]


def test_what_another_process_keeps_is_seen(library: Library, location: str) -> None:
    library.assign(NEW)
    with Library(location) as other:
        other.assign(NEW, keep=True)
    second = paper("n5", ["Zoe Zed", "Ann Lee"], "Abbeys and monasteries of Burgundy", 2005, venue="History")
    assert found(library.assign(second), "author")[0].entity == entity_of(library)["n3/author/2"]


def test_a_reference_that_is_there_is_not_added_again(library: Library) -> None:
    library.assign(ANN, keep=True)
    count = library.references().height
    again = library.assign(ANN, keep=True)
    assert library.references().height == count
    assert all(one.known for one in again)
    bad = Records(references_frame([]), rejects_frame([Reject("x.bib", 1, "broken", "@")]))
    for _ in range(2):
        assert library.assign(bad, keep=True) == []
    assert library.rejects().height == 1
    assert {one.mention: one.entity for one in again}.items() <= entity_of(library).items()


def test_another_reference_of_the_same_id_gets_a_longer_one(library: Library) -> None:
    other = Reference("new.bib", 1, id="o1", title="Quite another title here", authors=["Zoe Zed"])
    kept = library.assign(other, keep=True)
    assert {one.reference for one in kept} == {"new.bib:o1"}
    assert library.references()["id"].n_unique() == library.references().height
    assert "new.bib" in library.sources()["name"].to_list()


def test_decisions_move_arrivals_at_once_and_undo_moves_them_back(library: Library) -> None:
    library.assign(ANN, keep=True)
    before = entity_of(library)
    adam = before["o4/author/1"]
    same = library.decide("same", "n1/author/1", "o4/author/1")
    assert entity_of(library)["n1/author/1"] == adam
    assert library.entity(adam).size == 3
    library.undo(same)
    assert entity_of(library) == before
    for other in ("o1", "o3", "o4"):
        library.decide("different", "n1/author/1", f"{other}/author/1")
    alone = entity_of(library)["n1/author/1"]
    assert alone not in before.values()
    assert library.entity(alone).mentions["id"].to_list() == ["n1/author/1"]
    for _ in range(3):
        library.undo()
    assert entity_of(library) == before
    assert library.resolve_id(alone) == before["n1/author/1"]


def test_a_decision_changes_later_answers(library: Library) -> None:
    unclear = paper("n7", ["A. Lee", "Zoe Zed"], "Castles of Burgundy", 2005, venue="History")
    later = paper("n8", ["A. Lee", "Zoe Zed"], "Burgundy and its castles", 2006, venue="History")
    library.assign(unclear, keep=True)
    adam = entity_of(library)["o4/author/1"]
    assert found(library.assign(later), "author")[0].entity != adam
    library.decide("same", "n7/author/1", "o4/author/1")
    assert found(library.assign(later), "author")[0].entity == adam


def test_persons_whom_curators_joined_are_one_for_arrivals(library: Library) -> None:
    library.decide("same", "o1/author/1", "o4/author/1")
    stars = found(library.assign(ADAM), "author")[0]
    hands = found(library.assign(ANN), "author")[0]
    assert stars.entity == hands.entity == entity_of(library)["o1/author/1"]


def test_uncertain_ones_are_marked_for_questions(library: Library) -> None:
    kept = library.assign(records(ANN, NEW), keep=True, ask=1.0)
    asked = {one.mention for one in kept if one.asked}
    assert asked == set(library.arrivals().filter("asked")["mention"])
    assert "n3/author/1" in asked
    assert not any(one.asked for one in library.assign(ADAM, ask=0.0))


def test_repair_merges_a_fragment_and_leaves_a_redirect(library: Library) -> None:
    fragment = paper("f1", ["Ann Lee"], "Monasteries of Burgundy and their wine", 2004)
    words = {"f2": "thumb", "f3": "fingers", "f4": "wine"}
    bridge = [
        paper(key, ["Ann Lee", "Bo Kim"], f"Monasteries, wine and the {word}", 2005, venue="Journal of Hands")
        for key, word in words.items()
    ]
    library.assign(fragment, keep=True)
    library.decide("different", "f1/author/1", "o1/author/1")
    alone = entity_of(library)["f1/author/1"]
    library.undo()
    library.assign(records(*bridge), keep=True)
    for gone, kept in library.repair():
        assert library.resolve_id(gone) == kept
        assert gone not in entity_of(library).values()
    assert library.repair() == []
    assert library.resolve_id(alone) == entity_of(library)["f1/author/1"]
    sizes = dict(library.entities().select("id", "size").iter_rows())
    assert sizes == dict(library.mentions().group_by("entity").len().iter_rows())


def test_an_empty_library_can_be_filled_by_streaming_alone(location: str) -> None:
    with Library(location) as library:
        for reference in OLD:
            library.assign(reference, keep=True)
        where = entity_of(library)
        assert where["o1/author/1"] == where["o2/author/1"]
        assert where["o4/author/1"] == where["o5/author/1"] != where["o1/author/1"]
        _resolve(library)
        assert library.resolve_id(where["o1/author/1"]) == entity_of(library)["o1/author/1"]


def test_a_failure_leaves_nothing_behind(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = library.mentions(), library.references(), library.sources()

    def broken(*_: object) -> None:
        raise LibraryError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("samehand.models.stream.keeping._keep_arrivals", broken)
        with pytest.raises(LibraryError, match="disk"):
            library.assign(ANN, keep=True)
    after = library.mentions(), library.references(), library.sources()
    assert all(one.equals(other) for one, other in zip(before, after, strict=True))
    assert found(library.assign(ANN, keep=True), "author")[0].entity == entity_of(library)["o1/author/1"]


def test_a_decision_that_slept_counts_when_its_mention_arrives_again(library: Library) -> None:
    library.assign(NEW, keep=True)
    library.decide("same", "n3/author/1", "o4/author/1")
    library.add(Records(references_frame([]), rejects_frame([Reject("old.bib", 1, "gone", "")])))
    for reference in OLD:
        library.assign(reference, keep=True)
    _resolve(library)
    library.assign(NEW, keep=True)
    where = entity_of(library)
    assert where["n3/author/1"] == where["o4/author/1"]


def test_raw_citations_stay_as_they_are_in_a_library_of_the_baseline(library: Library) -> None:
    text = "J. Lee. On hands. Nature, 12:3-9, 1991."
    raw = Reference("a.txt", 1, id="a.txt:1", scope="citation", text=text)
    assert [one.mention for one in library.assign(raw, keep=True)] == ["a.txt:1"]
    assert library.references(["a.txt:1"]).select("title", "text").row(0) == (None, text)


def test_known_references_are_told_one_after_the_other(library: Library) -> None:
    mentions = [one.mention for one in library.assign(records(OLD[3], OLD[0]), keep=True)]
    assert mentions == [
        f"{id}{slot}" for id in ("o4", "o1") for slot in ("", "/author/1", "/author/2", "/venue")
    ]
