"""XML that means harm: bombs, external entities, endless elements. No file is read, no host is called."""

from __future__ import annotations

import io
import socket
import tracemalloc

import pytest

from samehand.errors import ReadError
from samehand.read import dblp, medline
from samehand.records import Reject

BILLION_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE dblp [<!ENTITY a "ha">'
    + b"".join(b'<!ENTITY %s "%s">' % (bytes([98 + n]), b"&%s;" % bytes([97 + n]) * 10) for n in range(9))
    + b"]><dblp><article key='x'><title>&j;</title></article></dblp>"
)
QUADRATIC = (
    b'<!DOCTYPE dblp [<!ENTITY a "' + b"x" * 50_000 + b'">]><dblp><article><title>' + b"&a;" * 50_000
    + b"</title></article></dblp>"
)  # fmt: skip
USE = b"]><dblp><article><title>&a;</title></article></dblp>"
EXTERNAL_FILE = b'<!DOCTYPE dblp [<!ENTITY a SYSTEM "file:///etc/passwd">' + USE
EXTERNAL_HTTP = b'<!DOCTYPE dblp [<!ENTITY a SYSTEM "http://example.org/x">' + USE
PARAMETER = b'<!DOCTYPE dblp [<!ENTITY % p SYSTEM "http://example.org/x.dtd"> %p;]><dblp></dblp>'
ATTRIBUTE_DEFAULT = b'<!DOCTYPE dblp [<!ATTLIST article key CDATA "evil">]><dblp><article/></dblp>'


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a reader tried to open a connection")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("reader", [dblp, medline])
@pytest.mark.parametrize(
    "content", [BILLION_LAUGHS, QUADRATIC, EXTERNAL_FILE, EXTERNAL_HTTP, PARAMETER, ATTRIBUTE_DEFAULT]
)
def test_declarations_are_refused_with_a_remedy(reader, content):
    if reader is medline:
        content = content.replace(b"dblp", b"PubmedArticleSet").replace(b"article", b"PubmedArticle")
    with pytest.raises(ReadError, match=r"evil\.xml.*DOCTYPE"):
        list(reader.read(io.BytesIO(content), "evil.xml"))


def test_a_declaration_cannot_hide_behind_a_comment_or_far_into_the_file():
    hidden = b"<!-- " + b"x" * 300_000 + b" -->" + EXTERNAL_FILE
    with pytest.raises(ReadError):
        list(dblp.read(io.BytesIO(hidden), "evil.xml"))
    later = b"<dblp><article><title>a</title></article>" + EXTERNAL_FILE
    found = list(dblp.read(io.BytesIO(later), "evil.xml"))
    assert isinstance(found[-1], Reject)
    assert not any("root:" in str(record) for record in found)


def test_an_external_doctype_is_not_fetched():
    content = (
        b'<!DOCTYPE dblp SYSTEM "http://example.org/dblp.dtd">'
        b"<dblp><article><title>&eacute;</title></article></dblp>"
    )
    [table] = dblp.read(io.BytesIO(content), "x")
    assert table["title"].to_list() == ["é"]


def test_xinclude_is_only_an_element():
    content = (
        b'<dblp xmlns:xi="http://www.w3.org/2001/XInclude"><article>'
        b'<title><xi:include href="/etc/passwd"/>x</title></article></dblp>'
    )
    [record] = dblp.read(io.BytesIO(content), "x")
    assert record.title == "x"


@pytest.mark.parametrize(
    "body",
    [
        b"<article>" * 100_000,
        b"<article><title>" + b"<i>" * 100_000,
        b"<article><title>" + b"x" * 12_000_000,
        b"<article " + b"a='b' " * 300_000,
        b"<article><title>&#0;&#xD800;&#99999999;</title></article>" + b"<" * 1_000_000,
        b"&" * 1_000_000,
        b"<![CDATA[" + b"]" * 1_000_000,
    ],
    ids=["nested records", "nested markup", "endless field", "attributes", "brackets", "ampersands", "cdata"],
)
@pytest.mark.parametrize("reader", [dblp, medline])
def test_monsters_end_in_a_reject_within_bounded_memory(reader, body):
    root = b"dblp" if reader is dblp else b"PubmedArticleSet"
    content = b"<" + root + b">" + (body if reader is dblp else body.replace(b"article", b"PubmedArticle"))
    tracemalloc.start()
    found = list(reader.read(io.BytesIO(content), "monster.xml"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(found[-1], Reject)
    assert peak < 150 << 20


@pytest.mark.parametrize("name", ["rot13", "hex", "no-such-code", "zlib"])
def test_encodings_that_are_none(name):
    content = f'<?xml version="1.0" encoding="{name}"?><dblp></dblp>'.encode()
    with pytest.raises(ReadError, match="encoding"):
        list(dblp.read(io.BytesIO(content), "x"))


@pytest.mark.parametrize("content", [b"", b"<", b"<?xml?>", b"<!DOCTYPE dblp", b"\x00\x01", b"<!---->"])
@pytest.mark.parametrize("reader", [dblp, medline])
def test_no_document_at_all(reader, content):
    with pytest.raises(ReadError):
        list(reader.read(io.BytesIO(content), "x"))
