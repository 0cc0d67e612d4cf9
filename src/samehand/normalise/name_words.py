"""The small words of personal names: particles, suffixes, titles, and what initials look like.

The lists are general knowledge of how names are written, kept short on purpose: a word stands here only if
it is practically never a first or last name of its own where it is recognised.
"""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STRONG_PARTICLES = _set(
    "da dal dalla de degli dei del dela della den der des di dos du st van vande vanden vander von"
)
"""Open a last name whatever their case, unless they come first: "Guido Van Rossum", but "Di Wang"."""

PARTICLES = STRONG_PARTICLES | _set(
    "aan af al an ap auf aus av ben bin bint das delle do el het ibn im la las le lo los op 't ten ter tot "
    "ul uit vom zu zum zur"
)
"""Open a last name when written in lower case: "Ludwig van Beethoven", "Abdullah bin Faisal"."""

CONNECTORS = frozenset(("e", "i", "y"))
"""Join two halves of a last name when written in lower case: "José Ortega y Gasset"."""

SUFFIXES = {
    "jr": "Jr",
    "jnr": "Jr",
    "junior": "Jr",
    "sr": "Sr",
    "snr": "Sr",
    "ii": "II",
    "iii": "III",
    "iv": "IV",
    "2nd": "II",
    "3rd": "III",
    "4th": "IV",
}
"""How a generational suffix may be written, and how it is shown."""

DEGREES = _set("phd dphil md msc bsc mba esq dsc scd frs")
"""Degrees and honours after a name say nothing about who it is, and are dropped."""

TITLES = _set("dr prof professor sir mr mrs ms miss mme mlle dame lord lady rev herr frau")
"""Titles before a name are dropped."""

CORPORATE = _set(
    "agency association bureau center centre collaboration commission committee company conference congress "
    "consortium corporation council department editors federation foundation group inc institute "
    "institution international laboratories laboratory ltd ministry network office organisation organization "
    "project school society staff task team union university workshop"
)
"""A name with one of these words is not a person's: it is kept whole."""

_INITIAL = r"[^\W\d_]"
_DOTTED_INITIALS = re.compile(rf"{_INITIAL}(?:\.[\s-]*{_INITIAL}|[\s-]+{_INITIAL})*\.?")
_CAPITALS = re.compile(r"[A-Z]{2,3}\.?")
_NO_VOWEL = re.compile(r"[B-DF-HJ-NP-TV-XZ]{3}\.?")
_CHAIN = re.compile(rf"{_INITIAL}\.?(?:-{_INITIAL}\.?)*")


def is_suffix(text: str) -> bool:
    """Whether the text is a generational suffix and nothing else.

    >>> is_suffix("Jr."), is_suffix("III"), is_suffix("V.")
    (True, True, False)
    """
    return text.rstrip(".").lower() in SUFFIXES


def is_degree(text: str) -> bool:
    """Whether the text is a degree or an honour and nothing else.

    >>> is_degree("Ph.D."), is_degree("Phil")
    (True, False)
    """
    return text.replace(".", "").replace(" ", "").lower() in DEGREES


def is_title(word: str) -> bool:
    """Whether a word is a title. "MS Lee" and "DR Lee" may be initials: two capitals need their dot.

    >>> is_title("Dr."), is_title("Prof"), is_title("DR"), is_title("Drew")
    (True, True, False, False)
    """
    return word.rstrip(".").lower() in TITLES and not (len(word) == 2 and word.isupper())


def is_initials(text: str) -> bool:
    """Whether the text is nothing but initials: single letters, or up to three capitals run together.

    >>> [is_initials(text) for text in ("J.", "J. R. R.", "m.j.", "J.-P.", "JRR", "K", "Jo", "Th.")]
    [True, True, True, True, True, True, False, False]
    """
    return bool(_CAPITALS.fullmatch(text) or _DOTTED_INITIALS.fullmatch(text))


def initials_of(word: str) -> list[str]:
    """The initials that a word consists of, each with its dot, or nothing if it is not made of initials.

    Letters without case (王) are no initials; letters joined by hyphens stay together.

    >>> initials_of("J"), initials_of("JRR"), initials_of("j-p."), initials_of("Jo"), initials_of("王")
    (['J.'], ['J.', 'R.', 'R.'], ['J.-P.'], [], [])
    """
    if len(word) > 3 and "." not in word and "-" not in word:
        return []  # most words: neither pattern can match
    if _CAPITALS.fullmatch(word):
        return [letter + "." for letter in word.rstrip(".")]
    if _CHAIN.fullmatch(word) and word.upper() != word.lower():
        return ["-".join(letter.rstrip(".").upper() + "." for letter in word.split("-"))]
    return []


def is_trailing_initials(word: str) -> bool:
    """Whether a word after a last name is made of initials, as in MEDLINE's "Smith JR".

    Three capitals are initials only without a vowel: "Jun LEE" is not J. of the family L. E. E.

    >>> is_trailing_initials("JR"), is_trailing_initials("JRR"), is_trailing_initials("LEE")
    (True, True, False)
    """
    return bool(initials_of(word)) and (
        len(word.rstrip(".")) != 3 or "-" in word or bool(_NO_VOWEL.fullmatch(word))
    )
