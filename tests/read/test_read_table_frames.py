"""Columns at once give what the row reader, which is the definition, gives row by row."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import orjson
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from writers import expanded

from samehand.normalise import names
from samehand.read import Records, table_csv, table_json, table_parquet
from samehand.read.json_stream import records
from samehand.read.table_columns import cleaned
from samehand.read.table_frames import FrameReader
from samehand.read.tables import RowReader, author_list, decoded, shape_of
from samehand.read.values import clean
from samehand.records import REFERENCES, Reject, references_frame, rejects_frame

PIECES = [
    "Ann", "Lee", "de Luca", " ", "  ", ",", ";", " and ", "et al.", "others", "&amp;", "&", "&#0;", "{", "}",
    "\0", "\t", "\n", "\u00a0", "\u2028", "\x85", "\u200b", "ü", "李", "1999", "10.1000/x", "[", "]", '"', ".",
    "\\", "-", "Eds.", "et", "arXiv:1704.04368", "0-306-40615-2", "0000-0002-1825-0097", "…", "ſ", "😀",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
USUAL = st.none() | TEXT
NUMBER = st.integers(-5, 3000) | st.sampled_from([2**63, 2**64 - 1, -1])
SCALAR = USUAL | NUMBER | st.floats(allow_nan=False, allow_infinity=False)
NAME = st.fixed_dictionaries({}, optional={"family": USUAL, "given": USUAL, "literal": USUAL})
LIST = st.lists(USUAL | NAME, max_size=4) | st.lists(TEXT, max_size=4)
ODD = SCALAR | st.booleans() | LIST | st.dictionaries(TEXT, SCALAR, max_size=2)
LISTS = {"authors", "coauthors", "editors", "keywords"}
COLUMNS = (
    "id", "key", "block", "title", "venue", "journal", "Year", "doi", "name", "first", "middle", "last",
    "coauthors", "position", "affiliation", "orcid", "text", "authors", "authors_as_written", "editors", "type",
    "volume", "pages", "arxiv", "pmid", "isbn", "url", "keywords", "segments", "extra", "Extra", "publisher",
)  # fmt: skip
SHAPES = ("author", "venue", "citation", "reference")


@st.composite
def tables(draw, odd=False):
    """Rows over a few columns, some of which a row may lack; each column holds values of one sort."""
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=8, unique=True))
    sorts = [LIST, USUAL] if not odd else [LIST, USUAL, SCALAR, ODD]
    values = {
        column: draw(st.sampled_from(sorts))
        if column in LISTS
        else draw(st.sampled_from([*sorts[1:], NUMBER]))
        for column in columns
    }
    row = st.fixed_dictionaries({}, optional=values).filter(bool)
    return draw(st.lists(row, min_size=1, max_size=6))


def by_rows(rows, scope):
    reader = RowReader("t", scope)
    return [reader.read(row, line) for line, row in enumerate(rows, 1)]


def framed(found) -> Records:
    """What a reader yields as two frames in the order of the lines."""
    records = expanded(found)
    return Records(
        references_frame([record for record in records if not isinstance(record, Reject)]),
        rejects_frame([record for record in records if isinstance(record, Reject)]),
    )


def check(found, expected):
    found = list(found)
    assert all(one.schema == REFERENCES for one in found if isinstance(one, pl.DataFrame))
    found, expected = framed(found), framed(expected)
    assert_frame_equal(found.references, expected.references)
    assert_frame_equal(found.rejects, expected.rejects)


@pytest.mark.parametrize("scope", SHAPES)
@pytest.mark.parametrize("odd", [False, True])
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_frames_equal_rows(scope, odd, data):
    rows = orjson.loads(orjson.dumps(data.draw(tables(odd))))
    reader = FrameReader("t", scope)
    half = len(rows) // 2
    found = [
        *reader.add(range(1, half + 1), rows[:half]),
        *reader.add(range(half + 1, len(rows) + 1), rows[half:]),
    ]
    check([*found, *reader.finish()], by_rows(rows, scope))


def test_rows_of_usual_types_are_read_as_one_frame():
    """Otherwise the tests of equality would compare the row reader with itself."""
    rows = [
        {
            "id": 1,
            "name": "Ann Lee",
            "coauthors": ["Bo  Ek", "et al."],
            "position": 1,
            "affiliation": "MIT &amp; X",
        },
        {"id": "2", "last": "De Luca", "orcid": "0000-0002-1825-0097", "year": "1999.", "rank": 2},
        {"id": "3"},
    ]
    reader = FrameReader("t", "author")
    found = [*reader.add([1, 2, 3], rows), *reader.finish()]
    assert [type(one) for one in found] == [Reject, pl.DataFrame]
    assert found[1].height == 2
    check(found, by_rows(rows, "author"))


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXT))
def test_cleaning_a_column_is_cleaning_each_text(texts):
    expected = [clean(decoded(text)) for text in texts]
    assert cleaned(pl.Series(texts, dtype=pl.String)).to_list() == expected


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=8))
def test_cleaning_any_text(text):
    assert cleaned(pl.Series([text]), verbatim=True).to_list() == [clean(text)]


NAME_PIECES = [
    "Ann Lee", "Lee", "A. B. Ek", ";", "; ", " ", ".", "..", "and", " and ", " et ", "etal", "et.al", " al", "others",
    "co-workers", "eds.", "Anders Undén", ",", "O'Neil", "-", "Hrsg",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(NAME_PIECES), max_size=7).map("".join))
def test_the_short_way_through_a_plain_list_of_authors_is_the_long_one(cell):
    assert author_list(cell, "authors") == (names.split_authors(cell), names.is_truncated(cell))


@pytest.mark.parametrize("scope", SHAPES)
def test_parquet_equals_rows(scope):
    table = pl.DataFrame(
        {
            "id": [1, 2, None],
            "title": ["On  Hands", None, "A &amp; B"],
            "authors" if scope == "reference" else "coauthors": [["Ann Lee", None, "et al."], [], None],
            "venue": ["TODS", " ", "V"],
            "text" if scope == "citation" else "name": ["x", "", "y"],
            "year": [1999.0, float("nan"), None],
            "volume": [1.5, float("nan"), None],
            "rank": [[1], None, [2, 3]],
        }
    )
    wanted = {"venue": ["id", "title", "venue", "year"], "citation": ["id", "text", "rank"]}
    table = table.select(wanted.get(scope, table.columns))
    assert shape_of(table.columns, "t") == scope
    file = io.BytesIO()
    table.write_parquet(file)
    rows = [{name: value for name, value in row.items() if value is not None} for row in table.to_dicts()]
    check(table_parquet.read(io.BytesIO(file.getvalue()), "t"), by_rows(rows, scope))


def test_long_tables_keep_their_line_numbers():
    lines = [b'{"title": "T%d", "authors": ["A B"]}' % n for n in range(20_000)]
    lines[7_000], lines[7_001] = b"oops", b""
    found = expanded(table_json.read(io.BytesIO(b"\n".join(lines)), "t"))
    assert [record.line for record in found] == [n for n in range(1, 20_001) if n != 7_002]
    assert all(isinstance(r, Reject) or r.title == f"T{r.line - 1}" for r in found)
    text = "title,authors\n" + "".join(f'"T{n}\n",A B\n' for n in range(10_000))
    found = expanded(table_csv.read(io.BytesIO(text.encode()), "t"))
    assert [(r.line, r.title) for r in found] == [(2 + 2 * n, f"T{n}") for n in range(10_000)]


def labelled_sets():
    folder = os.environ.get("SAMEHAND_DATA")
    return sorted(Path(folder).glob("*/*.jsonl.gz")) if folder else []


@pytest.mark.data
@pytest.mark.skipif(
    not labelled_sets(), reason="SAMEHAND_DATA is not set; it names the folder of labelled sets"
)
@pytest.mark.parametrize("path", labelled_sets(), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_frames_equal_rows_on_real_tables(path):
    content = b"".join(gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:20_000])
    rows = list(records(io.BytesIO(content), "t"))
    reader = RowReader("t", shape_of({key for _, row in rows for key in row}, "t"))
    found = list(table_json.read(io.BytesIO(content), "t"))
    assert any(isinstance(one, pl.DataFrame) for one in found)
    check(found, [reader.read(row, line) for line, row in rows])
