"""What each run changed, in the store, and from that the state after any earlier run.

The table `changes` has, for each run, the mentions whose entity differs from what the run before had left, whoever
moved them: the run itself, an arrival, a curator. So the state after a run is, for each mention, the latest `after` of
that run or an earlier one. Called inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from samehand.errors import LibraryError, UsageError
from samehand.records import KINDS, Kind
from samehand.store import Store
from samehand.store.arrivals import last_run
from samehand.store.rows import of_kinds
from samehand.store.schema import CHANGES

STATE = pl.Schema({"mention": pl.String(), "kind": pl.String(), "entity": pl.String()})


def write_changes(store: Store, run: int, assignments: pl.DataFrame, kinds: Iterable[Kind]) -> None:
    """Record what differs between the assignments of a run (all of these kinds) and what the run before had left."""
    store.append("changes", differences(run, _folded(store, run - 1, kinds), assignments))


def differences(run: int, before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The mentions (columns mention, kind, entity on both sides) whose entity differs; schema `CHANGES`.

    >>> one = pl.DataFrame({"mention": ["x", "y"], "kind": ["paper", "paper"], "entity": ["p1", "p1"]})
    >>> two = pl.DataFrame({"mention": ["y", "z"], "kind": ["paper", "paper"], "entity": ["p1", "p2"]})
    >>> differences(7, one, two).sort("mention").rows()
    [(7, 'x', 'paper', 'p1', None), (7, 'z', 'paper', None, 'p2')]
    """
    both = before.select("mention", "kind", before="entity").join(
        after.select("mention", "kind", after="entity"),
        on=["mention", "kind"],
        how="full",
        coalesce=True,
        maintain_order="right_left",
    )
    changed = both.filter(~pl.col("before").eq_missing(pl.col("after")))
    return changed.with_columns(pl.lit(run, pl.Int64).alias("run")).select(CHANGES.names())


def state_after(store: Store, run: int) -> pl.DataFrame:
    """The entity of every mention after a run, schema `STATE`; a UsageError if there was no such run."""
    newest = last_run(store)
    if not 1 <= run <= newest:
        known = f"runs 1 to {newest}" if newest else "no runs yet"
        raise UsageError(f"{store.location}: there is no run {run}; the library has {known}")
    first = store.number('SELECT CAST("value" AS BIGINT) FROM meta WHERE "key" = \'history\'')
    if run < first:
        raise LibraryError(
            f"{store.location}: run {run} is older than the history of this library, which begins with run {first}; "
            "name a later run"
        )
    return _folded(store, run, KINDS)


def _folded(store: Store, run: int, kinds: Iterable[Kind]) -> pl.DataFrame:
    condition, parameters = of_kinds(kinds)
    rows = store.read("changes", condition, parameters, ["run", "mention", "kind", "after"])
    latest = rows.filter(pl.col("run") <= run).sort("run").unique("mention", keep="last", maintain_order=True)
    return latest.filter(pl.col("after").is_not_null()).select("mention", "kind", entity="after")
