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

from samehand.kernels import kernel
from samehand.models.persons.forms import Forms, name_forms
from samehand.models.persons.layout import COAUTHORS, EVIDENCE, PAPER, Ints, Longs
from samehand.normalise.name_parts import distinct_parts
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import STOP_WORDS

STEM = 6
"""Words of titles are cut to so many letters: their endings say nothing about a person."""

MOST_COAUTHORS = 50
"""Of a longer list of co-authors, the first so many."""


WORLD = np.array([10_000, 10_000, 0, 0, 0, 0])
"""Tokens of each field; a library that has fewer is taken for a part of one that has so many. People are drawn from a
large world: that two papers of a short list have a co-author in common means no less than in a long one. Words of titles
and venues are those of the library's own subjects."""

SHORTEST_RARE = 6
"""Letters of a last name; a shorter one is seldom rare."""


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
    totals: Longs  # of each field, at least WORLD
    distinct: Longs  # of each field
    year: Ints  # of each mention; 0 if unknown
    paper: Ints  # of each mention, papers numbered from 0
    rare: Ints  # tokens of co-authors whose last name stands with one initial only, ascending
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
    papers = _papers(authors)
    long = pl.concat(
        [_tokens(extract(authors), field) for field, extract in enumerate(EXTRACTORS)]
        + [_shared_papers(authors, papers)]
    )
    mention, field = long["mention"].to_numpy(), long["field"].to_numpy()
    hashes, token = np.unique(long["word"].to_numpy(), return_inverse=True)
    fields = np.zeros(len(hashes), np.int32)
    fields[token] = field
    order = np.argsort(mention, kind="stable")
    begins = np.searchsorted(mention[order], np.arange(authors.height + 1))
    starts, tokens, counts = count_tokens(begins, token[order].astype(np.int32))
    rare = np.searchsorted(hashes, _rare_coauthors(authors)["word"].sort().to_numpy())
    return Evidence(
        starts=starts,
        tokens=tokens,
        counts=counts,
        field=fields,
        frequency=np.bincount(token, minlength=len(hashes)),
        totals=np.maximum(np.bincount(field, minlength=EVIDENCE + 1), WORLD),
        distinct=np.bincount(fields, minlength=EVIDENCE + 1),
        year=authors["year"].fill_null(0).to_numpy().astype(np.int32),
        paper=papers.rank("dense").to_numpy().astype(np.int32) - 1,
        rare=rare.astype(np.int32),
        forms=name_forms(authors),
    )


@kernel
def count_tokens(begins: Longs, tokens: Ints) -> tuple[Longs, Ints, Ints]:
    """Each mention's tokens once, ascending, with their counts; mention m has those from begins[m] to begins[m + 1].

    >>> [each.tolist() for each in count_tokens(np.array([0, 3, 4]), np.array([5, 2, 5, 1], np.int32))]
    [[0, 2, 3], [2, 5, 1], [1, 2, 1]]
    """
    mentions, used = begins.shape[0] - 1, 0
    starts = np.zeros(mentions + 1, np.int64)
    distinct, counts = np.empty_like(tokens), np.empty_like(tokens)
    for mention in range(mentions):
        for token in np.sort(tokens[begins[mention] : begins[mention + 1]]):
            if used > starts[mention] and distinct[used - 1] == token:
                counts[used - 1] += 1
            else:
                distinct[used], counts[used] = token, 1
                used += 1
        starts[mention + 1] = used
    return starts, distinct[:used].copy(), counts[:used].copy()


def _tokens(words: pl.Series, field: int) -> pl.DataFrame:
    """Lists of words, one for each mention, as rows of mention, word (hashed with its field) and field."""
    mention = pl.int_range(words.len(), eager=True, dtype=pl.Int64)
    table = pl.DataFrame({"mention": mention, "word": words.cast(pl.List(pl.String))})
    long = table.explode("word", empty_as_null=True, keep_nulls=True).drop_nulls()
    return long.with_columns(word=pl.col("word").hash(field), field=pl.lit(field, pl.Int32))


def _papers(authors: pl.DataFrame) -> pl.Series:
    """Each mention's paper, hashed: its reference; of lone author mentions it is known by title and list of authors."""
    letters = pl.element().str.to_lowercase().str.replace_all("[^a-z]", "")
    alone = pl.concat_str(
        pl.col("title").fill_null("").str.to_lowercase(),
        pl.col("authors").list.eval(letters).list.sort().list.join(";"),
        separator="\n",
    )
    paper = pl.when(pl.col("scope") == "author").then(alone).otherwise("reference")
    return authors.select(paper.hash(PAPER)).to_series()


def _shared_papers(authors: pl.DataFrame, papers: pl.Series) -> pl.DataFrame:
    """Mentions of one paper in one block whose places or names differ, with the paper as their token."""
    table = authors.select("block", "slot", "first", "middle", paper=papers).with_row_index("mention")
    several = table.with_columns(
        mentions=pl.len().over("block", "paper"),
    ).filter(pl.col("mentions") > 1)
    group = several.with_columns(
        different=pl.struct("slot", "first", "middle").n_unique().over("block", "paper")
    ).filter(pl.col("mentions") == pl.col("different"))
    return group.select(pl.col("mention").cast(pl.Int64), word="paper", field=pl.lit(PAPER, pl.Int32))


def _rare_coauthors(authors: pl.DataFrame) -> pl.DataFrame:
    """The words (hashed, as in `_tokens`) of co-authors whose last name is long and stands with one initial only."""
    names = _coauthors(authors).explode().drop_nulls().unique().alias("name").to_frame()
    parted = names.with_columns(last=pl.col("name").str.slice(2)).filter(
        (pl.col("name").str.slice(1, 1) == " ") & (pl.col("last").str.len_chars() >= SHORTEST_RARE)
    )
    alone = parted.filter(pl.len().over("last") == 1)
    return alone.select(word=pl.col("name").hash(COAUTHORS))


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


EXTRACTORS: tuple[Extract, ...] = (
    _coauthors, _coauthors_full, _words("title", STEM), _words("venue"), _affiliation,
)  # fmt: skip
