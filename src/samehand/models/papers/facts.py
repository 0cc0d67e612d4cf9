"""What a record says, field by field, in the form in which records are compared.

Structured records and parsed citations come as the same table of references. `text` is all a record says: the whole
citation string, or the fields of a structured record one after the other, so that the title of one record can be looked
for in all of the other: a bad parse, or a subtitle in the wrong field, then costs little.
"""

from __future__ import annotations

import polars as pl

from samehand.models.papers.types import PUBLISHED, publication_types
from samehand.normalise.name_parts import name_parts
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import name_words

FACTS = pl.Schema(
    {
        "title": pl.String(),  # its words, joined by spaces
        "main": pl.String(),  # its words before a subtitle, if they are MAIN_WORDS or more; else "-", which is no title
        "text": pl.String(),  # the words of all that is said
        "venue": pl.List(pl.String()),  # words by which the venue is named
        "surnames": pl.List(pl.String()),  # the last word of each, folded
        "year": pl.Int32(),  # 0: not said, like all numbers below
        "pages": pl.Int64(),  # the digits of first and last page joined: OCR drops hyphens
        "first_page": pl.Int64(),
        "volume": pl.Int64(),
        "type": pl.Int32(),  # bits, see types.py
        "doi": pl.String(),
        "arxiv": pl.String(),
        "pmid": pl.String(),
        "origin": pl.String(),  # the collection a record comes from
    }
)

MOST_DIGITS = 15
MAIN_WORDS = 4
_WHOLE = ("title", "byline", "venue", "publisher", "volume", "pages", "year")


def facts_of(references: pl.DataFrame) -> pl.DataFrame:
    """The facts (schema `FACTS`) of each reference, in their order.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, title="On Hands", authors=["Ada Lee"], venue="Proc. of the Hand Conf.", pages="1-9")
    >>> facts_of(references_frame([paper])).select("title", "surnames", "pages", "type").row(0)
    ('on hands', ['lee'], 19, 2)
    """
    said = references.with_columns(
        byline=pl.col("authors").list.join(" "), year=pl.col("year").cast(pl.String)
    )
    fields = said.select(pl.concat_str([pl.col(name) for name in _WHOLE], separator=" ", ignore_nulls=True))
    whole = references["text"].fill_null("")
    text = _words(pl.select(pl.when(whole != "").then(whole).otherwise(fields.to_series())).to_series())
    title = _words(references["title"])
    outside = _outside(references, title, text)
    pages = _digits(references["pages"])
    volume = _digits(references["volume"].str.extract(r"(\d+)"))
    return pl.DataFrame(
        {
            "title": title,
            "main": _main(references["title"]),
            "text": text,
            "venue": _venue_words(references["venue"]),
            "surnames": _surnames(references["authors"]),
            "year": references["year"].fill_null(0),
            "pages": pages,
            "first_page": _digits(references["pages"].str.extract(r"(\d+)")),
            "volume": volume,
            "type": publication_types(
                _given_types(references),
                outside,
                volume > 0,
                _may_be_book(references, outside),
            ),
            "doi": references["doi"],
            "arxiv": references["arxiv"],
            "pmid": references["pmid"],
            "origin": _origin(references),
        },
        schema=FACTS,
    )


def _main(titles: pl.Series) -> pl.Series:
    """The words of each title before its subtitle."""
    words = tokens_series(titles.str.extract(r"^(.*?)(?::| [-–—] )"))
    table = pl.DataFrame({"words": words})
    enough = pl.col("words").list.len() >= MAIN_WORDS
    return table.select(
        pl.when(enough).then(pl.col("words").list.join(" ")).otherwise(pl.lit("-"))
    ).to_series()


def _words(texts: pl.Series) -> pl.Series:
    return tokens_series(texts).list.join(" ")


def _outside(references: pl.DataFrame, title: pl.Series, text: pl.Series) -> pl.Series:
    """What a record says besides its title and authors, where cues of its type are looked for: venue and publisher, and
    of a raw citation what follows the title."""
    named = references.select(
        pl.concat_str("venue", "publisher", separator=" ", ignore_nulls=True)
    ).to_series()
    after = [
        whole.partition(part)[2] if part and part in whole else whole
        for whole, part in zip(text, title, strict=True)
    ]
    raw = references["text"].fill_null("") != ""
    # In a venue "J." is a journal; in a citation it is more often somebody's initial.
    journals = _words(named).str.replace_all(r"\bj\b", "journal")
    table = pl.DataFrame({"raw": raw, "after": after, "named": journals})
    return table.select(pl.when("raw").then("after").otherwise("named").str.strip_chars()).to_series()


def _given_types(references: pl.DataFrame) -> pl.Series:
    """The types that records give; what a parser made of a raw citation is not given: its cues are looked at here."""
    said = pl.when(pl.col("text").fill_null("") == "").then("type")
    return references.select(said.alias("type")).to_series()


def _may_be_book(references: pl.DataFrame, outside: pl.Series) -> pl.Series:
    """Whether a raw citation names a publisher and no venue; structured records often lack a venue for no reason."""
    raw = references["text"].fill_null("") != ""
    no_venue = references["publisher"].is_not_null() & references["venue"].is_null()
    return raw & (no_venue | outside.str.contains(PUBLISHED))


def _digits(texts: pl.Series) -> pl.Series:
    digits = texts.str.replace_all(r"\D", "").str.head(MOST_DIGITS)
    return digits.replace("", None).cast(pl.Int64, strict=False).fill_null(0)


def _venue_words(venues: pl.Series) -> pl.Series:
    """Each distinct venue string once: months, numbers and "proceedings" say nothing about which venue it is."""
    distinct = venues.drop_nulls().unique()
    words = pl.Series([name_words(venue, numbers=False) for venue in distinct], dtype=pl.List(pl.String))
    table = pl.DataFrame({"venue": distinct, "words": words})
    joined = venues.alias("venue").to_frame().join(table, on="venue", how="left", maintain_order="left")
    return joined["words"].fill_null([])


def _surnames(authors: pl.Series) -> pl.Series:
    """Folded last names of each record's authors, in their order."""
    table = authors.alias("name").to_frame().with_row_index("row")
    long = table.explode("name", empty_as_null=True, keep_nulls=True).drop_nulls()
    last = name_parts(long["name"])["last"].str.extract(r"([a-z0-9]+)$")
    grouped = (
        long.select("row", last=last)
        .filter(pl.col("last") != "")
        .group_by("row", maintain_order=True)
        .agg("last")
    )
    return (
        table.select("row").join(grouped, on="row", how="left", maintain_order="left")["last"].fill_null([])
    )


def _origin(references: pl.DataFrame) -> pl.Series:
    """The collection a record names as its source, else the file it stands in."""
    named = references["fields"].str.json_path_match("$.source")
    return references.select(pl.coalesce(named, "source")).to_series()
