"""The grammar of citations: labels of segments, the states a segment is made of, and which may follow which.

A citation is a sequence of segments; a segment has a label and is a walk through the states of that label, one
word each; between two words stands a gap (tokens.py). Labels before the title, titles and labels after it follow each
other in that order, so that a reading has one title or none. The order of segments and their separators depend on the
citation's style, one of the headings of `styles.txt`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.models.citations.parsing.parse import Label
from samehand.models.citations.parsing.spelling import Spelling

STYLES = ("stop", "comma", "bare", "title first")

BEFORE = ("key", "straight", "inverted", "packed", "others", "mark", "organisation", "early date")
TITLES = ("title", "capital title", "quoted title")
AFTER = (
    "late straight", "late inverted", "late packed", "journal", "book", "editor", "volume", "pages", "date", "publisher",
    "institution", "place", "type", "note", "rest",
)  # fmt: skip
PERSONS = ("straight", "inverted", "packed", "others")
LABELS = BEFORE + TITLES + AFTER
EDGE = len(LABELS)
"""Stands for the beginning of a citation where a segment comes from, and for its end where one goes to."""

VISIBLE: dict[str, Label] = {
    "key": "other", "straight": "author", "inverted": "author", "packed": "author", "others": "author", "mark": "editor",
    "organisation": "organisation", "early date": "date", "title": "title", "capital title": "title",
    "quoted title": "title",
    "late straight": "author", "late inverted": "author", "late packed": "author", "journal": "venue", "book": "venue",
    "editor": "editor", "volume": "volume", "pages": "pages", "date": "date", "publisher": "publisher",
    "institution": "publisher", "place": "place", "type": "type", "note": "note", "rest": "other",
}  # fmt: skip
"""What users call a label of the grammar."""


class Words(NamedTuple):
    """A distribution of words.

    `spellings` say how unseen words are spelt, with shares; `chained` whether a word depends on the one before it in the
    same segment; `novelty`, where given, fixes the share of unseen words of a closed list, which is not learned
    from the user's strings; `parent` names the distribution that stands behind this one.
    """

    name: str
    spellings: tuple[tuple[Spelling, float], ...]
    chained: bool = False
    novelty: float | None = None
    parent: str | None = None


_ENGLISH: tuple[tuple[Spelling, float], ...] = (("word", 0.9), ("surname", 0.05), ("capitals", 0.05))
_MIXED: tuple[tuple[Spelling, float], ...] = (("word", 0.4), ("surname", 0.3), ("capitals", 0.3))
_PROPER: tuple[tuple[Spelling, float], ...] = (("word", 0.3), ("surname", 0.6), ("capitals", 0.1))
_CLOSED: tuple[tuple[Spelling, float], ...] = (("word", 1.0),)


def _phrase(name: str, spellings: tuple[tuple[Spelling, float], ...]) -> tuple[Words, Words, Words]:
    """The words of a phrase: those inside, the first, and the last."""
    return (
        Words(name, spellings, chained=True),
        Words(f"{name} first", spellings, parent=name),
        Words(f"{name} last", spellings, chained=True, parent=name),
    )


WORDS = (
    Words("given", (("given", 0.9), ("initials", 0.08), ("surname", 0.02))),
    Words("surname", (("surname", 0.98), ("given", 0.02))),
    Words("packed given", (("initials", 0.9), ("given", 0.1))),
    Words("particle", (("surname", 1.0),), novelty=0.001),
    Words("and", _CLOSED, novelty=0.0001),
    Words("others", _CLOSED, novelty=0.001),
    Words("mark", _CLOSED, novelty=0.001),
    Words("key", _MIXED, novelty=0.2),
    Words("date", _CLOSED, novelty=0.002),
    Words("editor first", _CLOSED, novelty=0.002),
    Words("editor", (("surname", 0.7), ("given", 0.3))),
    Words("editor mark", _CLOSED, novelty=0.001),
    Words("volume", _CLOSED, chained=True, novelty=0.01),
    Words("pages", _CLOSED, chained=True, novelty=0.002),
    Words("place", _PROPER, chained=True),
    Words("type first", _MIXED, novelty=0.02),
    Words("type", _MIXED, chained=True),
    Words("note first", _MIXED, novelty=0.1),
    Words("note", _MIXED, chained=True),
    Words("rest", _MIXED, novelty=0.3),
    *_phrase("title", _ENGLISH),
    Words("organisation", _ENGLISH, chained=True, novelty=0.4, parent="title"),
    *_phrase("journal", _MIXED),
    *_phrase("book", _MIXED),
    *_phrase("publisher", _PROPER),
    *_phrase("institution", _PROPER),
)
"""The distributions of words; a parent stands before its children."""

WORD_NUMBER = {words.name: number for number, words in enumerate(WORDS)}


LISTED = {
    "and": "and",
    "others": "et al and others",
    "mark": "ed eds editor editors",
    "particle": "van von de der den del della di da du la le dos ter ten jr sr ii iii",
    "editor first": "in edited by",
    "editor mark": "ed eds editor editors edited",
}
"""What is known of closed lists before anything is read."""


class State(NamedTuple):
    """A state: its label, its distribution of words, whose shapes it has, and where it may go inside the segment."""

    label: str
    name: str
    words: str
    first: bool
    last: bool
    follows: tuple[str, ...]


def _name(label: str, order: str) -> list[State]:
    """A person's name: optional conjunction, given names, particles, surname; or surname first."""
    if order == "straight":
        return [
            State(label, "and", "and", True, False, ("given", "surname", "particle")),
            State(label, "given", "given", True, False, ("given", "particle", "surname")),
            State(label, "particle", "particle", False, False, ("particle", "given", "surname")),
            State(label, "surname", "surname", True, True, ("suffix",)),
            State(label, "suffix", "particle", False, True, ()),
        ]
    given = "packed given" if order == "packed" else "given"
    return [
        State(label, "and", "and", True, False, ("surname", "particle")),
        State(label, "particle", "particle", True, False, ("particle", "surname")),
        State(label, "surname", "surname", True, False, ("surname 2", "first")),
        State(label, "surname 2", "surname", False, False, ("first",)),
        State(label, "first", given, False, True, ("given",)),
        State(label, "given", given, False, True, ("given", "particle after")),
        State(label, "particle after", "particle", False, True, ()),
    ]


