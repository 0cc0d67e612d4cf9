"""Entities by words and classes: ranked, paged, with the number in each class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import polars as pl

from samehand.records import Kind
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.store.schema import FACTS
from samehand.web.find.build import LARGEST_SIZE, SIZES, SURE, SUREST, UNKNOWN
from samehand.web.find.matching import Condition, kinds_condition, places_with, query_words
from samehand.web.find.paging import Asked, Page

Sort = Literal["size", "name", "doubt", "year"]
SORTS: dict[str, tuple[str, ...]] = {
    "size": ("kind", "place"),
    "name": ("sort", "place"),
    "doubt": ("sure", "place"),
    "year": ("last_year", "place"),
}
"""The columns by which lists are sorted; by year in descending order."""

SIZE_CLASSES = (*(name for _, name in SIZES), LARGEST_SIZE)
SURE_CLASSES = (*(name for _, name in SURE), SUREST, UNKNOWN)
CLASSES = ("kind", "size_class", "sure_class", "decade")

SHOWN = pl.Schema({name: dtype for name, dtype in FACTS.items() if name not in ("place", "sort")})

Facets = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Search:
    """What is looked for. Every word must stand in a name of the entity, in any order; each may be a beginning.

    `size` and `sure` are classes (`SIZE_CLASSES`, `SURE_CLASSES`), `decade` is that of the last year. Sorted by size,
    entities that have all words whole come first.
    """

    kind: Kind | None = None
    words: str = ""
    size: str | None = None
    sure: str | None = None
    decade: int | None = None
    sort: Sort = "size"

    def classes(self) -> dict[str, str | int]:
        """The classes asked for: column -> value."""
        asked = {"size_class": self.size, "sure_class": self.sure, "decade": self.decade}
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(frozen=True)
class Found:
    """The entities found, and for each facet (kind, size, sure, decade) how many are in each class.

    A facet counts what would be found if its own class were not asked for.
    """

    page: Page
    facets: Facets


def search(store: Store, wanted: Search, asked: Asked | None = None) -> Found:
    """The entities that have these words and classes.

    >>> import tempfile
    >>> from samehand.library import Library
    >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
    ...     search(library.store, Search(words="ann")).page.total
    0
    """
    asked = asked or Asked()
    words = query_words(wanted.words)
    with store.reading():
        return _by_words(store, wanted, words, asked) if words else _browsed(store, wanted, asked)


def _browsed(store: Store, wanted: Search, asked: Asked) -> Found:
    """All entities of these classes: the counts are kept ready, the page is read from an index."""
    counts = store.read("facets")
    total = int(counts.filter(_wanted(wanted))["count"].sum())
    condition = Condition()
    parts = [kinds_condition(wanted.kind)]
    parts += [f'"{name}" = {condition.bind(value)}' for name, value in wanted.classes().items()]
    down = " DESC" if wanted.sort == "year" else ""
    order = ", ".join(f'"{name}"{down}' for name in SORTS[wanted.sort])
    columns = ", ".join(f'"{name}"' for name in SHOWN)
    sql = f"SELECT {columns} FROM facts WHERE {' AND '.join(parts)} ORDER BY {order} {asked.clause()}"
    rows = store.query(SHOWN, sql, condition.parameters) if total else SHOWN.to_frame()
    return Found(Page.of(rows, total, asked), _facets(counts, wanted))


def _by_words(store: Store, wanted: Search, words: list[str], asked: Asked) -> Found:
    """The entities that have the words: their classes are read once, for counting and for ranking."""
    columns = list(dict.fromkeys(["place", *CLASSES, *SORTS[wanted.sort]]))
    matched = places_with(store, words, columns, whole=False)
    counts = matched.group_by(CLASSES).agg(pl.len().alias("count"))
    chosen = matched.filter(_wanted(wanted))
    ranked = _ranked(store, chosen, wanted, words)
    start = (asked.page - 1) * asked.size
    places = ranked["place"][start : start + asked.size]
    rows = read_among(store, "facts", "place", places.to_list(), ["place", *SHOWN])
    page = places.to_frame().join(rows, on="place", maintain_order="left").select(SHOWN.names())
    return Found(Page.of(page, chosen.height, asked), _facets(counts, wanted))


def _ranked(store: Store, chosen: pl.DataFrame, wanted: Search, words: list[str]) -> pl.DataFrame:
    order = list(SORTS[wanted.sort])
    if wanted.sort == "size":
        whole = places_with(store, words, ["place"], whole=True)["place"]
        return chosen.sort(~pl.col("place").is_in(whole.implode()), *order)
    return chosen.sort(order, descending=wanted.sort == "year", nulls_last=wanted.sort == "year")


FACET_COLUMNS = {"kind": "kind", "size": "size_class", "sure": "sure_class", "decade": "decade"}


def _wanted(wanted: Search) -> pl.Expr:
    """Whether a row is asked for."""
    return pl.all_horizontal(
        pl.lit(True), *(pl.col(name) == value for name, value in _asked_of(wanted).items())
    )


def _asked_of(wanted: Search) -> dict[str, str | int]:
    return wanted.classes() | ({"kind": wanted.kind} if wanted.kind else {})


def _facets(counts: pl.DataFrame, wanted: Search) -> Facets:
    """The counts of each facet; its own class is not counted as asked for. In Python: there are few rows."""
    asked = _asked_of(wanted)
    found: dict[str, Counter[str]] = {facet: Counter() for facet in FACET_COLUMNS}
    for row in counts.iter_rows(named=True):
        missed = {name for name, value in asked.items() if row[name] != value}
        for facet, column in FACET_COLUMNS.items():
            if row[column] is not None and missed <= {column}:
                found[facet][str(row[column])] += row["count"]
    return {facet: dict(counter) for facet, counter in found.items()}
