"""Keeps the tables of build.py up to date, in the background: all of them after a run, a few rows after a decision."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from threading import Event, Thread
from typing import Protocol

import polars as pl

from samehand.errors import SamehandError
from samehand.library import Library
from samehand.models.stream.index import ensure_index
from samehand.store import Store
from samehand.store.arrivals import delete_among, read_among
from samehand.store.schema import encode_time
from samehand.web.find.build import Tables, facets, numbered, places, tables
from samehand.web.find.state import FOUND, found_state, state

LOOK_SECONDS = 2.0
STOP_SECONDS = 2.0

FEW = 2_000
"""If more entities than this have changed, everything is made anew."""

MARGIN = timedelta(minutes=1)
"""A decision may be dated a little before it can be seen."""

MADE = tuple(field.name for field in fields(Tables))

FOUND_AT = "found at"
"""In the table `meta`: when the tables were last brought up to date."""


def refresh(library: Library) -> bool:
    """Bring the tables up to date; whether there was anything to do.

    What is slow is done before the transaction that writes. What curators did meanwhile the next look takes in, as the
    state that is noted is the one that was read; after a run meanwhile nothing is written.
    """
    store = library.store
    began = datetime.now(UTC)
    with store.reading():
        now, before = state(store), found_state(store)
        if now == before:
            return False
        changed = _changed(store) if _run_of(now) == _run_of(before) else None
        works = library.works()
        if changed is None or len(changed) > FEW:
            changed = None
            references, mentions = library.references(), library.mentions()
        else:
            references, mentions = _around(store, changed)
    made = tables(references, mentions, works)
    with store.writing():
        if _run_of(state(store)) == _run_of(now):
            _write(store, made, changed)
            _note(store, FOUND, now)
            _note(store, FOUND_AT, encode_time(began - MARGIN))
    return True


def _run_of(state: str) -> str:
    return state.partition("-")[0]


def _changed(store: Store) -> list[str]:
    """Entities that are not what their facts say, that are gone, or that decisions since the last time concern."""
    differs = """
        SELECT entities."id" AS "id" FROM entities LEFT JOIN facts ON facts."entity" = entities."id"
        WHERE facts."entity" IS NULL OR facts."size" <> entities."size"
        UNION SELECT facts."entity" FROM facts LEFT JOIN entities ON entities."id" = facts."entity"
        WHERE entities."id" IS NULL
        UNION SELECT assignments."entity" FROM decisions
        JOIN assignments ON assignments."mention" IN (decisions."left", decisions."right")
        WHERE decisions."at" >= $1 OR decisions."undone_at" >= $2
    """
    rows = store.read("meta", '"key" = $1', (FOUND_AT,), ["value"])
    since = str(rows.item()) if rows.height else ""
    return store.query(pl.Schema({"id": pl.String()}), differs, (since, since))["id"].to_list()


def _around(store: Store, entities: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The references of some entities, and of all mentions there those that matter to these entities."""
    held = read_among(store, "assignments", "entity", entities)["mention"].to_list()
    names = read_among(store, "mentions", "id", held, ["reference"])["reference"].unique().to_list()
    references = read_among(store, "references", "id", names).sort("position").drop("position")
    mentions = read_among(store, "mentions", "reference", names).sort("position").drop("position")
    assigned = read_among(store, "assignments", "mention", mentions["id"].to_list())
    found = assigned.select("entity", "probability", id="mention")
    return references, mentions.join(found, on="id", how="left", maintain_order="left")


def _write(store: Store, made: Tables, changed: Sequence[str] | None) -> None:
    """Put the tables in the place of the old ones; of `changed` entities only, if not None."""
    if changed is None:
        given = places(made.facts)
        for table in MADE:
            store.execute(f"DELETE FROM {table}")
    else:
        made = _only(made, changed)
        given = _kept_places(store, made.facts, changed)
        _forget(store, changed)
    stored = numbered(made, given)
    for table in MADE:
        store.append(table, getattr(stored, table))
    _count_again(store)


def _forget(store: Store, entities: Sequence[str]) -> None:
    """Delete the rows of some entities."""
    for place in read_among(store, "facts", "entity", entities, ["place"])["place"]:
        for table in ("facts", "words", "links", "years"):
            store.execute(f'DELETE FROM {table} WHERE "place" = $1', (place,))
    delete_among(store, "records", "entity", entities)


def _only(made: Tables, entities: Sequence[str]) -> Tables:
    """The rows of some entities. Those of their neighbours are not complete: not all references were looked at."""
    wanted = pl.col("entity").is_in(list(entities))
    return Tables(*(getattr(made, name).filter(wanted) for name in MADE))


def _kept_places(store: Store, facts: pl.DataFrame, changed: Sequence[str]) -> pl.DataFrame:
    """Entities keep the place they have; new ones come after all others, until the next run."""
    known = read_among(store, "facts", "entity", changed, ["entity", "place"])
    new = places(facts.join(known, on="entity", how="anti"))
    after = store.number('SELECT COALESCE(MAX("place"), 0) FROM facts')
    return pl.concat([known, new.with_columns(pl.col("place") + after)])


def _count_again(store: Store) -> None:
    columns = ["kind", "size_class", "sure_class", "decade"]
    store.execute("DELETE FROM facets")
    store.append("facets", facets(store.read("facts", columns=columns)))


def _note(store: Store, key: str, value: str) -> None:
    store.execute('DELETE FROM meta WHERE "key" = $1', (key,))
    store.execute('INSERT INTO meta ("key", "value") VALUES ($1, $2)', (key, value))


class Libraries(Protocol):
    """What lends libraries (shelf.py)."""

    def library(self) -> AbstractContextManager[Library]: ...


class Keeper:
    """One thread that looks every few seconds whether the library has changed, and brings the tables up to date."""

    def __init__(self, shelf: Libraries) -> None:
        self._shelf = shelf
        self._wake = Event()
        self._stopped = False
        self._thread = Thread(target=self._run, name="samehand-find", daemon=True)
        self._once = Event()
        self.busy = False
        self.problem: str | None = None

    def wait(self, seconds: float) -> bool:
        """Wait until everything has been brought up to date once; whether it has."""
        return self._once.wait(seconds)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more. What is being made is not waited for long: it is written whole or not at all."""
        self._stopped = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(STOP_SECONDS)

    def look(self) -> None:
        """Look now: something was changed."""
        self._wake.set()

    def _run(self) -> None:
        while not self._stopped:
            self._refresh()
            self._wake.wait(LOOK_SECONDS)
            self._wake.clear()

    def _refresh(self) -> None:
        try:
            with self._shelf.library() as library:
                self.busy = state(library.store) != found_state(library.store)
                if self.busy:
                    refresh(library)
                # New records are looked up in an index of their own, which nobody should have to wait for.
                ensure_index(library.store)
            self.problem = None
            self._once.set()
        except SamehandError as error:
            # Most likely another process is writing: the next look is in a moment.
            self.problem = str(error)
        except Exception:
            # A mistake of ours must not end the thread: lists would silently stay old.
            self.problem = "the lists cannot be brought up to date; see the server's messages"
            traceback.print_exc(file=sys.stderr)
        finally:
            self.busy = False