def _title(label: str) -> list[State]:
    """A first word, a last one, and words between: the chance to go on differs for the first three."""
    return [
        State(label, "only", "title last", True, True, ()),
        State(label, "1", "title first", True, False, ("2", "last")),
        State(label, "2", "title", False, False, ("3", "last")),
        State(label, "3", "title", False, False, ("4", "last")),
        State(label, "4", "title", False, False, ("4", "last")),
        State(label, "last", "title last", False, True, ()),
    ]


def _phrase_states(label: str) -> list[State]:
    """A first word, any number inside, a last one; or one word only."""
    return [
        State(label, "only", f"{label} last", True, True, ()),
        State(label, "first", f"{label} first", True, False, ("inside", "last")),
        State(label, "inside", label, False, False, ("inside", "last")),
        State(label, "last", f"{label} last", False, True, ()),
    ]


def _editor() -> list[State]:
    """Names between "In" and "editors"; or the mark first."""
    return [
        State("editor", "in", "editor first", True, False, ("names", "mark before")),
        State("editor", "names", "editor", True, False, ("names", "mark")),
        State("editor", "mark", "editor mark", False, True, ()),
        State("editor", "mark before", "editor mark", True, False, ("names after", "by")),
        State("editor", "by", "editor first", False, False, ("names after",)),
        State("editor", "names after", "editor", False, True, ("names after",)),
    ]


def _plain(label: str, first: str, rest: str) -> list[State]:
    """A first word and any number of others."""
    return [State(label, "1", first, True, True, ("2",)), State(label, "2", rest, False, True, ("2",))]


_ONE_LIST = ("key", "others", "mark", "organisation", "volume", "pages", "place", "rest")
_TWO_LISTS = ("type", "note")
_PHRASES = ("journal", "book", "publisher", "institution")


