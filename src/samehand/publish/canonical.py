"""Canonical records: one row per paper, author and venue, chosen from what the references say.

A field is chosen by vote among the references of an entity; ties go to the fuller, better spelt value. What
belongs to one version of a paper (volume, number, pages, publisher, ISBN) is taken only from references that
do not contradict the chosen venue and year, so that the pages of a preprint never stand under a journal.
"""

from __future__ import annotations

import polars as pl

from samehand.publish.ballots import byline_references, of_kind, paper_ballots, rank_references
from samehand.publish.citation_keys import keys_of_ranked
from samehand.publish.names import name_forms
from samehand.publish.vote import spelling_key, tally, vote
from samehand.store.schema import WORKS

PAPERS = pl.Schema(
    {
        "entity": pl.String(),
        "title": pl.String(),
        "authors": pl.List(pl.String),  # canonical names of `author_entities`, in order
        "author_entities": pl.List(pl.String),
        "editors": pl.List(pl.String),  # as written
        "year": pl.Int32(),
        "venue": pl.String(),  # canonical name of `venue_entity`
        "venue_entity": pl.String(),
        "type": pl.String(),
        "doi": pl.String(),
        "arxiv": pl.String(),
        "pmid": pl.String(),
        "isbn": pl.String(),
        "volume": pl.String(),
        "number": pl.String(),
        "pages": pl.String(),
        "publisher": pl.String(),
        "url": pl.String(),
        "key": pl.String(),  # its citation key in clean.bib: unique
        "references": pl.List(pl.String),
        "mentions": pl.UInt32(),
        "variants": pl.UInt32(),  # distinct titles
        "work": pl.String(),  # the paper that stands for all versions of the work, itself if there is no other
    }
)

AUTHORS = pl.Schema(
    {
        "entity": pl.String(),
        "name": pl.String(),  # "First Middle von Last, Jr"
        "sort_name": pl.String(),  # "von Last, Jr, First Middle"; a body that is no person in braces
        "variants": pl.List(pl.String),  # "name (count)", the most frequent first
        "mentions": pl.UInt32(),
        "papers": pl.UInt32(),  # distinct papers, or references where papers are not resolved
        "first_year": pl.Int32(),
        "last_year": pl.Int32(),
        "coauthors": pl.List(pl.String),  # the ten most frequent
        "venues": pl.List(pl.String),  # the five most frequent
        "orcid": pl.String(),
    }
)

VENUES = pl.Schema(
    {
        "entity": pl.String(),
        "name": pl.String(),
        "variants": pl.List(pl.String),  # "name (count)", the most frequent first
        "mentions": pl.UInt32(),
        "papers": pl.UInt32(),
        "first_year": pl.Int32(),
        "last_year": pl.Int32(),
    }
)

COAUTHORS_SHOWN = 10
VENUES_SHOWN = 5
VARIANTS_SHOWN = 100
LONGEST_BYLINE = 100
"""Papers with more authors do not count towards anybody's co-authors: pairs grow with the square."""

NEAR_TIE = 0.5
"""A venue name written this often, relative to the most frequent one, may win by being unabbreviated."""

_SHOUTING = r"^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$"
_ABBREVIATED = r"\p{L}\.|^\S+$"


def papers(
    references: pl.DataFrame, mentions: pl.DataFrame, works: pl.DataFrame | None = None
) -> pl.DataFrame:
    """One row per paper, schema `PAPERS`, in the order of the first reference; `works` has schema `store.schema.WORKS`.

    >>> from samehand.publish.example import mentions, references
    >>> papers(references(), mentions()).select("title", "year", "pages").row(0)
    ('On Hands', 2001, '1-9')
    """
    ballots = paper_ballots(references, mentions)
    names = venue_names(mentions).rename({"entity": "venue_entity", "name": "venue"})
    result = ballots.group_by("entity", maintain_order=True).agg(
        pl.col("reference").alias("references"),
        pl.len().alias("mentions"),
        pl.col("title").drop_nulls().n_unique().alias("variants"),
    )
    result = _joined(
        result,
        _paper_authors(ballots, mentions, author_names(references, mentions)),
        _best_editors(ballots),
        _paper_keys(ballots),
        *_elected(ballots),
    ).join(names, on="venue_entity", how="left", maintain_order="left")
    versions = WORKS.to_frame() if works is None else works
    result = result.join(versions, on="entity", how="left", maintain_order="left")
    return _conformed(result.with_columns(work=pl.coalesce("work", "entity")), PAPERS)


