"""The sources of a library: which are new, which have changed, and identifiers that stay unique."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from samehand.records import REFERENCES, REJECTS
from samehand.store.schema import SOURCES, encode

STANDARD_INPUT = "-"


@dataclass(frozen=True)
class Source:
    """The rows of one source, on their way into the library."""

    name: str
    content: str
    references: pl.DataFrame
    rejects: pl.DataFrame

    def row(self) -> dict[str, Any]:
        """Its row in the table of sources, added now."""
        counts = (self.references.height, self.rejects.height)
        return dict(zip(SOURCES, (self.name, self.content, *counts, datetime.now(UTC)), strict=True))


def by_source(references: pl.DataFrame, rejects: pl.DataFrame) -> Iterator[Source]:
    """The rows of each source, in order of first appearance."""
    mine = references.partition_by("source", as_dict=True, maintain_order=True)
    mine_rejected = rejects.partition_by("source", as_dict=True, maintain_order=True)
    for key in dict.fromkeys([*mine, *mine_rejected]):
        rows = mine.get(key, references.clear())
        rejected = mine_rejected.get(key, rejects.clear())
        content = digest(rows, rejected)
        name = registered_name(str(key[0]), content)
        named = pl.lit(name).alias("source")
        yield Source(name, content, rows.with_columns(named), rejected.with_columns(named))


def digest(references: pl.DataFrame, rejects: pl.DataFrame) -> str:
    """A hash of the rows of one source, in their order.

    >>> len(digest(REFERENCES.to_frame(), REJECTS.to_frame()))
    32
    """
    content = hashlib.blake2b(digest_size=16)
    for schema, frame in ((REFERENCES, references), (REJECTS, rejects)):
        buffer = io.BytesIO()
        encode(frame, schema).write_ndjson(buffer)
        content.update(f"{frame.height}\n".encode())
        content.update(buffer.getbuffer())
    return content.hexdigest()


def registered_name(source: str, content: str) -> str:
    """The name a source is known by. Standard input has none, and two texts piped in are two sources.

    >>> registered_name("a.bib", "ffff0000ffff"), registered_name("-", "ffff0000ffff")
    ('a.bib', '-:ffff0000')
    """
    return f"{source}:{content[:8]}" if source == STANDARD_INPUT else source


def unique_ids(references: pl.DataFrame, taken: pl.Series, own: pl.Series) -> pl.DataFrame:
    """The references with ids that no other source has: an id in `taken` becomes "source:id".

    One that had to be changed when the source was last added (`own`: its ids then) is changed again, so that
    its mentions keep their identity.

    >>> references = pl.DataFrame({"source": ["b", "b"], "id": ["1", "2"]})
    >>> unique_ids(references, pl.Series(["1"]), pl.Series(["b:2"]))["id"].to_list()
    ['b:1', 'b:2']
    """
    longer = pl.concat_str("source", pl.lit(":"), "id")
    twice = ~pl.col("id").is_first_distinct()
    clash = pl.col("id").is_in(taken.implode()) | twice | longer.is_in(own.implode())
    references = references.with_columns(pl.when(clash).then(longer).otherwise("id").alias("id"))
    again = references["id"].is_in(taken.implode()) | ~references["id"].is_first_distinct()
    if not again.any():
        return references
    ids = references["id"].to_list()
    seen = set(taken.to_list()) | set(references.filter(~again)["id"].to_list())
    for place in again.arg_true().to_list():
        ids[place] = _numbered(ids[place], seen)
        seen.add(ids[place])
    return references.with_columns(pl.Series("id", ids))


def _numbered(wanted: str, seen: set[str]) -> str:
    number = 2
    while f"{wanted}:{number}" in seen:
        number += 1
    return f"{wanted}:{number}"
