"""The index of a library by which a new record finds its few neighbours; made anew after each run, at the first need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from samehand.block import block
from samehand.models.stream.corpus import frequencies
from samehand.models.stream.features import stream_records
from samehand.models.stream.keys import keys_of
from samehand.models.stream.packing import pack_table
from samehand.normalise.mentions import author_mentions, paper_mentions, venue_mentions
from samehand.records import KINDS, Kind
from samehand.store import Store
from samehand.store.arrivals import last_run
from samehand.store.schema import KEYS

NORMALISE: dict[Kind, tuple[Callable[[pl.DataFrame], pl.DataFrame], set[str]]] = {
    "paper": (paper_mentions, {"reference", "citation"}),
    "author": (author_mentions, {"reference", "author"}),
    "venue": (venue_mentions, {"reference", "venue"}),
}
"""Kind -> what makes its mentions, of references of which scopes."""

INDEXED, ARRIVED = "indexed", "arrived"
"""In the table `meta`: the run whose mentions are indexed; how often arrivals were kept since."""


def normalised(references: pl.DataFrame, kinds: Sequence[Kind]) -> dict[Kind, pl.DataFrame]:
    """The mentions of each of these kinds that the references may have.

    >>> from samehand.records import Reference, references_frame
    >>> list(normalised(references_frame([Reference("a.txt", 1, id="x", scope="citation", text="On hands")]), KINDS))
    ['paper']
    """
    scopes = set(references["scope"])
    return {kind: NORMALISE[kind][0](references) for kind in kinds if scopes & NORMALISE[kind][1]}


def read_number(store: Store, name: str) -> int:
    """A number of the table `meta`; -1 if there is none."""
    return store.number(
        'SELECT COALESCE(MAX(CAST("value" AS BIGINT)), -1) FROM meta WHERE "key" = $1', (name,)
    )


def write_number(store: Store, name: str, value: int) -> None:
    """Set a number of the table `meta`."""
    store.execute('DELETE FROM meta WHERE "key" = $1', (name,))
    store.execute('INSERT INTO meta ("key", "value") VALUES ($1, $2)', (name, str(value)))


def is_indexed(store: Store) -> bool:
    """Whether the index is that of the last run."""
    run = '(SELECT COALESCE(MAX("id"), 0) FROM runs)'
    sql = f'SELECT COUNT(*) FROM meta WHERE "key" = $1 AND CAST("value" AS BIGINT) = {run}'
    return bool(store.number(sql, (INDEXED,)))


def ensure_index(store: Store) -> None:
    """Make the index of the last run, unless it is there. Others may write while it is made, but not while it is kept."""
    while not is_indexed(store):
        with store.reading():
            run, references = last_run(store), store.read("references").drop("position")
            resolved = store.read("assignments", columns=["mention", "kind"])
        tables = _made(references, resolved)
        with store.writing():
            if is_indexed(store) or run != last_run(store):
                continue
            for table, frames in tables.items():
                store.execute(f"DELETE FROM {table}")
                for frame in frames:
                    store.append(table, frame)
            write_number(store, INDEXED, run)


def _made(references: pl.DataFrame, resolved: pl.DataFrame) -> dict[str, list[pl.DataFrame]]:
    """The rows of the index."""
    keys, counted = [], []
    for kind, mentions in normalised(references, KINDS).items():
        mentions = mentions.join(resolved.filter(kind=kind), left_on="id", right_on="mention", how="semi")
        table = keys_of(kind, mentions)
        if kind == "author":
            records = stream_records(block("author", mentions, references)).join(
                mentions.select("id", "reference", is_given=pl.col("given_block").is_not_null()), on="id"
            )
            counted.append(frequencies(records))
            # Rows of one block are read together: they are to stand together.
            table = table.join(_said(records), on="mention").sort("key")
        keys.append(pl.concat([KEYS.to_frame(), table], how="diagonal_relaxed"))
    return {"keys": keys, "frequencies": counted}


def _said(records: pl.DataFrame) -> pl.DataFrame:
    """What mentions say, as it stands beside their keys."""
    return records.select("year", "given_name", "is_given", pack_table(records), mention="id")
