"""The text of a name before it is divided: cleaned, its groups in braces hidden, its capitals restored."""

from __future__ import annotations

import re
import unicodedata

from samehand.normalise.braces import brace_pieces
from samehand.normalise.name_words import CORPORATE, PARTICLES, STRONG_PARTICLES

LONGEST = 200
"""A longer text is no personal name, and is kept whole."""

_VARIANTS = str.maketrans(
    {"，": ",", "،": ",", "‐": "-", "‑": "-", "–": "-", "\x00": " "}
    | dict.fromkeys(map(chr, range(0xE000, 0xE005)), " ")
)
_NICKNAME = re.compile(r"\([^()]*\)")
_HYPHEN = re.compile(r" ?- ?")
_HOMONYM_NUMBER = re.compile(r" \d{4}$")
_LETTER = re.compile(r"[^\W\d_]")
_HIDDEN = str.maketrans({" ": "\ue000", ",": "\ue001", ".": "\ue003", "-": "\ue004", "{": None, "}": None})
_SHOWN = str.maketrans({"\ue000": " ", "\ue001": ",", "\ue002": None, "\ue003": ".", "\ue004": "-"})
_MARK = "\ue002"
_NO_VOWEL = re.compile(r"[B-DF-HJ-NP-TV-XZ]{2,3}\.?")
_MAC = re.compile(r"\bMc[a-z]")


def clean(text: str) -> str:
    """Single spaces, one kind of comma and hyphen, NFC; no footnote marks or DBLP numbers.

    >>> clean("  Y -p  Chen* "), clean("Wei Wang 0001")
    ('Y-p Chen', 'Wei Wang')
    """
    if not text.isascii() or "\x00" in text:
        text = unicodedata.normalize("NFC", text.translate(_VARIANTS))
    text = " ".join(text.split()).strip(" ,;:*†‡§¶-")
    if "-" in text:
        text = _HYPHEN.sub("-", text)
    if "(" in text:
        text = _NICKNAME.sub("", text).strip() or text
    return _HOMONYM_NUMBER.sub("", text)


def is_literal(text: str) -> bool:
    """Whether the name must not be divided: one group in braces, a body's name, no letters, or too long.

    >>> is_literal("{NASA}"), is_literal("Unicode Consortium"), is_literal("Ada Lovelace")
    (True, True, False)
    """
    if len(text) > LONGEST or not _LETTER.search(text):
        return True
    if text[0] == "{" and text[-1] == "}":
        return next(brace_pieces(text)) == (text, True)
    return not CORPORATE.isdisjoint(text.lower().replace(",", " ").split())


def hide_groups(text: str) -> str:
    """Groups in braces as one opaque word each; braces without a partner are dropped."""
    return "".join(
        _MARK + piece.translate(_HIDDEN) if is_group else piece.replace("{", "").replace("}", "")
        for piece, is_group in brace_pieces(text)
    )


def show_groups(text: str) -> str:
    """The text of hidden groups, without their braces.

    >>> show_groups(hide_groups("Jan {van der Berg}"))
    'Jan van der Berg'
    """
    return text.translate(_SHOWN)


def restore_capitals(words: list[str], is_last_name: bool) -> list[str]:
    """The words of a name in one case, with capitals; particles before a last name stay in lower case.

    Two or three capitals without a vowel are initials, and stay as they are.

    >>> restore_capitals("JEAN-PIERRE DE LA CRUZ".split(), False), restore_capitals(["o'brien"], True)
    (['Jean-Pierre', 'de', 'la', 'Cruz'], ["O'Brien"])
    """
    restored: list[str] = []
    after_particle = is_last_name
    for place, word in enumerate(words):
        lower = word.lower()
        may_open = place > 0 or is_last_name
        if place < len(words) - 1 and (
            (may_open and lower in STRONG_PARTICLES) or (after_particle and lower in PARTICLES)
        ):
            restored.append(lower)
            after_particle = True
        else:
            restored.append(_capitalised(word))
            after_particle = False
    return restored


def _capitalised(word: str) -> str:
    if _MARK in word or _NO_VOWEL.fullmatch(word):
        return word
    # A dot above, as in the lower case of a Turkish capital I, would be left over as a character of its own.
    title = unicodedata.normalize("NFC", word.title())
    return _MAC.sub(lambda match: match[0][:2] + match[0][2].upper(), title)
