"""Tokens in words: evidence knows words by their hashes, so those of a few mentions are taken from the texts again."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from samehand.models.persons.layout import AFFILIATION, COAUTHORS, COAUTHORS_FULL, TITLE, VENUE
from samehand.models.persons.texts import STEM, tokens_of
from samehand.normalise.name_parts import name_parts
from samehand.normalise.tokens import tokens_series


def words_of(mentions: pl.DataFrame, references: pl.DataFrame) -> dict[int, str]:
    """Token (as in a bag's vocabulary) -> word, for all that is said of author mentions in their references.

    Of a stem the commonest word of the titles is given.
    """
    named: dict[int, str] = {}
    for field, words, shown in _said(mentions, references):
        named.update(zip(tokens_of(words, field).tolist(), shown, strict=True))
    return named


def _said(mentions: pl.DataFrame, references: pl.DataFrame) -> Iterator[tuple[int, pl.Series, pl.Series]]:
    """Field, words as they are compared, words as they are shown."""
    people = name_parts(references["authors"].explode().drop_nulls().str.strip_chars().unique())
    yield COAUTHORS, people["key"], people["key"]
    full = people.select(pl.concat_str("first", "last", separator=" ")).to_series()
    yield COAUTHORS_FULL, full, full
    titles = _words(references["title"]).value_counts().sort("count", "word", descending=[False, True])
    yield TITLE, titles["word"].str.head(STEM), titles["word"]
    for field, texts in ((VENUE, references["venue"]), (AFFILIATION, mentions["affiliation"])):
        words = _words(texts)
        yield field, words, words
    keywords = references["keywords"].explode().drop_nulls().cast(pl.String)
    yield AFFILIATION, keywords, keywords


def _words(texts: pl.Series) -> pl.Series:
    return tokens_series(texts).explode().drop_nulls().alias("word")