def _states() -> Iterable[State]:
    for order in ("straight", "inverted", "packed"):
        yield from _name(order, order)
        yield from _name(f"late {order}", order)
    for label in TITLES:
        yield from _title(label)
    for label in _ONE_LIST:
        yield from _plain(label, label, label)
    for label in _TWO_LISTS:
        yield from _plain(label, f"{label} first", label)
    for label in _PHRASES:
        yield from _phrase_states(label)
    yield from _plain("early date", "date", "date")
    yield from _plain("date", "date", "date")
    yield from _editor()


STATES = tuple(_states())


class Grammar(NamedTuple):
    """The states as arrays, for kernels."""

    label: npt.NDArray[np.int64]  # state -> label
    words: npt.NDArray[np.int64]  # state -> distribution of words
    shapes: npt.NDArray[np.int64]  # state -> distribution of shapes
    chained: npt.NDArray[np.bool_]  # state -> whether a word depends on the one before
    first: npt.NDArray[np.bool_]  # state -> whether a segment may begin here
    last: npt.NDArray[np.bool_]  # state -> whether a segment may end here
    source: npt.NDArray[np.int64]  # move inside a segment -> state it leaves
    target: npt.NDArray[np.int64]  # move inside a segment -> state it enters
    first_pair: npt.NDArray[np.int64]  # label -> its first pair of labels, and one more at the end
    source_label: npt.NDArray[np.int64]  # pair of labels -> the one before
    target_label: npt.NDArray[np.int64]  # pair of labels -> the one after


@cache
def grammar() -> Grammar:
    """The grammar.

    >>> grammar().label.max() + 1 == len(LABELS)
    np.True_
    """
    numbers = {(state.label, state.name): number for number, state in enumerate(STATES)}
    moves = [
        (number, numbers[state.label, follower])
        for number, state in enumerate(STATES)
        for follower in state.follows
    ]
    pairs = [(one, other) for one in range(EDGE + 1) for other in range(EDGE + 1) if may_follow(one, other)]
    source, target = np.array(moves).T
    source_label, target_label = np.array(pairs).T
    return Grammar(
        label=np.array([LABELS.index(state.label) for state in STATES]),
        words=np.array([WORD_NUMBER[state.words] for state in STATES]),
        shapes=np.array([_shape_class(state) for state in STATES]),
        chained=np.array([WORDS[WORD_NUMBER[state.words]].chained and not state.first for state in STATES]),
        first=np.array([state.first for state in STATES]),
        last=np.array([state.last for state in STATES]),
        source=source,
        target=target,
        first_pair=np.searchsorted(source_label, np.arange(EDGE + 2)),
        source_label=source_label,
        target_label=target_label,
    )


def may_follow(one: int, other: int) -> bool:
    """Whether a segment labelled `other` may follow one labelled `one` (EDGE: beginning, end).

    >>> may_follow(LABELS.index("date"), LABELS.index("title"))
    False
    """
    if one == EDGE:
        return other != EDGE and _phase(other) < 2
    if other == EDGE:
        return True
    before, after = LABELS[one], LABELS[other]
    if before == "rest" or after == "key" or (before in TITLES and after in TITLES):
        return False
    if before == "early date" and after in BEFORE:
        return after == "early date"
    if after == "mark":
        return before in PERSONS
    if after == "organisation":
        return before == "key"
    if after.startswith("late"):
        return before in TITLES or before.startswith("late")
    return _phase(one) <= _phase(other)


def skips_title(one: int, other: int) -> bool:
    """Whether the second label follows the first without a title between."""
    return one != EDGE and other != EDGE and _phase(one) == 0 and _phase(other) == 2


def _phase(label: int) -> int:
    """0 before the title, 1 the title, 2 after it."""
    return 0 if LABELS[label] in BEFORE else 1 if LABELS[label] in TITLES else 2


SHAPES = sorted({(state.label if state.label in TITLES else "", state.words) for state in STATES})
"""Distributions of shapes: one for each distribution of words, and one for each kind of title."""


def _shape_class(state: State) -> int:
    return SHAPES.index((state.label if state.label in TITLES else "", state.words))
