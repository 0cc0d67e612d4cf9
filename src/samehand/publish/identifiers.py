"""Stable identifiers of entities: opaque, short, and kept from run to run.

An identifier is a letter for the kind (p, a, v) and 10 characters of Crockford's base 32: the first 50 bits
of blake2b(kind:smallest mention of the entity when it was first seen). Afterwards it is inherited:

- An old entity's home is the new cluster that holds most of its mentions (ties: the smallest mention).
- A cluster that is the home of one old entity keeps its identifier.
- A cluster that is the home of several keeps that of the largest contribution; the others redirect to it.
- A cluster that is the home of none gets a new identifier; one that was ever used is never given again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.records import KINDS, Kind

REDIRECTS = pl.Schema({"old": pl.String, "new": pl.String, "run": pl.Int64})
"""Where an identifier that was merged away leads: always straight to one that was not."""

EVENTS = pl.Schema(
    {
        "run": pl.Int64,
        "event": pl.String,  # created, merged, split, vanished, returned
        "kind": pl.String,
        "entity": pl.String,
        "other": pl.String,  # merged: the entity it went into; split: an entity that took a part of it
        "mentions": pl.Int64,  # how many mentions that concerned
    }
)
"""What each run did to the entities."""

LETTER: dict[Kind, str] = {"paper": "p", "author": "a", "venue": "v"}
ALPHABET = np.frombuffer(b"0123456789abcdefghjkmnpqrstvwxyz", dtype="S1")
LENGTH = 10

_NO_TEXT = pl.Series(dtype=pl.String)


@dataclass(frozen=True)
class Identifiers:
    """What `assign` decided: `entities` (kind, cluster, entity), all redirects, and this run's events."""

    entities: pl.DataFrame
    redirects: pl.DataFrame
    events: pl.DataFrame


def assign(
    clusterings: Mapping[Kind, pl.DataFrame],
    previous: pl.DataFrame,
    *,
    run: int = 1,
    redirects: pl.DataFrame | None = None,
    used: pl.Series = _NO_TEXT,
    former: pl.DataFrame | None = None,
) -> Identifiers:
    """Give every cluster its entity identifier.

    `previous` (mention, entity) is the result of the last run; `former`, of the same form, says where
    mentions were that have gone since, so that an entity has its identifier back when they return.
    `redirects` are those of earlier runs, `used` all identifiers ever given. Kinds that are not in
    `clusterings` are left alone.

    >>> first = assign({"venue": pl.DataFrame({"mention": ["x", "y"], "cluster": [0, 0]})},
    ...     pl.DataFrame(schema={"mention": pl.String, "entity": pl.String}))
    >>> first.entities.rows()
    [('venue', 0, 'vm45ebfkgf8')]
    >>> first.events.select("event", "entity", "mentions").rows()
    [('created', 'vm45ebfkgf8', 2)]
    """
    old_redirects = pl.DataFrame(schema=REDIRECTS) if redirects is None else redirects
    seen = _seen(previous, previous.clear() if former is None else former, old_redirects)
    used = pl.concat([used, old_redirects["old"], seen["entity"]]).unique()
    entities, merges, events = [], [], []
    for kind in (kind for kind in KINDS if kind in clusterings):
        mine = seen.filter(pl.col("entity").str.starts_with(LETTER[kind]))
        shares = _shares(clusterings[kind], mine)
        homes = _homes(shares)
        named = _name(kind, clusterings[kind], homes, used)
        merged = _merged(homes, named)
        entities.append(named.select(pl.lit(kind).alias("kind"), "cluster", "entity"))
        merges.append(merged.select("old", "new", pl.lit(run, pl.Int64).alias("run")))
        live = mine.filter("live")["entity"].unique()
        events.append(_events(run, kind, shares, homes, named, merged, live))
    return Identifiers(
        pl.concat(entities) if entities else pl.DataFrame(schema=_ENTITIES),
        _flatten(old_redirects, pl.concat([REDIRECTS.to_frame(), *merges])),
        pl.concat([EVENTS.to_frame(), *events]),
    )


_ENTITIES = pl.Schema({"kind": pl.String, "cluster": pl.UInt32, "entity": pl.String})


def mint(kind: Kind, mentions: pl.Series, used: pl.Series = _NO_TEXT) -> pl.Series:
    """A new identifier for the entity that begins with each mention, none of them in `used` nor given twice.

    An identifier that is taken is hashed again with the number of the attempt as a salt; of two mentions that
    want the same one, the smaller gets it.

    >>> mint("paper", pl.Series(["m1"]), pl.Series(["p0000000000"])).to_list()
    ['pgvwydz0rk9']
    """
    wanting = pl.DataFrame({"mention": mentions, "place": pl.int_range(mentions.len(), eager=True)})
    wanting = wanting.sort("mention")
    given = []
    attempt = 0
    while wanting.height:
        wanting = wanting.with_columns(_hashed(kind, wanting["mention"], attempt).alias("entity"))
        granted = pl.col("entity").is_first_distinct() & ~pl.col("entity").is_in(used.implode())
        given.append(wanting.filter(granted))
        used = pl.concat([used, given[-1]["entity"]])
        wanting = wanting.filter(~granted)
        attempt += 1
    return pl.concat(given).sort("place")["entity"] if given else _NO_TEXT


