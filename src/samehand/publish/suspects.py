"""What a person should look at first: entities that may be too large, and twins that may be one.

These are signs, not verdicts: two full first names in one author, titles that differ in one paper, the same
title in two papers.
"""

from __future__ import annotations

from itertools import combinations

import polars as pl
from rapidfuzz import fuzz

from samehand.publish.ballots import of_kind
from samehand.publish.canonical import author_slots
from samehand.publish.vote import spelling_key, tally

LONGEST_CAREER = 50
"""Years between an author's first and last paper beyond which one doubts."""

CLOSE_NAMES = 80.0
"""Similarity (0 to 100) from which two first names count as two spellings of one."""

CLOSE_TITLES = 80.0
"""Similarity (0 to 100) of word sets below which two titles of one paper are doubted."""

YEARS_APART = 2
"""A preprint and its journal version are often this far apart; more is doubted."""

FIRSTS_COMPARED = 20
"""The most frequent first names of an author are compared, not all of hundreds."""

SUSPECTS = pl.Schema({"entity": pl.String(), "why": pl.String(), "mentions": pl.UInt32()})
TWINS = pl.Schema({"name": pl.String(), "entities": pl.List(pl.String), "mentions": pl.UInt32()})


def suspect_authors(references: pl.DataFrame, mentions: pl.DataFrame, authors: pl.DataFrame) -> pl.DataFrame:
    """Authors that may be several people, schema `SUSPECTS`, the plainest signs first.

    >>> from samehand.publish import canonical
    >>> from samehand.publish.example import mentions, references
    >>> suspect_authors(references(), mentions(), canonical.authors(references(), mentions())).height
    0
    """
    slots = author_slots(references, mentions)
    span = pl.col("last_year") - pl.col("first_year")
    careers = authors.filter(span > LONGEST_CAREER).select(
        "entity", pl.format("papers over {} years", span).alias("why")
    )
    signs = [_differing_firsts(slots), _differing_middles(slots), careers, _ambiguous_initials(slots)]
    return _gathered(signs, authors)


def suspect_papers(references: pl.DataFrame, mentions: pl.DataFrame, papers: pl.DataFrame) -> pl.DataFrame:
    """Papers whose references differ in title or year, schema `SUSPECTS`.

    >>> from samehand.publish import canonical
    >>> from samehand.publish.example import mentions, references
    >>> suspect_papers(references(), mentions(), canonical.papers(references(), mentions())).height
    0
    """
    members = of_kind(mentions, "paper").select("entity", "reference")
    merged = members.filter(pl.len().over("entity") > 1).join(
        references.select(pl.col("id").alias("reference"), "title", "year"), on="reference", how="left"
    )
    spans = merged.group_by("entity", maintain_order=True).agg(
        pl.col("year").min().alias("first"), pl.col("year").max().alias("last")
    )
    years = spans.filter(pl.col("last") - pl.col("first") > YEARS_APART).select(
        "entity", pl.format("years from {} to {}", "first", "last").alias("why")
    )
    return _gathered([_differing_titles(merged), years], papers)


def twin_papers(papers: pl.DataFrame) -> pl.DataFrame:
    """Papers with one title that are not one paper, schema `TWINS`, those with most mentions first.

    >>> twins = pl.DataFrame({"entity": ["p1", "p2"], "title": ["On Hands", "On hands."], "mentions": [1, 1]})
    >>> twin_papers(twins)["entities"].to_list()
    [['p1', 'p2']]
    """
    return _twins(papers.rename({"title": "name"}))


def twin_authors(authors: pl.DataFrame) -> pl.DataFrame:
    """Authors with one full name that are not one person, schema `TWINS`, those with most mentions first.

    >>> twins = pl.DataFrame({"entity": ["a1", "a2"], "name": ["Ann Lee", "Ann Lee"], "mentions": [1, 1]})
    >>> twin_authors(twins)["entities"].to_list()
    [['a1', 'a2']]
    """
    return _twins(authors.filter(pl.col("name").str.contains(r"^\p{L}[\p{L}-]+ ")))


