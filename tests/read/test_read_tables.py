"""Tables: which shape, which columns, and what happens to rows that do not fit."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest
from writers import expanded

from samehand.errors import ReadError, UsageError
from samehand.read import read_batches, table_csv, table_json, table_parquet
from samehand.records import Reject


def from_json(*rows):
    return expanded(
        table_json.read(io.BytesIO("\n".join(json.dumps(row) for row in rows).encode()), "t.jsonl")
    )


def from_csv(text: str | bytes):
    content = text if isinstance(text, bytes) else text.encode()
    return expanded(table_csv.read(io.BytesIO(content), "t.csv"))


def test_an_author_mention_stands_at_its_position_among_the_coauthors():
    row = {
        "id": "m",
        "name": "A. Lee",
        "first": "Ann",
        "middle": "B.",
        "last": "Lee",
        "coauthors": ["X Y", "Z W"],
        "position": 1,
    }
    [record] = from_json(row)
    assert (record.scope, record.id) == ("author", "m")
    assert (record.authors, record.focus) == (["X Y", "Lee, Ann B.", "Z W"], 1)


@pytest.mark.parametrize(
    ("position", "focus"), [(99, 1), (-3, 0), (None, 0), ("1", 1), ("x", 0), (float("inf"), 0)]
)
def test_positions_are_clamped(position, focus):
    row = {"name": "A Lee", "coauthors": ["X Y"], "position": position}
    [record] = (
        from_json(row) if position != float("inf") else from_csv("name,coauthors,position\nA Lee,X Y,inf\n")
    )
    assert record.focus == focus
    assert record.authors[focus] == "A Lee"


def test_affiliation_belongs_to_the_focal_author():
    [record] = from_json(
        {"name": "A Lee", "coauthors": ["X Y"], "position": 1, "affiliation": "MIT", "block": "a lee"}
    )
    assert (record.affiliations, record.block) == (["", "MIT"], "a lee")


def test_a_last_name_alone_stays_whole_or_gives_way_to_the_full_name():
    first, second = from_json({"name": "Maria De Luca", "last": "De Luca"}, {"last": "De Luca"})
    assert (first.authors, second.authors) == (["Maria De Luca"], ["{De Luca}"])


def test_venue_mentions_and_citations_whose_truth_is_ignored():
    [venue] = from_json({"id": "v", "venue": "TODS", "title": "X", "year": 1999})
    assert (venue.scope, venue.venue, venue.year) == ("venue", "TODS", 1999)
    [citation] = from_json({"id": "c", "text": "Lee , A . X .", "segments": [["author", "Lee"]]})
    assert (citation.scope, citation.text, citation.title) == ("citation", "Lee , A . X .", None)
    assert citation.fields is None


def test_references_with_a_list_or_with_a_text_of_authors():
    first, second = from_json(
        {"title": "X", "authors": ["A Lee"], "authors_as_written": "nonsense", "year": "1994."},
        {"title": "Y", "authors_as_written": "kearns, m.j. and l.g. valiant.", "pages": "67--95."},
    )
    assert (first.authors, first.year) == (["A Lee"], 1994)
    assert (second.authors[0], len(second.authors), second.pages) == ("kearns, m.j.", 2, "67-95")


def test_the_shape_is_decided_by_all_columns_of_the_first_rows():
    found = from_json({"id": "1", "title": "X"}, {"id": "2", "title": "Y", "name": "A Lee"})
    assert isinstance(found[0], Reject)
    assert found[0].reason == "no author name"
    assert found[1].scope == "author"


@pytest.mark.parametrize("cell", ['["A Lee", "B Ek"]', "A Lee; B Ek", "A Lee and B Ek", "A Lee;B Ek"])
def test_lists_in_cells(cell):
    quoted = cell.replace('"', '""')
    [record] = from_csv(f'title,authors\nX,"{quoted}"\n')
    assert record.authors == ["A Lee", "B Ek"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_and_quoted_line_breaks(delimiter):
    found = from_csv(
        delimiter.join(["Title", "Year", "Authors"])
        + f'\n"On\nHands"{delimiter}1999{delimiter}A\nY{delimiter}2000{delimiter}B\n'
    )
    assert [(record.title, record.year, record.line) for record in found] == [
        ("On Hands", 1999, 2),
        ("Y", 2000, 4),
    ]


def test_ragged_rows_are_rejected_with_their_line_and_blank_lines_are_nothing():
    found = from_csv("title,authors\nX,A\n\nY\nZ,B,C\nW,D,\n")
    assert [(record.line, isinstance(record, Reject)) for record in found] == [
        (2, False),
        (4, True),
        (5, True),
        (6, False),
    ]
    assert found[1].reason == "1 cells where the header has 2 columns"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("title,authors\nZürich,Jürgen É\n".encode(encoding))
    [records] = read_batches(path)
    assert records.references["title"].to_list() == ["Zürich"]


@pytest.mark.parametrize("text", ["1,2,3\n4,5,6\n", "foo,bar\nx,y\n", ""])
def test_without_a_known_header_the_error_names_columns_and_remedy(text):
    with pytest.raises(UsageError, match=r"t\.csv.*first line"):
        from_csv(text)


def test_a_column_twice_is_an_error():
    with pytest.raises(UsageError, match="twice: title"):
        from_csv("title,title\nX,Y\n")


def test_bad_lines_are_rejected_with_their_number():
    content = b'{"title": "X", "authors": []}\n{"title": \n\n[1]\n{"title": "Y"}\n'
    found = expanded(table_json.read(io.BytesIO(content), "t.jsonl"))
    assert [(record.line, isinstance(record, Reject)) for record in found] == [
        (1, False),
        (2, True),
        (4, True),
        (5, False),
    ]


def test_rows_after_any_number_of_bad_lines_are_read():
    content = b"oops\n" * 1200 + b"{}\n" + b'{"title": "Y"}\n'
    found = expanded(table_json.read(io.BytesIO(b'{"title": "X"}\n' + content), "t.jsonl"))
    assert (found[0].title, found[-1].title, len(found)) == ("X", "Y", 1203)
    array = b"[" + b"1," * 1200 + b'{}, {"title": "Y"}]'
    found = expanded(table_json.read(io.BytesIO(array), "t.json"))
    assert (found[-1].title, len(found)) == ("Y", 1202)


def test_a_json_array_is_a_table_too():
    found = expanded(table_json.read(io.BytesIO(b'[{"title": "X"},\n{"title": "Y"}]'), "t.json"))
    assert [(record.title, record.line) for record in found] == [("X", 1), ("Y", 2)]


@pytest.mark.parametrize(
    ("row", "title"),
    [({"title": 123}, "123"), ({"title": ["X", "Y"]}, "X"), ({"title": 1.5, "authors": None}, "1.5")],
)
def test_numbers_and_lists_where_text_is_expected(row, title):
    assert from_json(row)[0].title == title


@pytest.mark.parametrize("value", [{"a": 1}, True, [{"b": 2}]])
def test_values_that_are_no_text_are_rejected(value):
    [record] = from_json({"title": value, "authors": ["A"]})
    assert isinstance(record, Reject)
    assert "title holds" in record.reason


def test_a_row_that_says_nothing_is_rejected():
    found = from_json({"title": "X", "authors": []}, {"title": " ", "authors": [], "year": 1999})
    assert isinstance(found[1], Reject)


def test_years_of_any_type_in_parquet():
    file = io.BytesIO()
    pl.DataFrame(
        {"title": ["X", "Y"], "authors": [["A"], None], "year": [1999.0, float("nan")]}
    ).write_parquet(file)
    found = expanded(table_parquet.read(io.BytesIO(file.getvalue()), "t.parquet"))
    assert [(record.year, record.authors, record.line) for record in found] == [
        (1999, ["A"], 1),
        (None, [], 2),
    ]


def test_a_damaged_parquet_file_is_an_error_with_a_remedy():
    file = io.BytesIO()
    pl.DataFrame({"title": ["X"], "authors": ["A"]}).write_parquet(file)
    with pytest.raises(ReadError, match="damaged"):
        expanded(table_parquet.read(io.BytesIO(file.getvalue()[:-20] + b"PAR1"), "t.parquet"))


def test_scopus_headers_are_understood():
    [record] = from_csv(
        '"Authors","Title","Year","Source title","Volume","Issue","DOI"\n'
        '"Lee A., Ek B.","X","1999","TODS","3","2","10.1000/1"\n'
    )
    assert (record.authors, record.venue, record.number, record.doi) == (
        ["Lee A.", "Ek B."],
        "TODS",
        "2",
        "10.1000/1",
    )


def test_columns_without_a_home_are_kept_as_json_and_the_others_are_not():
    first, second = from_json(
        {"id": "m", "name": "A Lee", "year": 1999, "rank": 3, "note": None, "volume": "7"},
        {"id": "n", "name": "B Ek", "rank": None},
    )
    assert (json.loads(first.fields), second.fields) == ({"rank": 3, "volume": "7"}, None)
    [record] = from_csv("title,authors,rank,note\nX,A,3,\n")
    assert json.loads(record.fields) == {"rank": "3"}


def test_of_two_columns_for_one_thing_the_second_is_kept():
    first, second = from_json({"title": "X", "venue": "TODS", "journal": "J"}, {"title": "Y", "journal": "J"})
    assert (first.venue, json.loads(first.fields)) == ("TODS", {"journal": "J"})
    assert (second.venue, second.fields) == ("J", None)


def test_entities_are_decoded_in_text_but_not_in_identifiers():
    [record] = from_json(
        {
            "id": "a&amp;b",
            "title": "P &lt; NP &amp; more",
            "authors": ["J&uuml;rgen M&#252;ller", {"family": "Lee &amp; Sons"}],
            "url": "http://x/?a=1&lt;=2",
        }
    )
    assert (record.id, record.title, record.url) == ("a&amp;b", "P < NP & more", "http://x/?a=1&lt;=2")
    assert record.authors == ["Jürgen Müller", "{Lee & Sons}"]


def test_parquet_keeps_what_it_has_no_place_for_except_bytes():
    file = io.BytesIO()
    pl.DataFrame({"title": ["X"], "authors": ["A Lee"], "rank": [3], "blob": [b"x"]}).write_parquet(file)
    [record] = expanded(table_parquet.read(io.BytesIO(file.getvalue()), "t.parquet"))
    assert json.loads(record.fields) == {"rank": 3}
