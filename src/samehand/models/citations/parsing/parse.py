"""What a parser says about one citation string: one way of reading it, with its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Label = Literal[
    "author", "organisation", "editor", "title", "venue", "date", "volume", "pages", "publisher", "place", "type", "note",
    "other",
]  # fmt: skip
"""What a segment of a citation is. `organisation` is an author that is not a person; `publisher` is a publisher, school
or institution; `type` are the words that name the kind of publication ("Technical Report 92-04", "Ph.D. thesis"); `other`
is what belongs to no field."""

PublicationType = Literal["article", "conference", "book", "thesis", "report", "other"]

Segment = tuple[Label, int, int]


@dataclass(frozen=True, slots=True)
class Parse:
    """One way of reading a citation string. Text fields are as written, without the punctuation around them.

    `segments` are (label, start, end) over the original text, in order, not overlapping; each author is a
    segment of its own. A field that the reading does not find is "" (or None for the year).
    `log_probability` is that of this reading given the string, among those listed with it.
    """

    log_probability: float
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int | None
    pages: str
    volume: str
    publisher: str
    type: PublicationType
    segments: tuple[Segment, ...]
