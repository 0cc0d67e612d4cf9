"""Detection by content."""

from __future__ import annotations

import pytest

from samehand.errors import UnknownFormatError
from samehand.read.detect import FORMATS, detect


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"@article{key,\n title={X}}", "bibtex"),
        (b"% comment\nsome words\n\n  @InProceedings(key ,", "bibtex"),
        (b"@comment{x}\n@string{a = {b}}\n@book{k,title={X}}", "bibtex"),
        (b"\xef\xbb\xbf@string{a = {b}}", "bibtex"),
        (b"\xef\xbb\xbfTY  - JOUR\r\n", "ris"),
        (b"Exported by X\n\nTY  - JOUR\nTI  - @article{a,\n", "ris"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE dblp SYSTEM "x">\n<!-- <PubmedArticleSet> --><dblp>', "dblp"),
        (b"<PubmedArticleSet><PubmedArticle>", "medline"),
        (b'[{"id":"a","type":"book","issued":{"date-parts":[[2001]]}}]', "csl"),
        (b'{"id":"a","author":[{"family":"Lee"}]}\n', "csl"),
        (b'{"status":"ok","message-type":"work","message":{"DOI":"10.1/x"}}', "crossref"),
        (b'{"items":[{"DOI":"10.1/x","title":["X"]}]}', "crossref"),
        (b'{"meta":{},"results":[{"id":"https://openalex.org/W1"}]}', "openalex"),
        (b'{"results":[{"abstract":"' + b"x" * 300_000, "jsonl"),
        (b'{"id": 1, "title": "X"}', "jsonl"),
        (b'[{"title": "X", "authors": ["A"]}]', "jsonl"),
        (b"PAR1\x15\x04", "parquet"),
        (b"id,title,authors\n1,X,A\n", "csv"),
        (b"name\ttitle\tcoauthors\n", "csv"),
        (b"[1] Lee, A. On Hands. 2001.\n[2] Ek.", "text"),
        (b"Lee, A., Ek, B., On Hands, Year of the Title, 2001\n", "text"),
        (b"mail me at a@b.c {x}, thanks\n", "text"),
        (b"Z\xfcrich\xff is Latin-1\n", "text"),
    ],
)  # fmt: skip
def test_content_tells_the_format(content, expected):
    assert detect(content[: 1 << 18], "file") == expected


def test_the_name_breaks_ties_only():
    assert detect(b"foo,bar\n1,2\n", "a.csv.gz") == "csv"
    assert detect(b"foo,bar\n1,2\n", "a") == "text"
    assert detect(b"nothing here yet\n", "a.bib") == "bibtex"
    assert detect(b"TY  - JOUR\n", "a.bib") == "ris"


@pytest.mark.parametrize(
    "content", [b"<html><body>", b"<", b"<?xml version='1.0'?>", b"<!DOCTYPE html><html>"]
)
def test_other_xml_is_refused_by_name(content):
    with pytest.raises(UnknownFormatError, match=r"page.*root element"):
        detect(content, "page")


def test_binary_is_refused_with_the_list_of_formats():
    with pytest.raises(UnknownFormatError, match=r"junk.*BibTeX.*RIS.*Parquet"):
        detect(bytes(range(256)) * 10, "junk")


def test_every_format_has_a_reader():
    from samehand.read import _MODULES, _reader

    assert set(_MODULES) == set(FORMATS)
    assert all(callable(_reader(name)) for name in FORMATS)
