"""OpenAlex works."""

from __future__ import annotations

import io
import json

import pytest

from samehand.read.openalex import read
from samehand.records import Reject

WORK = {
    "id": "https://openalex.org/W7",
    "display_name": "On Hands",
    "authorships": [
        {
            "raw_author_name": "A. Lee",
            "author": {"display_name": "Ann Lee", "orcid": "https://orcid.org/0000-0002-1825-0097"},
            "raw_affiliation_strings": ["MIT", "CNRS"],
        },
        {"author": {"display_name": "Bo Ek"}, "institutions": [{"display_name": "KTH"}]},
    ],
    "primary_location": {"source": {"display_name": "J. Hands", "type": "conference"}, "landing_page_url": "https://x.org"},
    "publication_year": 2003,
    "doi": "https://doi.org/10.1000/ABC",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"},
    "biblio": {"volume": "3", "issue": None, "first_page": "1", "last_page": "9"},
    "type": "article",
    "abstract_inverted_index": {"On": [0]},
}  # fmt: skip


def works(document):
    return list(read(io.BytesIO(json.dumps(document).encode()), "a.json"))


@pytest.mark.parametrize(
    "document", [WORK, [WORK], {"meta": {"count": 1}, "results": [WORK], "group_by": [{"a": 1}]}]
)
def test_all_envelopes_hold_the_same_work(document):
    [record] = works(document)
    assert (record.id, record.title, record.venue, record.year) == ("W7", "On Hands", "J. Hands", 2003)
    assert record.authors == ["A. Lee", "Bo Ek"]
    assert record.affiliations == ["MIT; CNRS", "KTH"]
    assert record.orcids == ["0000-0002-1825-0097", ""]
    assert (record.doi, record.pmid, record.pages, record.type) == (
        "10.1000/abc",
        "123",
        "1-9",
        "inproceedings",
    )
    assert "abstract_inverted_index" not in record.fields


def test_nulls_are_no_trouble():
    [record] = works(
        {"id": "https://openalex.org/W1", "display_name": None, "authorships": None, "primary_location": None}
    )
    assert (record.title, record.authors, record.venue) == (None, [], None)


def test_wrong_types_are_rejected():
    [record] = works({**WORK, "authorships": 7})
    assert isinstance(record, Reject)
