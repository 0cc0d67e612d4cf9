"""The words of a venue string: lower case, without punctuation and stop words.

This is the preparation of the string baseline STR (merge what is equal after it) and of the venue models. The
stop words are the function words of a few languages and nothing else: "proceedings", "journal" and ordinal
numbers stay, for a model to weigh. Single letters stay too, being parts of acronyms ("A.I.") more often than
articles.
"""

from __future__ import annotations

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
