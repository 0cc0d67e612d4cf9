"""The merged record: what the references of a paper say together, with a probability for each field.

Each reference votes with the probability that it belongs to the paper. A field's value is the spelling group with
most votes, and its probability that of the winner against all others and one doubt: votes / (all votes + DOUBT), so
that one reference alone convinces less than three that agree. Authors: the list most references agree on, each name
in its fullest spelling.
"""

from __future__ import annotations

import polars as pl

from samehand.normalise.name_parts import name_parts
from samehand.normalise.titles import title_key_series

DOUBT = 0.25

MERGED = pl.Schema(
    {
        "cluster": pl.UInt32(),
        "title": pl.String(),
        "authors": pl.List(pl.String),
        "year": pl.Int32(),
        "venue": pl.String(),
        "type": pl.String(),
        "title_probability": pl.Float64(),
        "authors_probability": pl.Float64(),
        "year_probability": pl.Float64(),
        "venue_probability": pl.Float64(),
        "type_probability": pl.Float64(),
    }
)


def merged(references: pl.DataFrame, clustering: pl.DataFrame) -> pl.DataFrame:
    """One row per paper, schema `MERGED`; `clustering` has the mention ids of the references, in their order.

    >>> from samehand.records import Reference, references_frame
    >>> papers = [Reference("a", 1, title="On Hands", authors=["A. Lee"], year=1990),
    ...           Reference("a", 2, title="On hands", authors=["Ada Lee"], year=1990), Reference("a", 3, title="Hands")]
    >>> clustering = pl.DataFrame({"cluster": [0, 0, 0], "probability": [1.0, 1.0, 1.0]})
    >>> merged(references_frame(papers), clustering).select("title", "authors", "year", "title_probability").row(0)
    ('On Hands', ['Ada Lee'], 1990, 0.6153846153846154)
    """
    votes = references.select("title", "year", "venue", "type", "authors").with_columns(
        cluster=clustering["cluster"].cast(pl.UInt32),
        vote=clustering["probability"].fill_null(1.0),
        row=pl.int_range(references.height, eager=True),
    )
    result = votes.select(pl.col("cluster").unique().sort())
    for name in ("title", "year", "venue", "type"):
        result = result.join(_elected(votes, name), on="cluster", how="left")
    result = result.join(_bylines(votes), on="cluster", how="left").sort("cluster")
    return result.select(pl.col(name).cast(dtype) for name, dtype in MERGED.items())


def _elected(votes: pl.DataFrame, name: str) -> pl.DataFrame:
    """`cluster`, the value of most weight, and its probability; spellings of one value count together."""
    said = votes.drop_nulls(name).with_columns(key=pl.col(name).cast(pl.String))
    if name in ("title", "venue"):
        said = said.with_columns(key=title_key_series(said[name]))
    spellings = said.group_by("cluster", "key", name).agg(pl.col("vote").sum(), pl.col("row").min())
    shown = spellings.sort("vote", "row", descending=[True, False]).group_by(
        "cluster", "key", maintain_order=True
    )
    keys = shown.agg(pl.col(name).first(), pl.col("vote").sum(), pl.col("row").first())
    return (
        keys.with_columns(share=pl.col("vote") / (pl.col("vote").sum().over("cluster") + DOUBT))
        .sort("share", "row", descending=[True, False])
        .unique("cluster", keep="first", maintain_order=True)
        .select("cluster", name, pl.col("share").alias(f"{name}_probability"))
    )


def _bylines(votes: pl.DataFrame) -> pl.DataFrame:
    """`cluster`, `authors` and their probability: lists are equal if their surnames are."""
    listed = votes.filter(pl.col("authors").list.len() > 0)
    long = listed.select("cluster", "row", "vote", name="authors").with_columns(
        slot=pl.int_ranges(pl.col("name").list.len())
    )
    long = long.explode("name", "slot")
    parts = name_parts(long["name"])
    long = long.with_columns(
        last=parts["last"], given=parts["first"].str.len_chars() + parts["middle"].str.len_chars()
    )
    keys = long.group_by("cluster", "row", maintain_order=True).agg(
        key=pl.col("last").fill_null("").str.join(";"), vote=pl.col("vote").first()
    )
    tallies = (
        keys.group_by("cluster", "key", maintain_order=True)
        .agg(pl.col("vote").sum(), pl.col("row").min())
        .with_columns(share=pl.col("vote") / (pl.col("vote").sum().over("cluster") + DOUBT))
        .sort("share", "row", descending=[True, False])
        .unique("cluster", keep="first", maintain_order=True)
    )
    fullest = (
        long.join(keys.select("row", "key"), on="row")
        .join(tallies.select("cluster", "key"), on=["cluster", "key"], how="semi")
        .sort("given", "row", descending=[True, False])
        .unique(["cluster", "slot"], keep="first", maintain_order=True)
        .sort("cluster", "slot")
    )
    names = fullest.group_by("cluster", maintain_order=True).agg(authors="name")
    return names.join(tallies.select("cluster", authors_probability="share"), on="cluster")
