"""Putting a prediction and the truth side by side: one row per labelled mention.

An id that the truth does not name is unlabelled: it is left out. A labelled id without a prediction stands
alone in a predicted cluster of its own, and is counted as missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from samehand.errors import UsageError

IDS = ("id", "mention")
TRUE_CLUSTERS = ("cluster", "entity", "label")
PREDICTED_CLUSTERS = ("entity", "cluster", "label")


@dataclass(frozen=True)
class Aligned:
    """Labelled mentions with their clusters as numbers.

    `mentions` has the columns `true` and `predicted` (numbers from 0), and `name` (null where the prediction
    gives none). `true_labels` and `predicted_labels` give each number its cluster as the tables call it;
    the predicted label is null for a mention without a prediction.
    """

    mentions: pl.DataFrame
    true_labels: pl.Series
    predicted_labels: pl.Series
    missing: int


def align(
    predicted: pl.DataFrame, truth: pl.DataFrame, names: tuple[str, str] = ("predicted", "truth")
) -> Aligned:
    """Join the two tables on their ids; `names` are what error messages call them.

    >>> aligned = align(
    ...     pl.DataFrame({"id": ["a", "b"], "entity": ["p1", "p1"]}),
    ...     pl.DataFrame({"id": ["a", "b", "c"], "cluster": [7, 7, 8]}),
    ... )
    >>> aligned.mentions.select("true", "predicted").rows(), aligned.missing
    ([(0, 0), (0, 0), (1, 1)], 1)
    """
    labelled = _columns(truth, TRUE_CLUSTERS, names[1]).filter(pl.col("cluster").is_not_null())
    guesses = _one_kind(_columns(predicted, PREDICTED_CLUSTERS, names[0]), labelled, names)
    _check_unique(labelled, names[1])
    _check_unique(guesses, names[0])
    joined = labelled.select("id", true="cluster").join(
        guesses.select("id", "name", predicted="cluster", found=pl.lit(True)),
        on="id",
        how="left",
        maintain_order="left",
    )
    if not joined["found"].any():
        raise UsageError(_no_overlap(guesses, labelled, names))
    joined, true_labels = _numbered(joined, "true")
    joined, predicted_labels = _numbered(joined, "predicted")
    return _with_singletons(joined, true_labels, predicted_labels)


def _columns(table: pl.DataFrame, clusters: Sequence[str], source: str) -> pl.DataFrame:
    """The columns that matter, as text, under their first names: id, cluster, name, kind."""
    identifier = _first(table, IDS, source)
    cluster = _first(table, clusters, source)
    chosen = table.select(
        id=pl.col(identifier).cast(pl.String),
        cluster=pl.col(cluster).cast(pl.String),
        **{name: _text_or_null(table, name) for name in ("name", "kind")},
    )
    without = chosen["id"].null_count()
    if without:
        row = chosen["id"].is_null().arg_true()[0] + 1
        raise UsageError(
            f"{source}: {without} of {chosen.height} rows have no {identifier!r} (the first is row {row}); "
            "give every row an id or remove it"
        )
    return chosen


def _first(table: pl.DataFrame, names: Sequence[str], source: str) -> str:
    for name in names:
        if name in table.columns:
            if table.schema[name].is_nested():
                raise UsageError(f"{source}: column {name!r} holds lists or objects; give one value per row")
            return name
    wanted = " or ".join(repr(name) for name in names)
    raise UsageError(f"{source}: needs a column {wanted}; it has: {', '.join(table.columns) or 'none'}")


def _text_or_null(table: pl.DataFrame, name: str) -> pl.Expr:
    if name in table.columns and not table.schema[name].is_nested():
        return pl.col(name).cast(pl.String)
    return pl.lit(None, dtype=pl.String)


def _one_kind(guesses: pl.DataFrame, labelled: pl.DataFrame, names: tuple[str, str]) -> pl.DataFrame:
    """The rows of the kind whose ids the truth names."""
    if guesses["kind"].n_unique() < 2:
        return guesses
    named = guesses.join(labelled, on="id", how="semi")["kind"].value_counts(sort=True)
    if named.height > 1:
        counts = ", ".join(f"{count} {kind or 'without a kind'}" for kind, count in named.rows())
        raise UsageError(
            f"{names[1]}: its ids name mentions of several kinds in {names[0]} ({counts}); "
            f"keep the rows of one kind in {names[0]} and score one kind at a time"
        )
    if named.is_empty():
        return guesses
    return guesses.filter(pl.col("kind").eq_missing(pl.lit(named["kind"][0])))


def _check_unique(table: pl.DataFrame, source: str) -> None:
    # equal ids have equal hashes: distinct hashes settle it, several times sooner than the strings would
    if table["id"].hash().n_unique() == table.height:
        return
    repeated = table.filter(pl.col("id").is_duplicated())["id"]
    if repeated.len():
        raise UsageError(
            f"{source}: {repeated.n_unique()} ids occur more than once, such as {repeated[0]!r}; "
            "keep one row per mention"
        )


def _no_overlap(guesses: pl.DataFrame, labelled: pl.DataFrame, names: tuple[str, str]) -> str:
    examples = [", ".join(map(repr, table["id"].head(3))) or "none" for table in (guesses, labelled)]
    return (
        f"{names[0]} and {names[1]} have no id in common: {names[0]} has {examples[0]}; "
        f"{names[1]} has {examples[1]}; give two tables of the same mentions"
    )


def _numbered(table: pl.DataFrame, column: str) -> tuple[pl.DataFrame, pl.Series]:
    """Replace labels by numbers from 0 in order of first appearance (null stays null); also the labels."""
    labels = table.select(column).drop_nulls().unique(maintain_order=True).with_row_index("number")
    numbered = table.join(labels, on=column, how="left", maintain_order="left")
    return numbered.drop(column).rename({"number": column}), labels[column]


def _with_singletons(joined: pl.DataFrame, true_labels: pl.Series, predicted_labels: pl.Series) -> Aligned:
    """Give each mention without a prediction a number of its own, after those of the real clusters."""
    absent = pl.col("predicted").is_null()
    missing = joined["predicted"].null_count()
    alone = len(predicted_labels) + absent.cum_sum() - 1
    mentions = joined.select(
        "name",
        true=pl.col("true").cast(pl.Int64),
        predicted=pl.coalesce(pl.col("predicted").cast(pl.Int64), alone.cast(pl.Int64)),
    )
    return Aligned(mentions, true_labels, predicted_labels.extend_constant(None, missing), missing)
