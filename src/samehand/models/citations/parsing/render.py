"""Citations rendered from records in many styles, with their segments known: what a parser learns from first.

`styles.txt` has one style a line. A record is invented from `vocabulary.toml` and the census names, or taken from
the user's own structured references, and then only what it lacks is invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import polars as pl

from samehand.infer.random import State, below, stream, uniform
from samehand.models.citations.parsing.people import Person, draw_manner, draw_people, joined, person
from samehand.models.citations.parsing.vocabulary import draw, vocabulary

Record = Mapping[str, str]


class Rendered(NamedTuple):
    """A citation, its segments as (label of the grammar, start, end), and the heading of its style."""

    text: str
    segments: tuple[tuple[str, int, int], ...]
    heading: str


class Style(NamedTuple):
    """One line of `styles.txt`: its heading and what it is made of."""

    heading: str
    line: str
    kind: str


@dataclass
class _Page:
    """A citation being written."""

    text: str
    segments: list[tuple[str, int, int]]

    def write(self, text: str) -> None:
        """Punctuation and what else is no segment; a full stop is not doubled."""
        self.text += text[1:] if text.startswith(".") and self.text.endswith((".", "?")) else text

    def segment(self, label: str, text: str) -> None:
        self.segments.append((label, len(self.text), len(self.text) + len(text)))
        self.text += text


_PIECE = re.compile(
    r"\{(?P<label>\w+)(?::(?P<text>[^}]*))?\}|(?P<open>\[)|(?P<close>\])|(?P<mark>[^{}\[\]]+)"
)
_VALUE = re.compile(r"\$(\w+)")
KINDS = {
    "journal": "article",
    "conference": "conference",
    "book": "book",
    "thesis": "thesis",
    "report": "report",
}
REFERENCE_KINDS = {
    "article": "article", "inproceedings": "conference", "incollection": "book", "thesis": "thesis",
    "techreport": "report",
}  # fmt: skip


@cache
def styles() -> tuple[Style, ...]:
    """The styles of `styles.txt`.

    >>> styles()[0].heading, styles()[0].kind
    ('stop', 'article')
    """
    found, heading = [], ""
    for line in (files(__package__) / "styles.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            heading = line[3:]
        elif line and not line.startswith("#"):
            found.append(Style(heading, line, _kind(line)))
    return tuple(found)


def _kind(line: str) -> str:
    named = (kind for value, kind in KINDS.items() if f"${value}" in line)
    return next(named, "other")


def invented(count: int, seed: int = 0) -> Iterator[Rendered]:
    """Citations of invented records, the styles in turn.

    >>> next(invented(1)).segments[0][0] in ("straight", "inverted", "packed", "organisation", "key")
    True
    """
    for number in range(count):
        random = stream(seed, f"citation {number}")
        yield _spoilt(render(random, styles()[number % len(styles())], {}, draw_people(random)), random, seed)


def from_references(references: pl.DataFrame, seed: int = 0) -> Iterator[Rendered]:
    """Each structured reference (schema `records.REFERENCES`) rendered in one style that suits its type."""
    for number, row in enumerate(references.iter_rows(named=True)):
        if row["title"] and row["authors"]:
            random = stream(seed, f"reference {number}")
            kind = REFERENCE_KINDS.get(row["type"] or "", "other")
            suitable = [style for style in styles() if style.kind == kind]
            people = tuple(person(name) for name in row["authors"])
            yield render(random, suitable[below(random, len(suitable))], _record(row, kind), people)


def _record(row: Mapping[str, Any], kind: str) -> Record:
    """The values of a structured reference under the names that styles use."""
    found = {name: row[name] for name in ("title", "volume", "pages", "publisher") if row[name]}
    if row["venue"]:
        found[{"article": "journal", "book": "book"}.get(kind, "conference")] = row["venue"]
    if row["year"]:
        found["year"] = str(row["year"])
    if row["number"]:
        found["issue"] = row["number"]
    return found


def render(random: State, style: Style, record: Record, people: tuple[Person, ...]) -> Rendered:
    """A citation of a record in a style; what the record does not say is invented."""
    page, keep, after = _Page("", []), True, False
    for piece in _PIECE.finditer(style.line):
        if piece["open"] or piece["close"]:
            keep = not piece["open"] or uniform(random) < 0.5
        elif keep and piece["label"] == "authors":
            _authors(page, random, style, people, after)
        elif keep and piece["label"]:
            after = after or piece["label"] == "title"
            _segment(page, random, piece["label"], piece["text"], record, after)
        elif keep:
            page.write(piece["mark"])
    return Rendered(page.text, tuple(page.segments), style.heading)


def _authors(page: _Page, random: State, style: Style, people: tuple[Person, ...], after: bool) -> None:
    if uniform(random) < 0.03 and not after:
        page.segment("organisation", _filled(random, "$body", {}))
        return
    manner, tight = draw_manner(random, style.heading), uniform(random) < 0.3
    others = uniform(random) < 0.04
    shout = uniform(random) < 0.04
    for text, form, before in joined(people[:1] if others else people, manner, tight):
        conjunction = before.replace(",", "").replace(";", "").strip()
        page.write(before.removesuffix(f"{conjunction} ") if conjunction else before)
        name = text.upper() if shout else text
        page.segment(f"late {form}" if after else form, f"{conjunction} {name}" if conjunction else name)
    if others:
        page.write(draw(random, (" ", ", ")))
        page.segment("others", draw(random, ("et al.", "et al", "and others")))
    if uniform(random) < 0.02 and not after:
        page.write(draw(random, (" (", ", ")))
        page.segment("mark", draw(random, ("Ed.", "Eds.", "eds.", "editor", "editors")))
        page.write(")")


def _segment(page: _Page, random: State, label: str, text: str, record: Record, after: bool) -> None:
    inner = _filled(random, text, record)
    if label == "title":
        label, inner = _cased(random, inner, page.text.endswith('"'))
    elif label == "venue":
        label = "journal" if "$journal" in text else "book"
    elif label == "publisher":
        label = "publisher" if "$publisher" in text else "institution"
    elif label == "date":
        label = "date" if after else "early date"
    page.segment(label, inner)


def _cased(random: State, title: str, quoted: bool) -> tuple[str, str]:
    """The label of a title and its text in capitals, or with only the first word so."""
    capitals = uniform(random) < 0.45
    words = title.split(" ")
    small = vocabulary()["function"]
    cased = [
        word.capitalize() if word.islower() and capitals and word not in small else word for word in words
    ]
    cased[0] = cased[0][:1].upper() + cased[0][1:]
    return "quoted title" if quoted else "capital title" if capitals else "title", " ".join(cased)


def _filled(random: State, text: str, record: Record) -> str:
    """The text with every $name replaced, again and again until none is left."""
    while "$" in text:
        text = _VALUE.sub(lambda match: _value(random, match[1], record), text)
    return text


def _value(random: State, name: str, record: Record) -> str:
    if name in record:
        return record[name].replace("$", "")
    if name == "editors":
        return _editors(random)
    number = _number(random, name)
    return draw(random, vocabulary()[name]) if number is None else number


def _editors(random: State) -> str:
    manner = draw_manner(random, "stop")
    return "".join(before + text for text, _, before in joined(draw_people(random)[:4], manner, False))


def _number(random: State, name: str) -> str | None:
    """Years, volumes, pages and numbers of reports; None where `name` is none of these."""
    if name == "year":
        return str(1965 + below(random, 60)) + ("a" if uniform(random) < 0.03 else "")
    if name == "edition":
        return f"{(70 + below(random, 50)) % 100:02}"
    if name == "volume":
        return str(1 + below(random, 99 if uniform(random) < 0.8 else 400))
    if name in ("issue", "number"):
        return str(1 + below(random, 12 if name == "issue" else 999))
    if name == "pages":
        first = 1 + below(random, 1500 if uniform(random) < 0.5 else 300)
        return f"{first}{draw(random, ('-', '-', '-', '--', ' - ', ''))}{first + 1 + below(random, 30)}"
    if name == "code":
        letters = draw(random, ("CS", "TR", "AI", "STAN-CS", "CMU-CS", "UCB", "RC", "KSL", ""))
        return f"{letters}{draw(random, ('-', '-', ' ', ''))}{70 + below(random, 30)}-{1 + below(random, 300)}".strip(
            "-"
        )
    return None


_KEYS = ("$number. ", "[$number] ", "[Lee$edition] ", "($number) ", "$edition. ", "Lee-$edition ")
"""What stands before a citation in a list."""


def _spoilt(rendered: Rendered, random: State, seed: int) -> Rendered:
    """What lists of references do to a citation: a key before it, an end cut off, a page number or more after it."""
    text, segments, heading = rendered
    if uniform(random) < 0.1:
        key = _filled(random, draw(random, _KEYS), {})
        shifted = tuple((label, start + len(key), end + len(key)) for label, start, end in segments)
        return Rendered(key + text, (("key", 0, len(key)), *shifted), heading)
    if uniform(random) < 0.02:
        before = next(invented(1, seed + 1 + below(random, 1000)))
        tail = before.text[before.segments[-min(2, len(before.segments))][1] :] + " "
        shifted = tuple((label, start + len(tail), end + len(tail)) for label, start, end in segments)
        return Rendered(tail + text, (("key", 0, len(tail)), *shifted), heading)
    if uniform(random) < 0.1:
        length = len(text) - 1 - below(random, max(1, len(text) // 3))
        kept = tuple((label, start, min(end, length)) for label, start, end in segments if start < length)
        return Rendered(text[:length], kept, heading)
    if uniform(random) < 0.06:
        more = (
            str(1 + below(random, 40))
            if uniform(random) < 0.6
            else next(invented(1, seed + below(random, 1000))).text
        )
        rest = ("rest", len(text) + 1, len(text) + 1 + len(more))
        return Rendered(f"{text} {more}", (*segments, rest), heading)
    return rendered
