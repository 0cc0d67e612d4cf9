"""Tables that mean harm, or were made by somebody careless."""

from __future__ import annotations

import io
import json

import pytest

from samehand.errors import SamehandError, UsageError
from samehand.read import table_csv, table_json
from samehand.records import Reference, Reject, references_frame


def rows(content: bytes, module=table_csv):
    found = list(module.read(io.BytesIO(content), "t"))
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
