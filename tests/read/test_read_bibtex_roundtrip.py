"""Entries written and read back are equal, and two other parsers read the same out of well-formed files."""

from __future__ import annotations

import io
import logging
import re
import string
from dataclasses import dataclass

import bibtexparser
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pybtex.database import parse_string

from samehand.read.bibtex import read
from samehand.read.bibtex_scan import entries, segments
from samehand.records import Reference


@dataclass(frozen=True)
class Written:
    """An entry as the tests write it."""

    type: str
    key: str
    fields: dict[str, str]

    def text(self, opening: str = "{", quotes: bool = False) -> str:
        closing = "}" if opening == "{" else ")"
        lines = [f"@{self.type}{opening}{self.key},\n"]
        for name, value in self.fields.items():
            quoted = quotes and '"' not in value
            lines.append(f'  {name} = "{value}",\n' if quoted else f"  {name} = {{{value}}},\n")
        return "".join(lines) + closing + "\n"


LETTERS = string.ascii_letters + "äöüßéèçñøåłž"
WORD = st.text(LETTERS, min_size=1, max_size=10)
PUNCTUATED = st.text(LETTERS + string.digits + " .,:;!?()[]/*+=<>|@%#-\n", max_size=30)
NESTED = st.recursive(
    PUNCTUATED,
    lambda inner: st.tuples(PUNCTUATED, inner, PUNCTUATED).map(lambda p: f"{p[0]}{{{p[1]}}}{p[2]}"),
)
# A line that begins like an entry is taken for one, even inside a value.
VALUE = NESTED.filter(lambda value: not re.search(r"\n[ \t]*@", value))
NAME = st.from_regex(r"[a-z]{3,10}", fullmatch=True).filter(lambda name: name != "key")
KEY = st.from_regex(r"[A-Za-z][A-Za-z0-9:_+-]{0,12}", fullmatch=True)
TYPE = st.sampled_from(["article", "Book", "INPROCEEDINGS", "misc", "unheardof"])
ENTRY = st.builds(Written, TYPE, KEY, st.dictionaries(NAME, VALUE, min_size=1, max_size=6))


@given(st.lists(ENTRY, max_size=6), st.sampled_from("{("), st.booleans(), st.integers(1, 200))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
def test_what_is_written_is_read_back(written: list[Written], opening: str, quotes: bool, size: int) -> None:
    text = "\n".join(entry.text(opening, quotes) for entry in written)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    found = list(entries(chunks))
    assert [entry.problem for entry in found] == [None] * len(written)
    assert [(e.type, e.key, e.fields) for e in found] == [(e.type.lower(), e.key, e.fields) for e in written]


PERSON = st.tuples(WORD, WORD).map(lambda p: f"{p[0].title()}, {p[1].title()}")
TITLE = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


@given(TITLE, st.lists(PERSON, min_size=1, max_size=5), st.integers(1400, 2100), st.integers(1, 999), TITLE)
@settings(deadline=None, max_examples=60)
def test_references_are_read_back(title: str, authors: list[str], year: int, page: int, venue: str) -> None:
    fields = {
        "title": title,
        "author": " and ".join(authors),
        "year": str(year),
        "pages": f"{page}--{page + 9}",
        "journal": venue,
    }
    [found] = read(io.BytesIO(Written("article", "k", fields).text().encode()), "a.bib")
    assert isinstance(found, Reference)
    assert (found.title, found.authors, found.year) == (title, authors, year)
    assert (found.pages, found.venue, found.type) == (f"{page}-{page + 9}", venue, "article")
    assert orjson.loads(found.fields or "") == {"entrytype": "article", **fields}


PLAIN = st.text(LETTERS + string.digits + " .,:;!?()-", max_size=30).map(lambda text: " ".join(text.split()))
PLAIN_ENTRY = st.builds(
    Written,
    st.sampled_from(["article", "book", "misc"]),
    KEY,
    st.dictionaries(NAME, PLAIN, min_size=1, max_size=5),
)
DISTINCT = st.lists(PLAIN_ENTRY, min_size=1, max_size=5, unique_by=lambda entry: entry.key.lower())


@given(DISTINCT, st.booleans())
@settings(deadline=None, max_examples=60)
def test_pybtex_reads_the_same(written: list[Written], quotes: bool) -> None:
    """pybtex implements BibTeX's grammar independently; it parses person fields, which are left out here."""
    text = "".join(entry.text(quotes=quotes) for entry in written)
    theirs = parse_string(text, "bibtex").entries
    for ours in entries([text]):
        fields = {name.lower(): value for name, value in theirs[ours.key].fields.items()}
        persons = {"author", "editor"}
        assert {n: v for n, v in ours.fields.items() if n not in persons} == fields
        assert theirs[ours.key].type == ours.type


@given(DISTINCT)
@settings(deadline=None, max_examples=60)
def test_bibtexparser_reads_the_same(written: list[Written]) -> None:
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    text = "".join(entry.text() for entry in written)
    theirs = bibtexparser.parse_string(text)
    ours = list(entries([text]))
    assert [entry.key for entry in theirs.entries] == [entry.key for entry in ours]
    for mine, other in zip(ours, theirs.entries, strict=True):
        assert mine.fields == {field.key: field.value for field in other.fields}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 10_000])
def test_chunks_may_end_anywhere(size: int) -> None:
    text = "junk\n@misc{a,\n x = {1}}\n\n  @misc{b, x = 2}\n@string{s = {t}}\n@misc(c, x = s)\n"
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    found = [(entry.key, entry.line, entry.fields["x"]) for entry in entries(chunks)]
    assert found == [("a", 2, "1"), ("b", 5, "2"), ("c", 7, "t")]


@given(
    st.lists(st.sampled_from(["@a{k,", "@a{", "\n", " ", "x = {", "}", "y", "@string{", "%"]), max_size=40)
)
def test_segments_are_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert "".join(part for _, part in segments([text[:9], text[9:]])) == text
