"""Citation keys of the clean bibliography: kept where possible, unique, and mapped from the old ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import polars as pl

from samehand.normalise.tokens import tokens
from samehand.publish.ballots import paper_ballots, rank_references

KEYS = pl.Schema(
    {
        "source": pl.String,
        "old_key": pl.String,  # null where the reference had none
        "new_key": pl.String,
        "entity": pl.String,
        "note": pl.String,  # why the key changed; null where it is kept
    }
)

_FORBIDDEN = re.compile(r'[\s,{}"#%=\\~]+')
_SHORT_WORD = 3


def keys(references: pl.DataFrame, mentions: pl.DataFrame) -> pl.DataFrame:
    """The old-to-new map, schema `KEYS`: one row per reference of a paper, in input order.

    A paper takes the key of its best reference. Where two papers claim one key (case does not count, as
    in BibTeX), the first in the input keeps it and the others get "b", "c", ... appended.

    >>> from samehand.publish.example import mentions, references
    >>> keys(references(), mentions()).select("old_key", "new_key").rows()
    [('lovelace', 'lovelace'), ('ada01', 'lovelace'), ('draft', 'lovelace')]
    """
    return keys_of_ranked(rank_references(paper_ballots(references, mentions)))


def keys_of_ranked(ranked: pl.DataFrame) -> pl.DataFrame:
    """`keys` for references already ranked (see `canonical.rank_references`)."""
    ranked = ranked.select("entity", "row", "source", "key", "authors", "year", "title")
    best = ranked.unique("entity", keep="first", maintain_order=True)
    wishes = {row["entity"]: _wish(row) for row in best.iter_rows(named=True)}
    new_keys = unique_keys(wishes)
    rows = [
        (row["source"], row["key"], new_keys[row["entity"]], row["entity"], _note(row, wishes, new_keys))
        for row in ranked.sort("row").drop("authors").iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=KEYS, orient="row")


def unique_keys(wishes: dict[str, str]) -> dict[str, str]:
    """Each entity's key: the one it wishes for the first that asks, a suffixed one for the others.

    >>> unique_keys({"p1": "smith99", "p2": "Smith99", "p3": "smith99b"})
    {'p1': 'smith99', 'p2': 'Smith99c', 'p3': 'smith99b'}
    """
    taken: dict[str, str] = {}
    for entity, wish in wishes.items():
        taken.setdefault(wish.lower(), entity)
    granted = {}
    for entity, wish in wishes.items():
        key = wish
        suffixes = _suffixes()
        while taken.setdefault(key.lower(), entity) != entity:
            key = wish + next(suffixes)
        granted[entity] = key
    return granted


def _suffixes() -> Iterator[str]:
    yield from "bcdefghijklmnopqrstuvwxyz"
    yield from (f"-{number}" for number in count(27))


def _wish(row: dict[str, Any]) -> str:
    """The reference's own key without what no BibTeX key may hold, else one made from author, year, title."""
    own = _FORBIDDEN.sub("-", row["key"] or "").strip("-")
    return own or _made_key(row)


def _made_key(row: dict[str, Any]) -> str:
    author = "".join(tokens(row["authors"][0].split(",")[0])[-1:]) if row["authors"] else ""
    words = [word for word in tokens(row["title"] or "") if len(word) > _SHORT_WORD]
    made = author + str(row["year"] or "") + "".join(words[:1])
    return made or str(row["entity"])


def _note(row: dict[str, Any], wishes: dict[str, str], new_keys: dict[str, str]) -> str | None:
    old, wish, new = row["key"], wishes[row["entity"]], new_keys[row["entity"]]
    if new != wish:
        return f"another paper has the key {wish}"
    if old is None:
        return "had no key"
    if old == new:
        return None
    return "same paper" if _FORBIDDEN.sub("-", old).strip("-") != new else "not a valid key"
