"""What differs between two states of a library: entities that merged, split, moved mentions, appeared, vanished.

A state says which entity each mention is of (columns mention, kind, entity). Of the mentions that one entity lost to
another, or that came, or that went:

- merged: the entity has no mentions any more, and most of what it had is in the other (`renamed`: and the other was not
  there before and has nothing else of what was);
- split: the other was not there before; moved: both were;
- appeared, grew: mentions that came; their entity is new, or was there;
- vanished, shrank: mentions that went; their entity went with them, or something of it is left.
"""

from __future__ import annotations

import polars as pl

from samehand.records import KINDS

WHATS = ("merged", "split", "moved", "renamed", "appeared", "vanished", "grew", "shrank")
"""In the order in which they are told."""

DIFFERENCES = pl.Schema(
    {
        "what": pl.String(),  # see WHATS
        "kind": pl.String(),
        "entity": pl.String(),  # the entity that it happened to
        "other": pl.String(),  # where its mentions went; null where they came or went altogether
        "mentions": pl.List(pl.String),
    }
)


def compare(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """What happened between two states, schema `DIFFERENCES`: the most telling and largest first.

    >>> one = pl.DataFrame({"mention": ["x", "y", "z"], "kind": "paper", "entity": ["p1", "p2", "p2"]})
    >>> two = pl.DataFrame({"mention": ["x", "y", "z"], "kind": "paper", "entity": ["p2", "p2", "p3"]})
    >>> compare(one, two).drop("kind").rows()
    [('merged', 'p1', 'p2', ['x']), ('split', 'p2', 'p3', ['z'])]
    """
    flows = _flows(before, after)
    was, is_now = before["entity"].unique(), after["entity"].unique()
    flows = flows.with_columns(
        kept=pl.col("before").is_in(is_now.implode()),
        known=pl.col("after").is_in(was.implode()),
        origins=pl.col("before").drop_nulls().n_unique().over("after"),
        from_before=pl.col("before").is_not_null().any().over("after"),
        still_there=pl.col("after").is_not_null().any().over("before"),
    )
    rows = flows.with_columns(_what().alias("what"), entity=pl.coalesce("before", "after"))
    other = pl.when(pl.col("before").is_not_null()).then("after").alias("other")
    return (
        rows.select("what", "kind", "entity", other, "mentions")
        .sort(
            pl.col("what").cast(pl.Enum(WHATS)),
            pl.col("mentions").list.len().cast(pl.Int64) * -1,
            pl.col("kind").cast(pl.Enum(KINDS)),
            "entity",
            "other",
        )
        .select(DIFFERENCES.names())
    )


def _flows(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """How many mentions went from each entity to each other one; null: from nowhere, or to nowhere."""
    both = before.rename({"entity": "before"}).join(
        after.rename({"entity": "after"}), on=["mention", "kind"], how="full", coalesce=True
    )
    moved = both.filter(~pl.col("before").eq_missing(pl.col("after")))
    flows = moved.group_by("kind", "before", "after").agg(pl.col("mention").sort().alias("mentions"))
    # Home is where most mentions of an entity went; of two that took equally many, the one with the smaller mention.
    homes = (
        flows.filter(pl.col("before").is_not_null() & pl.col("after").is_not_null())
        .sort(pl.col("mentions").list.len().cast(pl.Int64) * -1, pl.col("mentions").list.first())
        .unique("before", keep="first")
        .select("before", "after", home=pl.lit(True))
    )
    found = flows.join(homes, on=["before", "after"], how="left")
    return found.with_columns(pl.col("home").fill_null(False))


def _what() -> pl.Expr:
    gone = pl.col("before").is_not_null() & pl.col("after").is_null()
    came = pl.col("before").is_null()
    merged = ~pl.col("kept") & pl.col("home")
    renamed = merged & ~pl.col("known") & (pl.col("origins") == 1)
    return (
        pl.when(came & (pl.col("known") | pl.col("from_before")))
        .then(pl.lit("grew"))
        .when(came)
        .then(pl.lit("appeared"))
        .when(gone & (pl.col("kept") | pl.col("still_there")))
        .then(pl.lit("shrank"))
        .when(gone)
        .then(pl.lit("vanished"))
        .when(renamed)
        .then(pl.lit("renamed"))
        .when(merged)
        .then(pl.lit("merged"))
        .when(pl.col("known"))
        .then(pl.lit("moved"))
        .otherwise(pl.lit("split"))
    )


def merges_and_splits(changes: pl.DataFrame) -> pl.DataFrame:
    """How many entities each run merged into others, and split off others: columns run, merged, split.

    `changes` has schema `store.schema.CHANGES`. An entity was merged if a run left it without mentions and some of them
    are elsewhere now; it was split off if it had none before the run and has some now that were elsewhere.

    >>> rows = [(1, "x", "paper", None, "p1"), (1, "y", "paper", None, "p2"), (2, "y", "paper", "p2", "p1")]
    >>> schema = ["run", "mention", "kind", "before", "after"]
    >>> merges_and_splits(pl.DataFrame(rows, schema=schema, orient="row")).rows()
    [(2, 1, 0)]
    """
    moved = changes.filter(pl.col("before").is_not_null() & pl.col("after").is_not_null())
    sizes = _sizes(changes)
    emptied = moved.join(sizes, left_on=["run", "before"], right_on=["run", "entity"]).filter(size=0)
    founded = moved.join(sizes, left_on=["run", "after"], right_on=["run", "entity"]).filter(
        pl.col("size") == pl.col("change")
    )
    # What an emptied entity left to a new one was renamed, not split off.
    founded = founded.join(emptied.select("run", "mention"), on=["run", "mention"], how="anti")
    merged = emptied.group_by("run").agg(pl.col("before").n_unique().cast(pl.Int64).alias("merged"))
    split = founded.group_by("run").agg(pl.col("after").n_unique().cast(pl.Int64).alias("split"))
    both = merged.join(split, on="run", how="full", coalesce=True)
    return both.with_columns(pl.col("merged", "split").fill_null(0)).sort("run")


def _sizes(changes: pl.DataFrame) -> pl.DataFrame:
    """How many mentions an entity has after each run that changed it (`size`), and how many more than before."""
    sides = [
        changes.filter(pl.col(side).is_not_null()).select(
            "run", pl.col(side).alias("entity"), change=pl.lit(step)
        )
        for side, step in (("before", -1), ("after", 1))
    ]
    summed = pl.concat(sides).group_by("run", "entity").agg(pl.col("change").sum())
    return summed.sort("run").with_columns(pl.col("change").cum_sum().over("entity").alias("size"))
