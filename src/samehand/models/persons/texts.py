"""Texts as tokens: each distinct text, and in it each distinct word, is looked at once.

A token is 61 bits of a word's hash above 3 bits that say its field: tokens of different fields are different, and a
token knows its field.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.models.persons.layout import Hashes, Ints, Longs
from samehand.normalise.coded import coded
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import STOP_WORDS

STEM = 6
"""Words of titles are cut to so many letters: their endings say nothing about a person."""

FIELD_BITS = np.uint64(3)
FIELD_MASK = np.uint64(7)


class Texts(NamedTuple):
    """Row r has the text of[r], whose tokens are tokens[starts[text] : starts[text + 1]]."""

    of: Ints
    starts: Longs
    tokens: Hashes


def tokens_of(words: pl.Series, field: int) -> Hashes:
    """The token of each word in a field.

    >>> int(tokens_of(pl.Series(["hands"]), 2)[0] & FIELD_MASK)
    2
    """
    return np.asarray((words.hash(field).to_numpy() << FIELD_BITS) | np.uint64(field))


def fields_of(tokens: Hashes) -> Ints:
    """The field of each token."""
    return np.asarray((tokens & FIELD_MASK).astype(np.int32))


def text_tokens(column: pl.Series, field: int, stem: int | None = None) -> Texts:
    """The tokens of a column of texts: words that say something, cut to `stem` letters if that is given.

    >>> texts = text_tokens(pl.Series(["On Hands", None, "Hands"]), 2)
    >>> texts.of.tolist(), texts.starts.tolist(), bool(texts.tokens[0] == texts.tokens[1])
    ([0, 1, 2], [0, 1, 1, 2], True)
    """
    of, texts = coded(column)
    lists = tokens_series(texts)
    codes, words = coded(lists.explode(empty_as_null=False, keep_nulls=False))
    said = (~words.is_in(STOP_WORDS) & (words.str.len_bytes() > 1)).to_numpy()
    kept = words if stem is None else words.str.head(stem)
    return Texts(of, *_chosen(lists.list.len().to_numpy(), said[codes], tokens_of(kept, field)[codes]))


def listed_tokens(lists: pl.Series, field: int) -> Texts:
    """The tokens of a column of lists of keywords, each keyword a word."""
    lists = lists.fill_null([])
    words = lists.explode(empty_as_null=False, keep_nulls=False).cast(pl.String)
    every = np.ones(words.len(), np.bool_)
    chosen = _chosen(lists.list.len().to_numpy(), every, tokens_of(words, field))
    return Texts(np.arange(lists.len(), dtype=np.int32), *chosen)


def _chosen(lengths: Longs, kept: object, tokens: Hashes) -> tuple[Longs, Hashes]:
    """The kept tokens of lists that have these lengths, and where each list begins."""
    kept = np.asarray(kept, np.bool_)
    before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths.astype(np.int64))]).astype(np.int64)
    return before[ends], tokens[kept]
