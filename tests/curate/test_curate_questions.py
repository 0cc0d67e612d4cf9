"""Questions: which come first, what answers do to the others, and the dialogue in a terminal."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import samehand
from samehand.curate.questions import Question, answer, questions, undo
from samehand.curate.questions_dialogue import ask, evidence
from samehand.curate.questions_survey import Survey
from samehand.errors import UsageError
from samehand.library import Library
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import REJECTS, Reference, references_frame


def paper(key: str, authors: list[str], title: str, year: int) -> Reference:
    return Reference("old.bib", 1, id=key, title=title, authors=authors, year=year)


OLD = [
    paper("o1", ["Wei Lee", "Bo Kim"], "Thumbs and fingers of the left hand", 2001),
    paper("o2", ["Wei Lee", "Bo Kim"], "Thumbs and fingers of the right hand", 2002),
    paper("o3", ["Wei Lee", "Cy Day"], "Galaxies far away", 2001),
    paper("o4", ["Wei Lee", "Cy Day"], "Nearer galaxies and farther stars", 2002),
    paper("o5", ["W. Lee"], "Fingers of stars", 2003),
    paper("o6", ["Eve Moe", "Wei Lee"], "Acids", 2002),
]


def records(*references: Reference) -> Records:
    return Records(identify(references_frame(references)), REJECTS.to_frame())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("questions") / "old.library"
    with Library(place) as library:
        samehand.resolve(records(*OLD), library=library, threads=1)
        library.assign(paper("n1", ["Wei Lee", "Zoe Zed"], "Stars and fingers", 2004), keep=True, ask=1.0)
    return place


@pytest.fixture
def library(made: Path, tmp_path: Path) -> Iterator[Library]:
    shutil.copy(made, tmp_path / "my.library")
    with Library(tmp_path / "my.library") as library:
        yield library


def pairs(found: list[Question]) -> list[frozenset[str]]:
    return [frozenset((question.left, question.right)) for question in found]


def test_questions_come_by_expected_gain(library: Library) -> None:
    found = questions(library, 50)
    gains = [question.gain for question in found]
    assert gains == sorted(gains, reverse=True)
    assert len(found) > 3
    assert {question.origin for question in found} >= {"arrival"}
    for question in found:
        wrong = 1 - question.probability if question.together else question.probability
        assert question.gain == pytest.approx(question.moved * wrong)
        entities = dict(library.mentions().select("id", "entity").iter_rows())
        if question.origin == "arrival":
            assert question.together == (entities[question.left] == entities[question.right])
    assert questions(library, 1) == found[:1]


def test_few_questions_are_the_first_of_many(library: Library) -> None:
    """What cannot gain enough is not compared at all, and nothing that can is left out."""
    everything = questions(library, 10_000)
    survey = Survey(library)
    for most in (1, 3, 6, 10_000, 2):
        assert questions(library, most, survey) == everything[:most]


def test_more_mentions_to_move_are_worth_more() -> None:
    few = Question("a", "b", "A", "B", "x", "y", "merge", 0.4, together=False, moved=1)
    many = Question("a", "b", "A", "B", "x", "y", "merge", 0.4, together=False, moved=3)
    assert many.gain == 3 * few.gain == pytest.approx(1.2)
    assert Question("a", "b", "A", "B", "x", "x", "split", 0.4, together=True, moved=1).gain == 0.6


@pytest.mark.parametrize(("key", "judgement"), [("y", "same"), ("n", "different"), ("u", "unsure")])
def test_what_is_answered_is_not_asked_again(library: Library, key: str, judgement: str) -> None:
    survey = Survey(library)
    for _ in range(4):
        question = questions(library, 1, survey)[0]
        answer(library, question, key, "eve")
        assert pairs([question])[0] not in pairs(questions(library, 50, survey))
        made = library.decisions().row(-1, named=True)
        assert (made["judgement"], made["by"]) == (judgement, "eve")
        assert {made["left"], made["right"]} == {question.left, question.right}


def test_answers_that_follow_from_others_are_not_asked(library: Library) -> None:
    library.decide("same", "o1/author/1", "o2/author/1")
    library.decide("different", "o2/author/1", "o3/author/1")
    asked = pairs(questions(library, 50))
    assert frozenset(("o1/author/1", "o2/author/1")) not in asked
    assert frozenset(("o1/author/1", "o3/author/1")) not in asked


def test_an_answer_changes_the_others_and_undo_brings_them_back(library: Library) -> None:
    survey = Survey(library)
    before = questions(library, 50, survey)
    question = next(one for one in before if one.origin != "arrival")
    answer(library, question, "n" if question.together else "y")
    after = questions(library, 50, survey)
    assert {(one.left, one.right, one.gain) for one in after} != {
        (one.left, one.right, one.gain) for one in before if one != question
    }
    undo(library)
    assert questions(library, 50, survey) == before


def test_no_to_an_arrival_asks_about_the_next_person(library: Library) -> None:
    def about_arrival() -> list[str]:
        return [one.right_entity for one in questions(library, 50) if one.left == "n1/author/1"]

    seen = []
    while found := about_arrival():
        seen += found
        question = next(one for one in questions(library, 50) if one.left == "n1/author/1")
        answer(library, question, "n")
    assert len(seen) == len(set(seen)) >= 1
    alone = library.resolve_id("n1/author/1")
    assert library.entity(alone).size == 1


def test_undo_takes_back_only_ones_own(library: Library) -> None:
    library.decide("same", "o1/author/1", "o2/author/1", by="eve")
    library.decide("unsure", "o1/author/1", "o3/author/1", by="adam")
    assert undo(library, "eve") == 1
    with pytest.raises(UsageError, match="no decision"):
        undo(library, "eve")
    assert library.decisions()["by"].to_list() == ["adam"]


def test_every_question_has_its_evidence(library: Library) -> None:
    for question in questions(library, 50):
        found = evidence(library, question)
        assert found is not None
        sides = {*found.left.mentions}, {*found.right.mentions}
        assert any(question.left in side for side in sides)


def test_the_library_obeys_at_the_next_run(library: Library) -> None:
    question = next(one for one in questions(library, 50) if one.origin != "arrival")
    answer(library, question, "n" if question.together else "y")
    samehand.resolve([], library=library, threads=1)
    where = dict(library.mentions().select("id", "entity").iter_rows())
    assert (where[question.left] == where[question.right]) != question.together


def dialogue(library: Library, keys: str, capsys: pytest.CaptureFixture[str]) -> str:
    pressed = iter(keys)
    ask(library, "eve", lambda: next(pressed, "q"))
    return capsys.readouterr().out


def test_a_dialogue_answers_and_undoes_without_limit(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    text = dialogue(library, "nyuzzzz?q", capsys)
    assert library.decisions().is_empty()
    assert library.decisions(all=True)["judgement"].to_list() == ["different", "same", "unsure"]
    for part in ("decision 3 is undone", "you have no decision to undo", "'?' is no answer", "z undo"):
        assert part in text
    assert "Thumbs and fingers" in text or "alaxies" in text


def test_the_question_undone_is_asked_next(library: Library) -> None:
    first = questions(library, 1)[0]
    pressed = iter("nzyq")
    ask(library, "eve", lambda: next(pressed))
    [made] = library.decisions().select("judgement", "left", "right").rows()
    assert made == ("same", first.left, first.right)


def test_skipping_goes_through_all_questions_once(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "No questions are left" in dialogue(library, "s" * 100, capsys)
    assert library.decisions().is_empty()


def test_bad_requests_are_refused(library: Library) -> None:
    with pytest.raises(UsageError, match="y \\(one person\\)"):
        answer(library, questions(library, 1)[0], "maybe")
    with pytest.raises(UsageError, match="at least 1"):
        questions(library, 0)
