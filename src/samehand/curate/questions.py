"""The questions worth asking a curator, and what becomes of the answers.

A question names two mentions: are they one person? They come from two places: mentions that arrived since the last run
and whose person is uncertain (`Library.assign`), and what the author model doubts about everybody else (a join it made,
or one it nearly made: questions_survey.py). If p is the probability that the two are one, and n the number of mentions
that would have to move if the library is wrong (those of the smaller side), then

    gain = n (1 - p)  if the library has them together,    n p  if it has them apart:

the expected number of wrongly placed mentions that an answer puts right. The largest gain is asked first. An answer is
a decision like any other (`Library.decide`): it binds every later run, takes effect at once on what arrived since the
last one, and all other questions are found anew under it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from samehand.curate.arrivals import Settlement, decode_candidates, open_candidates
from samehand.curate.decisions import Closure, Judgement
from samehand.curate.ledger import login_name
from samehand.curate.questions_survey import Doubt, Survey
from samehand.errors import UsageError
from samehand.store.arrivals import as_arrival

if TYPE_CHECKING:
    from samehand.library import Library

Origin = Literal["arrival", "merge", "split"]

ANSWERS = {"y": Judgement.SAME, "n": Judgement.DIFFERENT, "u": Judgement.UNSURE}

MOST = 20


@dataclass(frozen=True)
class Question:
    """Are two mentions one person? `probability` is that they are; `together` whether the library has them so."""

    left: str
    right: str
    left_name: str
    right_name: str
    left_entity: str
    right_entity: str
    origin: Origin
    probability: float
    together: bool
    moved: int

    @property
    def gain(self) -> float:
        """The expected number of wrongly placed mentions that an answer puts right."""
        return self.moved * (1.0 - self.probability if self.together else self.probability)

    def to_dict(self) -> dict[str, Any]:
        """The question as plain values, for JSON."""
        return asdict(self) | {"gain": self.gain}


def questions(library: Library, most: int = MOST, survey: Survey | None = None) -> list[Question]:
    """The questions with the largest expected gain, the largest first.

    A `survey` (made once, kept over many answers) saves opening the library's doubtful blocks again; without one it is
    made here.

    >>> import tempfile
    >>> from samehand import Library
    >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
    ...     questions(library)
    []
    """
    if most < 1:
        raise UsageError(f"{most} questions were asked for; it must be at least 1")
    survey = Survey(library) if survey is None else survey
    decisions = library.decisions()
    known = _Known(library.mentions("author"), decisions)
    found = list(_about_arrivals(library, known))
    arrived = {question.left for question in found}
    found += _about_doubts(survey.weak_joins(decisions), known, arrived)
    # A question about a join that was not made gains no more than the mentions of its smaller side: where there are
    # enough questions that gain more, persons with fewer mentions need not be compared.
    gains = sorted((question.gain for question in found), reverse=True)
    least = gains[most - 1] if len(gains) >= most else 0.0
    found += _about_doubts(survey.missing_joins(decisions, least), known, arrived)
    return sorted(found, key=lambda question: (-question.gain, question.left, question.right))[:most]


def _about_doubts(doubts: Iterable[Doubt], known: _Known, arrived: set[str]) -> list[Question]:
    asked = (_about_doubt(doubt, known, arrived) for doubt in doubts)
    return [question for question in asked if question is not None]


def answer(library: Library, question: Question, key: str, curator: str | None = None) -> int:
    """Record the answer "y" (one person), "n" (two) or "u" (unsure) to a question; the number of the decision."""
    if key not in ANSWERS:
        raise UsageError(f"no answer is called {key!r}; say y (one person), n (two) or u (unsure)")
    return library.decide(ANSWERS[key], question.left, question.right, by=curator)


def undo(library: Library, curator: str | None = None) -> int:
    """Take back the curator's latest decision that is still in force; its number. It may be repeated without limit."""
    mine = library.decisions().filter(pl.col("by") == (curator or login_name()))["id"].to_list()
    if not mine:
        raise UsageError("you have no decision to undo")
    return library.undo(max(mine), by=curator)


