"""The queue of questions: each lent to one curator, answered once, taken back, and found anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from samehand.curate.questions import Question
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.library import Library
from samehand.web.queue import LENT_SECONDS, Queue
from samehand.web.shelf import Shelf


def question(number: int) -> Question:
    left, right = f"hands{number}/author/1", f"graphs{number}/author/1"
    return Question(left, right, "A. Lovelace", "Alan Lovelace", "a1", "a2", "merge", 0.3, False, 6 - number)


class Clock:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shelf(made: Path, tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(str(shutil.copy(made, tmp_path / "my.library")))
    yield shelf
    shelf.close()


@pytest.fixture
def library(shelf: Shelf) -> Iterator[Library]:
    with shelf.library() as library:
        yield library


@pytest.fixture
def queue(shelf: Shelf, clock: Clock) -> Queue:
    """A queue of four questions that finds no others."""
    queue = Queue(shelf, clock)
    queue.offer([question(number) for number in range(4)])
    return queue


def test_two_curators_never_have_the_same_question(queue: Queue) -> None:
    ann, bob = queue.next_question("ann"), queue.next_question("bob")
    assert ann == question(0)
    assert bob == question(1)
    assert queue.next_question("ann") == ann


def test_a_question_that_is_kept_too_long_goes_to_another(
    queue: Queue, clock: Clock, library: Library
) -> None:
    queue.next_question("ann")
    clock.now = LENT_SECONDS + 1
    late = queue.next_question("bob")
    assert late == question(0)
    with pytest.raises(ConflictingDecisionError, match="no longer open"):
        queue.answer(library, "ann", late.left, late.right, "y")


def test_an_answer_is_a_signed_decision_and_its_question_is_gone(queue: Queue, library: Library) -> None:
    asked = queue.next_question("ann")
    assert asked is not None
    number = queue.answer(library, "ann", asked.left, asked.right, "n")
    row = library.decisions().row(0, named=True)
    assert (row["id"], row["by"], row["judgement"]) == (number, "ann", "different")
    assert queue.next_question("ann") == question(1)
    with pytest.raises(ConflictingDecisionError):
        queue.answer(library, "bob", asked.left, asked.right, "y")
    progress = queue.progress(library, "ann")
    assert (progress.answered_today, progress.answered_ever, progress.left) == (1, 1, 3)
    assert progress.gained == pytest.approx(asked.gain)
    assert queue.progress(library, "bob").answered_ever == 0


def test_an_act_counts_once_however_many_decisions_it_made(queue: Queue, library: Library) -> None:
    largest = library.entities("author").sort("size")["id"][-1]
    mentions = library.entity(largest).mentions["id"].to_list()
    act = library.split(largest, mentions[:-1], by="ann")
    assert len(act.decisions) > 1
    assert queue.progress(library, "ann").answered_ever == 1


def test_undo_asks_the_question_again(queue: Queue, library: Library) -> None:
    first = queue.next_question("ann")
    assert first is not None
    queue.answer(library, "ann", first.left, first.right, "y")
    second = queue.next_question("ann")
    assert second is not None
    queue.answer(library, "ann", second.left, second.right, "u")
    queue.undo(library, "ann")
    assert queue.next_question("ann") == second
    queue.undo(library, "ann")
    assert queue.next_question("ann") == first
    assert library.decisions().height == 0
    assert queue.progress(library, "ann").gained == 0
    with pytest.raises(UsageError, match="no decision to undo"):
        queue.undo(library, "ann")


def test_skipping_leaves_a_question_to_others(queue: Queue) -> None:
    asked = queue.next_question("ann")
    assert asked is not None
    queue.skip("ann", asked.left, asked.right)
    assert queue.next_question("ann") == question(1)
    assert queue.next_question("bob") == asked


def test_a_contradiction_is_told_and_not_asked_again(queue: Queue, library: Library) -> None:
    library.decide("same", "hands0/author/1", "hands1/author/1", by="bob")
    library.decide("same", "hands1/author/1", "graphs0/author/1", by="bob")
    asked = queue.next_question("ann")
    assert asked is not None
    with pytest.raises(ConflictingDecisionError, match="imply"):
        queue.answer(library, "ann", asked.left, asked.right, "n")
    assert queue.next_question("ann") == question(1)


def test_questions_are_found_in_the_background_and_anew_after_answers(shelf: Shelf) -> None:
    queue = Queue(shelf)
    queue.start()
    try:
        assert queue.wait(60)
        with shelf.library() as library:
            asked = queue.next_question("ann")
            while asked is not None:
                before = queue.found
                queue.answer(library, "ann", asked.left, asked.right, "n" if asked.probability < 0.5 else "y")
                assert queue.wait(30, after=before)
                asked = queue.next_question("ann")
            assert library.decisions().height == queue.progress(library, "ann").answered_ever
    finally:
        queue.stop()
