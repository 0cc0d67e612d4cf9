"""Entities in which mistakes are expected."""

from __future__ import annotations

import polars as pl

from samehand.store import Store
from samehand.web.find.entities import SHOWN
from samehand.web.find.paging import Row

LEAST = 0.05
"""Fewer misplaced mentions than this are not worth a look."""


def most_misplaced(store: Store, most: int) -> list[Row]:
    """The entities with the most mentions that probably belong elsewhere (`expected`), most first."""
    columns = ", ".join(f'"{name}"' for name in SHOWN)
    expected = '"size" * (1.0 - "sure")'
    sql = (
        f'SELECT {columns}, {expected} AS "expected" FROM facts WHERE {expected} > {LEAST} '
        f'ORDER BY {expected} DESC, "place" LIMIT {most:d}'
    )
    return store.query(pl.Schema({**SHOWN, "expected": pl.Float64()}), sql).to_dicts()