def authors(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """One row per author, schema `AUTHORS`, in the order of the first mention.

    >>> from samehand.publish.example import mentions, references
    >>> authors(references(), mentions()).select("name", "mentions").row(0)
    ('Ada Lovelace', 2)
    """
    slots = author_slots(references, mentions)
    names = _elect_names(slots)
    orcids = _slot_values(references, "orcids").rename({"orcids": "orcid"})
    with_orcid = slots.join(orcids, on=["reference", "slot"], how="left").filter(pl.col("orcid") != "")
    venues_of = tally(_with_venue(slots, references, mentions), "venue", VENUES_SHOWN, counts=False)
    result = _joined(
        _counted(slots, references, mentions),
        names,
        tally(slots.rename({"form": "variants"}), "variants", VARIANTS_SHOWN, counts=True),
        _coauthors(references, slots, names),
        venues_of.rename({"venue": "venues"}),
        vote(with_orcid, "orcid"),
    )
    return _conformed(result, AUTHORS)


def venues(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """One row per venue, schema `VENUES`, in the order of the first mention.

    >>> from samehand.publish.example import mentions, references
    >>> venues(references(), mentions()).select("name", "papers").row(0)
    ('Journal of Hands', 1)
    """
    slots = of_kind(mentions, "venue")
    variants = tally(slots.rename({"name": "variants"}), "variants", VARIANTS_SHOWN, counts=True)
    result = _joined(_counted(slots, references, mentions), venue_names(mentions), variants)
    return _conformed(result, VENUES)


def venue_names(mentions: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `name`: the most frequent name of each venue; on a near tie, one that is not abbreviated.

    >>> from samehand.publish.example import mentions
    >>> venue_names(mentions())["name"].to_list()
    ['Journal of Hands']
    """
    slots = of_kind(mentions, "venue").with_columns(
        pl.col("name").str.contains(_ABBREVIATED).not_().alias("plain"),
        pl.len().over("entity", "name").alias("times"),
    )
    close = slots.filter(pl.col("times") >= NEAR_TIE * pl.col("times").max().over("entity"))
    any_plain = pl.col("plain").any().over("entity")
    return vote(close.filter(pl.col("plain") | ~any_plain), "name")


def author_names(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `name`, `sort_name` of each author: full first names before initials, then the most frequent.

    >>> from samehand.publish.example import mentions, references
    >>> author_names(references(), mentions()).row(0)
    ('aada', 'Ada Lovelace', 'Lovelace, Ada')
    """
    return _elect_names(author_slots(references, mentions))


def _joined(result: pl.DataFrame, *parts: pl.DataFrame) -> pl.DataFrame:
    for part in parts:
        result = result.join(part, on="entity", how="left", maintain_order="left")
    return result


def _conformed(result: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """The columns of the schema, in its types; a missing list is an empty one."""
    empty = pl.lit([], dtype=pl.List(pl.String))
    return result.select(
        pl.col(name).fill_null(empty) if isinstance(dtype, pl.List) else pl.col(name).cast(dtype)
        for name, dtype in schema.items()
    )


def _elected(ballots: pl.DataFrame) -> list[pl.DataFrame]:
    """The single fields; which references may vote on a field depends on the field."""
    agreeing = ballots.filter("agrees")
    volumes = vote(agreeing, "volume", weight=("richness",)).rename({"volume": "_volume"})
    same_issue = agreeing.join(volumes, on="entity", how="left").filter(
        (pl.col("volume") == pl.col("_volume")).fill_null(True)
    )
    version = ("venue_entity", "year", "type", "volume", "publisher", "isbn")
    return [
        _elect_titles(ballots),
        *(_first_said(agreeing, ballots, name) for name in ("doi", "url", "pmid", "arxiv")),
        *(vote(agreeing, name, weight=("richness",)) for name in version),
        *(vote(same_issue, name, weight=("richness",)) for name in ("number", "pages")),
    ]


def _best_editors(ballots: pl.DataFrame) -> pl.DataFrame:
    edited = ballots.filter(pl.col("agrees") & (pl.col("editors").list.len() > 0))
    return (
        rank_references(edited)
        .unique("entity", keep="first", maintain_order=True)
        .select("entity", "editors")
    )


def _paper_keys(ballots: pl.DataFrame) -> pl.DataFrame:
    key_map = keys_of_ranked(rank_references(ballots))
    return key_map.select("entity", pl.col("new_key").alias("key")).unique("entity")


def _first_said(agreeing: pl.DataFrame, ballots: pl.DataFrame, name: str) -> pl.DataFrame:
    """An identifier of the chosen version, else one of any version."""
    any_version = vote(ballots, name, weight=("richness",))
    chosen = vote(agreeing, name, weight=("richness",))
    return pl.concat([chosen, any_version.join(chosen, on="entity", how="anti")])


def _elect_titles(ballots: pl.DataFrame) -> pl.DataFrame:
    """Titles equal but for case, accents and punctuation vote together; capitals throughout lose.

    A paper known only by raw citations is titled by one of them.
    """
    titled = ballots.with_columns(
        spelling_key(ballots["title"]).alias("title_key"),
        pl.col("title").str.contains(_SHOUTING).not_().alias("calm"),
    )
    titles = vote(titled, "title", key="title_key", looks=("calm",), weight=("richness",))
    texts = vote(ballots, "text").rename({"text": "title"})
    return pl.concat([titles, texts.join(titles, on="entity", how="anti")])


def _paper_authors(ballots: pl.DataFrame, mentions: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `authors`, `author_entities`: the byline of `byline_references`, in canonical names."""
    chosen = byline_references(ballots).select("entity", "reference")
    slots = of_kind(mentions, "author").select("reference", "slot", pl.col("entity").alias("author_entity"))
    return (
        chosen.join(slots, on="reference", how="inner")
        .join(names.rename({"entity": "author_entity"}), on="author_entity", how="left")
        .sort("entity", "slot")
        .group_by("entity", maintain_order=True)
        .agg(pl.col("name").alias("authors"), pl.col("author_entity").alias("author_entities"))
    )


def _slot_values(references: pl.DataFrame, column: str) -> pl.DataFrame:
    """`reference`, `slot`, and the element of a list column at that slot."""
    exploded = references.select(pl.col("id").alias("reference"), column).filter(
        pl.col(column).list.len() > 0
    )
    return (
        exploded.with_columns(pl.int_ranges(0, pl.col(column).list.len(), dtype=pl.Int32).alias("slot"))
        .explode(column, "slot")
        .select("reference", "slot", column)
    )


def author_slots(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """The author mentions with the forms of their names (see `names.FORMS`).

    >>> from samehand.publish.example import mentions, references
    >>> author_slots(references(), mentions())["form"].to_list()
    ['Ada Lovelace', 'A. Lovelace']
    """
    written = _slot_values(references, "authors").rename({"authors": "written"})
    slots = of_kind(mentions, "author").join(
        written, on=["reference", "slot"], how="left", maintain_order="left"
    )
    slots = slots.with_columns(pl.coalesce("written", "name").fill_null("").alias("written"))
    return slots.join(name_forms(slots["written"]), on="written", how="left", maintain_order="left")


def _elect_names(slots: pl.DataFrame) -> pl.DataFrame:
    """Forms equal but for accents vote together, and the accented one is shown."""
    ballots = slots.with_columns(
        (pl.col("form").str.len_bytes() > pl.col("form").str.len_chars()).alias("accented")
    )
    fullest = ballots.filter(pl.col("full") == pl.col("full").max().over("entity"))
    winners = vote(fullest, "form", key="folded", looks=("accented",))
    inverted = slots.unique(["entity", "form"], keep="first", maintain_order=True)
    return winners.join(
        inverted.select("entity", "form", "inverted"),
        on=["entity", "form"],
        how="left",
        maintain_order="left",
    ).select("entity", pl.col("form").alias("name"), pl.col("inverted").alias("sort_name"))


def _counted(slots: pl.DataFrame, references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """Per entity: mentions, papers (references where these are not resolved), first and last year."""
    paper_of = of_kind(mentions, "paper").select("reference", pl.col("entity").alias("paper"))
    years = references.select(pl.col("id").alias("reference"), "year")
    return (
        slots.select("entity", "reference")
        .join(paper_of.unique("reference"), on="reference", how="left", maintain_order="left")
        .join(years, on="reference", how="left", maintain_order="left")
        .group_by("entity", maintain_order=True)
        .agg(
            pl.len().alias("mentions"),
            pl.coalesce("paper", "reference").n_unique().alias("papers"),
            pl.col("year").min().alias("first_year"),
            pl.col("year").max().alias("last_year"),
        )
    )


def _with_venue(slots: pl.DataFrame, references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """The author mentions with the canonical name of their venue, else the venue as written."""
    venue_of = of_kind(mentions, "venue").select("reference", "entity").unique("reference")
    named = venue_of.join(venue_names(mentions), on="entity", how="left").select("reference", "name")
    written = references.select(pl.col("id").alias("reference"), pl.col("venue").alias("written_venue"))
    return (
        slots.select("entity", "reference")
        .join(named, on="reference", how="left", maintain_order="left")
        .join(written, on="reference", how="left", maintain_order="left")
        .select("entity", pl.coalesce("name", "written_venue").alias("venue"))
    )


def _coauthors(references: pl.DataFrame, slots: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `coauthors`: who else stands on the bylines, by canonical name where there is one."""
    short = references.filter(pl.col("authors").list.len().is_between(2, LONGEST_BYLINE))
    written = _slot_values(short, "authors").rename({"authors": "written"})
    entity_of = slots.select("reference", "slot", pl.col("entity").alias("other"))
    others = (
        written.join(name_forms(written["written"]), on="written", how="left")
        .join(entity_of, on=["reference", "slot"], how="left")
        .join(names.select(pl.col("entity").alias("other"), "name"), on="other", how="left")
        .select(
            "reference", pl.col("slot").alias("other_slot"), pl.coalesce("name", "form").alias("coauthors")
        )
    )
    pairs = (
        slots.select("entity", "reference", "slot", "form")
        .join(others, on="reference", how="inner")
        .filter((pl.col("slot") != pl.col("other_slot")) & (pl.col("form") != pl.col("coauthors")))
    )
    return tally(pairs, "coauthors", COAUTHORS_SHOWN, counts=False)
