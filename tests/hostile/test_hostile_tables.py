"""Tables that mean harm, or were made by somebody careless."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from samehand.errors import SamehandError, UsageError
from samehand.read import ris, table_csv, table_json
from samehand.records import REFERENCES, Reference, Reject, references_frame


def rows(content: bytes, module=table_csv):
    found = []
    for one in module.read(io.BytesIO(content), "t"):
        if isinstance(one, pl.DataFrame):
            assert one.schema == REFERENCES
            found += [Reference(**row) for row in one.iter_rows(named=True)]
        else:
            found.append(one)
    references_frame([record for record in found if isinstance(record, Reference)])
    return found


def test_a_huge_field_is_one_reject_and_the_rows_after_it_are_read():
    found = rows(b"title,authors\nX,A\n" + b"y" * 1_000_000 + b",B\nZ,C\n")
    assert [record.title for record in found if isinstance(record, Reference)] == ["X", "Z"]
    assert [record.line for record in found if isinstance(record, Reject)] == [3]


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_everything():
    found = rows(b'title,authors\nX,A\n"open,B\n' + b"Y,C\n" * 50_000)
    assert any(isinstance(record, Reject) and "never closed" in record.reason for record in found)
    assert sum(isinstance(record, Reference) for record in found) > 15_000


def test_a_million_columns():
    with pytest.raises(UsageError):
        rows(b"," * 1_000_000 + b"\n")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1,
        1.5,
        1e300,
        "",
        " ",
        "\0",
        [],
        [[]],
        [[[]]],
        {},
        {"a": 1},
        [None, 1, {"family": {"x": 1}}],
        "[" * 50,
        "x" * 70_000,
    ],
)
@pytest.mark.parametrize(
    "shape",
    [{"title": "X", "authors": ["A"]}, {"name": "A", "coauthors": ["B"]}, {"venue": "V"}, {"text": "T"}],
)
def test_every_kind_of_value_in_every_column(shape, value):
    columns = [
        "id",
        "title",
        "authors",
        "name",
        "first",
        "last",
        "coauthors",
        "position",
        "venue",
        "year",
        "pages",
        "doi",
    ]
    columns += ["text", "affiliation", "orcid", "keywords", "isbn", "arxiv", "pmid", "url", "type", "block"]
    for column in columns:
        content = json.dumps(shape).encode() + b"\n" + json.dumps({**shape, column: value}).encode()
        try:
            assert len(rows(content, table_json)) == 2
        except SamehandError as error:
            if "t:" not in str(error):
                pytest.fail(f"the error does not name the file: {error}")


def test_formulas_are_text():
    [record] = rows(b"title,authors\n=cmd|'/c calc'!A1,@SUM(A1)\n")
    assert record.title == "=cmd|'/c calc'!A1"


def test_a_table_whose_rows_all_have_other_columns():
    content = b"".join(json.dumps({"title": "X", f"column{n}": n}).encode() + b"\n" for n in range(3_000))
    assert len(rows(content, table_json)) == 3_000


def test_a_coauthor_list_of_a_hundred_thousand():
    [record] = rows(
        json.dumps({"name": "A", "coauthors": ["B C"] * 100_000, "position": 5}).encode(), table_json
    )
    assert len(record.authors) == 100_001


@pytest.mark.parametrize(
    "cell", ["; " * 60_000, " and " * 25_000, "[" * 100_000, "{" * 100_000, "a, " * 40_000]
)
def test_author_cells_that_are_nothing_but_separators(cell):
    assert len(rows(json.dumps({"title": "X", "authors": cell}).encode(), table_json)) == 1


def test_a_ris_line_over_the_limit_is_a_reject_and_its_record_is_read_without_it():
    content = b"TY  - JOUR\nTI  - On Hands\nAB  - " + b"x" * (17 << 20) + b"\nPY  - 2001\nER  - \n"
    reject, record = ris.read(io.BytesIO(content), "t.ris")
    assert (reject.line, "longer than 16 MiB" in reject.reason) == (3, True)
    assert (record.title, record.year) == ("On Hands", 2001)


def test_keys_twice_numbers_past_all_bounds_and_lone_surrogates():
    content = (
        b'{"title": "X", "title": "Y", "id": 123456789012345678901234567890}\n'
        b'{"title": "\\ud800"}\n{"title": "Z\\u0000"}\n{"title": "W", "year": 99999999999999999999}\n'
    )
    found = rows(content, table_json)
    assert {r.line: r.title for r in found if isinstance(r, Reference)} == {1: "Y", 3: "Z", 4: "W"}
    assert [record.line for record in found if isinstance(record, Reject)] == [2]
