"""The result of a run on its way into a library. Called inside a transaction of the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson
import polars as pl

from samehand.curate.decisions import violations
from samehand.curate.ledger import listed
from samehand.curate.obeying import obeying
from samehand.errors import LibraryError
from samehand.publish.identifiers import assign
from samehand.publish.works import works_of
from samehand.store import Store
from samehand.store.arrivals import last_run
from samehand.store.history import write_changes
from samehand.store.ledger import read_ledger
from samehand.store.meanwhile import Caught, Clusterings, State, catch_up, keep_late, put_off, state_of
from samehand.store.rows import of_kinds, replace_rows
from samehand.store.schema import RUNS, WORKS


@dataclass(frozen=True)
class About:
    """What is known of a run besides its result."""

    settings: Mapping[str, Any]
    seed: int
    started: datetime
    finished: datetime


def write_run(
    store: Store,
    mentions: pl.DataFrame,
    clusterings: Clusterings,
    works: pl.DataFrame | None,
    about: About,
    since: State | None,
) -> int:
    """See `Library.save_run`."""
    run = last_run(store) + 1
    caught = catch_up(store, since or state_of(store), mentions, clusterings)
    clusterings = _obeying(store, caught.clusterings)
    assignments = _identify(store, run, clusterings)
    _replace_mentions(store, caught, assignments)
    if "paper" in clusterings:
        _replace_works(store, works, assignments)
    write_changes(store, run, assignments, clusterings)
    put_off(store, run, caught)
    row = {
        "id": run,
        "started": about.started.astimezone(UTC),
        "finished": about.finished.astimezone(UTC),
        "seed": about.seed,
        "settings": orjson.dumps(dict(about.settings), default=str, option=orjson.OPT_SORT_KEYS).decode(),
        "mention_count": assignments.height,
        "entity_count": assignments["entity"].n_unique(),
        "saved": datetime.now(UTC),
    }
    store.append("runs", pl.DataFrame([row], schema=RUNS))
    return run


def _obeying(store: Store, clusterings: Clusterings) -> Clusterings:
    """The clusterings, following the decisions that curators made since the run began too."""
    ledger = read_ledger(store)
    found = {kind: obeying(table, ledger.filter(kind=kind)) for kind, table in clusterings.items()}
    for kind, table in found.items():
        broken = violations(table, ledger.filter(kind=kind))
        if broken.height:
            numbers = listed(broken["decisions"].explode().unique().sort())
            raise LibraryError(
                f"{store.location}: this run is not saved, because the decisions {numbers} contradict each other; "
                "undo one of them and run again"
            )
    return found


def _identify(store: Store, run: int, clusterings: Clusterings) -> pl.DataFrame:
    """Give every cluster its identifier, record what that changed, and return the assignments."""
    kinds = of_kinds(clusterings)
    columns = ["mention", "kind", "entity"]
    previous, former = (store.read(table, *kinds, columns) for table in ("assignments", "former"))
    identified = assign(
        clusterings,
        previous.drop("kind"),
        run=run,
        redirects=store.read("redirects"),
        used=store.read("events", "\"event\" = 'created'", columns=["entity"])["entity"],
        former=former.drop("kind"),
    )
    tables = [table.with_columns(pl.lit(kind).alias("kind")) for kind, table in clusterings.items()]
    assignments = pl.concat(tables).join(identified.entities, on=["kind", "cluster"], maintain_order="left")
    gone = pl.concat([previous, former]).join(assignments, on="mention", how="anti")
    replace_rows(store, "former", gone, kinds)
    replace_rows(store, "redirects", identified.redirects)
    store.append("events", identified.events)
    return assignments


def _replace_mentions(store: Store, caught: Caught, assignments: pl.DataFrame) -> None:
    members = caught.mentions.join(assignments, left_on="id", right_on="mention", maintain_order="left")
    entities = members.group_by("entity", "kind", maintain_order=True).agg(
        pl.col("name").first(),
        pl.col("id").first().alias("representative"),
        pl.len().alias("size"),
    )
    where = of_kinds(caught.clusterings)
    replace_rows(store, "mentions", caught.mentions, where)
    replace_rows(store, "assignments", assignments, where)
    replace_rows(store, "entities", entities.rename({"entity": "id"}), where)
    if "author" in caught.clusterings:
        keep_late(store, caught.late)


def _replace_works(store: Store, works: pl.DataFrame | None, assignments: pl.DataFrame) -> None:
    known = assignments.select("entity", id="mention")
    replace_rows(store, "works", WORKS.to_frame() if works is None else works_of(works, known))
