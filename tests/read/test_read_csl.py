"""CSL-JSON: names in parts, dates in all their spellings, documents in all their forms."""

from __future__ import annotations

import io
import json

import pytest

from samehand.read.csl import read
from samehand.records import Reject


def record(**item):
    [found] = read(io.BytesIO(json.dumps(item).encode()), "a.json")
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ({"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"}, "van der Berg, Jan"),
        ({"family": "Humboldt", "given": "A", "dropping-particle": "von"}, "von Humboldt, A"),
        ({"family": "King", "given": "M. L.", "suffix": "Jr."}, "King, Jr., M. L."),
        ({"literal": "World Health Organization"}, "{World Health Organization}"),
        ({"given": "Plato"}, "Plato"),
        ("Ann Lee", "Ann Lee"),
    ],
)
def test_names(name, expected):
    assert record(title="X", author=[name]).authors == [expected]


@pytest.mark.parametrize(
    "issued",
    [
        {"date-parts": [[2003, 5, 1]]},
        {"date-parts": [["2003"]]},
        {"raw": "May 2003"},
        {"literal": "2003"},
        "2003-05",
        2003,
    ],
)
def test_dates(issued):
    assert record(title="X", issued=issued).year == 2003


@pytest.mark.parametrize(
    "issued", [{"date-parts": [[]]}, {"date-parts": [None]}, {}, None, [], {"date-parts": 7}]
)
def test_dates_that_say_nothing(issued):
    assert record(title="X", issued=issued).year is None


def test_one_object_an_array_and_lines_are_the_same():
    item = {"id": "a", "title": "On Hands", "type": "book", "author": [{"family": "Lee"}]}
    one = json.dumps(item, indent=2)
    for text, count in (
        (one, 1),
        (f"[{one},\n{one}]", 2),
        (json.dumps(item) + "\n" + json.dumps(item), 2),
        ("[]", 0),
    ):
        found = list(read(io.BytesIO(text.encode()), "a.json"))
        assert [entry.title for entry in found] == ["On Hands"] * count


def test_the_line_of_each_item_of_an_array():
    text = b'[\n {"id": 1},\n {"id":\n 2}, {"id": 3}]'
    assert [entry.line for entry in read(io.BytesIO(text), "a.json")] == [2, 3, 4]


def test_a_wrong_type_is_rejected_with_the_reason():
    found = record(title={"a": 1})
    assert isinstance(found, Reject)
    assert found.reason == "title holds an object, not text"


def test_markup_in_titles_goes():
    assert record(title="On H<sub>2</sub>O, a < b").title == "On H2O, a < b"


def test_arxiv_is_found_in_the_address():
    assert record(title="X", URL="https://arxiv.org/abs/1704.04368v1").arxiv == "1704.04368"
