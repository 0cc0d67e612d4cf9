"""Crossref works."""

from __future__ import annotations

import io
import json

import pytest

from samehand.read.crossref_json import read
from samehand.records import Reject

WORK = {
    "DOI": "10.1000/ABC",
    "type": "proceedings-article",
    "title": ["On <i>Hands</i>"],
    "subtitle": ["A Study"],
    "author": [
        {
            "family": "Lee", "given": "Ann", "affiliation": [{"name": "MIT"}],
            "ORCID": "http://orcid.org/0000-0002-1825-0097",
        },
        {"name": "Hand Group", "affiliation": []},
        {"family": "Ek", "given": "Bo"},
    ],
    "container-title": ["Proc. Hands"],
    "published-print": {"date-parts": [[2003, 1]]},
    "page": "1-9",
    "ISBN": ["9780306406157"],
}  # fmt: skip


def works(document):
    return list(read(io.BytesIO(json.dumps(document).encode()), "a.json"))


@pytest.mark.parametrize(
    "document",
    [
        WORK,
        [WORK],
        {"status": "ok", "message": WORK},
        {"message": {"items": [WORK], "query": {"x": {"y": 1}}}},
        {"items": [WORK]},
    ],
)
def test_all_envelopes_hold_the_same_work(document):
    [record] = works(document)
    assert record.title == "On Hands: A Study"
    assert record.authors == ["Lee, Ann", "{Hand Group}", "Ek, Bo"]
    assert record.affiliations == ["MIT", "", ""]
    assert record.orcids == ["0000-0002-1825-0097", "", ""]
    assert (record.year, record.type, record.doi, record.isbn) == (
        2003, "inproceedings", "10.1000/abc", "9780306406157",
    )  # fmt: skip


def test_et_al_is_not_a_person():
    [record] = works({**WORK, "author": [{"family": "Lee", "given": "Ann"}, {"name": "et al."}]})
    assert (record.authors, record.truncated) == (["Lee, Ann"], True)


def test_wrong_types_are_rejected():
    [record] = works({**WORK, "container-title": {"a": 1}})
    assert isinstance(record, Reject)


def test_missing_parts_are_no_trouble():
    [record] = works({"DOI": "10.1000/1", "author": None, "title": [], "event": {"name": "Hands 2003"}})
    assert (record.title, record.authors, record.venue) == (None, [], "Hands 2003")
