"""DBLP records many at once: equal, in every column, to the reader of single records."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from samehand.read import dblp, dblp_scan, xml_stream
from samehand.read.dblp_scan import EMPTY, FLAT, ODD, PERSON, TYPES, scan
from samehand.read.xml_stream import Document
from samehand.records import REFERENCES, Reference, Reject, references_frame

OPENING = re.compile(rf"\s*<({'|'.join(TYPES)})((?:\s[^<>]*)?)>")


def by_definition(content: bytes) -> tuple[pl.DataFrame, list[Reject]]:
    """One record after the other through `dblp._record`; from one that it cannot read on, lxml."""
    document = Document(io.BytesIO(content), "x.xml")
    text = "".join(iter(document.read_text, ""))
    at = text.index(">") + 1
    document.line += text.count("\n", 0, at)
    found = []
    while opening := OPENING.match(text, at):
        end = text.find(f"</{opening[1]}>", opening.end())
        line = document.line + text.count("\n", at, opening.start(1))
        record = dblp._record(text[opening.start(1) - 1 : end + len(opening[1]) + 3], line, "x.xml")
        if end < 0 or record is None:
            break
        found.append(record)
        document.line += text.count("\n", at, end)
        at = end + len(opening[1]) + 3
    if text[at:].strip() != "</dblp>":
        found += dblp._any_records(document, "<dblp>", text[at:], "x.xml")
    return _tables(found)


def as_read(content: bytes) -> tuple[pl.DataFrame, list[Reject]]:
    return _tables(dblp.read(io.BytesIO(content), "x.xml"))


def _tables(found):
    found = list(found)
    rejects = sorted((item for item in found if isinstance(item, Reject)), key=lambda reject: reject.line)
    frames = [item for item in found if isinstance(item, pl.DataFrame)]
    # Single references come from lxml, after all tables.
    singles = references_frame([item for item in found if isinstance(item, Reference)])
    return pl.concat([REFERENCES.to_frame(), *frames, singles]), rejects


def assert_equal_to_definition(content: bytes) -> None:
    (references, rejects), (expected, expected_rejects) = as_read(content), by_definition(content)
    assert_frame_equal(references, expected)
    assert [_told(reject) for reject in rejects] == [_told(reject) for reject in expected_rejects]


def _told(reject: Reject) -> tuple[int, str, str]:
    """Where the rest of a file begins, before or after white space, does not matter."""
    return reject.line, reject.reason, reject.raw.strip()[:200]


PIECES = (
    "a", "Ann", " ", "  ", "\n", "\t", "\r", "0001", " 0001", "\u0660\u0661\u0662\u0663", "\u00b2\u00b2\u00b2\u00b2",
    "é", "ć", "\u2013", "漢字", "\U0001f642", "\u00a0", "\u0085", "\u00ad", "\u2003", "\u200b", "\u2028", "\u202f",
    "\u205f", "\u3000", "\u1680", "\ufeff", "\x01", "\x7f", "\x0b", "\x1c", '"', "\\", "'", ">", ",", ";", "&amp;",
    "&lt;", "&gt;", "&quot;", "&apos;", "&uuml;", "&bogus;", "&nbsp;", "&", "&#", "&#233;", "&#xe9;", "&#XE9;",
    "&#128578;", "&#x1F642;", "&#32;", "&#160;", "&#8195;", "&#0;", "&#38;", "&#60;", "&#127;", "&#55357;",
    "&#xFFFF;", "&#12345678;", "&#x1234567;", "&#;", "&#x;", "&#1a;", "&amp;#233;", "<i>x</i>", "<sub>2</sub>",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
LINKS = (
    "https://doi.org/10.1109/CGO.2003.1191534", "http://dx.doi.org/10.1000/a", "https://doi.org/10.1000/a.",
    "https://doi.org/10.100/short", "https://doi.org/10.1000/(SICI)1", "https://doi.org/10.1234567890/x",
    "https://doi.org/10.1000/", "http://example.org/10.1000/x/pdf", "http://example.org/", "10.1000/x",
    "http://arxiv.org/abs/1704.04368", "https://doi.org/10.48550/arXiv.1704.04368", "db/x.html", "http",
)  # fmt: skip
VALUES = {
    "year": ("1994", "94", "2999", "1994/95", "x"),
    "pages": ("1-9", "1:1-1:20", "67 -- 95.", "-", "12,", "\u0661-2", "a\u2013b", "9"),
    "isbn": ("0-306-40615-2", "978-0-306-40615-7", "0-306-40615-3", "x"),
    "ee": LINKS,
    "journal": ("CoRR", "corr", "CoRR ", "IEEE Trans."),
    "author": ("Wei Wang 0001", "Ann Lee", " 0001", "A 0001 0002", "R2 D2", "Li 12345", "漢 漢字漢字"),
}  # fmt: skip
ORDINARY_NAMES = ("title", "booktitle", "series", "publisher", "school", "editor", "volume", "number", "crossref",
                  "note", "cite", "stream", "entrytype", "key", "averyveryverylongname", "x-y", "article")  # fmt: skip
FIELD_ATTRIBUTES = (
    "", "", "", ' orcid="0000-0002-1825-0097"', ' orcid="0000-0002-1825-0098"', " orcid='0000-0002-1825-0097'",
    ' orcid="0000-0002-1694-233X"', ' orcid="0000-0002-1694-233x"', ' orcid="x"', ' type="oa"',
    ' aux="orcid" type="0000-0002-1825-0097"', ' type="oa" orcid="0000-0002-1825-0097"', ' bibtex="a&amp;b"',
    ' type="it\'s"', "  type=\"oa\"", ' type="oa" ', "\ntype=\"oa\"",
)  # fmt: skip
RECORD_ATTRIBUTES = (
    "", ' key="j/x/1"', ' mdate="2020-01-01" key="j/x/1"', ' key="homepages/1/2"', ' key=""', " key='k'",
    ' key="k" publtype="informal"', ' publtype="informal withdrawn" key="a\\b"', ' key="é&amp;"', ' key="Ö"  ',
    ' entrytype="x" key="k"', '\nkey="k"', ' key = "k"', ' key="k"\tmdate="x"', ' title="t" key="k"',
)  # fmt: skip


@st.composite
def fields(draw):
    name = draw(st.sampled_from((*VALUES, *VALUES, *ORDINARY_NAMES)))
    text = draw(st.one_of(st.sampled_from(VALUES.get(name, ("On Hands.",))), TEXTS))
    attributes = draw(st.sampled_from(FIELD_ATTRIBUTES))
    gap = draw(st.sampled_from(("", "\n", " \r\n", "\u00a0")))
    return f"<{name}{attributes}>{text}</{name}>{gap}"


@st.composite
def whole_records(draw):
    tag = draw(st.sampled_from(tuple(TYPES)))
    body = "".join(draw(st.lists(fields(), max_size=6)))
    gap = draw(st.sampled_from(("", "\n", "\n\n  ", "\r\n")))
    return f"<{tag}{draw(st.sampled_from(RECORD_ATTRIBUTES))}>{body}</{tag}>{gap}"


@given(st.lists(whole_records(), max_size=6), st.sampled_from(("", "\n", "<article><title>open")))
@example(["<www key='w'><title>a</title></www>", "<book><ee>http://arxiv.org/abs/1704.04368</ee></book>"], "")
@settings(max_examples=200, deadline=None)
def test_any_records_read_many_at_once_equal_those_read_singly(whole, end):
    assert_equal_to_definition(f"<dblp>{''.join(whole)}{end}</dblp>".encode())


@given(st.lists(whole_records(), min_size=1, max_size=3), st.data())
@settings(max_examples=100, deadline=None)
def test_damaged_bytes_change_nothing_about_that(whole, data):
    content = bytearray("".join(whole).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(
            st.sampled_from((0, 0x20, 0x22, 0x26, 0x2F, 0x3C, 0x3E, 0x80, 0xC3, 0xED, 0xFF))
        )
    if b"<!" in content or b"<?" in content:
        return
    assert_equal_to_definition(b"<dblp>" + bytes(content) + b"</dblp>")


PLAIN = (
    '<article mdate="2020-01-01" key="journals/x/1">\n<author orcid="0000-0002-1825-0097">Wei Wang 0001</author>\n'
    '<author>Zoë Ćosić</author><title>A &amp; B &#8211; "C".</title><journal>CoRR</journal><ee type="oa">'
    "https://doi.org/10.1000/X1</ee><pages>1-9</pages></article>"
)


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece_of_text_alone_equals_the_definition(piece):
    for text in (piece, f"Ann {piece}", f"a{piece}b", f"{piece} Lee"):
        body = f"<author>{text}</author><title>{text}</title><year>1994</year>"
        assert_equal_to_definition(f'<dblp><article key="k">{body}</article></dblp>'.encode())


@pytest.mark.parametrize(
    "field",
    [f"<{name}>{value}</{name}>" for name, values in VALUES.items() for value in values]
    + [f"<author{given}>A B</author><author>C D</author>" for given in FIELD_ATTRIBUTES]
    + [f"<{name}>x</{name}>" for name in ORDINARY_NAMES],
)
def test_each_field_alone_equals_the_definition(field):
    for attributes in RECORD_ATTRIBUTES:
        assert_equal_to_definition(f"<dblp><article{attributes}>{field}</article></dblp>".encode())


def test_ordinary_records_do_become_rows_and_others_are_told_apart():
    kinds = {
        PLAIN: FLAT,
        PLAIN.replace("&amp;", "<i>&amp;</i>"): ODD,
        '<www key="homepages/1"><author>A</author></www>': PERSON,
        '<book key="b"><title> </title></book>': EMPTY,
    }
    found = scan("\n".join(kinds).encode(), 0, 1)
    assert found.spans.kinds[: found.record_count].tolist() == list(kinds.values())
    assert found.spans.lines[: found.record_count].tolist() == [1, 4, 7, 8]


def test_odd_records_keep_their_place_among_the_rows():
    bodies = [
        PLAIN.replace("x/1", f"x/{n}").replace("&amp;", "<i>&amp;</i>" if n in (0, 3, 4, 9) else "&amp;")
        for n in range(10)
    ]
    references, _ = as_read(f"<dblp>{''.join(bodies)}</dblp>".encode())
    assert references["id"].to_list() == [f"journals/x/{n}" for n in range(10)]


def test_a_record_of_very_many_fields_or_names_is_read_all_the_same(monkeypatch):
    pairs = [first + second for first in "abc" for second in "abcdefghijklmnopqrst"]
    names = "".join(f"<n{pair}>x</n{pair}>" for pair in pairs)
    authors = "".join(f"<author>Author {n:05}</author>" for n in range(5_000))
    monkeypatch.setattr(dblp_scan, "FIELDS_AT_ONCE", 4_000)
    content = f"<dblp>{PLAIN}<book key='b'>{names}</book><book>{names}</book><book>{authors}</book>{PLAIN * 3}</dblp>"
    assert_equal_to_definition(content.encode())


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_the_size_of_blocks_changes_nothing(monkeypatch, size):
    strange = PLAIN.replace("Wei", "W&eacute;i  <sup>2</sup>")
    body = "\n".join([PLAIN, strange, "<person><author>A</author></person>"] * 20)
    content = f"<dblp>\n{body}\n</dblp>".encode()
    references, rejects = as_read(content)
    for module, name in ((dblp, "BLOCK"), (xml_stream, "CHUNK"), (xml_stream, "PROLOG_LIMIT")):
        monkeypatch.setattr(module, name, max(size, 10))
    monkeypatch.setattr(dblp, "RECORDS_AT_ONCE", 2)
    monkeypatch.setattr(dblp_scan, "RECORDS_AT_ONCE", 2)
    again, rejects_again = as_read(content)
    assert_frame_equal(again, references)
    assert rejects_again == rejects
    assert (references.height, len(rejects)) == (40, 20)


def test_what_cannot_be_read_is_rejected_with_its_line_and_its_text():
    content = f"<dblp>\n{PLAIN}\n<book key='b'><title>a</book>\n{PLAIN * 40}</dblp>".encode()
    references, [reject] = as_read(content)
    assert (references.height, reject.line) == (1, 5)
    assert reject.reason.endswith("Opening and ending tag mismatch: title and book")
    assert reject.raw.lstrip().startswith("<book key='b'>")
    assert len(reject.raw) == 2_000


@pytest.mark.data
@pytest.mark.parametrize("name", ["dblp-sample.xml", "dblp-sample2.xml.gz"])
def test_real_files_read_many_at_once_equal_those_read_singly(name):
    if "SAMEHAND_DATA" not in os.environ:
        pytest.skip("SAMEHAND_DATA is not set; it names the folder of labelled sets")
    from samehand.read.open import open_stream

    content = open_stream(str(Path(os.environ["SAMEHAND_DATA"], "formats", name))).read()
    assert_equal_to_definition(content)
