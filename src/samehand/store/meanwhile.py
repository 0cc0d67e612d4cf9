"""What came into a library while a run was at work: it is kept, and what the run found is kept too.

A run takes the state of the library when it begins (`state_of`). When its result is saved:

- a mention whose reference has left the library since is left out;
- a mention that came since, by a stream or by another run, stays: it goes where most of its entity's other mentions
  have gone. What another run has said of references that changed since is newer, and stands;
- everything else is as the run says.

Called inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from samehand.curate.arrivals import decode_candidates, encode_candidates
from samehand.records import CLUSTERING, MENTIONS, Kind
from samehand.store import Store
from samehand.store.arrivals import last_run
from samehand.store.rows import of_kinds, replace_rows

Clusterings = Mapping[Kind, pl.DataFrame]


@dataclass(frozen=True)
class State:
    """What tells one state of a library's references from another: its last run, and the content of each source."""

    run: int
    sources: Mapping[str, str]


@dataclass(frozen=True)
class Caught:
    """A result with what came meanwhile: `late` are those mentions that stay as they are."""

    mentions: pl.DataFrame
    clusterings: Clusterings
    late: pl.Series
    changed: pl.Series  # the references of sources that came or changed


NOTHING = pl.Series(dtype=pl.String)


def state_of(store: Store) -> State:
    """The state of a library now."""
    sources = store.read("sources", columns=["name", "content"])
    return State(last_run(store), dict(sources.iter_rows()))


def catch_up(store: Store, since: State, mentions: pl.DataFrame, clusterings: Clusterings) -> Caught:
    """The result of a run that began with the state `since`, with what came into the library meanwhile."""
    changed = [
        name for name, content in state_of(store).sources.items() if since.sources.get(name) != content
    ]
    if not changed:
        return Caught(mentions, clusterings, NOTHING, NOTHING)
    references = store.read("references", columns=["id", "source"])
    concerned = references.filter(pl.col("source").is_in(pl.Series(changed).implode()))["id"]
    known = mentions.filter(pl.col("reference").is_in(references["id"].implode()))
    there = store.read("mentions", *of_kinds(clusterings)).drop("position")
    there = there.filter(pl.col("reference").is_in(concerned.implode()))
    if last_run(store) == since.run:
        late = there.join(known, on="id", how="anti")
    else:
        late = there
        known = known.join(there, on=["reference", "kind"], how="anti")
    previous = store.read("assignments", *of_kinds(clusterings))
    extended = {
        kind: _extended(
            table.join(known, left_on="mention", right_on="id", how="semi", maintain_order="left"),
            late,
            previous.filter(kind=kind),
        )
        for kind, table in clusterings.items()
    }
    return Caught(pl.concat([known, late]).select(MENTIONS.names()), extended, late["id"], concerned)


def _extended(clustering: pl.DataFrame, late: pl.DataFrame, previous: pl.DataFrame) -> pl.DataFrame:
    """The clustering, and each late mention in the home of its entity; without a home, in a cluster of its own entity."""
    waiting = previous.join(late, left_on="mention", right_on="id", how="semi", maintain_order="left")
    homes = (
        clustering.join(previous, on="mention")
        .group_by("entity", "cluster")
        .agg(pl.len().alias("mentions"), pl.col("mention").min().alias("first"))
        .sort(["mentions", "first"], descending=[True, False])
        .unique("entity", keep="first")
        .select("entity", home="cluster")
    )
    unused = clustering.select(pl.col("cluster").max().cast(pl.Int64).fill_null(-1) + 1).item()
    own = (pl.col("entity").rank("dense").cast(pl.Int64) - 1 + unused).alias("own")
    placed = waiting.with_columns(own).join(homes, on="entity", how="left", maintain_order="left")
    cluster = pl.coalesce(pl.col("home").cast(pl.Int64), "own").cast(CLUSTERING["cluster"])
    return pl.concat([clustering, placed.select("mention", cluster.alias("cluster"), "probability")])


def keep_late(store: Store, late: pl.Series) -> None:
    """Of the arrivals, keep those that the run has not seen; their candidates are called as they are called now."""
    arrivals = store.read("arrivals").filter(pl.col("mention").is_in(late.implode()))
    leads = dict(store.read("redirects", columns=["old", "new"]).iter_rows()) if arrivals.height else {}
    candidates = [
        encode_candidates(
            [(leads.get(entity or "", entity), share) for entity, share in decode_candidates(text)]
        )
        for text in arrivals["candidates"]
    ]
    replace_rows(
        store, "arrivals", arrivals.with_columns(pl.Series("candidates", candidates, dtype=pl.String))
    )


def put_off(store: Store, run: int, caught: Caught) -> None:
    """References that were revised while the run was at work are seen by the next one."""
    early = store.read("revisions", '"run" = $1', (run,))
    later = pl.col("reference").is_in(caught.changed.implode())
    seen = pl.when(later).then(run + 1).otherwise("run").cast(pl.Int64).alias("run")
    replace_rows(store, "revisions", early.with_columns(seen), ('"run" = $1', (run,)))
