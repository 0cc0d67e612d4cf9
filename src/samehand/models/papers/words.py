"""Slips of the pen: words run together, and rare words that are one edit away from a commoner word of the collection.

A word that another record writes as two neighbouring words is read as these ("multiagent" beside "multi agent").

A word of MIN_LETTERS letters or more that stands in few records and differs by one letter from a word that stands in
clearly more of them is read as that word ("articial" beside "artificial"). Only one step is taken, never a chain.
"""

from __future__ import annotations

import polars as pl
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

MIN_LETTERS = 6
COMMONER = 3
"""A correct word stands in so many times as many records as the slip."""


def corrections(words: pl.Series) -> pl.DataFrame:
    """`word`, `read`: how to read the slips among the words of a column of word lists.

    >>> corrections(pl.Series([["artificial"], ["artificial"], ["artificial"], ["articial"], ["artifical"]])).rows()
    [('artifical', 'artificial')]
    """
    table = (
        words.alias("word")
        .to_frame()
        .with_row_index("row")
        .explode("word", empty_as_null=True, keep_nulls=True)
        .filter(pl.col("word").str.contains(rf"^[a-z]{{{MIN_LETTERS},}}$"))
        .group_by("word")
        .agg(records=pl.col("row").n_unique())
        .sort("word")
    )
    variants = _with_one_letter_less(table)
    pairs = (
        variants.join(variants, on="variant", suffix="_right")
        .filter(pl.col("records_right") >= COMMONER * pl.col("records"))
        .unique(["word", "word_right"])
        .sort("word", "word_right")
    )
    edits = process.cpdist(
        pairs["word"].to_list(), pairs["word_right"].to_list(), scorer=Levenshtein.distance
    )
    return (
        pairs.filter(pl.Series(edits, dtype=pl.Int64) == 1)
        .sort("records_right", "word_right", descending=[True, False])
        .unique("word", keep="first", maintain_order=True)
        .select("word", read="word_right")
        .sort("word")
    )


def _with_one_letter_less(table: pl.DataFrame) -> pl.DataFrame:
    """Each word under every string that lacks one of its letters, and under itself: words one edit apart share one."""
    longest = int(table["word"].str.len_chars().max() or 0)  # type: ignore[arg-type]
    lengths = pl.col("word").str.len_chars()
    shorter = [
        table.filter(lengths > place).with_columns(
            variant=pl.col("word").str.head(place) + pl.col("word").str.slice(place + 1)
        )
        for place in range(longest)
    ]
    return pl.concat([table.with_columns(variant="word"), *shorter]).unique(["word", "variant"])


def read_slips(words: pl.Series, slips: pl.DataFrame) -> pl.Series:
    """The word lists with slips read as what they stand for.

    >>> slips = pl.DataFrame({"word": ["artifical"], "read": ["artificial"]})
    >>> read_slips(pl.Series([["artifical", "hand"]]), slips).to_list()
    [['artificial', 'hand']]
    """
    return words.list.eval(pl.element().replace(slips["word"], slips["read"])).list.join(" ").str.split(" ")


def run_together(words: pl.Series) -> pl.DataFrame:
    """`word`, `read`: the words of a column of word lists that are two neighbouring words of other lists, run together.

    >>> run_together(pl.Series([["multiagent", "play"], ["on", "multi", "agent", "play"]])).rows()
    [('multiagent', 'multi agent')]
    """
    long = (
        words.alias("word")
        .to_frame()
        .with_row_index("row")
        .explode("word", empty_as_null=True, keep_nulls=True)
        .with_columns(following=pl.col("word").shift(-1).over("row"))
    )
    vocabulary = long.select(pl.col("word").unique()).filter(
        pl.col("word").str.contains(rf"^[a-z]{{{MIN_LETTERS},}}$")
    )
    return (
        long.drop_nulls()
        .group_by("word", "following")
        .len()
        .select(
            "len", word=pl.col("word") + pl.col("following"), read=pl.col("word") + " " + pl.col("following")
        )
        .join(vocabulary, on="word", how="semi")
        .sort("len", "read", descending=[True, False])
        .unique("word", keep="first", maintain_order=True)
        .select("word", "read")
        .sort("word")
    )
