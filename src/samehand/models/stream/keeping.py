"""Keeping new references in a library: all they say and all that was found, in one transaction of the caller."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import polars as pl

from samehand.curate.arrivals import encode_candidates
from samehand.models.citations.fill import IS_RAW
from samehand.models.stream.assignment import Assignment, Candidate
from samehand.models.stream.index import ARRIVED, normalised, read_number, write_number
from samehand.models.stream.known import by_reference
from samehand.models.stream.living import Batch, Living
from samehand.models.stream.packing import pack
from samehand.records import KINDS, MENTIONS, REFERENCES, REJECTS
from samehand.store import Store
from samehand.store.arrivals import add_events, delete_among, last_run, read_among, remove_mentions
from samehand.store.schema import ARRIVALS, KEYS, SOURCES, TABLES
from samehand.store.sources import by_source, unique_ids


def divide(store: Store, references: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Those of the references that are new, under identifiers that nobody has, and those the library has already.

    A raw citation is known by its text: the library has it with the fields that were read in it.
    """
    longer = references.select(pl.concat_str("source", pl.lit(":"), "id")).to_series()
    ids = pl.concat([references["id"], longer]).unique().to_list()
    taken = read_among(store, "references", "id", ids, ["id"])["id"]
    if taken.is_empty():
        return references, references.clear()
    there = read_among(store, "references", "id", taken.to_list()).drop("position")
    equal = references.join(there, on=REFERENCES.names(), how="semi", nulls_equal=True)
    parsed = references.filter(IS_RAW).join(there, on=["id", "source", "line", "text"], how="semi")
    known_ids = pl.concat([equal["id"], parsed["id"]])
    known = references.select("id").join(
        there.filter(pl.col("id").is_in(known_ids.implode())), on="id", maintain_order="left"
    )
    fresh = references.filter(~pl.col("id").is_in(known_ids.implode()))
    return unique_ids(fresh, taken, pl.Series(dtype=pl.String)), known


def new_rejects(store: Store, rejects: pl.DataFrame) -> pl.DataFrame:
    """The rejects that the library has not."""
    if rejects.is_empty():
        return rejects
    there = read_among(store, "rejects", "source", rejects["source"].unique().to_list()).drop("position")
    return rejects.join(there, on=REJECTS.names(), how="anti", nulls_equal=True)


def known_assignments(store: Store, references: pl.DataFrame) -> list[Assignment]:
    """What the library says of the mentions of references that it has; nothing of those it has not resolved yet.

    By reference, in order; of each its paper, its authors, its venue.
    """
    place = {reference: number for number, reference in enumerate(references["id"])}
    found = []
    for kind, mentions in normalised(references, KINDS).items():
        rows = read_among(store, "assignments", "mention", mentions["id"].to_list())
        table = mentions.select("id", "name", "reference").join(rows, left_on="id", right_on="mention")
        names = dict(
            read_among(store, "entities", "id", rows["entity"].to_list(), ["id", "name"]).iter_rows()
        )
        for id, name, reference, entity, probability in table.select(
            "id", "name", "reference", "entity", "probability"
        ).iter_rows():
            candidate = Candidate(entity, names.get(entity), probability)
            found.append(Assignment(id, kind, name, reference, entity, (candidate,), known=True))
    return sorted(found, key=lambda one: place[one.reference])


def keep_batch(store: Store, living: Living, batch: Batch, rejects: pl.DataFrame) -> None:
    """Write references, rejects, mentions, assignments, entities and keys of a batch."""
    _keep_sources(store, living, batch.references, rejects)
    mentions = _mention_rows(batch)
    remove_mentions(store, mentions["id"].to_list())
    store.append("mentions", mentions.with_columns(living.positions("mentions", mentions.height)))
    rows = [(found.mention, found.kind, found.entity, found.probability) for found in batch.assignments]
    store.append("assignments", pl.DataFrame(rows, schema=TABLES["assignments"], orient="row"))
    _keep_entities(store, living, batch)
    store.append("keys", _key_rows(batch))
    store.append("frequencies", batch.frequencies)
    _keep_arrivals(store, living, batch)
    delete_among(store, "former", "mention", mentions["id"].to_list())
    write_number(store, ARRIVED, read_number(store, ARRIVED) + 1)