def _twins(entities: pl.DataFrame) -> pl.DataFrame:
    keyed = entities.filter(pl.col("name").is_not_null())
    key = spelling_key(keyed["name"])
    return (
        keyed.with_columns(key.alias("key"))
        .filter(pl.col("key") != "")
        .group_by("key", maintain_order=True)
        .agg(pl.col("name").first(), pl.col("entity").alias("entities"), pl.col("mentions").sum())
        .filter(pl.col("entities").list.len() > 1)
        .sort("mentions", "name", descending=[True, False])
        .select(pl.col(name).cast(dtype) for name, dtype in TWINS.items())
    )


def _gathered(signs: list[pl.DataFrame], entities: pl.DataFrame) -> pl.DataFrame:
    """One row per suspect with all its signs, ordered by the place of its first sign in the list."""
    ranked = pl.concat([sign.with_columns(pl.lit(rank).alias("rank")) for rank, sign in enumerate(signs)])
    return (
        ranked.sort("entity", "rank")
        .group_by("entity", maintain_order=True)
        .agg(pl.col("why").str.join("; "), pl.col("rank").min())
        .join(entities.select("entity", "mentions"), on="entity", how="left")
        .sort("rank", "mentions", "entity", descending=[False, True, False])
        .select(pl.col(name).cast(dtype) for name, dtype in SUSPECTS.items())
    )


def _differing_firsts(slots: pl.DataFrame) -> pl.DataFrame:
    full = slots.filter((pl.col("full") == 2) & (pl.col("first") != ""))
    names = tally(full, "first", FIRSTS_COMPARED, counts=False).filter(pl.col("first").list.len() > 1)
    pairs = [(entity, _incompatible(firsts)) for entity, firsts in names.iter_rows()]
    found = [
        (entity, f"first names {pair[0].title()} and {pair[1].title()}") for entity, pair in pairs if pair
    ]
    return pl.DataFrame(found, schema={"entity": pl.String(), "why": pl.String()}, orient="row")


def _incompatible(firsts: list[str]) -> tuple[str, str] | None:
    """Two first names of which neither begins the other, and which are not close in spelling."""
    plain = list(dict.fromkeys(name.replace(" ", "") for name in firsts))
    for left, right in combinations(plain, 2):
        begins = left.startswith(right) or right.startswith(left)
        if not begins and fuzz.ratio(left, right) < CLOSE_NAMES:
            return left, right
    return None


def _differing_middles(slots: pl.DataFrame) -> pl.DataFrame:
    initial = pl.col("middle").str.slice(0, 1).str.to_uppercase()
    middles = slots.filter(pl.col("middle") != "").group_by("entity", maintain_order=True)
    found = middles.agg(initial.unique().sort().alias("initials")).filter(pl.col("initials").list.len() > 1)
    return found.select(
        "entity", pl.format("middle initials {}", pl.col("initials").list.join(", ")).alias("why")
    )


def _ambiguous_initials(slots: pl.DataFrame) -> pl.DataFrame:
    """Authors known by initials alone whom several full names would fit."""
    keyed = slots.with_columns((pl.col("first").str.slice(0, 1) + " " + pl.col("last")).alias("key"))
    candidates = (
        keyed.filter(pl.col("full") == 2).group_by("key").agg(pl.col("entity").n_unique().alias("fits"))
    )
    only_initials = keyed.filter((pl.col("full") == 1).all().over("entity"))
    found = only_initials.unique("entity", keep="first", maintain_order=True).join(candidates, on="key")
    return found.filter(pl.col("fits") > 1).select(
        "entity", pl.format("only initials, and {} full names fit", "fits").alias("why")
    )


def _differing_titles(merged: pl.DataFrame) -> pl.DataFrame:
    titles = merged.filter(pl.col("title").is_not_null()).with_columns(
        spelling_key(merged["title"].drop_nulls()).alias("folded")
    )
    distinct = titles.group_by("entity", maintain_order=True).agg(
        pl.col("folded").unique(maintain_order=True)
    )
    found = [
        (entity, "titles differ")
        for entity, folded in distinct.filter(pl.col("folded").list.len() > 1).iter_rows()
        if any(fuzz.token_set_ratio(folded[0], other) < CLOSE_TITLES for other in folded[1:])
    ]
    return pl.DataFrame(found, schema={"entity": pl.String(), "why": pl.String()}, orient="row")
