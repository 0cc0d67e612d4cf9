"""Papers by identifier, else by title, first author and year within canopies.

1. Equal DOI, arXiv number or PMID, unless the titles are plainly not the same: identifiers get copied to the
   wrong record.
2. Equal title words, equal first author, equal year; titles under three words say too little ("Editorial")
   and need equal pages as well.
3. Pairs that share a canopy: first authors agree or one is unknown, title words nearly equal, the numbers
   in them equal, years at most one apart or one unknown.
4. Raw citation strings that share a canopy: word overlap of the whole strings at the tight threshold.
"""

from __future__ import annotations

import polars as pl
from rapidfuzz import fuzz, process

from samehand.block import WORDS_TO_COMPARE, Blocked
from samehand.block.canopies import TIGHT, pairs_within
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.models.baseline import chain, clustering

SAME_IDENTIFIER_TITLES = 60.0  # token-set ratio below which one of two equal identifiers is a mistake
NEARLY_EQUAL_TITLES = 92.0  # ratio of edit operations over title words


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster paper mentions (schema `normalise.mentions.PAPERS`) into papers."""
    papers = blocked.mentions
    edges = pl.concat([_by_identifier(papers), _by_equal_record(papers), _within_canopies(blocked)])
    return clustering(papers["id"], edges, constraints)


def _ratio(left: pl.Series, right: pl.Series, scorer: object) -> pl.Series:
    """A rapidfuzz similarity in [0, 100], pair by pair."""
    scores = process.cpdist(left.to_list(), right.to_list(), scorer=scorer)  # type: ignore[arg-type]
    return pl.Series(scores, dtype=pl.Float32)


def _both_ends(edges: pl.DataFrame, papers: pl.DataFrame, *names: str) -> pl.DataFrame:
    """The edges with the named columns of both ends, as name and name_right."""
    return edges.with_columns(
        **{name: papers[name].gather(edges["left"]) for name in names},
        **{f"{name}_right": papers[name].gather(edges["right"]) for name in names},
    )


def _positions(edges: pl.DataFrame, position: pl.Series) -> pl.DataFrame:
    """Edges between rows of a part of the table, as edges between rows of the table."""
    whole = position.cast(pl.Int64)
    return pl.DataFrame({"left": whole.gather(edges["left"]), "right": whole.gather(edges["right"])})


def _by_identifier(papers: pl.DataFrame) -> pl.DataFrame:
    ordered = papers.select("doi", "arxiv", "pmid", "title_key").with_row_index("position").sort("title_key")
    edges = pl.concat([chain(ordered, [name]) for name in ("doi", "arxiv", "pmid")])
    pairs = _both_ends(edges, ordered, "title_key")
    similar = _ratio(pairs["title_key"], pairs["title_key_right"], fuzz.token_set_ratio)
    untitled = (pairs["title_key"] == "") | (pairs["title_key_right"] == "")
    return _positions(edges.filter((similar >= SAME_IDENTIFIER_TITLES) | untitled), ordered["position"])


def _by_equal_record(papers: pl.DataFrame) -> pl.DataFrame:
    """A long title stands for itself where author or year is unknown; a short one needs all, pages too."""
    long_enough = pl.col("title_tokens").list.len() >= WORDS_TO_COMPARE
    records = papers.with_columns(
        title_key=pl.col("title_key").replace("", None),
        first_author=pl.when(long_enough)
        .then(pl.col("first_author").fill_null(""))
        .otherwise("first_author"),
        year=pl.when(long_enough).then(pl.col("year").fill_null(0)).otherwise("year"),
        pages=pl.when(long_enough).then(pl.lit("")).otherwise("pages"),
    )
    return chain(records, ["title_key", "first_author", "year", "pages"])


def _within_canopies(blocked: Blocked) -> pl.DataFrame:
    compared, index, canopies = blocked.compared, blocked.index, blocked.canopies
    assert compared is not None
    assert index is not None
    assert canopies is not None
    author = compared["first_author"].rank("dense").cast(pl.Int64).fill_null(-1).to_numpy()
    pairs = pairs_within(canopies, index, author, TIGHT)
    pairs = _both_ends(pairs, compared, "scope", "title_key", "year", "first_author")
    similar = _ratio(pairs["title_key"], pairs["title_key_right"], fuzz.ratio) >= NEARLY_EQUAL_TITLES
    citations = (pl.col("scope") == "citation") & (pl.col("scope_right") == "citation")
    records = (pl.col("scope") != "citation") & (pl.col("scope_right") != "citation")
    kept = pairs.filter(citations | (records & similar & _agree()))
    return _positions(kept, compared["position"])


def _agree() -> pl.Expr:
    """Years at most one apart, equal numbers in the titles; without a first author, equal titles."""
    numbers = pl.col("title_key").str.extract_all(r"\b\d+\b")
    numbers_right = pl.col("title_key_right").str.extract_all(r"\b\d+\b")
    years = ((pl.col("year") - pl.col("year_right")).abs() <= 1).fill_null(True)
    nameless = pl.col("first_author").is_null() | pl.col("first_author_right").is_null()
    return (
        years & (numbers == numbers_right) & (~nameless | (pl.col("title_key") == pl.col("title_key_right")))
    )
