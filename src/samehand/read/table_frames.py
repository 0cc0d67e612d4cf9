"""Blocks of table rows as frames: equal to what `RowReader`, the definition, makes of each row, and faster.

A block with a value that is not of a usual type goes to the row reader as a whole, which tells which row it
is; a row without what its shape cannot do without (no name, no venue) goes there alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
import polars as pl

from samehand.read.table_columns import Columns
from samehand.read.table_names import beside, laid_out, listed, name_lists
from samehand.read.tables import (
    HOMES,
    READERS,
    Row,
    RowReader,
    candidate_columns,
    citation_text,
    decoded,
    extra_json,
    folded,
    whole_number,
)
from samehand.read.values import BadValue, doi_of
from samehand.records import REFERENCES, Reference, Reject, Scope

MOST_COLUMNS = 200
"""Rows with more different columns than this are no table; the row reader takes them."""

FRAME_ROWS = 4_000
FRAME_PARTS = 32
"""A frame is complete when it has so many rows, or so many parts came together (rows can be long)."""

Found = Reference | Reject | pl.DataFrame

Made = tuple[dict[str, pl.Series], pl.Series]
"""Columns of a frame, and whether each row is a record at all."""


class FrameReader:
    """Gathers the rows of one table, a few hundred at a time, into frames of some thousand.

    The columns are taken out of the rows while these are still in the processor's cache.
    """

    def __init__(self, source: str, scope: Scope) -> None:
        self._reader = RowReader(source, scope)
        self._start()

    def _start(self) -> None:
        self._lines: list[int] = []
        self._rows: list[Row] = []
        self._columns: dict[str, list[Any] | pl.Series] = {}
        self._fields: list[str | None] = []
        self._parts = 0

    def add(self, lines: Sequence[int], rows: list[Row]) -> Iterator[Found]:
        """Takes neighbouring rows with their lines; gives what is complete by now.

        >>> reader = FrameReader("a.csv", "venue")
        >>> [*reader.add([2], [{"Journal": "TODS", "title": "On Hands"}])]
        []
        >>> [frame] = reader.finish()
        >>> frame["venue"].to_list()
        ['TODS']
        """
        keys = sorted(set().union(*rows))
        if len(keys) > MOST_COLUMNS or len(set(map(folded, keys))) < len(keys):
            yield from self.finish()
            yield from (self._reader.read(row, line) for line, row in zip(lines, rows, strict=True))
            return
        self._take(keys, rows)
        self._lines += lines
        self._rows += rows
        self._parts += 1
        if len(self._rows) >= FRAME_ROWS or self._parts >= FRAME_PARTS:
            yield from self.finish()

    def _take(self, keys: list[str], rows: list[Row]) -> None:
        home = HOMES[self._reader.scope]
        held = {name: columns for name, columns in candidate_columns(keys).items() if name in home}
        for name in held.keys() | self._columns.keys():
            column = self._columns.setdefault(name, [None] * len(self._rows))
            column += _column(rows, held[name]) if name in held else [None] * len(rows)
        if any(len(columns) > 1 for columns in held.values()):
            self._fields += [extra_json(row, self._reader.plan(tuple(row)).extra) for row in rows]
        else:
            extra = self._reader.plan(tuple(keys)).extra
            self._fields += [extra_json(row, extra) for row in rows] if extra else [None] * len(rows)

    def finish(self) -> Iterator[Found]:
        """The rows gathered so far.

        >>> [*FrameReader("a.csv", "venue").finish()]
        []
        """
        if self._rows:
            columns = Columns(len(self._rows), self._columns)
            yield from read_columns(self._reader, self._lines, columns, self._fields, self._rows.__getitem__)
            self._start()


def _column(rows: list[Row], candidates: list[str]) -> list[Any]:
    """Of each row the first of these columns that it has."""
    try:
        return list(map(itemgetter(candidates[0]), rows))
    except KeyError:
        pass
    if len(candidates) == 1:
        [column] = candidates
        return [row.get(column) for row in rows]
    return [next((row[column] for column in candidates if column in row), None) for row in rows]


def read_columns(
    reader: RowReader,
    lines: Sequence[int],
    columns: Columns,
    fields: list[str | None],
    row_at: Callable[[int], Row],
) -> Iterator[Found]:
    """The same of columns; `row_at` gives a row to the row reader.

    >>> reader = RowReader("a.csv", "venue")
    >>> [reject] = read_columns(reader, [2], Columns(1, {"title": ["X"]}), [None], lambda place: {"title": "X"})
    >>> reject.reason
    'no venue'
    """
    try:
        made, good = _MAKERS[reader.scope](columns)
    except BadValue:
        yield from (reader.read(row_at(place), line) for place, line in enumerate(lines))
        return
    made["line"] = pl.Series(lines, dtype=pl.Int64)
    made["fields"] = pl.Series(fields, dtype=pl.String)
    frame = _complete(made, reader.source, reader.scope)
    if good.all():
        yield frame
        return
    yield from (reader.read(row_at(place), lines[place]) for place in (~good).arg_true())
    if good.any():
        yield frame.filter(good)


def _complete(made: dict[str, pl.Series], source: str, scope: Scope) -> pl.DataFrame:
    """A frame with schema REFERENCES; columns that were not made have their default."""
    constants: dict[str, Any] = {"source": source, "scope": scope, "truncated": False}
    columns = []
    for name, dtype in REFERENCES.items():
        if name in made:
            columns.append(made[name].alias(name).cast(dtype))
        else:
            default = [] if isinstance(dtype, pl.List) else constants.get(name)
            columns.append(pl.Series(name, [default], dtype=dtype).new_from_index(0, len(made["line"])))
    return pl.DataFrame(columns)


def _filled(columns: Columns) -> dict[str, pl.Series]:
    """The columns of a block that stand in a frame as they are, each as its kind of value is read."""
    made = {}
    for name in columns.columns:
        if name in REFERENCES and name not in ("authors", "text"):
            made[name] = _read(columns, name) if name in READERS else columns.text(name)
    return made


def _read(columns: Columns, name: str) -> pl.Series:
    values = columns.read(name)
    if isinstance(REFERENCES.get(name), pl.List):
        return listed(*laid_out(name, values))
    return pl.Series(name, values, dtype=REFERENCES.get(name, pl.String()))


def _author_mentions(columns: Columns) -> Made:
    made = _filled(columns)
    others = name_lists(columns, "coauthors")
    focal = _focal_names(columns)
    position = np.array(columns.mapped("position", whole_number), dtype=np.int64)
    focus = np.minimum(position, others.counts)
    made["authors"] = others.inserted(focal, focus)
    made["truncated"] = pl.Series(others.truncated)
    made["focus"] = pl.Series(focus)
    for column, name in (("affiliation", "affiliations"), ("orcid", "orcids")):
        if column in columns.columns:
            made[name] = beside(_read(columns, column), focus, others.counts + 1)
    return made, focal.is_not_null()


def _focal_names(columns: Columns) -> pl.Series:
    """ "Last, First Middle" where the parts are given; else the name as written; null where there is none."""
    parts = pl.DataFrame([columns.text(name) for name in ("first", "middle", "last", "name")])
    first, middle, last, name = (pl.col(part) for part in parts.columns)
    given = pl.coalesce(first + " " + middle, first, middle)
    inverted = (
        last.str.replace_all(",", " ", literal=True) + ", " + given.str.replace_all(",", " ", literal=True)
    )
    whole = pl.format("{{{}}}", last.str.replace_all(r"[{}]", ""))
    alone = pl.when(last.str.contains(" ", literal=True)).then(whole).otherwise(last)
    divided = last.is_not_null() & (given.is_not_null() | name.is_null())
    focal = pl.when(divided).then(pl.coalesce(inverted, alone)).otherwise(pl.coalesce(name, given))
    return parts.select(focal.alias("coauthors")).to_series()


def _venue_mentions(columns: Columns) -> Made:
    made = _filled(columns)
    return made, columns.text("venue").is_not_null()


def _citations(columns: Columns) -> Made:
    made = _filled(columns)
    texts = [citation_text(decoded(value)) for value in columns.values("text")]
    made["text"] = pl.Series(texts, dtype=pl.String)
    return made, made["text"].is_not_null()


def _references(columns: Columns) -> Made:
    made = _filled(columns)
    if "text" in columns.columns:
        made["text"] = columns.text("text")
    authors = name_lists(_with_written_authors(columns), "authors")
    made["authors"], made["truncated"] = authors.series(), pl.Series(authors.truncated)
    if "url" in made:
        linked = pl.Series([doi_of(url) for url in made["url"]], dtype=pl.String)
        made["doi"] = made["doi"].zip_with(made["doi"].is_not_null(), linked) if "doi" in made else linked
    good = pl.Series(authors.counts > 0)
    for name in ("title", "venue", "doi", "arxiv", "pmid"):
        if name in made:
            good |= made[name].is_not_null()
    return made, good


def _with_written_authors(columns: Columns) -> Columns:
    """The list of authors, or where it is empty the authors as written."""
    if "authors_as_written" not in columns.columns:
        return columns
    pairs = zip(columns.values("authors"), columns.values("authors_as_written"), strict=True)
    return Columns(columns.height, {"authors": [listed or written for listed, written in pairs]})


_MAKERS: dict[Scope, Callable[[Columns], Made]] = {
    "author": _author_mentions,
    "venue": _venue_mentions,
    "citation": _citations,
    "reference": _references,
}
