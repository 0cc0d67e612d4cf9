"""References on their way into a library, source by source. Called inside a transaction of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from samehand.records import REFERENCES
from samehand.store import Store
from samehand.store.arrivals import last_run
from samehand.store.rows import append_in_order
from samehand.store.schema import SOURCES
from samehand.store.sources import Source, by_source, unique_ids


@dataclass(frozen=True)
class Added:
    """How many references `Library.add` found new, changed, or as they were; and how many rejects."""

    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    rejects: int = 0


def add_records(store: Store, references: pl.DataFrame, rejects: pl.DataFrame) -> Added:
    """See `Library.add`."""
    counts = {"new": 0, "replaced": 0, "unchanged": 0}
    known = dict(store.read("sources").select("name", "content").iter_rows())
    changed = []
    for source in by_source(references, rejects):
        earlier = known.get(source.name)
        state = "new" if earlier is None else "unchanged" if earlier == source.content else "replaced"
        counts[state] += source.references.height
        if state != "unchanged":
            changed.append(source)
    _replace(store, changed)
    return Added(**counts, rejects=rejects.height)


def _replace(store: Store, sources: Sequence[Source]) -> None:
    if not sources:
        return
    own = [REFERENCES.to_frame()]
    for source in sources:
        own.append(store.read("references", '"source" = $1', (source.name,)).drop("position"))
        for table in ('"references" WHERE "source"', 'rejects WHERE "source"', 'sources WHERE "name"'):
            store.execute(f"DELETE FROM {table} = $1", (source.name,))
    taken = store.read("references", columns=["id"])["id"]
    earlier = pl.concat(own)
    given = pl.concat(source.references for source in sources)
    references = unique_ids(given, taken, earlier["id"])
    append_in_order(store, "references", references)
    _note_revisions(store, earlier, references)
    append_in_order(store, "rejects", pl.concat(source.rejects for source in sources))
    store.append("sources", pl.DataFrame([source.row() for source in sources], schema=SOURCES))


def _note_revisions(store: Store, earlier: pl.DataFrame, now: pl.DataFrame) -> None:
    """Remember for the next run which references say something else than before; where they stand is no matter."""
    again = now.join(earlier, on="id", how="semi")
    said = [name for name in REFERENCES if name not in ("source", "line")]
    revised = again.join(earlier, on=said, how="anti", nulls_equal=True)
    run = pl.lit(last_run(store) + 1, pl.Int64).alias("run")
    store.append("revisions", revised.select(run, reference="id"))
