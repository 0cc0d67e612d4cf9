"""What two titles must share to be called equal.

The key of a title is its tokens (see tokens.py) joined by spaces: case, accents, punctuation and the mark
between title and subtitle are gone, both halves stay, and so does a leading article, because "The Art of X"
and "Art of X" may be two works; a model that wants to forgive it sees it as one token of difference.
"""

from __future__ import annotations

import polars as pl

from samehand.normalise.tokens import tokens, tokens_series


def title_key(text: str) -> str:
    """The tokens of a title joined by spaces.

    >>> title_key("On Hands: A Survey.")
    'on hands a survey'
    """
    return " ".join(tokens(text))


def title_key_series(titles: pl.Series) -> pl.Series:
    """`title_key` of a column; null has the empty key.

    >>> title_key_series(pl.Series(["On Hands!", None])).to_list()
    ['on hands', '']
    """
    return tokens_series(titles).list.join(" ")
