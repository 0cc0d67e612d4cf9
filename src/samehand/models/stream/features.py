"""What a record says, as words: the columns that every method of the stream reads.

| column | tokens | read by |
|---|---|---|
| coauthor_names | co-authors with the first names as written, "irving l traiger" | all |
| coauthors | first initial and last name of each, "i traiger" | evidence |
| title_words | words of the title, without stop words, numbers and single letters | the published features |
| title_stems | the same without their endings | evidence |
| venue | the venue as one token | the published features |
| venue_words | words of the venue, without stop words and numbers | evidence |
| affiliation_words | words of the affiliation | evidence |
| given_name | first and middle names, folded: one text, not a list | given_names.py |

A token stands once in a record, however often it is written: the features are binary (section 4.1).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.models.stream.factors import Binary
from samehand.models.topics.lda import STOP_WORDS
from samehand.normalise.name_parts import distinct_parts
from samehand.normalise.tokens import tokens_series

PUBLISHED = ("coauthor_names", "title_words", "venue")
"""The columns whose tokens are the paper's binary features."""

ENDING = r"^(.{4,}?)(?:ations?|ings?|ies|es|ed|s|ly)$"


def stream_records(blocked: Blocked) -> pl.DataFrame:
    """One row for each author mention, in time order within its block: id, block, year, and what is above.

    Records of one year are in the order of their identifiers; a record without a year comes first.
    """
    authors = blocked.mentions.select(
        "id", "block", "reference", "slot", "first", "middle", "coauthors", "affiliation"
    )
    said = blocked.references.select("title", "venue", "year", "authors", reference="id")
    table = authors.join(said, on="reference", how="left", maintain_order="left")
    words = _kept(tokens_series(table["title"]))
    venue = tokens_series(table["venue"].str.replace_all(r"\([^)]*\)", " "))
    whole = venue.list.eval(pl.element().filter(~_is_number())).list.join(" ").replace("", None)
    return (
        table.select(
            "id",
            "block",
            "year",
            pl.col("coauthors").fill_null([]),
            given_name=pl.concat_str("first", "middle", separator=" ").str.strip_chars(),
            coauthor_names=_coauthor_names(table),
            title_words=words,
            title_stems=words.list.eval(pl.element().str.replace(ENDING, "${1}")),
            venue=pl.select(pl.concat_list(whole).list.drop_nulls()).to_series(),
            venue_words=_kept(tokens_series(table["venue"]), shortest=1),
            affiliation_words=_kept(tokens_series(table["affiliation"])),
        )
        .with_columns(pl.selectors.by_dtype(pl.List(pl.String)).list.unique().list.sort())
        .sort("block", "year", "id", nulls_last=False)
    )


def _is_number() -> pl.Expr:
    return pl.element().str.contains("^[0-9]+$")


def _kept(words: pl.Series, shortest: int = 2) -> pl.Series:
    """The words that are neither stop words nor numbers nor too short."""
    is_stop = pl.element().is_in(sorted(STOP_WORDS))
    return words.list.eval(
        pl.element().filter(~is_stop & ~_is_number() & (pl.element().str.len_bytes() >= shortest))
    )


def _coauthor_names(table: pl.DataFrame) -> pl.Series:
    """First, middle and last names of all other authors of the reference, but for the mention's own name."""
    written = (
        table.select("slot", written="authors")
        .with_row_index("row")
        .with_columns(place=pl.int_ranges(pl.col("written").list.len(), dtype=pl.Int32))
        .explode("written", "place")
    )
    names = written.with_columns(name=_full_names(written["written"]))
    own = names.filter(pl.col("place") == pl.col("slot")).select("row", own="name")
    others = (
        names.filter((pl.col("place") != pl.col("slot")) & (pl.col("name") != ""))
        .join(own, on="row", how="left", maintain_order="left")
        .filter(pl.col("name") != pl.col("own").fill_null(""))
    )
    rows = pl.DataFrame({"row": pl.int_range(table.height, dtype=pl.UInt32, eager=True)})
    found = others.group_by("row").agg("name")
    return rows.join(found, on="row", how="left", maintain_order="left")["name"].fill_null([])


def _full_names(written: pl.Series) -> pl.Series:
    """Names as "first middle last", folded; a hyphen is a space, and a null name is empty."""
    places, parts = distinct_parts(written)
    full = pl.concat_str("first", "middle", "last", separator=" ").str.replace_all("[ -]+", " ")
    return parts.select(full.str.strip_chars()).to_series().gather(places).fill_null("")


def binary_features(records: pl.DataFrame, columns: tuple[str, ...] = PUBLISHED) -> Binary:
    """The records as a sparse binary matrix: one feature for each token of each of these columns.

    >>> records = pl.DataFrame({"title_words": [["thumb"], ["hand", "thumb"]], "venue": [["joh"], []]})
    >>> matrix = binary_features(records, ("title_words", "venue"))
    >>> matrix.width, matrix.starts.tolist(), matrix.features.tolist()
    (3, [0, 2, 4], [1, 2, 0, 1])
    """
    long = pl.concat(
        records.select(
            row=pl.int_range(records.height), column=pl.lit(number, pl.Int32), token=pl.col(column)
        ).explode("token")
        for number, column in enumerate(columns)
    ).drop_nulls("token")
    numbered = long.with_columns(feature=pl.struct("column", "token").rank("dense").cast(pl.Int64) - 1).sort(
        "row", "feature"
    )
    features = numbered["feature"].to_numpy().astype(np.int64)
    starts = np.searchsorted(numbered["row"].to_numpy(), np.arange(records.height + 1)).astype(np.int64)
    return Binary(starts, features, int(features.max()) + 1 if len(features) else 0)
