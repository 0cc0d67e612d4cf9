"""The one tokeniser: every step that compares words compares these.

`fold` brings text to lower-case ASCII (anyascii: "Müller" is "muller", "Łódź" is "lodz", "王" is "wang"). A
token is a run of letters and digits of the folded text; an apostrophe inside a word joins ("don't" is "dont",
"O'Brien" is "obrien"), every other character separates. The `_series` versions do the same for a column, and
transliterate each distinct value that is not ASCII once. Mojibake is left alone: to guess at it would make
two different texts equal.
"""

from __future__ import annotations

import polars as pl
from anyascii import anyascii

_SEPARATORS = str.maketrans(
    {chr(code): " " for code in range(128) if not chr(code).isalnum()} | {"'": None, "`": None}
)


def fold(text: str) -> str:
    """The text transliterated to ASCII, in lower case.

    >>> fold("Müller & Søn"), fold("ÉCOLE")
    ('muller & son', 'ecole')
    """
    return (text if text.isascii() else anyascii(text)).lower()


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, folded.

    >>> tokens("Don't Panic: Lévy-flights, 2nd ed.")
    ['dont', 'panic', 'levy', 'flights', '2nd', 'ed']
    """
    return fold(text).translate(_SEPARATORS).split()


def fold_series(texts: pl.Series) -> pl.Series:
    """`fold` of a column; null stays null.

    >>> fold_series(pl.Series(["Müller", None, "SMITH"])).to_list()
    ['muller', None, 'smith']
    """
    return _transliterated(texts).str.to_lowercase()


def tokens_series(texts: pl.Series) -> pl.Series:
    """`tokens` of a column; null has no tokens.

    >>> tokens_series(pl.Series(["On Hands", None])).to_list()
    [['on', 'hands'], []]
    """
    folded = fold_series(texts.cast(pl.String).fill_null(""))
    return folded.str.replace_all("['`]", "").str.extract_all("[a-z0-9]+")


def _transliterated(texts: pl.Series) -> pl.Series:
    """The column in ASCII: one call for each distinct value that needs it."""
    foreign = texts.filter(texts.str.contains(r"[^\x00-\x7f]").fill_null(False)).unique()
    if foreign.is_empty():
        return texts
    plain = pl.Series([anyascii(text) for text in foreign], dtype=pl.String)
    return texts.replace(foreign, plain)
