"""Questions asked in a terminal: both sides, what speaks for and against, and one key for the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import polars as pl
import typer
from rich.console import Console
from rich.text import Text

from samehand.curate.questions import ANSWERS, Question, answer, questions, undo
from samehand.curate.questions_survey import Survey
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.models.persons.explain import explain
from samehand.models.persons.explanation import Explanation
from samehand.publish.shown import shown
from samehand.publish.waterfall import print_waterfall

if TYPE_CHECKING:
    from samehand.library import Library

KEYS = "y one person   n two persons   u unsure   s skip   z undo   q quit"

ABOUT = {
    "arrival": "A new mention",
    "merge": "Two persons who may be one",
    "split": "One person who may be two",
}
PAPERS_SHOWN = 3
TITLE_SHOWN = 80


def evidence(library: Library, question: Question) -> Explanation | None:
    """What speaks for and against the two sides being one person; None where the library cannot tell."""
    left, right = question.left, question.right
    if question.origin == "arrival":
        right = question.right_entity
    elif question.origin == "merge" and question.left_entity != question.right_entity:
        left, right = question.left_entity, question.right_entity
    try:
        return explain(library, left, right)
    except UsageError:
        return None


def ask(library: Library, curator: str | None = None, read_key: Callable[[], str] | None = None) -> int:
    """Ask until there is no question left or the curator quits; how many answers stand."""
    return _Dialogue(library, curator, read_key or key_pressed).run()


def key_pressed() -> str:
    """The next key of a terminal; of a pipe the next character that is not blank. The end is "q"."""
    if sys.stdin.isatty():
        return str(typer.getchar())
    while character := sys.stdin.read(1):
        if not character.isspace():
            return character
    return "q"


class _Dialogue:
    def __init__(self, library: Library, curator: str | None, read_key: Callable[[], str]) -> None:
        self._library, self._curator, self._read_key = library, curator, read_key
        self._console = Console(highlight=False)
        self._survey = Survey(library)
        self._answered: list[Question] = []
        self._skipped: set[tuple[str, str]] = set()

    def run(self) -> int:
        question = self._next()
        while question is not None:
            self._show(question)
            key = self._read_key()
            if key in ("q", "\x03", "\x04"):
                break
            question = self._after(question, key)
        else:
            self._say("No questions are left.")
        return len(self._answered)

    def _next(self) -> Question | None:
        """The question with the largest gain under all answers so far."""
        decisions = self._library.decisions()
        if not self._survey.covers(decisions):
            self._survey = Survey(self._library)
        found = questions(self._library, len(self._skipped) + 1, self._survey)
        return next((one for one in found if (one.left, one.right) not in self._skipped), None)

    def _after(self, question: Question, key: str) -> Question | None:
        """What to ask after a key was pressed."""
        if key == "z":
            return self._undo(question)
        if key == "s":
            self._skipped.add((question.left, question.right))
            return self._next()
        if key not in ANSWERS:
            self._say(f"{shown(key)!r} is no answer.")
            return question
        try:
            number = answer(self._library, question, key, self._curator)
        except ConflictingDecisionError as error:
            self._say(str(error))
            self._skipped.add((question.left, question.right))
            return self._next()
        self._answered.append(question)
        self._say(f"decision {number}: {ANSWERS[key].value}")
        return self._next()

    def _undo(self, question: Question) -> Question | None:
        """Take the last answer back and ask it again; before this session's first, the curator's earlier ones."""
        try:
            number = undo(self._library, self._curator)
        except UsageError as error:
            self._say(str(error))
            return question
        self._say(f"decision {number} is undone")
        return self._answered.pop() if self._answered else self._next()

    def _show(self, question: Question) -> None:
        held = "together" if question.together else "apart"
        about = ABOUT[question.origin]
        self._console.rule(style="dim")
        self._say(
            f"{about}; the library has them {held}, and gives {question.probability:.2f} that they are one; "
            f"an answer is worth {question.gain:.2f} mentions"
        )
        found = evidence(self._library, question)
        if found is None:
            names = f"{question.left_name} ({question.left})   {question.right_name} ({question.right})"
            self._say(names)
        else:
            self._print_papers(question, found)
            print_waterfall(found, self._console)
        self._console.print(Text(KEYS, style="bold"))

    def _print_papers(self, question: Question, found: Explanation) -> None:
        """A few papers of each side, which a curator may know."""
        entities = dict.fromkeys((question.left_entity, question.right_entity))
        mentions = pl.concat(self._library.entity(entity).mentions for entity in entities)
        reference = dict(mentions.select("id", "reference").iter_rows())
        for side in (found.left, found.right):
            ids = [reference[id] for id in side.mentions if id in reference][:PAPERS_SHOWN]
            self._console.print(Text(shown(side.title), style="bold cyan"))
            for row in self._library.references(ids).iter_rows(named=True):
                self._console.print(Text(f"  {_paper(row)}"))

    def _say(self, sentence: str) -> None:
        self._console.print(Text(shown(sentence)))


def _paper(row: dict[str, Any]) -> str:
    """A reference in one line."""
    authors = ", ".join(row["authors"] or [])
    parts = (row["year"], row["title"] or row["text"] or row["id"], row["venue"], authors)
    return "; ".join(shown(part, TITLE_SHOWN) for part in parts if part)
