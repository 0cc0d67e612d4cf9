"""Some mentions as people see them: the names they are written under, their years, and a few of their papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from samehand.publish.vote import spelling_key
from samehand.store import Store
from samehand.store.arrivals import read_among

LOOKED_AT = 400
"""Of more mentions, the first so many are looked at."""
NAMES_SHOWN = 6
WORKS_SHOWN = 6


@dataclass(frozen=True)
class Work:
    """A reference in short."""

    reference: str
    title: str
    year: int | None
    venue: str | None
    authors: tuple[str, ...]


@dataclass(frozen=True)
class Sight:
    """What is to be seen of some mentions: `first` is one of them, `works` holds the latest."""

    first: str
    size: int
    names: tuple[tuple[str, int], ...]
    years: tuple[int, int] | None
    works: tuple[Work, ...]

    @property
    def title(self) -> str:
        """Of the common names the fullest: initials say less."""
        common = [name for name, count in self.names if 2 * count >= self.names[0][1]]
        return max(common, key=len, default="")


def sight(store: Store, mentions: Sequence[str], works: int = WORKS_SHOWN) -> Sight:
    """What is to be seen of these mentions."""
    found = read_among(store, "mentions", "id", mentions[:LOOKED_AT], ["id", "reference", "name"])
    ids = found["reference"].drop_nulls().unique().to_list()
    columns = ["id", "title", "year", "venue", "authors", "text"]
    references = read_among(store, "references", "id", ids, columns)
    known = references["year"].drop_nulls().sort()
    latest = references.sort("year", "id", descending=[True, False], nulls_last=True)
    # References to one work say the same: each work once.
    key = pl.coalesce(spelling_key(latest["title"]).replace("", None), latest["id"])
    latest = latest.with_columns(work=key).unique("work", keep="first", maintain_order=True).head(works)
    return Sight(
        mentions[0] if mentions else "",
        len(mentions),
        tuple(Counter(name or "" for name in found["name"]).most_common(NAMES_SHOWN)),
        (known[0], known[-1]) if known.len() else None,
        tuple(_work(row) for row in latest.iter_rows(named=True)),
    )


def _work(row: dict[str, object]) -> Work:
    authors = row["authors"]
    return Work(
        str(row["id"]),
        str(row["title"] or row["text"] or row["id"]),
        row["year"] if isinstance(row["year"], int) else None,
        str(row["venue"]) if row["venue"] else None,
        tuple(authors) if isinstance(authors, list) else (),
    )


def short_details(store: Store, mentions: Sequence[str]) -> pl.DataFrame:
    """`id`, `name`, `title`, `year` of mentions."""
    found = read_among(store, "mentions", "id", mentions, ["id", "reference", "name"])
    about = read_among(
        store, "references", "id", found["reference"].drop_nulls().unique().to_list(), ["id", "title", "year"]
    )
    return found.join(about.rename({"id": "reference"}), on="reference", how="left").drop("reference")
