"""One page of a longer list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

LARGEST = 200
"""Rows on one page at most."""

DEEPEST = 1_000_000
"""The last page that can be asked for: what is skipped has to be counted."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """Which page is wanted, from 1, and of how many rows.

    >>> Asked(3, 25).clause()
    'LIMIT 25 OFFSET 50'
    """

    page: int = 1
    size: int = 25

    def __post_init__(self) -> None:
        if not 1 <= self.page <= DEEPEST or not 1 <= self.size <= LARGEST:
            raise ValueError(
                f"page {self.page} of {self.size} rows: pages go to {DEEPEST}, rows to {LARGEST}"
            )

    def clause(self) -> str:
        """The end of a SELECT. Both are whole numbers: nothing of a client's text gets into the SQL."""
        return f"LIMIT {self.size:d} OFFSET {(self.page - 1) * self.size:d}"


@dataclass(frozen=True)
class Page:
    """The rows of one page, and how many there are in all."""

    rows: list[Row]
    total: int
    asked: Asked

    @property
    def last(self) -> int:
        """The number of the last page; 1 if there is nothing.

        >>> Page([], 51, Asked(1, 25)).last
        3
        """
        return max(1, -(-self.total // self.asked.size))

    @classmethod
    def of(cls, frame: pl.DataFrame, total: int, asked: Asked) -> Page:
        """The page that a frame holds."""
        return cls(frame.to_dicts(), total, asked)
