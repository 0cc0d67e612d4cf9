"""Hostile BibTeX: no exception, no hang, bounded memory, and reading goes on behind the damage.

Inputs are large enough that anything quadratic would take minutes and be stopped by the test timeout.
"""

from __future__ import annotations

import io
import random
import tracemalloc
from collections.abc import Iterator

import pytest

from samehand.normalise.latex import decode, decode_name
from samehand.read import bibtex_scan
from samehand.read.bibtex import read
from samehand.records import Reference, Reject

MEBI = 1 << 20
LONG = 1 << 16
LAST = b"\n@misc{last, title = {Still Here}}\n"


def read_all(data: bytes) -> list[Reference | Reject]:
    return list(read(io.BytesIO(data), "h.bib"))


@pytest.mark.parametrize(
    "data", [b"", b"@", b"@" * MEBI, b"\0" * MEBI, b"{" * MEBI, b"\n" * MEBI, b"\xef\xbb\xbf"]
)
def test_files_without_any_entry(data: bytes) -> None:
    assert read_all(data) == []


@pytest.mark.parametrize("seed", range(5))
def test_binary_junk(seed: int) -> None:
    junk = random.Random(seed).randbytes(MEBI)
    assert isinstance(read_all(junk.replace(b"@", b"") + LAST)[-1], Reference)
    read_all(junk)
    read_all(b"\xff\xfe" + junk)


def test_random_mixtures_of_tokens() -> None:
    tokens = [
        "@a{",
        "@a(",
        "k,",
        "x=",
        "{",
        "}",
        '"',
        "#",
        ",",
        "\n",
        "%",
        "@string{",
        "@comment{",
        ")",
        "é",
        " ",
        "y",
    ]
    for seed in range(300):
        chosen = random.Random(seed).choices(tokens, k=200)
        for record in read_all("".join(chosen).encode()):
            assert 1 <= record.line <= 201


REPEATED = [
    b"{", b"}", b'"', b"@a{", b"@a{\n", b"@a(k\nx={\n", b"@a{k,\n", b"@a{k,x={\n", b"@a(k\nx={{}\n",
    b'@a{k,x="\n', b'@a(k\nx="\n', b"%@a{\n", b"%@a{k,x={\n", b"@string{", b"@string{a=", b"@comment{",
    b"@a{k,x=y#\n", b"x={y}\n", b"@a{k,x={}}, ", b"@a{k,{", b"@a(k\nx=}{\n", b"@a{=", b"@ a", b"@a{k x",
    b"\r", b"@a{k,\nx={{{{{{\n", b'x="a"b,', b'@a{k,x="a"b} ',
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", REPEATED)
@pytest.mark.parametrize("head", [b"", b"@misc{first, title = {", b"@misc{first, "])
def test_repetition_takes_linear_time(head: bytes, piece: bytes) -> None:
    records = read_all(head + piece * (LONG // len(piece)) + LAST)
    last = records[-1]
    assert isinstance(last, Reference)
    assert last.title == "Still Here"


LATEX = [
    "{", "}", "\\'", "\\v", "$", "$x", "\\(", "^{", "\\url{", "\\cite[", "~", "&#", "{a ", "\\ ", "_{a}",
    "\\$a", "\\textbackslash", "\\textbackslash{}", "{\\$}{\\backslash}a",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", LATEX)
def test_decoding_takes_linear_time(piece: str) -> None:
    text = piece * (LONG // len(piece))
    decode(text)
    decode_name(text)


def test_a_field_of_twenty_megabytes_is_rejected_and_reading_goes_on() -> None:
    first, second = read_all(b"@misc{big, note = {" + b"x" * (20 * MEBI) + b"}}" + LAST)
    assert isinstance(first, Reject)
    assert (first.line, first.reason, len(first.raw)) == (1, "entry too large", 2000)
    assert isinstance(second, Reference)
    assert (second.line, second.title) == (2, "Still Here")


def test_line_numbers_are_right_behind_a_large_entry() -> None:
    records = read_all(b"\n@misc{big, note = {" + b"x\n" * (10 * MEBI) + b"}}" + LAST)
    assert [record.line for record in records] == [2, 10 * MEBI + 3]


class Endless(io.RawIOBase):
    """A stream of many megabytes that never exists in memory."""

    def __init__(self, piece: bytes, pieces: int) -> None:
        self.chunks: Iterator[bytes] = iter([piece] * pieces)

    def read(self, size: int = -1) -> bytes:
        return next(self.chunks, b"")


@pytest.mark.parametrize("piece", [b"x" * MEBI, b"@misc{k, note = {" + b"y" * MEBI, b"@" * MEBI])
def test_memory_is_bounded(piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bibtex_scan, "LARGEST_ENTRY", 2 * MEBI)
    tracemalloc.start()
    for _ in read(Endless(piece, 24), "h.bib"):  # type: ignore[arg-type]
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MEBI


def test_macros_that_double_do_not_explode() -> None:
    lines = ['@string{a0 = "ha"}'] + [f"@string{{a{n} = a{n - 1} # a{n - 1}}}" for n in range(1, 200)]
    lines += ["@misc{k, title = a199}", "@misc{l, title = {T}, note = a13 # a13 # a13 # a13}"]
    first, second = read_all("\n".join(lines).encode())
    assert isinstance(first, Reference)
    assert isinstance(second, Reject)
    assert second.reason == "macros expand too far"


def test_circles_of_macros_end() -> None:
    [found] = read_all(b"@string{a = b} @string{b = a} @string{a = a # b} @misc{k, title = a # b}")
    assert isinstance(found, Reference)
    assert len(found.title or "") < 100


def test_a_million_braces() -> None:
    decode("{" * 1_000_000)
    [found] = read_all(b"@misc{k, title = " + b"{" * 1_000_000 + b"T" + b"}" * 1_000_000 + b"}")
    assert isinstance(found, Reference)
    assert found.title == "T"


def test_many_fields_of_one_name() -> None:
    [found] = read_all(b"@misc{k, " + b"a=1," * 50_000 + b"}")
    assert isinstance(found, Reference)
