"""How persons' names are written in citations: a name in one of several formats, and a list of them.

Formats: `straight` "A. B. Lee", `inverted` "Lee, A. B.", `packed` "Lee AB" or "Lee A. B.". A list may have its first name
inverted and the others straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from samehand.infer.random import State, below, uniform
from samehand.models.citations.parsing.vocabulary import draw, draw_name, given_names, surnames, vocabulary
from samehand.normalise.names import parse_name

Format = Literal["straight", "inverted", "packed"]

PARTICLES = ("van", "von", "de", "van der", "de la", "del", "Van", "De", "di", "da", "le")


class Person(NamedTuple):
    """The given names and the surname, in full where known, and "Jr." or the like."""

    given: tuple[str, ...]
    surname: str
    suffix: str = ""


class Manner(NamedTuple):
    """How a list of names is written: formats of the first and of the others, whether given names are cut to initials,
    the mark of an initial, what joins two names, and what joins the last two."""

    first: Format
    others: Format
    initials: bool
    stop: str
    join: str
    last_join: str


_JOINS = {
    "stop": (
        (", ", ", and "), (", ", " and "), (", ", ", & "), (", ", " & "), ("; ", "; and "), (", ", ", "), ("; ", "; "),
    ),
    "comma": ((", ", ", and "), (", ", " and "), (", ", ", "), (", ", " & "), ("; ", " and ")),
    "bare": ((" ", " "), (" ", " "), (", ", ", "), (", ", " and "), (" ", " and ")),
    "title first": ((", ", ", and "), (", ", " and "), (", ", ", ")),
}  # fmt: skip
_FORMATS: tuple[tuple[Format, Format], ...] = (
    ("straight", "straight"), ("straight", "straight"), ("straight", "straight"), ("inverted", "inverted"),
    ("inverted", "inverted"), ("inverted", "straight"), ("packed", "packed"),
)  # fmt: skip


def draw_person(random: State) -> Person:
    """An invented person."""
    count = 1 + (uniform(random) < 0.4)
    surname = draw_name(random, surnames())
    if uniform(random) < 0.05:
        surname = f"{draw(random, PARTICLES)} {surname}"
    if uniform(random) < 0.03:
        surname = f"{surname}-{draw_name(random, surnames())}"
    suffix = draw(random, vocabulary()["suffix"]) if uniform(random) < 0.015 else ""
    return Person(tuple(draw_name(random, given_names()) for _ in range(count)), surname, suffix)


def person(name: str) -> Person:
    """The parts of a name of a structured reference.

    >>> person("Lee, Ann B.")
    Person(given=('Ann', 'B.'), surname='Lee', suffix='')
    """
    parts = parse_name(name)
    return Person(tuple(f"{parts.first} {parts.middle}".split()), parts.last, parts.suffix)


def draw_people(random: State) -> tuple[Person, ...]:
    """One to six invented persons, fewer more often."""
    count = 1
    while count < 6 and uniform(random) < 0.5:
        count += 1
    return tuple(draw_person(random) for _ in range(count))


def draw_manner(random: State, heading: str) -> Manner:
    """How the names of a citation are written, given the heading of its style."""
    first, others = _FORMATS[below(random, len(_FORMATS))]
    initials = first == "packed" or uniform(random) < 0.65
    stop = "" if uniform(random) < (0.5 if first == "packed" else 0.04) else "."
    join, last_join = _JOINS[heading][below(random, len(_JOINS[heading]))]
    if first == "packed" and "and" not in last_join and uniform(random) < 0.5:
        join, last_join = ", ", ", "
    return Manner(first, others, initials, stop, join, last_join)


def written(who: Person, form: Format, manner: Manner, tight: bool) -> str:
    """A name in a format.

    >>> manner = Manner("packed", "packed", True, "", ", ", ", ")
    >>> written(Person(("Ann", "Bea"), "Lee"), "packed", manner, tight=True)
    'Lee AB'
    """
    given = [_cut(name, manner.stop) if manner.initials else name for name in who.given]
    front = ("" if tight else " ").join(given) if manner.initials else " ".join(given)
    if not front:
        return who.surname
    if form == "straight":
        return f"{front} {who.surname}" + (f", {who.suffix}" if who.suffix else "")
    return f"{who.surname}{', ' if form == 'inverted' else ' '}{front}" + (
        f", {who.suffix}" if who.suffix else ""
    )


def _cut(name: str, stop: str) -> str:
    """The initial of a given name; of each half of one with a hyphen."""
    return "-".join(part[0] + stop for part in name.split("-") if part)


def joined(people: Sequence[Person], manner: Manner, tight: bool) -> list[tuple[str, Format, str]]:
    """Each name as written, its format, and what stands before it."""
    found: list[tuple[str, Format, str]] = []
    for number, who in enumerate(people):
        form = manner.first if number == 0 else manner.others
        before = "" if number == 0 else manner.last_join if number == len(people) - 1 else manner.join
        found.append((written(who, form, manner, tight), form, before))
    return found
