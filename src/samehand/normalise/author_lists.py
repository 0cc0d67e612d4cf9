"""An author list in running text, divided into names.

`split_authors` decides which commas separate authors and which stand inside "Last, First". It looks at one
segment between commas after the other: initials alone belong to the last name before them, "K. Jones" and
"Jones K" are complete, and where only words are left the shape of the whole list decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from samehand.normalise.braces import brace_pieces
from samehand.normalise.name_words import PARTICLES, is_degree, is_initials, is_suffix

_OTHERS = re.compile(
    r"(?:^|[\s,;&]+)(?:(?:and\s+|&\s*)?(?:et\.?\s*al(?:ii|\b)\.?|others|co-?workers)|\.\.\.|…)[\s.,;]*$",
    re.IGNORECASE,
)
_EDITORS = re.compile(
    r"(?:\s*\((?:eds?|editors?|hrsg)\b\.?\)|[,;]\s*(?:eds?|editors?)\b\.?)[\s.,;]*$", re.IGNORECASE
)
_AND = re.compile(r"(?:^|[\s,]+)(?:and|und|et)\s+|[\s,]*&\s*", re.IGNORECASE)
_TAIL = 80
"""How far from the end "et al." and "(eds.)" are looked for: a bound, because the patterns are not linear."""
_COMMAS = re.compile(r"(?:\s?,)+")
_WIDE = str.maketrans({"，": ",", "、": ";", "；": ";", "،": ",", "؛": ";"})
_GROUP = "\ue000"
"""Stands for a group in braces while the text around it is divided."""


def is_truncated(text: str) -> bool:
    """Whether an author list says that it leaves authors out.

    >>> is_truncated("J. Smith et al."), is_truncated("J. Smith and others"), is_truncated("J. Alder")
    (True, True, False)
    """
    return _OTHERS.search(text[-_TAIL:]) is not None


def split_authors(text: str) -> list[str]:
    """The names of a plain-text author list, each as it was written; "et al." is dropped.

    >>> split_authors("Smith, J., Jones, K. and Lee, M.")
    ['Smith, J.', 'Jones, K.', 'Lee, M.']
    >>> split_authors("J. Smith, K. Jones, Jr. & M. Lee et al.")
    ['J. Smith', 'K. Jones, Jr.', 'M. Lee']
    >>> split_authors("Smith JR, van der Berg K; {Smith, Jones and Sons}")
    ['Smith JR', 'van der Berg K', '{Smith, Jones and Sons}']
    """
    groups: list[str] = []
    text = " ".join(text.split())
    if "{" in text or _GROUP in text:
        text = _hide_groups(text, groups)
    text = _COMMAS.sub(",", text.translate(_WIDE))
    text = text[:-_TAIL] + _EDITORS.sub("", _OTHERS.sub("", text[-_TAIL:]))
    pieces = [_segments(piece) for part in text.split(";") for piece in _AND.split(part)]
    names = _divide([segments for segments in pieces if segments], semicolons=";" in text)
    hidden = iter(groups)
    return [_show_groups(name, hidden) for name in names] if groups else names


def _hide_groups(text: str, groups: list[str]) -> str:
    """The text with every group in braces replaced by `_GROUP`; the groups, in order, go to `groups`."""
    shown: list[str] = []
    for piece, is_group in brace_pieces(text.replace(_GROUP, " ")):
        if is_group:
            groups.append(piece)
        shown.append(_GROUP if is_group else piece)
    return "".join(shown)


def _show_groups(name: str, groups: Iterator[str]) -> str:
    return "".join(next(groups) if character == _GROUP else character for character in name)


def _segments(piece: str) -> list[str]:
    return [segment for segment in (part.strip() for part in piece.split(",")) if segment not in ("", ".")]


def _divide(pieces: list[list[str]], semicolons: bool) -> list[str]:
    """The names of all pieces between "and" or ";", each piece given as its segments between commas.

    A piece is one name "Last, First" if all pieces look like that, or if semicolons separate the names.
    """
    if _only_last_names(pieces):
        return [segment for piece in pieces for segment in piece]
    fewest = 1 if semicolons else 2
    one_name_each = len(pieces) > 1 and all(
        fewest <= len(piece) <= 2 and not _is_complete(piece) for piece in pieces
    )
    return [name for piece in pieces for name in _names_of_piece(piece, one_name_each)]


def _only_last_names(pieces: list[list[str]]) -> bool:
    """Whether the list is like "Smith, Jones and Lee": single words, the last one alone after the "and"."""
    segments = [segment for piece in pieces for segment in piece]
    if any(" " in segment or is_initials(segment) or is_suffix(segment) for segment in segments):
        return False
    return bool(pieces) and len(pieces[-1]) == 1 and (len(pieces) > 1 or len(segments) % 2 == 1)


def _is_complete(piece: list[str]) -> bool:
    """Whether two segments are two names, the first of which has its initials: "K. Jones, M. Lee"."""
    return len(piece) == 2 and _has_initials(piece[0]) and not is_suffix(piece[1])


def _names_of_piece(segments: list[str], one_name: bool) -> Iterator[str]:
    """The names of one piece: a segment, then what belongs to it, then the next."""
    place = 0
    while place < len(segments):
        name = segments[place]
        place += 1
        has_given = _has_initials(name) or name == _GROUP
        while place < len(segments):
            following = segments[place]
            if not has_given and _is_given(following, name, one_name):
                has_given = True
            elif not (is_suffix(following) or is_degree(following)):
                break
            name = f"{name}, {following}"
            place += 1
        yield name


def _is_given(segment: str, last: str, one_name: bool) -> bool:
    """Whether a segment holds the given names of the last name before the comma."""
    if is_suffix(segment):
        return False
    words = segment.split()
    if is_initials(segment) or is_initials(words[-1]) or one_name:
        return True
    last_words = last.split()
    alone = len(last_words) == 1 or last_words[0] in PARTICLES
    return alone or len(words) == 1


def _has_initials(segment: str) -> bool:
    """Whether a segment is a name with its initials: "K. Jones" or "Jones K"."""
    words = segment.replace(".", ". ").split()
    return len(words) > 1 and (is_initials(words[0]) or is_initials(words[-1]))
