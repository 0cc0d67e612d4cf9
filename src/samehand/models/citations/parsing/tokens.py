"""The tokens of a citation: words, and between each two words a *gap*, the punctuation that stands there.

A citation is `gap word gap word ... word gap`. White space never counts: "Lee , A." and "Lee, A." are the same
tokens, so that a habit of some source's typesetting cannot tell the parse. A full stop after an initial or a known
abbreviation ("J.", "Proc.", "pp.") belongs to the word: the gap after such a word begins with "~", so that it is
another symbol than the end of a sentence.

Words are reduced to what the model needs: lower case letters; "#year", "#2" (a number of two digits), "#range", "#nth",
"#code", "#url", "#i" (an initial with its full stop), "#l" (a single capital letter without); "aaai#" for "AAAI-91".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from anyascii import anyascii

from samehand.models.citations.parsing.vocabulary import vocabulary

WIDEST = 40
"""Signs of a gap beyond this number are not looked at."""
LONGEST = 400
"""Words of a citation beyond this number are left out of the parse: no citation is that long."""


SPECIAL = frozenset(("#i", "#l", "#year", "#1", "#2", "#3", "#4", "#range", "#nth", "#code", "#url"))
"""What stands for many words of one kind."""


class Shape(IntEnum):
    """How a word is written."""

    LOWER = 0
    CAPITALISED = 1
    UPPER = 2
    OTHER = 3


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a citation, where they stand in its text, and the gaps: before the first word, then after each."""

    words: tuple[str, ...]
    shapes: tuple[Shape, ...]
    spans: tuple[tuple[int, int], ...]
    gaps: tuple[str, ...]


ABBREVIATIONS = frozenset(vocabulary()["abbreviation"])
"""Words whose full stop is not the end of a sentence."""

_WORD = re.compile(
    r"(?P<url>(?:(?:https?|ftp)://|www\.)[^\s,;>)\]]*[^\s,;>)\].])"
    r"|(?P<degree>Ph\.?\s?D\b|D\.?\s?Phil\b|[MB]\.?\s?(?:Sc?|A)\b(?=[.\s]*(?:thes|diss)))"
    r"|\d+\.\d+(?![\d-])"
    r"|(?:1[6-9]|20)\d\d\s[a-e](?=\s?[).,:])"
    r"|[^\W_]+(?:(?:[-'’/+&]|\.['’](?=s\b)|\s?['’]\s?(?=s\b|\d\d\b)|\s?[~^¨´]\s?(?=[a-z]))[^\W_]+)*"
    r"|&",
    re.IGNORECASE,
)
_LONE = re.compile(r"[^\W\d_](?:-[^\W\d_])*")
_JOINED_ACCENT = re.compile(r"[\s~^]+")
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d[a-z]?")
_RANGE = re.compile(r"\d+[-/]\d+")
_NTH = re.compile(r"\d+(?:st|nd|rd|th)")
_EDITION = re.compile(r"([a-z]+)[-']?(?:\d\d|(?:19|20)\d\d)")
_REPEATED = re.compile(r"(.)\1+")
_BRACKETS_AND_DASHES = {"[": "(", "{": "(", "]": ")", "}": ")", "–": "-", "—": "-", "−": "-"}
_MARKS = str.maketrans(_BRACKETS_AND_DASHES | dict.fromkeys("“”„‟«»`´‘’'", '"'))
_KEPT = frozenset('.,;:()"-?!/&')


def tokenise(text: str) -> Tokens:
    """The tokens of a citation.

    >>> found = tokenise("Lee , A. and B. Wu. On hands. In Proc. AAAI-91, pp. 3-9, 1991.")
    >>> found.words
    ('lee', '#i', 'and', '#i', 'wu', 'on', 'hands', 'in', 'proc', 'aaai#', 'pp', '#range', '#year')
    >>> found.gaps
    ('', ',', '~.', '', '~.', '.', '', '.', '', '~.', ',', '~.', ',', '.')
    """
    matches = [match for match, _ in zip(_WORD.finditer(text), range(LONGEST), strict=False)]
    words, shapes, gaps = [], [], [_gap(text[: matches[0].start() if matches else 0][-WIDEST:])]
    for number, match in enumerate(matches):
        following = matches[number + 1].start() if number + 1 < len(matches) else len(text)
        between = "".join(text[match.end() : min(following, match.end() + WIDEST)].split())
        word = _symbol(match, between)
        stops = word in ("#i", "#l", "phd", "msc") or word in ABBREVIATIONS
        words.append(word)
        shapes.append(_shape(match.group()))
        gaps.append(_stopped(between) if stops else _gap(between))
    return Tokens(tuple(words), tuple(shapes), tuple(match.span() for match in matches), tuple(gaps))


def _symbol(match: re.Match[str], between: str) -> str:
    """The reduced form of a word; a lone "A" or "I" is a letter only where a full stop stands beside it."""
    written = match.group()
    if match.lastgroup == "url":
        return "#url"
    if match.lastgroup == "degree":
        return "phd" if "h" in written.lower() else "msc"
    if written == "&":
        return "and"
    if _LONE.fullmatch(written) and written.isupper():
        if between.startswith("."):
            return "#i"
        glued = match.start() > 0 and match.string[match.start() - 1] == "."
        return "#l" if glued or written not in ("A", "I") else written.lower()
    return _reduced(written)


@lru_cache(1 << 16)
def _reduced(written: str) -> str:
    word = _JOINED_ACCENT.sub("", (written if written.isascii() else anyascii(written)).lower())
    if word.isdigit():
        return "#year" if _YEAR.fullmatch(word) else f"#{min(len(word), 4)}"
    if not any(letter.isdigit() for letter in word):
        return word
    if _YEAR.fullmatch(word):
        return "#year"
    if _RANGE.fullmatch(word):
        return "#range"
    if _NTH.fullmatch(word):
        return "#nth"
    edition = _EDITION.fullmatch(word)
    return f"{edition.group(1)}#" if edition else "#code"


@lru_cache(1 << 16)
def _shape(written: str) -> Shape:
    letters = [letter for letter in written if letter.isalpha()]
    if not letters:
        return Shape.OTHER
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return Shape.UPPER
    return Shape.CAPITALISED if letters[0].isupper() else Shape.LOWER


def _stopped(between: str) -> str:
    """The gap after an initial or abbreviation: "~", a full stop if it has one, and the rest."""
    if between.startswith("."):
        return "~." + _gap(between[1:])
    return "~" + _gap(between)


@lru_cache(1 << 12)
def _gap(between: str) -> str:
    """Punctuation as a symbol: brackets, dashes and quotes of one kind, others "*", at most three marks."""
    marks = "".join(between.split()).translate(_MARKS)
    kept = _REPEATED.sub(r"\1", "".join(mark if mark in _KEPT else "*" for mark in marks))
    return kept if len(kept) <= 3 else kept[:2] + kept[-1]
