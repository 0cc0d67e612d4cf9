"""From the references to three tables of mentions: papers, authors, venues.

A mention's identifier follows the scope of its reference (records.Scope): in scope `reference` the paper has
the reference's own, author number n has "<reference>/author/<n>" (from 1) and the venue "<reference>/venue";
in scope `author`, `venue` or `citation` the one mention has the reference's own.

No row is touched by Python: names are parsed once per distinct spelling (name_parts.py), the rest is Polars.
"""

from __future__ import annotations

import polars as pl

from samehand.normalise.coauthors import coauthors
from samehand.normalise.name_parts import distinct_parts, name_parts
from samehand.normalise.titles import title_key_series
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import venue_tokens_series

PAPERS = pl.Schema(
    {
        "id": pl.String(),
        "kind": pl.String(),
        "reference": pl.String(),
        "slot": pl.Int32(),
        "name": pl.String(),  # title, else raw text, else citation key, else id
        "scope": pl.String(),  # reference or citation
        "title_tokens": pl.List(pl.String()),  # of the title; of the whole text in scope citation
        "title_key": pl.String(),  # the tokens joined by spaces; "" without a title
        "first_author": pl.String(),  # folded last name of the first author
        "authors_count": pl.Int32(),
        "year": pl.Int32(),
        "type": pl.String(),
        "doi": pl.String(),
        "arxiv": pl.String(),
        "pmid": pl.String(),
        "isbn": pl.String(),
        "volume": pl.String(),
        "pages": pl.String(),
    }
)

AUTHORS = pl.Schema(
    {
        "id": pl.String(),
        "kind": pl.String(),
        "reference": pl.String(),
        "slot": pl.Int32(),
        "name": pl.String(),  # as written, without braces
        "first": pl.String(),  # folded, like the next three (name_parts.py); "j" if only an initial is given
        "middle": pl.String(),
        "last": pl.String(),
        "suffix": pl.String(),
        "initial": pl.String(),  # first letter of `first`
        "literal": pl.Boolean(),  # corporate or undividable
        "block": pl.String(),  # "j smith", "g vanderberg"; "smith" without a first name; "= who" if literal
        "given_block": pl.String(),  # the input's own
        "coauthors": pl.List(pl.String()),  # blocks of the other authors, see coauthors.py
        "orcid": pl.String(),
        "affiliation": pl.String(),
    }
)

VENUES = pl.Schema(
    {
        "id": pl.String(),
        "kind": pl.String(),
        "reference": pl.String(),
        "slot": pl.Int32(),
        "name": pl.String(),  # as written
        "tokens": pl.List(pl.String()),  # see venues.py
        "key": pl.String(),  # the tokens joined by spaces
        "title_key": pl.String(),  # "" without a title
        "year": pl.Int32(),
        "type": pl.String(),
    }
)


def paper_mentions(references: pl.DataFrame) -> pl.DataFrame:
    """One row for each reference of scope `reference` or `citation`, schema `PAPERS`.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="a.bib:x", title="On Hands: Why?", authors=["Ada van Dam"])
    >>> paper_mentions(references_frame([paper])).select("id", "title_key", "first_author").row(0)
    ('a.bib:x', 'on hands why', 'van dam')
    """
    papers = references.filter(pl.col("scope").is_in(["reference", "citation"]))
    is_citation = pl.col("scope") == "citation"
    compared = pl.when(is_citation).then(pl.coalesce(_given("text"), "title")).otherwise("title")
    words = tokens_series(papers.select(compared).to_series())
    name = pl.coalesce(_given("title"), _given("text"), _given("key"), "id")
    first_authors = name_parts(papers["authors"].list.first())["last"].replace("", None)
    return _typed(
        papers.with_columns(
            kind=pl.lit("paper"),
            reference="id",
            slot=0,
            name=name,
            title_tokens=words,
            title_key=words.list.join(" "),
            first_author=first_authors,
            authors_count=pl.col("authors").list.len().fill_null(0),
        ),
        PAPERS,
    )


