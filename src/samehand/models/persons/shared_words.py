"""The words behind tokens: evidence keeps numbers only, so the words of a few mentions are extracted again."""

from __future__ import annotations

import polars as pl

from samehand.models.persons.evidence import EXTRACTORS, STEM, Evidence
from samehand.models.persons.layout import TITLE, Longs
from samehand.normalise.tokens import tokens_series


def words_of(authors: pl.DataFrame, positions: Longs, found: Evidence) -> dict[int, str]:
    """Token -> word, for all tokens of described mentions; row i of `authors` is mention positions[i] of the evidence.

    Tokens are numbered in the order of the words' hashes (evidence.py), so the tokens of a mention in one field,
    ascending, are its distinct words in the order of theirs.
    """
    named: dict[int, str] = {}
    for field, extract in enumerate(EXTRACTORS):
        whole = _whole_words(authors) if field == TITLE else {}
        for row, words in _by_hash(extract(authors), field).iter_rows():
            begin, end = found.starts[positions[row]], found.starts[positions[row] + 1]
            tokens = found.tokens[begin:end]
            own = tokens[found.field[tokens] == field]
            named.update(zip(own.tolist(), [whole.get(word, word) for word in words], strict=True))
    return named


def _by_hash(words: pl.Series, field: int) -> pl.DataFrame:
    """Rows and their distinct words, in the order of the hashes that number the tokens."""
    table = words.cast(pl.List(pl.String)).alias("word").to_frame().with_row_index("row")
    long = table.explode("word", empty_as_null=True, keep_nulls=True).drop_nulls().unique()
    ordered = long.sort("row", pl.col("word").hash(field))
    return ordered.group_by("row", maintain_order=True).agg("word")


def _whole_words(authors: pl.DataFrame) -> dict[str, str]:
    """The commonest word of the titles for each stem."""
    words = tokens_series(authors["title"]).explode().drop_nulls().alias("word")
    counts = words.value_counts().sort("count", "word", descending=[True, False])
    stems = counts.unique(pl.col("word").str.head(STEM), keep="first", maintain_order=True)
    return dict(stems.select(pl.col("word").str.head(STEM).alias("stem"), "word").iter_rows())
