"""Many flat DBLP records at once, as a table of references.

`dblp_scan` finds the texts; here they become columns. The reader of single records in `dblp` is the
definition: both give the same reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from samehand.normalise import identifiers
from samehand.read.dblp_scan import (
    ARXIV,
    AUTHORS,
    EDITORS,
    JSON_END,
    LINKS,
    ORCIDS,
    SLOTS,
    TYPES,
    UNSURE_DOI,
    Rows,
    Scan,
    gather,
)
from samehand.read.values import doi_of, pages_of, year_of
from samehand.records import REFERENCES

_PLAIN_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/[A-Za-z0-9._-]*[A-Za-z0-9])")
_PLAIN_PAGES = r"^[0-9A-Za-z:]+(?:-[0-9A-Za-z:]+)*$"


def frame(found: Scan, source: str) -> pl.DataFrame:
    """The rows of a scan as a table with schema REFERENCES.

    >>> from samehand.read.dblp_scan import scan
    >>> block = b'<book key="b/1"><author>Wei Wang 0001</author><title>A &amp; B</title></book>'
    >>> frame(scan(block, 0, 7), "x.xml").select("id", "line", "authors", "title").rows()
    [('b/1', 7, ['Wei Wang'], 'A & B')]
    """
    rows, count = found.rows, found.row_count
    text = {name: _texts(rows, rows.spans[:count, slot]) for slot, name in enumerate(SLOTS)}
    lists = [_lists(rows, which, count) for which in range(4)]
    types = pl.Series([*TYPES.values(), "preprint"])
    given = {
        "id": text["key"],
        "line": pl.Series(found.spans.lines[rows.records[:count]]),
        "key": text["key"],
        "type": types.gather(np.where(rows.preprint[:count], len(TYPES), rows.tags[:count])),
        "title": text["title"],
        "authors": lists[AUTHORS],
        "editors": lists[EDITORS],
        "venue": _first(text["journal"], text["booktitle"], text["series"]),
        "year": _mapped(text["year"], year_of, pl.Int32),
        "volume": text["volume"],
        "number": text["number"],
        "pages": _pages(text["pages"]),
        "publisher": _first(text["publisher"], text["school"]),
        "doi": _from_links(found, text["doi"], UNSURE_DOI, link_doi),
        "arxiv": _from_links(found, _nulls(count, pl.String), ARXIV, link_arxiv),
        "isbn": _mapped(text["isbn"], identifiers.isbn, pl.String),
        "url": text["ee"],
        "orcids": lists[ORCIDS],
        "crossref": text["crossref"],
        "fields": _strings(rows.json[: rows.ends[JSON_END]], rows.json_ends[: count + 1]),
    }
    constant = {"source": pl.lit(source), "scope": pl.lit("reference"), "truncated": pl.lit(False)}
    empty = {
        name: pl.lit([] if isinstance(dtype, pl.List) else None, dtype)
        for name, dtype in REFERENCES.items()
        if name not in given and name not in constant
    }
    return pl.DataFrame(given).with_columns(**constant, **empty).select(REFERENCES.names())


def link_doi(links: Iterable[str]) -> str | None:
    """The first DOI among links; the plain form that most of them have needs no further look.

    >>> link_doi(["http://example.org", "https://doi.org/10.1109/CGO.1"])
    '10.1109/cgo.1'
    """
    for link in links:
        found = _PLAIN_DOI.fullmatch(link)
        if doi := found[1].lower() if found else doi_of(link):
            return doi
    return None


def link_arxiv(links: Iterable[str]) -> str | None:
    """The first arXiv identifier among links.

    >>> link_arxiv(["http://arxiv.org/abs/1704.04368"])
    '1704.04368'
    """
    return next((found for link in links if "arxiv" in link and (found := identifiers.arxiv(link))), None)


def _from_links(
    found: Scan, values: pl.Series, doubt: int, extract: Callable[[list[str]], str | None]
) -> pl.Series:
    """The values, with those of the rows that a doubt marks extracted from their links."""
    rows = found.rows
    doubtful = np.flatnonzero(rows.doubts[: found.row_count] & doubt)
    if not doubtful.size:
        return values
    ends = rows.list_ends[LINKS]
    text = rows.text
    extracted = [
        extract(
            [bytes(text[start:end]).decode() for start, end in rows.lists[LINKS, ends[row] : ends[row + 1]]]
        )
        for row in doubtful
    ]
    return values.scatter(doubtful, pl.Series(extracted, dtype=pl.String))


def _texts(rows: Rows, spans: NDArray[np.int64]) -> pl.Series:
    """The texts of spans, null where there is none."""
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(spans[:, 1] - spans[:, 0], out=offsets[1:])
    data = np.empty(int(offsets[-1]), np.uint8)
    gather(rows.text, spans, data)
    return _strings(data, offsets, spans[:, 0] >= 0)


def _strings(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], valid: NDArray[np.bool_] | None = None
) -> pl.Series:
    return pl.Series(_arrow_strings(data, offsets, valid))


def _arrow_strings(data: NDArray[np.uint8], offsets: NDArray[np.int64], valid: Any = None) -> pa.Array:
    bitmap = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [pa.py_buffer(offsets), pa.py_buffer(data), bitmap]
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, *buffers)


def _lists(rows: Rows, which: int, count: int) -> pl.Series:
    ends = rows.list_ends[which, : count + 1]
    spans = rows.lists[which, : ends[-1]]
    offsets = np.zeros(len(spans) + 1, np.int64)
    np.cumsum(spans[:, 1] - spans[:, 0], out=offsets[1:])
    data = np.empty(int(offsets[-1]), np.uint8)
    gather(rows.text, spans, data)
    return pl.Series(pa.LargeListArray.from_arrays(pa.array(ends), _arrow_strings(data, offsets)))


def _first(*columns: pl.Series) -> pl.Series:
    return pl.select(pl.coalesce(*columns)).to_series()


def _mapped(values: pl.Series, function: Callable[[str], Any], dtype: type[pl.DataType]) -> pl.Series:
    """A function of each different value; null of null."""
    different = values.drop_nulls().unique().to_list()
    if not different:
        return _nulls(len(values), dtype)
    return values.replace_strict(different, [function(value) for value in different], return_dtype=dtype)


def _nulls(count: int, dtype: type[pl.DataType]) -> pl.Series:
    return pl.repeat(None, count, dtype=dtype, eager=True)


def _pages(values: pl.Series) -> pl.Series:
    """Pages; the plain forms that most of them have are left as they are."""
    odd = values.filter(~values.str.contains(_PLAIN_PAGES)).unique().to_list()
    return values.replace(odd, pl.Series([pages_of(value) for value in odd], dtype=pl.String))
