"""The questions for curators: found in the background, handed out one by one, no question to two curators at once.

A question is lent to a curator for a few minutes; whoever answers later than that may find it answered. Answers are
decisions like any other. What an answer changes is found out in the background: at once in a small library, in a large
one (where finding takes long) after a pause, and until then the other questions stand as they were.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Condition, Thread

import polars as pl

from samehand.curate import questions as curate
from samehand.curate.questions import Question
from samehand.curate.questions_survey import Survey
from samehand.errors import ConflictingDecisionError, SamehandError
from samehand.library import Library
from samehand.store.schema import encode_time
from samehand.web.find.state import state
from samehand.web.shelf import Shelf

HELD = 300
"""So many questions are kept ready."""

LENT_SECONDS = 300.0
LOOK_SECONDS = 2.0
STOP_SECONDS = 2.0

PATIENCE = 20.0
"""Finding questions takes at most one part in so many of the time: the pause is this many times as long as the work."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Progress:
    """How far a curator is. `gained` is the expected number of mentions put right by answers since the server started."""

    answered_today: int
    answered_ever: int
    left: int
    gained: float
    is_finding: bool


@dataclass(frozen=True)
class _Loan:
    curator: str
    ends: float


class Queue:
    """The open questions of a library, shared by all its curators."""

    def __init__(self, shelf: Shelf, clock: Callable[[], float] = time.monotonic) -> None:
        self._shelf, self._clock = shelf, clock
        self._changed = Condition()
        self._open: dict[Pair, Question] = {}
        self._loans: dict[Pair, _Loan] = {}
        self._passed: set[tuple[str, Pair]] = set()
        self._answered: dict[int, Question] = {}
        self.found = 0
        self._state = ""
        self._took = 0.0
        self._found_at = -1e9
        self._stopped = self._told = False
        self._survey: tuple[str, Survey] | None = None
        self._thread = Thread(target=self._run, name="samehand-questions", daemon=True)

    def start(self) -> None:
        """Begin to look for questions."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; a search under way changes nothing, and is not waited for long."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    @property
    def is_finding(self) -> bool:
        """Whether questions have not been found yet, not even once."""
        return self.found == 0

    def wait(self, seconds: float, after: int = 0) -> bool:
        """Wait until questions have been found more than `after` times; whether they have."""
        with self._changed:
            return self._changed.wait_for(lambda: self.found > after, seconds)

    def offer(self, questions: Sequence[Question]) -> None:
        """Have these questions open, in their order, and no others; who has one of them keeps it."""
        with self._changed:
            self._open = {(one.left, one.right): one for one in questions}
            self._loans = {pair: loan for pair, loan in self._loans.items() if pair in self._open}
            self.found += 1
            self._changed.notify_all()

    def next_question(self, curator: str) -> Question | None:
        """The most useful question that no other curator has, lent to this one; None if there is none (yet).

        Asked again before it is answered, it is the same one.
        """
        with self._changed:
            now = self._clock()
            self._loans = {pair: loan for pair, loan in self._loans.items() if loan.ends > now}
            mine = [
                pair for pair, loan in self._loans.items() if loan.curator == curator and pair in self._open
            ]
            free = (
                pair for pair in self._open if pair not in self._loans and (curator, pair) not in self._passed
            )
            pair = mine[0] if mine else next(free, None)
            if pair is None:
                return None
            self._loans[pair] = _Loan(curator, now + LENT_SECONDS)
            return self._open[pair]

    def answer(self, library: Library, curator: str, left: str, right: str, key: str) -> int:
        """Record y, n or u as the curator's answer to a question that is open; the number of the decision."""
        pair = (left, right)
        with self._changed:
            question = self._open.get(pair)
            loan = self._loans.get(pair)
            is_anothers = loan is not None and loan.curator != curator and loan.ends > self._clock()
        if question is None or is_anothers:
            raise ConflictingDecisionError(
                "this question is no longer open: it was answered, or another curator has it"
            )
        try:
            number = curate.answer(library, question, key, curator)
        except ConflictingDecisionError:
            self.skip(curator, left, right)
            raise
        with self._changed:
            self._answered[number] = question
            self._open.pop(pair, None)
            self._loans.pop(pair, None)
            self._tell()
        return number

    def skip(self, curator: str, left: str, right: str) -> None:
        """Ask this curator other questions; anybody else may get this one."""
        with self._changed:
            self._passed.add((curator, (left, right)))
            self._loans.pop((left, right), None)

    def undo(self, library: Library, curator: str) -> int:
        """Take back the curator's latest decision in force, and ask its question again next; its number."""
        number = curate.undo(library, curator)
        with self._changed:
            question = self._answered.pop(number, None)
            if question is not None:
                pair = (question.left, question.right)
                self._open = {pair: question} | self._open
                self._loans = {one: loan for one, loan in self._loans.items() if loan.curator != curator}
                self._loans[pair] = _Loan(curator, self._clock() + LENT_SECONDS)
            self._tell()
        return number

    def progress(self, library: Library, curator: str) -> Progress:
        """How far this curator is, and how much is left for all. A merge, split or move counts once."""
        midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        inside = 'decisions."id" >= acts."first_decision" AND decisions."id" < acts."last_decision"'
        mine = (
            'SELECT COUNT(*) FROM decisions WHERE "by" = $1 AND "undone_at" IS NULL '
            f"AND NOT EXISTS (SELECT 1 FROM acts WHERE {inside})"
        )
        with self._changed:
            gained = sum(question.gain for question in self._answered.values())
            left, is_finding = len(self._open), self.is_finding
        today = library.store.number(f'{mine} AND "at" >= $2', (curator, encode_time(midnight)))
        return Progress(today, library.store.number(mine, (curator,)), left, gained, is_finding)

    def _tell(self) -> None:
        """Wake the thread that finds questions: the library has changed."""
        self._told = True
        self._changed.notify_all()

    def _run(self) -> None:
        while not self._stopped:
            try:
                with self._shelf.library() as library:
                    self._look(library)
            except SamehandError as error:
                # Most likely another process is writing: the next look is in a moment.
                print(f"samehand: questions: {error}", file=sys.stderr)
            except Exception:
                # A mistake of ours must not end the thread: curators would wait for ever.
                traceback.print_exc(file=sys.stderr)
            with self._changed:
                self._changed.wait_for(lambda: self._stopped or self._told, LOOK_SECONDS)
                self._told = False

    def _look(self, library: Library) -> None:
        """Find the questions anew if the library has changed, and it is time."""
        now = state(library.store)
        if now == self._state:
            return
        is_new_run = now.partition("-")[0] != self._state.partition("-")[0]
        pause_is_over = self._clock() - self._found_at > PATIENCE * self._took
        if not (is_new_run or not self._open or pause_is_over):
            return
        began = self._clock()
        found = curate.questions(library, HELD, self._surveyed(library, now))
        self._state, self._found_at = now, self._clock()
        self._took = self._found_at - began
        self.offer(found)

    def _surveyed(self, library: Library, now: str) -> Survey:
        """The library's doubtful blocks, opened once for each run, and again if a decision joins two of them."""
        run = now.partition("-")[0]
        decisions: pl.DataFrame = library.decisions()
        if self._survey is None or self._survey[0] != run or not self._survey[1].covers(decisions):
            self._survey = (run, Survey(library))
        return self._survey[1]
