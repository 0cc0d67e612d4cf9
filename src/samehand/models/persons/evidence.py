"""From author mentions and their references to what is compared: bags of tokens, name forms, years, papers.

| field | tokens |
|---|---|
| coauthors | first initial and last name of each co-author |
| coauthors_full | first and last name of each co-author whose first name is given in full |
| title | words of the title, cut to their stem |
| venue | words of the venue |
| affiliation | words of the affiliation, and keywords |
| (paper) | the paper itself, where several authors of it are in one block: they are not one person |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.models.persons.forms import Forms, name_forms
from samehand.models.persons.layout import EVIDENCE, PAPER, Ints, Longs
from samehand.normalise.name_parts import distinct_parts
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import STOP_WORDS

STEM = 6
"""Words of titles are cut to so many letters: their endings say nothing about a person."""

MOST_COAUTHORS = 50
"""Of a longer list of co-authors, the first so many."""


@dataclass(frozen=True)
class Evidence:
    """All mentions, block after block. Mention m has tokens[starts[m] : starts[m + 1]], ascending, with counts.

    The base measure of a token is its share of its field: `frequency` among `totals[field]` tokens, `distinct[field]` of
    them different.
    """

    starts: Longs
    tokens: Ints
    counts: Ints
    field: Ints  # of each token
    frequency: Longs  # of each token
    totals: Longs  # of each field
    distinct: Longs  # of each field
    year: Ints  # of each mention; 0 if unknown
    forms: Forms


def described(authors: pl.DataFrame, references: pl.DataFrame) -> pl.DataFrame:
    """The mentions with what their references say: title, venue, year, keywords, scope and the whole list of authors."""
    about = references.select("title", "venue", "year", "keywords", "authors", "scope", reference="id")
    return _fuller_names(authors.join(about, on="reference", how="left", maintain_order="left"))


def _fuller_names(authors: pl.DataFrame) -> pl.DataFrame:
    """Tables of author mentions may list an author among his own co-authors, with more of his name: it is
    taken from there."""
    table = authors.with_row_index("row")
    first, middle = pl.col("first"), pl.col("middle")
    alone = table.filter((pl.col("scope") == "author") & (pl.col("initial") != ""))
    listed = _listed(alone).filter(
        (pl.col("listed_last") == pl.col("last"))
        & (
            (pl.col("listed_first") == first)
            | ((first.str.len_chars() == 1) & pl.col("listed_first").str.starts_with(first))
        )
        & pl.col("listed_middle").str.starts_with(middle)
    )
    length = pl.col("listed_first").str.len_chars() + pl.col("listed_middle").str.len_chars()
    fullest = listed.sort(length, descending=True, maintain_order=True).unique("row", keep="first")
    return (
        table.join(
            fullest.select("row", "listed_first", "listed_middle"),
            on="row",
            how="left",
            maintain_order="left",
        )
        .with_columns(
            first=pl.coalesce("listed_first", "first"), middle=pl.coalesce("listed_middle", "middle")
        )
        .drop("row", "listed_first", "listed_middle")
    )


def _listed(mentions: pl.DataFrame) -> pl.DataFrame:
    """One row for each name in the author list of each mention: row, first, middle, last, and the listed name's parts."""
    every = (
        mentions.select("row", "first", "middle", "last", "authors")
        .explode("authors", empty_as_null=True, keep_nulls=True)
        .drop_nulls("authors")
    )
    places, parts = distinct_parts(every["authors"])
    names = parts.select(listed_first="first", listed_middle="middle", listed_last="last")
    return every.drop("authors").hstack(names.select(pl.all().gather(places)))


