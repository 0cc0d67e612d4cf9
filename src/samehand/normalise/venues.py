"""The words of a venue string: lower case, without punctuation and stop words.

This is the preparation of the string baseline STR (merge what is equal after it) and of the venue models. The
stop words are the function words of a few languages and nothing else: "proceedings", "journal" and ordinal
numbers stay, for a model to weigh. Single letters stay too, being parts of acronyms ("A.I.") more often than
articles.
"""

from __future__ import annotations

import re

import polars as pl

from samehand.normalise.tokens import tokens, tokens_series

_ENGLISH = ("an", "and", "as", "at", "by", "for", "from", "in", "into", "of", "on", "or", "the", "to", "with")
_GERMAN = ("das", "dem", "den", "der", "des", "die", "fur", "im", "und", "zur")
_ROMANCE = ("au", "aux", "de", "del", "di", "du", "el", "en", "et", "la", "las", "le", "les", "los", "sur")
STOP_WORDS = frozenset((*_ENGLISH, *_GERMAN, *_ROMANCE))


def venue_tokens(text: str) -> list[str]:
    """The tokens of a venue string without stop words; if nothing else is left, they stay.

    >>> venue_tokens("Proceedings of the 5th Conference on A.I."), venue_tokens("In The")
    (['proceedings', '5th', 'conference', 'a', 'i'], ['in', 'the'])
    """
    words = tokens(text)
    return [word for word in words if word not in STOP_WORDS] or words


def venue_tokens_series(venues: pl.Series) -> pl.Series:
    """`venue_tokens` of a column; null has no tokens.

    >>> venue_tokens_series(pl.Series(["Journal of Hands", None])).to_list()
    [['journal', 'hands'], []]
    """
    words = tokens_series(venues).alias("words")
    is_kept = ~pl.element().is_in(sorted(STOP_WORDS))
    kept = words.list.eval(pl.element().filter(is_kept)).alias("kept")
    chosen = pl.when(pl.col("kept").list.len() > 0).then("kept").otherwise("words")
    return pl.DataFrame([words, kept]).select(chosen.alias(venues.name)).to_series()


_PART = re.compile(r"[0-9]+(?:st|nd|rd|th)(?![a-z])|[0-9]+|[a-z]+")
_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = (
    "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ROMAN = (
    "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi",
    "xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx",
)  # fmt: skip
_NUMBERS = (
    {word: number for number, word in enumerate((*_UNITS, *_TEENS), start=1)}
    | {word.removesuffix("y") + "ieth": 10 * number for number, word in enumerate(_TENS, start=2)}
    | {word: number for number, word in enumerate(_ROMAN, start=2) if len(word) > 1}
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
)  # fmt: skip
_NO_NAME = frozenset(("proc", "proceedings", *_MONTHS))


def name_words(text: str, *, numbers: bool) -> list[str]:
    """The words by which a venue string names a venue, stop words among them, in their order.

    Months and "proceedings" are dropped. Numbers (years, volumes, ordinals in figures, words or Roman numerals)
    are dropped too, or kept with `numbers`, as "#" and their last two digits, so that "1988" equals "'88" and
    "Fifth" equals "5th". If no word but stop words is left, all stay.

    >>> name_words("Proceedings of the 25th Symposium on Hands (SOH'94)", numbers=False)
    ['of', 'the', 'symposium', 'on', 'hands', 'soh']
    >>> name_words("Twenty-Fifth Symposium on Hands, 1994", numbers=True)
    ['#25', 'symposium', 'on', 'hands', '#94']
    """
    words = [part for token in tokens(text) for part in _PART.findall(token)]
    kept: list[str] = []
    tens = 0
    for word in words:
        if word in _TENS:
            tens = 20 + 10 * _TENS.index(word)
            continue
        number = _number(word)
        if number is None:
            kept += [] if word in _NO_NAME else [word]
        elif numbers:
            kept.append(f"#{number + tens:02}")
        tens = 0
    return kept if any(word not in STOP_WORDS for word in kept) else words


def _number(word: str) -> int | None:
    """The last two digits of a number in figures, words or Roman numerals; V and X alone are letters."""
    return int(word.rstrip("stndrh")[-2:]) if word[0].isdigit() else _NUMBERS.get(word)
