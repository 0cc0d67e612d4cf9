"""`samehand bench author-errors`: the errors that remain in the default author model, by kind, with an example of each.

A true person found in several parts is split: each part but the largest is counted, by what sets it apart. A
person found that holds several true ones is mixed: each true person in it but the one with most mentions is
counted, by what its names say.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.author_sets import author_sets
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.models import DEFAULT, resolver


def run(options: Options) -> Iterator[Row]:
    """One row for each set and kind of error: how many parts, how many mentions in them, and one example."""
    for name, blocked, truth in author_sets(options):
        found = resolver(DEFAULT, "author")(blocked, NONE, Run(options.seed))
        about = blocked.references.select("year", "title", reference="id")
        table = (
            blocked.mentions.join(found.rename({"cluster": "person"}), left_on="id", right_on="mention")
            .join(truth, on="id")
            .join(about, on="reference", how="left")
        )
        for kind, parts in _kinds(table).group_by("kind", maintain_order=True):
            largest = parts.sort("size", descending=True).row(0, named=True)
            yield {
                "bench": "author-errors",
                "set": name,
                "method": kind[0],
                "parts": parts.height,
                "mentions": int(parts["size"].sum()),
                "share": parts["size"].sum() / table.height,
                "example": f"{largest['one']} / {largest['other']}",
            }


def _kinds(table: pl.DataFrame) -> pl.DataFrame:
    """Wrong parts: kind, size, one (a mention of the part), other (a mention of what it should, or should
    not, be with)."""
    return pl.concat(
        [_wrong(table, "cluster", "person", "split"), _wrong(table, "person", "cluster", "mixed")]
    ).sort("kind", "size", descending=[False, True])


def _wrong(table: pl.DataFrame, whole: str, part: str, word: str) -> pl.DataFrame:
    """The parts of each whole but its largest."""
    parts = table.group_by(whole, part).agg(
        size=pl.len(),
        blocks=pl.col("block").unique(),
        names=pl.col("first").filter(pl.col("first").str.len_chars() > 1).unique(),
        others=pl.col("coauthors").explode().unique(),
        begin=pl.col("year").min(),
        end=pl.col("year").max(),
        shown=pl.format(
            "{} ({}: {})", "name", pl.col("year").fill_null(0), pl.col("title").fill_null("").str.head(40)
        ).min(),
    )
    ranked = parts.sort(whole, "size", part, descending=[False, True, False])
    largest = ranked.unique(whole, keep="first", maintain_order=True)
    rest = ranked.join(largest.select(whole, part), on=[whole, part], how="anti")
    pairs = rest.join(largest, on=whole, suffix="_other")
    return pairs.select(
        kind=pl.concat_str(pl.lit(f"{word}: "), _split_kind() if word == "split" else _mixed_kind()),
        size="size",
        one="shown",
        other="shown_other",
    )


def _shared(column: str) -> pl.Expr:
    return pl.col(column).list.set_intersection(f"{column}_other").list.len()


def _split_kind() -> pl.Expr:
    gap = pl.max_horizontal("begin", "begin_other") - pl.min_horizontal("end", "end_other")
    return (
        pl.when(_shared("blocks") == 0).then(pl.lit("name written otherwise, in another block"))
        .when((_shared("names") == 0) & (pl.col("names").list.len() > 0) & (pl.col("names_other").list.len() > 0))
        .then(pl.lit("other first name"))
        .when(_shared("others") > 0).then(pl.lit("though co-authors are shared"))
        .when(gap > 5).then(pl.lit("more than five years between, no co-author shared"))
        .when((pl.col("others").list.len() == 0) | (pl.col("others_other").list.len() == 0)).then(pl.lit("written alone"))
        .otherwise(pl.lit("no co-author shared"))
    )  # fmt: skip


def _mixed_kind() -> pl.Expr:
    both_full = (pl.col("names").list.len() > 0) & (pl.col("names_other").list.len() > 0)
    return (
        pl.when(_shared("names") > 0).then(pl.lit("same full first name"))
        .when(both_full).then(pl.lit("different first names"))
        .when(_shared("others") > 0).then(pl.lit("initials only, a co-author shared"))
        .otherwise(pl.lit("initials only"))
    )  # fmt: skip
