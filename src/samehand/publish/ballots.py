"""The references of each paper as voters: which may speak on what, and in which order they are asked."""

from __future__ import annotations

import polars as pl

from samehand.publish.vote import vote


def paper_ballots(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """The references that mention a paper, with what the vote needs to know of each.

    Adds to the columns of the reference: `entity`, `reference` (its id), `row`, `venue_entity`, `published`
    (it is no preprint), `richness` (how many fields it fills) and `agrees`: it contradicts neither the venue
    nor the year chosen for its paper.

    >>> from samehand.publish.example import mentions, references
    >>> paper_ballots(references(), mentions()).select("reference", "agrees").rows()
    [('a.bib:lovelace', True), ('b.bib:ada01', True), ('b.bib:draft', False)]
    """
    entities = of_kind(mentions, "paper").select("reference", "entity")
    venue_of = of_kind(mentions, "venue").select("reference", pl.col("entity").alias("venue_entity"))
    ballots = (
        references.with_row_index("row")
        .rename({"id": "reference"})
        .join(entities.unique("reference"), on="reference", how="inner", maintain_order="left")
        .join(venue_of.unique("reference"), on="reference", how="left", maintain_order="left")
        .with_columns(
            (pl.col("type").fill_null("misc") != "preprint").alias("published"),
            _richness().alias("richness"),
        )
    )
    ballots = _with_agreement(ballots, "venue_entity", pl.lit(True), "agrees")
    return _with_agreement(ballots, "year", pl.col("agrees"), "agrees")


def rank_references(ballots: pl.DataFrame) -> pl.DataFrame:
    """The ballots with the references of each paper together, the best first; papers in order of appearance.

    The best contradicts neither the venue nor the year chosen, has a citation key, names all authors, fills
    the most fields, stands first; in this order.

    >>> from samehand.publish.example import mentions, references
    >>> rank_references(paper_ballots(references(), mentions()))["key"].to_list()
    ['lovelace', 'ada01', 'draft']
    """
    return ballots.sort(
        pl.col("row").min().over("entity"),
        ~pl.col("agrees"),
        pl.col("key").is_null(),
        pl.col("truncated").fill_null(False),
        -pl.col("richness"),
        "row",
    )


def byline_references(ballots: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `reference`: whose author list a paper takes.

    Lists that end in "et al." lose to whole ones; then the length most references agree on wins (the longer
    on a tie), and of those lists the one in the best reference.

    >>> from samehand.publish.example import mentions, references
    >>> byline_references(paper_ballots(references(), mentions()))["reference"].to_list()
    ['a.bib:lovelace']
    """
    listed = rank_references(ballots).filter(pl.col("authors").list.len() > 0)
    whole = pl.col("truncated").fill_null(False).not_()
    listed = listed.filter(whole | ~whole.any().over("entity")).with_columns(
        pl.col("authors").list.len().alias("length")
    )
    votes = pl.len().over("entity", "length").alias("votes")
    ordered = listed.with_columns(votes).with_row_index("rank")
    ordered = ordered.sort("entity", "votes", "length", "rank", descending=[False, True, True, False])
    return ordered.unique("entity", keep="first", maintain_order=True).select("entity", "reference")


def of_kind(mentions: pl.DataFrame, kind: str) -> pl.DataFrame:
    """The mentions of one kind, with their position among all as `row`.

    >>> from samehand.publish.example import mentions
    >>> of_kind(mentions(), "venue")["row"].to_list()
    [2, 5]
    """
    return mentions.with_row_index("row").filter(pl.col("kind") == kind)


def _richness() -> pl.Expr:
    """How many of a reference's fields say something, as a sortable number."""
    single = (
        "title",
        "venue",
        "year",
        "volume",
        "number",
        "pages",
        "publisher",
        "doi",
        "isbn",
        "pmid",
        "arxiv",
    )
    filled = [pl.col(name).is_not_null() for name in single] + [pl.col("authors").list.len() > 0]
    return pl.sum_horizontal(expression.cast(pl.Int32) for expression in filled)


def _with_agreement(ballots: pl.DataFrame, column: str, among: pl.Expr, name: str) -> pl.DataFrame:
    """`name`: `among`, and the reference's `column` is the one elected or not given."""
    elected = vote(ballots.filter(among), column, weight=("published", "richness"))
    joined = ballots.join(
        elected.rename({column: "_elected"}), on="entity", how="left", maintain_order="left"
    )
    same = (pl.col(column) == pl.col("_elected")).fill_null(True)
    return joined.with_columns((among & same).alias(name)).drop("_elected")
