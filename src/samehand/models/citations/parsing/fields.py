"""From labelled words to a `Parse`: where segments begin and end in the text, and what the fields are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from samehand.models.citations.parsing.grammar import LABELS, PERSONS, TITLES, VISIBLE
from samehand.models.citations.parsing.parse import Label, Parse, PublicationType, Segment
from samehand.models.citations.parsing.tokens import Tokens

_MEETING = re.compile(
    r"\b(?:proc\w*|conf\w*|workshop|symposium|symp|congress|meeting|colloquium|notes)\b|\b[A-Z]{2,}\w*[-' ]*\d\d",
    re.IGNORECASE,
)
_THESIS = re.compile(r"thes[ie]s|diss|diplom|habilitation|ph\W*d", re.IGNORECASE)
_REPORT = re.compile(r"rep|memo|tr\b|working|preprint|discussion|note|manuscript", re.IGNORECASE)
_OPENING = re.compile(r"^(?:(?:to appear |appears |also )?in\b|of\b|the\b(?= proc))[\s:]*", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+\w*(?:\s*[-–—]+\s*\d+\w*)?")
_VOLUME = re.compile(r"\d+\w*|\b[IVXL]+\b")
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d")


class Piece(NamedTuple):
    """A segment with its label of the grammar."""

    label: str
    start: int
    end: int


def pieces(tokens: Tokens, text: str, labels: Sequence[int], begins: Sequence[int]) -> list[Piece]:
    """The segments of a reading: from first word to last, with a full stop or bracket that belongs to it."""
    firsts = [place for place, begin in enumerate(begins) if begin]
    found = []
    for first, following in zip(firsts, [*firsts[1:], len(begins)], strict=True):
        label = LABELS[labels[first]]
        start = (
            first + 1
            if tokens.words[first] == "and" and following > first + 1 and _is_person(label)
            else first
        )
        begin = tokens.spans[start][0]
        found.append(Piece(label, begin, _end(tokens, text, begin, following - 1)))
    return found


def _is_person(label: str) -> bool:
    return label.removeprefix("late ") in PERSONS


def _end(tokens: Tokens, text: str, begin: int, last: int) -> int:
    """The end of a segment whose last word is number `last`."""
    end = tokens.spans[last][1]
    rest = text[end:]
    if tokens.gaps[last + 1].startswith("~."):
        end += rest.index(".") + 1
    inside, after = text[begin:end], text[end:].lstrip()
    if inside.count("(") > inside.count(")") and after.startswith(")"):
        end = text.index(")", end) + 1
    elif after.startswith(("?", "!")):
        end += len(text[end:]) - len(after) + 1
    return end


def make_parse(text: str, found: Sequence[Piece], log_probability: float) -> Parse:
    """The fields of a reading."""
    found = _titled(found)
    editors = _editors(found)
    segments = tuple(
        (_visible(piece, number in editors), piece.start, piece.end) for number, piece in enumerate(found)
    )
    venue = _first(text, segments, "venue")
    return Parse(
        log_probability,
        " ".join(text[start:end] for label, start, end in segments if label == "title"),
        tuple(_authors(text, found, editors)),
        _OPENING.sub("", _OPENING.sub("", venue)),
        _year(text, segments),
        _matched(_NUMBERS, text, segments, "pages"),
        _matched(_VOLUME, text, segments, "volume"),
        _first(text, segments, "publisher"),
        _type(text, found, segments, venue),
        segments,
    )


def _titled(found: Sequence[Piece]) -> Sequence[Piece]:
    """A volume cited as a whole ("J. Lee, editor. Advances in X. Wiley") is its own title, not its venue."""
    if any(piece.label in TITLES for piece in found):
        return found
    place = next((number for number, piece in enumerate(found) if piece.label in ("book", "journal")), None)
    if place is None:
        return found
    return [*found[:place], found[place]._replace(label="title"), *found[place + 1 :]]


def _editors(found: Sequence[Piece]) -> set[int]:
    """The persons right before a mark such as "(Eds.)" are editors."""
    marked: set[int] = set()
    for number, piece in enumerate(found):
        if piece.label == "mark":
            marked.add(number)
            while min(marked) > 0 and found[min(marked) - 1].label in PERSONS:
                marked.add(min(marked) - 1)
    return marked


def _visible(piece: Piece, editor: bool) -> Label:
    return "editor" if editor else VISIBLE[piece.label]


def _authors(text: str, found: Sequence[Piece], editors: set[int]) -> list[str]:
    return [
        " ".join(text[piece.start : piece.end].split())
        for number, piece in enumerate(found)
        if VISIBLE[piece.label] in ("author", "organisation")
        and piece.label != "others"
        and number not in editors
    ]


def _first(text: str, segments: Sequence[Segment], label: Label) -> str:
    return next((text[start:end] for name, start, end in segments if name == label), "")


def _matched(pattern: re.Pattern[str], text: str, segments: Sequence[Segment], label: Label) -> str:
    """The first match of a pattern in the segments of a label, without spaces, dashes as hyphens."""
    for name, start, end in segments:
        match = pattern.search(text[start:end]) if name == label else None
        if match:
            return re.sub(r"\s*[-–—]+\s*", "-", match.group())
    return ""


def _year(text: str, segments: Sequence[Segment]) -> int | None:
    found = _matched(_YEAR, text, segments, "date")
    return int(found) if found else None


def _type(text: str, found: Sequence[Piece], segments: Sequence[Segment], venue: str) -> PublicationType:
    """The publication type: what its words say, else what kind of venue it has, else a book if it has a publisher."""
    words = _first(text, segments, "type")
    if _THESIS.search(words):
        return "thesis"
    if _REPORT.search(words):
        return "report"
    labels = {piece.label for piece in found}
    if "journal" in labels and not _MEETING.search(venue):
        return "article"
    if venue:
        return "conference" if _MEETING.search(venue) else "book"
    return "book" if "publisher" in labels else "other"