class _Known:
    """The author mentions of a library and what was decided about them."""

    def __init__(self, mentions: pl.DataFrame, decisions: pl.DataFrame) -> None:
        mine = decisions.filter(kind="author")
        self.closure = Closure(mine)
        self.entity: dict[str, str] = dict(mentions.select("id", "entity").iter_rows())
        self.name: dict[str, str] = dict(mentions.select("id", "name").iter_rows())
        self.sizes: dict[str, int] = dict(mentions.group_by("entity").len().iter_rows())
        self._first: dict[str, str] = dict(
            mentions.unique("entity", keep="first", maintain_order=True).select("entity", "id").iter_rows()
        )
        unsure = mine.filter(pl.col("judgement") == Judgement.UNSURE.value)
        self._unsure = {frozenset(pair) for pair in unsure.select("left", "right").iter_rows()}

    def first(self, entity: str) -> str | None:
        """The first mention of an entity."""
        return self._first.get(entity)

    def is_open(self, left: str, right: str) -> bool:
        """Whether nobody has answered yet, directly or through other answers, or said that he does not know."""
        told = self.closure.implied(left, right) is not Judgement.UNSURE
        return not told and frozenset((left, right)) not in self._unsure


def _about_arrivals(library: Library, known: _Known) -> Iterator[Question]:
    """For each uncertain arrival: is it the likeliest person, or if it is held for new, the likeliest known one?"""
    arrivals = library.arrivals()
    came = set(arrivals["mention"])
    for _, part in arrivals.group_by("key", maintain_order=True):
        if not part["asked"].any():
            continue
        others = _linked(part, known, came)
        state = Settlement(others, known.closure)
        for row in part.iter_rows(named=True):
            arrival = as_arrival(row)
            left = open_candidates(arrival, state.whose, state.opposed(arrival.mention))
            placed = state.place(arrival)
            if arrival.asked and not placed.decided:
                question = _about_candidates(arrival.mention, placed.entity, left, known)
                if question is not None:
                    yield question


def _linked(arrivals: pl.DataFrame, known: _Known, came: set[str]) -> Mapping[str, str]:
    """The entities of all mentions before these arrivals whose entities are among their candidates."""
    named = {
        entity
        for text in arrivals["candidates"]
        for entity, _ in decode_candidates(text)
        if entity is not None
    }
    return {
        mention: entity for mention, entity in known.entity.items() if entity in named and mention not in came
    }


def _about_candidates(
    mention: str, entity: str, candidates: list[tuple[str | None, float]], known: _Known
) -> Question | None:
    for candidate, probability in candidates:
        other = known.first(candidate) if candidate else None
        if candidate is None or other is None or other == mention:
            continue
        if not known.is_open(mention, other):
            return None
        return Question(
            left=mention,
            right=other,
            left_name=known.name[mention],
            right_name=known.name[other],
            left_entity=known.entity[mention],
            right_entity=candidate,
            origin="arrival",
            probability=probability,
            together=candidate == entity,
            moved=1,
        )
    return None


def _about_doubt(doubt: Doubt, known: _Known, arrived: set[str]) -> Question | None:
    """The first mentions of both sides stand for them; what an arrival's own question asks is not asked again."""
    left, right = doubt.left[0], doubt.right[0]
    is_known = left in known.entity and right in known.entity
    is_asked = any(len(side) == 1 and side[0] in arrived for side in (doubt.left, doubt.right))
    if is_asked or not is_known or not known.is_open(left, right):
        return None
    return Question(
        left=left,
        right=right,
        left_name=known.name[left],
        right_name=known.name[right],
        left_entity=known.entity[left],
        right_entity=known.entity[right],
        origin="split" if doubt.together else "merge",
        probability=doubt.probability,
        together=doubt.together,
        moved=min(len(doubt.left), len(doubt.right)),
    )