def _hashed(kind: Kind, mentions: pl.Series, attempt: int) -> pl.Series:
    """The kind's letter and 50 bits of blake2b(kind:mention, salt = attempt), as text."""
    salt = attempt.to_bytes(8, "little")
    digests = b"".join(
        hashlib.blake2b(f"{kind}:{mention}".encode(), digest_size=8, salt=salt).digest()
        for mention in mentions.to_list()
    )
    return pl.Series(_base32(np.frombuffer(digests, dtype=">u8"), LETTER[kind]))


def _base32(numbers: npt.NDArray[np.uint64], letter: str) -> list[str]:
    shifts = np.arange(64 - 5, 64 - 5 * (LENGTH + 1), -5, dtype=np.uint64)
    digits = (numbers[:, None].astype(np.uint64) >> shifts) & np.uint64(31)
    text = np.full((len(numbers), LENGTH + 1), letter.encode(), dtype="S1")
    text[:, 1:] = ALPHABET[digits.astype(np.intp)]
    return text.view(f"S{LENGTH + 1}").ravel().astype(str).tolist()


def _seen(previous: pl.DataFrame, former: pl.DataFrame, redirects: pl.DataFrame) -> pl.DataFrame:
    """The last known entity of every mention, and whether it was there in the last run (`live`)."""
    both = (previous.with_columns(live=pl.lit(True)), former.with_columns(live=pl.lit(False)))
    return pl.concat(both).with_columns(_follow(pl.col("entity"), redirects))


def _shares(clustering: pl.DataFrame, seen: pl.DataFrame) -> pl.DataFrame:
    """How many mentions of each old entity are in each cluster, the largest share first.

    Mentions of the last run come before those that return: what is gone cannot take an identifier away.
    """
    return (
        clustering.select("mention", "cluster")
        .join(seen, on="mention")
        .group_by("cluster", "entity")
        .agg(
            pl.col("live").sum(),
            pl.len().cast(pl.Int64).alias("mentions"),
            pl.col("mention").min().alias("first"),
        )
        .sort(["live", "mentions", "first"], descending=[True, True, False])
    )


def _homes(shares: pl.DataFrame) -> pl.DataFrame:
    """The cluster where each old entity has its largest share; still the largest share first."""
    return shares.unique("entity", keep="first", maintain_order=True)


def _name(kind: Kind, clustering: pl.DataFrame, homes: pl.DataFrame, used: pl.Series) -> pl.DataFrame:
    """Each cluster once: its `entity`, whether that is `new`, its `size`; in order of cluster."""
    kept = homes.unique("cluster", keep="first", maintain_order=True).select("cluster", "entity")
    clusters = (
        clustering.group_by("cluster")
        .agg(pl.len().cast(pl.Int64).alias("size"), pl.col("mention").min().alias("first"))
        .join(kept, on="cluster", how="left")
        .with_columns(pl.col("entity").is_null().alias("new"))
    )
    fresh = clusters.filter("new")
    fresh = fresh.with_columns(mint(kind, fresh["first"], used).alias("entity"))
    return pl.concat([clusters.filter(~pl.col("new")), fresh]).sort("cluster")


def _merged(homes: pl.DataFrame, named: pl.DataFrame) -> pl.DataFrame:
    """The old entities whose home took another's identifier: `old`, `new`, `mentions`."""
    there = homes.join(named.select("cluster", new="entity"), on="cluster")
    return there.filter(pl.col("entity") != pl.col("new")).select("new", "mentions", old="entity")


def _flatten(old: pl.DataFrame, fresh: pl.DataFrame) -> pl.DataFrame:
    """All redirects, each straight to its end; the ends of `fresh` are ends."""
    return pl.concat([old.with_columns(_follow(pl.col("new"), fresh)), fresh]).sort("old")


def _follow(column: pl.Expr, redirects: pl.DataFrame) -> pl.Expr:
    return column.replace(redirects["old"], redirects["new"])


def _events(
    run: int,
    kind: Kind,
    shares: pl.DataFrame,
    homes: pl.DataFrame,
    named: pl.DataFrame,
    merged: pl.DataFrame,
    live: pl.Series,
) -> pl.DataFrame:
    """What happened to the entities of one kind, in a fixed order."""
    away = shares.join(homes, on=["entity", "cluster"], how="anti")
    named = named.rename({"size": "mentions"})
    stayed = named.filter(~pl.col("new"))
    parts = {
        "created": named.filter("new"),
        "returned": stayed.filter(~pl.col("entity").is_in(live.implode())),
        "merged": merged.rename({"old": "entity", "new": "other"}),
        "split": away.join(named.select("cluster", other="entity"), on="cluster"),
        "vanished": live.filter(~live.is_in(homes["entity"].implode())).to_frame("entity"),
    }
    return pl.concat(_event_rows(run, kind, event, rows) for event, rows in parts.items())


def _event_rows(run: int, kind: Kind, event: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with schema `EVENTS`, sorted; nobody else concerned: `other` is null, no mention: 0."""
    blanks = {"other": pl.lit(None, pl.String), "mentions": pl.lit(0, pl.Int64)}
    rows = rows.with_columns(
        pl.lit(run, pl.Int64).alias("run"),
        pl.lit(event).alias("event"),
        pl.lit(kind).alias("kind"),
        **{name: blank for name, blank in blanks.items() if name not in rows.columns},
    )
    return rows.select(EVENTS.names()).sort("entity", "other")
