"""Bytes that are no bibliography: rejects or a clear error, in bounded time and memory."""

from __future__ import annotations

import io
import random
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.errors import SamehandError, UnknownFormatError
from samehand.read import _reader, read_batches
from samehand.read.detect import FORMATS, detect
from samehand.records import Reference, Reject, references_frame, rejects_frame

RANDOM = random.Random(7)
JUNK = {
    "random": RANDOM.randbytes(100_000),
    "png": b"\x89PNG\r\n\x1a\n" + RANDOM.randbytes(5_000),
    "elf": b"\x7fELF\x02\x01\x01" + bytes(5_000),
    "zeros": bytes(300_000),
    "zip": b"PK\x03\x04" + RANDOM.randbytes(1_000),
}


@pytest.mark.parametrize("name", JUNK)
def test_binary_junk_is_refused_by_name(name, tmp_path):
    path = tmp_path / f"{name}.dat"
    path.write_bytes(JUNK[name])
    with pytest.raises(UnknownFormatError, match=f"{name}.dat.*RIS"):
        list(read_batches(path))


def survives(name: str, content: bytes) -> list[Reference | Reject]:
    """All records, or the error meant for people; and tables that later steps can use."""
    try:
        found = list(_reader(name)(io.BytesIO(content), "junk"))
    except SamehandError as error:
        if "junk" not in str(error):
            pytest.fail(f"the error does not name the file: {error}")
        return []
    references_frame([record for record in found if isinstance(record, Reference)])
    rejects_frame([record for record in found if isinstance(record, Reject)])
    return found


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_told_to_read_junk(name, junk):
    survives(name, JUNK[junk])


SEEDS = {
    "ris": b"TY  - JOUR\nTI  - X\nAU  - Lee, A\nPY  - 2001\nER  - \n",
    "csl": b'[{"id":"a","title":"X","author":[{"family":"Lee"}],"issued":{"date-parts":[[2001]]}}]',
    "crossref": b'{"message":{"items":[{"DOI":"10.1000/1","title":["X"],"author":[{"family":"L"}]}]}}',
    "openalex": b'{"results":[{"id":"W1","display_name":"X","authorships":[{"raw_author_name":"L"}]}]}',
    "dblp": b"<dblp><article key='a'><author>A</author><title>X &amp; &eacute;</title></article></dblp>",
    "medline": b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>X"
    b"</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>",
    "csv": b'title,authors\n"X","A; B"\nY,C\n',
    "jsonl": b'{"title":"X","authors":["A"],"year":2001}\n{"title":"Y"}\n',
    "text": b"[1] Lee. X. 2001.\n\n[2] Ek. Y.\n",
}


@pytest.mark.parametrize("name", SEEDS)
@given(st.data())
@settings(max_examples=40, deadline=None)
def test_valid_files_with_a_few_bytes_changed(name, data):
    content = bytearray(SEEDS[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(
            st.sampled_from([b"", b"\0", b"\xff", b'"', b"<", b"{", b"]", b"\n", b"&", b"\r", b"\\"])
        )
        content[at : at + data.draw(st.integers(0, 3))] = piece
    survives(name, bytes(content))


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_detection_never_fails_otherwise(content):
    with suppress(UnknownFormatError):
        assert detect(content, "x") in FORMATS


DEEP = 100_000


@pytest.mark.parametrize("name", ["jsonl", "csl", "crossref", "openalex"])
@pytest.mark.parametrize(
    "content",
    [
        b"[" * DEEP,
        b'{"a":' * DEEP,
        b'{"a":[' * DEEP,
        b'{"title":"X","authors":' + b"[" * DEEP + b"]" * DEEP + b"}\n",
        b"[" * DEEP + b"]" * DEEP,
        b'{"items":[' + b'"x",' * DEEP + b'{"title":"X"}]}',
        b'"' + b"\\" * DEEP,
        b'{"title": "never closed',
        b'{"title": NaN, "year": Infinity}\n',
        b'{"title": "\\ud800", "authors": ["\\udfff"]}\n',
        b'{"year": 1e999, "title": "X", "volume": 123456789012345678901234567890}\n',
    ],
    ids=range(11),
)
def test_json_monsters(name, content):
    found = survives(name, content)
    assert all(len(record.raw) <= 2_000 for record in found if isinstance(record, Reject))


class Endless(io.RawIOBase):
    """`size` bytes of one letter after a beginning, without being held in memory."""

    def __init__(self, beginning: bytes, letter: bytes, size: int) -> None:
        self.beginning, self.letter, self.left = beginning, letter, size

    def read(self, size: int = -1) -> bytes:
        if self.beginning:
            beginning, self.beginning = self.beginning, b""
            return beginning
        size = min(size, self.left)
        self.left -= size
        return self.letter * size


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("jsonl", b'{"title":"X"}\n{"title":"'),
        ("jsonl", b'[{"title":"'),
        ("csl", b'[{"title":"'),
        ("csv", b"title,authors\nX,"),
        ("text", b"Lee. "),
        ("ris", b"TY  - JOUR\nTI  - "),
        ("dblp", b"<dblp><article><title>"),
        ("medline", b"<PubmedArticleSet><PubmedArticle>"),
    ],
)
def test_a_hundred_megabytes_without_a_line_end(name, beginning):
    tracemalloc.start()
    found = list(_reader(name)(Endless(beginning, b"x", 100 << 20), "long"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 << 20
    assert any(isinstance(record, Reject) for record in found) or name == "ris"


@pytest.mark.parametrize("name", SEEDS)
def test_nuls_and_invalid_utf_8_everywhere(name):
    for piece in (b"\0", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80"):
        survives(name, SEEDS[name].replace(b"X", b"X" + piece + b"Y").replace(b"A", b"A" + piece))