def author_mentions(references: pl.DataFrame) -> pl.DataFrame:
    """One row for each author of a reference of scope `reference`, one for each of scope `author`.

    Schema `AUTHORS`. An empty place in a list of authors is no mention; a row of scope `author` is one even
    without a name, in a block of its own.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="a.bib:x", authors=["Ada van Dam", "Lee, J. P."])
    >>> author_mentions(references_frame([paper])).select("id", "first", "block", "coauthors").rows()
    [('a.bib:x/author/1', 'ada', 'a vandam', ['j lee']), ('a.bib:x/author/2', 'j', 'j lee', ['a vandam'])]
    """
    slots = _author_slots(references)
    places, parts = distinct_parts(slots["written"])
    others = coauthors(slots.hstack(parts.select(pl.col("first", "key").gather(places))))
    is_mention = slots["focus"].is_null() | (slots["slot"] == slots["focus"])
    mentions = (
        slots.filter(is_mention)
        .hstack(parts.select(pl.all().gather(places.filter(is_mention))))
        .join(others, on=["row", "slot"], how="left", maintain_order="left")
    )
    return _typed(_described(_with_lists(mentions, references), references), AUTHORS)


def _author_slots(references: pl.DataFrame) -> pl.DataFrame:
    """One row for each written name: row of its reference, slot, focus (null in scope reference), written."""
    is_author = pl.col("scope") == "author"
    authors = pl.col("authors").fill_null([])
    is_nameless = is_author & (authors.list.len() == 0)
    return (
        references.with_row_index("row")
        .filter(is_author | (pl.col("scope") == "reference"))
        .select(
            "row",
            focus=pl.when(is_author).then(pl.col("focus").fill_null(0)),
            written=pl.when(is_nameless).then([""]).otherwise(authors),
        )
        .with_columns(slot=pl.int_ranges(pl.col("written").list.len(), dtype=pl.Int32))
        .explode("written", "slot")
        .with_columns(pl.col("written").fill_null("").str.strip_chars())
        .filter((pl.col("written") != "") | (pl.col("slot") == pl.col("focus")))
    )


def _described(mentions: pl.DataFrame, references: pl.DataFrame) -> pl.DataFrame:
    """The mentions with what their references say, identifiers and blocks."""
    is_author = pl.col("focus").is_not_null()
    is_nameless = pl.col("written") == ""
    slot_id = pl.format("{}/author/{}", "reference", pl.col("slot") + 1)
    return mentions.with_columns(
        reference=references["id"].gather(mentions["row"]),
        given_block=references["block"].gather(mentions["row"]),
    ).with_columns(
        id=pl.when(is_author).then("reference").otherwise(slot_id),
        kind=pl.lit("author"),
        name=pl.col("written").str.replace_all("[{}]", "").str.strip_chars(),
        block=pl.when(is_nameless).then(pl.concat_str(pl.lit("= "), "reference")).otherwise("key"),
        coauthors=pl.col("coauthors").fill_null([]),
    )


def _with_lists(mentions: pl.DataFrame, references: pl.DataFrame) -> pl.DataFrame:
    """The mentions with their own entry of the lists that run beside the authors: orcid and affiliation."""
    for name, plural in (("orcid", "orcids"), ("affiliation", "affiliations")):
        entries = (
            references.select(plural)
            .with_row_index("row")
            .filter(pl.col(plural).list.len() > 0)
            .with_columns(slot=pl.int_ranges(pl.col(plural).list.len(), dtype=pl.Int32))
            .explode(plural, "slot")
            .filter(pl.col(plural) != "")
            .rename({plural: name})
        )
        mentions = mentions.join(entries, on=["row", "slot"], how="left", maintain_order="left")
    return mentions


def venue_mentions(references: pl.DataFrame) -> pl.DataFrame:
    """One row for each reference of scope `reference` or `venue` that names a venue, schema `VENUES`.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="a.bib:x", venue="The Journal of Hands", title="Thumbs")
    >>> venue_mentions(references_frame([paper])).select("id", "key", "title_key").row(0)
    ('a.bib:x/venue', 'journal hands', 'thumbs')
    """
    is_venue = pl.col("scope") == "venue"
    named = references.filter((is_venue | (pl.col("scope") == "reference")) & _given("venue").is_not_null())
    words = venue_tokens_series(named["venue"])
    return _typed(
        named.with_columns(
            id=pl.when(is_venue).then("id").otherwise(pl.format("{}/venue", "id")),
            kind=pl.lit("venue"),
            reference="id",
            slot=0,
            name="venue",
            tokens=words,
            key=words.list.join(" "),
            title_key=title_key_series(named["title"]),
        ),
        VENUES,
    )


def _given(column: str) -> pl.Expr:
    """The column, null where it is blank."""
    return pl.when(pl.col(column).str.strip_chars() != "").then(pl.col(column))


def _typed(table: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    return table.select(pl.col(name).cast(dtype) for name, dtype in schema.items())
