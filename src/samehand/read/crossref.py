"""What a record inherits from the record that its `crossref` names: a paper from its proceedings.

One level only, as in BibTeX: a parent gives what it says itself, not what it would inherit.
"""

from __future__ import annotations

import polars as pl

_TAKEN = ("year", "publisher", "volume", "number", "isbn")
"""What a child takes if it has none; what identifies the parent (doi, url, pages) is not the child's."""

_IN_A_BOOK = ("inproceedings", "incollection")


def inherit(references: pl.DataFrame) -> pl.DataFrame:
    """The references, where each that names a parent in the same source has taken from it what it lacks.

    A paper in a book takes the parent's title as its venue, an article the parent's journal; year,
    publisher, volume, number, ISBN and editors come as they are. A child with neither title nor authors is
    another name for its parent and takes those too. Keys are matched without regard to case, the first of
    equal keys is the parent; a missing parent or the child itself as parent changes nothing.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, key="p", type="inproceedings", title="On Hands", crossref="C99")
    >>> book = Reference("a.bib", 9, key="c99", type="proceedings", title="Proc. Hands", year=1999)
    >>> inherit(references_frame([paper, book])).select("venue", "year").row(0)
    ('Proc. Hands', 1999)
    """
    if references["crossref"].null_count() == references.height:
        return references
    numbered = references.with_row_index("_row")
    parents = _parents(numbered)
    joined = numbered.join(
        parents,
        left_on=["source", pl.col("crossref").str.to_lowercase()],
        right_on=["_source", "_key"],
        how="left",
        maintain_order="left",
    )
    return joined.with_columns(_inherited()).select(references.columns)


def _parents(numbered: pl.DataFrame) -> pl.DataFrame:
    """The records that some crossref of their source names, columns prefixed with an underscore."""
    key = pl.col("key").str.to_lowercase().alias("_key")
    named = numbered.filter(pl.col("crossref").is_not_null()).select(
        "source", pl.col("crossref").str.to_lowercase().alias("_key")
    )
    kept = ("title", "authors", "truncated", "venue", "editors", *_TAKEN)
    return (
        numbered.with_columns(key)
        .join(named, on=["source", "_key"], how="semi")
        .unique(["source", "_key"], keep="first", maintain_order=True)
        .select(
            "_key",
            pl.col("source").alias("_source"),
            pl.col("_row").alias("_parent"),
            *(pl.col(name).alias(f"_{name}") for name in kept),
        )
    )


def _inherited() -> list[pl.Expr]:
    has_parent = pl.col("_parent").is_not_null() & (pl.col("_parent") != pl.col("_row"))
    no_authors = pl.col("authors").list.len().fill_null(0) == 0
    no_editors = pl.col("editors").list.len().fill_null(0) == 0
    is_alias = has_parent & pl.col("title").is_null() & no_authors
    container = (
        pl.when(is_alias)
        .then("_venue")
        .when(pl.col("type").is_in(_IN_A_BOOK))
        .then(pl.coalesce("_title", "_venue"))
        .when(pl.col("type") == "article")
        .then(pl.coalesce("_venue", "_title"))
    )
    return [
        pl.when(has_parent & pl.col("venue").is_null()).then(container).otherwise("venue").alias("venue"),
        *(_where(is_alias, name) for name in ("title", "authors", "truncated")),
        _where(has_parent & no_editors, "editors"),
        *(
            pl.when(has_parent).then(pl.coalesce(name, f"_{name}")).otherwise(name).alias(name)
            for name in _TAKEN
        ),
    ]


def _where(condition: pl.Expr, name: str) -> pl.Expr:
    """The parent's value of a column under this condition, else the child's own."""
    return pl.when(condition).then(f"_{name}").otherwise(name).alias(name)