def _mention_rows(batch: Batch) -> pl.DataFrame:
    rows = [(other.id, str(other.kind), other.reference, 0, other.name) for other in batch.others]
    rows += [(author.id, "author", author.reference, author.slot, author.name) for author in batch.authors]
    return pl.DataFrame(rows, schema=MENTIONS, orient="row")


def _key_rows(batch: Batch) -> pl.DataFrame:
    nothing = (None, None, None, None)
    rows: list[tuple[Any, ...]] = [
        (str(other.kind), key, other.id, other.reference, *nothing)
        for other in batch.others
        for key in other.keys
    ]
    together = by_reference(batch.authors)
    for author in batch.authors:
        record = author.record
        said = (
            record["year"],
            record["given_name"],
            author.is_given,
            pack(record, together[author.reference]),
        )
        rows.append(("author", author.block, author.id, author.reference, *said))
    return pl.DataFrame(rows, schema=KEYS, orient="row")


def _keep_sources(store: Store, living: Living, references: pl.DataFrame, rejects: pl.DataFrame) -> None:
    """The references and rejects, and their sources: one that the library has becomes longer."""
    for table, frame in (("references", references), ("rejects", rejects)):
        store.append(table, frame.with_columns(living.positions(table, frame.height)))
    for source in by_source(references, rejects):
        row = source.row()
        earlier = store.read("sources", '"name" = $1', (source.name,))
        if earlier.height:
            before = earlier.row(0, named=True)
            both = f"{before['content']} {row['content']}".encode()
            row["content"] = hashlib.blake2b(both, digest_size=16).hexdigest()
            for name in ("reference_count", "reject_count"):
                row[name] += before[name]
            row["added"] = datetime.now(UTC)
            store.execute('DELETE FROM sources WHERE "name" = $1', (source.name,))
        store.append("sources", pl.DataFrame([row], schema=SOURCES))


def _keep_entities(store: Store, living: Living, batch: Batch) -> None:
    """New entities with their events; those that were there become larger."""
    table = pl.DataFrame(
        [(found.entity, found.kind, found.name, found.mention) for found in batch.assignments],
        schema={"id": pl.String, "kind": pl.String, "name": pl.String, "representative": pl.String},
        orient="row",
    )
    grouped = table.group_by("id", maintain_order=True).agg(
        pl.col("kind", "name", "representative").first(), size=pl.len().cast(pl.Int64)
    )
    there = read_among(store, "entities", "id", grouped["id"].to_list(), ["id"])["id"]
    is_there = pl.col("id").is_in(there.implode())
    for id, size in grouped.filter(is_there).select("id", "size").iter_rows():
        store.execute('UPDATE entities SET "size" = "size" + $1 WHERE "id" = $2', (size, id))
    new = grouped.filter(~is_there)
    store.append("entities", new.with_columns(living.positions("entities", new.height)))
    run = last_run(store)
    add_events(
        store,
        [
            (run, "created", kind, id, None, size)
            for id, kind, size in new.select("id", "kind", "size").iter_rows()
        ],
    )


def _keep_arrivals(store: Store, living: Living, batch: Batch) -> None:
    positions = living.positions("arrivals", len(batch.arrivals))
    rows = [
        (position, arrival.mention, key, arrival.own, encode_candidates(arrival.candidates), arrival.asked)
        for position, (arrival, key) in zip(positions, batch.arrivals, strict=True)
    ]
    store.append("arrivals", pl.DataFrame(rows, schema=ARRIVALS, orient="row"))
