"""Works: papers that are versions of one thing, as the report, the conference paper and the article of one title."""

from __future__ import annotations

import polars as pl

from samehand.infer.union import connected


def works_of(papers: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """The papers that are not alone in their work, schema `store.schema.WORKS`.

    `papers` has columns mention and work (any number); `mentions` has id and entity. Where mentions of one paper are of
    several works (a curator has joined them), these are one.

    >>> papers = pl.DataFrame({"mention": ["a", "b", "c"], "work": [7, 7, 8]})
    >>> works_of(papers, pl.DataFrame({"id": ["a", "b", "c"], "entity": ["p1", "p2", "p3"]})).rows()
    [('p1', 'p1'), ('p2', 'p1')]
    """
    held = papers.join(mentions.select("entity", mention="id"), on="mention", maintain_order="left")
    sizes = held.group_by("entity", maintain_order=True).agg(pl.len().alias("mentions"))
    paper = held["entity"].replace_strict(sizes["entity"], pl.int_range(sizes.height, eager=True))
    first = pl.DataFrame({"work": held["work"], "paper": paper}).with_columns(
        founder=pl.col("paper").first().over("work")
    )
    group = connected(sizes.height, (), same=first.select("paper", "founder").to_numpy())
    grouped = sizes.with_columns(group=pl.Series(group)).with_columns(versions=pl.len().over("group"))
    several = grouped.filter(pl.col("versions") > 1)
    head = pl.col("entity").sort_by("mentions", descending=True, maintain_order=True).first()
    return several.select("entity", work=head.over("group"))
