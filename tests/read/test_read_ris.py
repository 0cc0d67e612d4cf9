"""RIS and the liberties real programs take with it."""

from __future__ import annotations

import io

from samehand.read.ris import read
from samehand.records import Reject


def records(text: str | bytes):
    return list(read(io.BytesIO(text if isinstance(text, bytes) else text.encode()), "a.ris"))


def test_a_missing_end_is_made_up_for_by_the_next_beginning():
    found = records("TY  - JOUR\nTI  - One\nTY  - JOUR\nTI  - Two\n")
    assert [(record.title, record.line) for record in found] == [("One", 1), ("Two", 3)]


def test_values_go_on_over_lines_and_byte_order_marks_are_dropped():
    [record] = records("\ufeffTY  - JOUR\r\nTI  - A long\r\n  title\r\nER  -\r\n")
    assert record.title == "A long title"


def test_names_of_all_kinds_of_people():
    [record] = records(
        "TY  - CHAP\nA1  - Lee, Ann\nAU  - Ek, Bo\nAU  - et al.\nED  - Oz, Cy\nA2  - Ra, Di\nER  - "
    )
    assert (record.authors, record.truncated) == (["Ek, Bo", "Lee, Ann"], True)
    assert record.editors == ["Oz, Cy", "Ra, Di"]


def test_the_fullest_venue_wins_and_pages_are_joined():
    [record] = records(
        "TY  - JOUR\nT1  - X\nJO  - J. Hands\nJF  - Journal of Hands\nSP  - 12\nEP  - 34\nER  -"
    )
    assert (record.title, record.venue, record.pages) == ("X", "Journal of Hands", "12-34")


def test_a_range_in_the_first_page_is_not_doubled():
    [record] = records("TY  - JOUR\nT1  - X\nSP  - 12-34\nEP  - 34\nER  -")
    assert record.pages == "12-34"


def test_dates_in_any_tag():
    for line in ("PY  - 2003///", "Y1  - 2003/05/01", "DA  - 2003/05"):
        assert records(f"TY  - JOUR\nTI  - X\n{line}\nER  -")[0].year == 2003


def test_identifiers_and_unknown_tags_are_kept():
    [record] = records(
        "TY  - JOUR\nTI  - X\nUR  - https://doi.org/10.1000/ABC\n"
        "SN  - 978-0-306-40615-7\nZZ  - odd\nKW  - a\nKW  - b\nER  -"
    )
    assert (record.doi, record.isbn, record.keywords) == ("10.1000/abc", "9780306406157", ["a", "b"])
    assert '"ZZ":["odd"]' in record.fields


def test_text_outside_records_and_empty_records_are_rejected_with_their_line():
    found = records("hello\nworld\nTY  - JOUR\nER  - \nTY  - BOOK\nTI  - X\nER  - \n")
    assert [(type(record), record.line) for record in found[:2]] == [(Reject, 1), (Reject, 3)]
    assert "outside" in found[0].reason
    assert "without any field" in found[1].reason
    assert found[2].type == "book"


def test_windows_1252_is_read():
    [record] = records(b"TY  - JOUR\nTI  - Z\xfcrich \x96 x\nER  - \n")
    assert record.title == "Zürich – x"