def evidence(authors: pl.DataFrame) -> Evidence:
    """The evidence of described mentions, which are sorted by block."""
    long = pl.concat(
        [_tokens(extract(authors), field) for field, extract in enumerate(_EXTRACT)]
        + [_shared_papers(authors)]
    )
    words = (
        long.group_by("word")
        .agg(pl.col("field").first(), frequency=pl.len())
        .sort("word")
        .with_row_index("token")
    )
    counted = (
        long.group_by("mention", "word")
        .agg(count=pl.len())
        .join(words.select("word", "token"), on="word")
        .sort("mention", "token")
    )
    by_field = words.group_by("field").agg(pl.col("frequency").sum(), distinct=pl.len())
    totals, distinct = np.zeros((2, EVIDENCE + 1), np.int64)
    totals[by_field["field"].to_numpy()] = by_field["frequency"].to_numpy()
    distinct[by_field["field"].to_numpy()] = by_field["distinct"].to_numpy()
    return Evidence(
        starts=np.searchsorted(counted["mention"].to_numpy(), np.arange(authors.height + 1)).astype(np.int64),
        tokens=counted["token"].to_numpy().astype(np.int32),
        counts=counted["count"].to_numpy().astype(np.int32),
        field=words["field"].to_numpy().astype(np.int32),
        frequency=words["frequency"].to_numpy().astype(np.int64),
        totals=totals,
        distinct=distinct,
        year=authors["year"].fill_null(0).to_numpy().astype(np.int32),
        forms=name_forms(authors),
    )


def _tokens(words: pl.Series, field: int) -> pl.DataFrame:
    """Lists of words, one for each mention, as rows of mention, word (hashed with its field) and field."""
    mention = pl.int_range(words.len(), eager=True, dtype=pl.Int64)
    table = pl.DataFrame({"mention": mention, "word": words.cast(pl.List(pl.String))})
    long = table.explode("word", empty_as_null=True, keep_nulls=True).drop_nulls()
    return long.with_columns(word=pl.col("word").hash(field), field=pl.lit(field, pl.Int32))


def _shared_papers(authors: pl.DataFrame) -> pl.DataFrame:
    """Mentions of one paper in one block whose places or names differ, with the paper as their token.

    A paper is its reference; of lone author mentions it is known by title and list of authors.
    """
    letters = pl.element().str.to_lowercase().str.replace_all("[^a-z]", "")
    alone = pl.concat_str(
        pl.col("title").fill_null("").str.to_lowercase(),
        pl.col("authors").list.eval(letters).list.sort().list.join(";"),
        separator="\n",
    )
    paper = pl.when(pl.col("scope") == "author").then(alone).otherwise("reference")
    table = authors.select("block", "slot", "first", "middle", paper=paper).with_row_index("mention")
    group = table.with_columns(
        mentions=pl.len().over("block", "paper"),
        different=pl.struct("slot", "first", "middle").n_unique().over("block", "paper"),
    ).filter((pl.col("mentions") > 1) & (pl.col("mentions") == pl.col("different")))
    return group.select(
        pl.col("mention").cast(pl.Int64), word=pl.col("paper").hash(PAPER), field=pl.lit(PAPER, pl.Int32)
    )


Extract = Callable[[pl.DataFrame], pl.Series]


def _words(column: str, stem: int | None = None) -> Extract:
    kept = pl.element().filter(~pl.element().is_in(STOP_WORDS) & (pl.element().str.len_bytes() > 1))
    cut = kept if stem is None else kept.str.head(stem)
    return lambda authors: tokens_series(authors[column]).list.eval(cut)


def _coauthors(authors: pl.DataFrame) -> pl.Series:
    return authors["coauthors"].list.head(MOST_COAUTHORS)


def _coauthors_full(authors: pl.DataFrame) -> pl.Series:
    mentions = authors.with_row_index("row")
    is_self = (pl.col("listed_last") == pl.col("last")) & (
        pl.col("listed_first").str.head(1) == pl.col("first").str.head(1)
    )
    full = _listed(mentions).filter((pl.col("listed_first").str.len_chars() > 1) & ~is_self)
    name = pl.concat_str("listed_first", "listed_last", separator=" ")
    lists = full.group_by("row").agg(names=name.head(MOST_COAUTHORS))
    return mentions.select("row").join(lists, on="row", how="left", maintain_order="left")["names"]


def _affiliation(authors: pl.DataFrame) -> pl.Series:
    words = _words("affiliation")(authors)
    return pl.select(pl.concat_list(authors["keywords"].fill_null([]), words.fill_null([]))).to_series()


_EXTRACT: tuple[Extract, ...] = (
    _coauthors, _coauthors_full, _words("title", STEM), _words("venue"), _affiliation,
)  # fmt: skip
