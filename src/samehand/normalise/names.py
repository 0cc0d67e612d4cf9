"""The one parser of personal names.

A name comes as "First von Last", "von Last, First" or "von Last, Jr, First"; a group in braces is one unit,
and a name that is one group is not divided at all. The parts are returned for people to read: case and
accents are kept, a name written in one case gets capitals, initials are set apart with their dots
("JRR Tolkien" has the initials "J." and "R. R."), and titles and degrees are dropped. Where a name has no
comma:

- the last name is the last word, and what a particle opens: "Jan van der Berg", "Guido Van Rossum";
- trailing initials are given names: "Smith JR" is J. R. Smith;
- a word in capitals that comes first is the last name: "DUPONT Jean";
- Chinese, Japanese and Korean script has the family name first, with or without a space.

Every step is linear in the length of the name, and nothing raises: what cannot be divided is all last name.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from samehand.normalise.author_lists import is_truncated as is_truncated
from samehand.normalise.author_lists import split_authors as split_authors
from samehand.normalise.cjk_names import divide_cjk, is_cjk, join_cjk
from samehand.normalise.name_text import clean, hide_groups, is_literal, restore_capitals, show_groups
from samehand.normalise.name_words import (
    CONNECTORS,
    CORPORATE,
    DEGREES,
    PARTICLES,
    STRONG_PARTICLES,
    SUFFIXES,
    TITLES,
    initials_of,
    is_degree,
    is_suffix,
    is_title,
    is_trailing_initials,
)


class Name(NamedTuple):
    """The parts of a name as people read them.

    `literal` means corporate or undividable: all of the name is in `last`.
    """

    first: str
    middle: str
    last: str
    suffix: str
    literal: bool


_WORD = r"(?:Mc)?[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:-[A-Za-zÀ-ÖØ-öø-ÿ][a-zß-öø-ÿ]+)*"
_GIVEN = rf"(?:{_WORD}|[A-Z]\.)"
COMMON = (
    rf"({_GIVEN})(?: ({_GIVEN}(?: {_GIVEN})?))? ({_WORD})|({_WORD}), ({_GIVEN})(?: ({_GIVEN}(?: {_GIVEN})?))?"
)
"""The commonest shapes, for any regex engine; groups: first, middle, last, or last, first, middle."""

SPECIAL = frozenset(word.title() for word in (*STRONG_PARTICLES, *SUFFIXES, *TITLES, *DEGREES, *CORPORATE))
"""Words of a common shape that have a meaning of their own."""

LONGEST_COMMON = 100
_COMMON = re.compile(COMMON)
_SUFFIX_OR_INITIALS = frozenset(("JR", "SR"))


def parse_name(text: str) -> Name:
    """The parts of a name; see the top of this file for the rules.

    >>> parse_name("Ludwig van Beethoven")
    Name(first='Ludwig', middle='', last='van Beethoven', suffix='', literal=False)
    >>> parse_name("SMITH, J.R., Jr.")
    Name(first='J.', middle='R.', last='Smith', suffix='Jr', literal=False)
    >>> parse_name("{World Health Organization}")
    Name(first='', middle='', last='World Health Organization', suffix='', literal=True)
    """
    common = _COMMON.fullmatch(text)
    if (
        common is None
        or len(text) > LONGEST_COMMON
        or not SPECIAL.isdisjoint(text.replace(",", "").split(" "))
    ):
        return parse_uncommon(text)
    first, middle, last, inverted_last, inverted_first, inverted_middle = common.groups("")
    if last:
        return Name(first, middle, last, "", False)
    return Name(inverted_first, inverted_middle, inverted_last, "", False)


def parse_uncommon(text: str) -> Name:
    """The same as `parse_name` without its short cut for the commonest shapes.

    >>> parse_uncommon("Jean-Pierre Serre") == parse_name("Jean-Pierre Serre")
    True
    """
    text = clean(text)
    if is_literal(text):
        return Name("", "", show_groups(hide_groups(text)), "", True)
    hidden = hide_groups(text) if "{" in text or "}" in text else text
    name = _parse_parts([part for part in (part.strip() for part in hidden.split(",")) if part])
    if hidden is text:
        return name
    first, middle, last, suffix = map(show_groups, name[:4])
    return Name(first, middle, last, suffix, False)


def _parse_parts(parts: list[str]) -> Name:
    """The name from its parts between commas: without suffixes and degrees one or two are left."""
    suffix = next((part for part in parts[1:] if _is_suffix_part(part, parts)), "")
    kept = [parts[0], *(part for part in parts[1:] if not _is_suffix_part(part, parts))]
    if len(kept) > 2 or " " in kept[0]:
        kept = [kept[0], *(part for part in kept[1:] if not is_degree(part))]
    if len(kept) == 1:
        return _parse_direct(kept[0], suffix)
    return _parse_inverted(kept[0], " ".join(kept[1:]), suffix)


def _is_suffix_part(part: str, parts: list[str]) -> bool:
    """Whether a part is a suffix; "Smith, JR" has nothing else for a first name, so there it is initials."""
    return is_suffix(part) and not (part in _SUFFIX_OR_INITIALS and len(parts) == 2 and " " not in parts[0])


def _parse_inverted(last_text: str, given_text: str, suffix: str) -> Name:
    """The name from "von Last" and "First Middle", as they stand around the comma."""
    one_case = _is_one_case(last_text + given_text)
    last, last_suffix = _without_suffix(_without_titles(_words(last_text)))
    given, given_suffix = _without_suffix(_without_degrees(_without_titles(_words(given_text))))
    if one_case:
        last, given = restore_capitals(last, True), restore_capitals(given, False)
    else:
        last, given = _move_particles(last, given)
    return _name(given, last, suffix or last_suffix or given_suffix)


def _move_particles(last: list[str], given: list[str]) -> tuple[list[str], list[str]]:
    """Particles after the given names, as in "Beethoven, Ludwig van", go back to the last name."""
    end = len(given)
    while end > 1 and given[end - 1] in PARTICLES:
        end -= 1
    return given[end:] + last, given[:end]


def _parse_direct(text: str, suffix: str) -> Name:
    """The name from "First Middle von Last" or one of the other shapes without a comma."""
    words, word_suffix = _without_suffix(_without_degrees(_without_titles(_words(text))))
    suffix = suffix or word_suffix
    if len(words) == 1 and not is_cjk(words[0]):
        return _name([], words, suffix)
    if all(map(is_cjk, words)):
        first, last = divide_cjk(words)
        return Name(first, "", last, suffix, False)
    if _is_one_case(text):
        words = restore_capitals(words, False)
    start, end = _last_name_of(words)
    return _name(words[:start] + words[end:], words[start:end], suffix)


def _last_name_of(words: list[str]) -> tuple[int, int]:
    """Where the last name of a name without a comma begins and ends."""
    if not initials_of(words[0]):
        trailing = _count_trailing_initials(words)
        if trailing:
            return 0, len(words) - trailing
        if words[0] in PARTICLES:
            return 0, len(words)
        capitals = _count_leading_capitals(words)
        if capitals:
            return 0, capitals
    return _direct_start(words), len(words)


def _count_trailing_initials(words: list[str]) -> int:
    """How many words at the end are initials of a last name of one or two words besides particles."""
    count = 0
    while count < len(words) - 1 and is_trailing_initials(words[-1 - count]):
        count += 1
    before = [word for word in words[: len(words) - count] if word not in PARTICLES]
    return count if len(before) <= 2 and not any(map(initials_of, before)) else 0


def _count_leading_capitals(words: list[str]) -> int:
    """How many words in capitals come first, if the first is too long for initials and others follow."""
    if len(words[0]) < 4 or not words[0].isupper():
        return 0
    return next((place for place, word in enumerate(words) if not word.isupper()), 0)


def _direct_start(words: list[str]) -> int:
    """The first word of the last name: the first particle after the first name, else the last word.

    Initials at the end that do not make the name MEDLINE's belong to the last name: "Carlos A. Diaz Q.".
    """
    for place in range(1, len(words) - 1):
        word = words[place]
        if word in PARTICLES or (word.rstrip(".").lower() in STRONG_PARTICLES and not word.isupper()):
            return place
        if word in CONNECTORS and place > 1:
            return place - 1
    full = (place for place in range(len(words) - 1, 0, -1) if not initials_of(words[place]))
    return next(full, len(words) - 1)


def _words(text: str) -> list[str]:
    """The words of a part of a name; a dot ends a word, unless a hyphen follows ("J.-P.")."""
    return text.replace(".", ". ").replace(". -", ".-").split()


def _without_titles(words: list[str]) -> list[str]:
    start = 0
    while start < len(words) - 1 and is_title(words[start]):
        start += 1
    return words[start:]


def _without_degrees(words: list[str]) -> list[str]:
    """Drops degrees at the end; those of two letters look like initials, and stay."""
    if len(words) > 2 and len(words[-1].rstrip(".")) > 2 and is_degree(words[-1]):
        return words[:-1]
    if len(words) > 2 and len(words[-2].rstrip(".")) > 1 and is_degree(words[-2] + words[-1]):
        return words[:-2]
    return words


def _without_suffix(words: list[str]) -> tuple[list[str], str]:
    """The words without a suffix at the end, and the suffix; "Smith JR" has none, but "Al Smith JR" has."""
    if len(words) < 2 or not is_suffix(words[-1]):
        return words, ""
    if words[-1] in _SUFFIX_OR_INITIALS and sum(word not in PARTICLES for word in words) == 2:
        return words, ""
    return words[:-1], words[-1]


def _is_one_case(text: str) -> bool:
    return text.islower() or text.isupper()


def _name(given: list[str], last: list[str], suffix: str) -> Name:
    """The parts put together: initials set apart, capitals of last names lowered, a full stop dropped."""
    split = [part for word in given for part in (initials_of(word) or [_without_full_stop(word)])]
    whole = " ".join(_lowered(word) for word in last) if given else " ".join(last)
    return Name(
        split[0] if split else "",
        " ".join(split[1:]),
        whole.rstrip(".,;: ") or whole,
        SUFFIXES.get(suffix.rstrip(".").lower(), ""),
        False,
    )


def _without_full_stop(word: str) -> str:
    """Drops the dot of a word too long to be an abbreviated first name."""
    return word.rstrip(".") if len(word) > 4 else word


def _lowered(word: str) -> str:
    """A last name that stands out by its capitals ("Jean DUPONT") in ordinary spelling."""
    return restore_capitals([word], True)[0] if len(word) > 3 and word.isupper() else word


def display(name: Name) -> str:
    """The name as people read it: "First Middle von Last, Jr"; in CJK script family name first.

    >>> display(parse_name("van der Berg, Jr, J. P.")), display(parse_name("王伟"))
    ('J. P. van der Berg, Jr', '王伟')
    """
    if is_cjk(name.last) and is_cjk(name.first or name.last):
        return join_cjk(name.first, name.last)
    whole = " ".join(part for part in name[:3] if part)
    return f"{whole}, {name.suffix}" if name.suffix else whole
