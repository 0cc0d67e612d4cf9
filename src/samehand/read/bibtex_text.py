"""Bytes to text for BibTeX: UTF-8 or UTF-16 by its mark, else line by line UTF-8 or Windows-1252.

Bibliographies are pasted together from files in different encodings, so the choice is made for each line:
a line that is not valid UTF-8 is read as Windows-1252 (and as Latin-1 where that has no character).
Line ends become "\\n"; NULs are dropped, as they mean nothing in text.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

CHUNK = 1 << 20


def text_chunks(stream: BinaryIO) -> Iterator[str]:
    """The stream as pieces of text of about a megabyte, which end at a line end where there is one.

    >>> import io
    >>> list(text_chunks(io.BytesIO(b"na\\xefve\\r\\n\\xc3\\xa9t\\xc3\\xa9")))
    ['naïve\\n', 'été']
    """
    first = stream.read(CHUNK)
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        pieces = _utf16(first, stream)
    else:
        pieces = _lines(first.removeprefix(codecs.BOM_UTF8), stream)
    for piece in pieces:
        text = piece.replace("\0", "") if "\0" in piece else piece
        yield text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _utf16(first: bytes, stream: BinaryIO) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    held = decoder.decode(first)
    while chunk := stream.read(CHUNK):
        # A carriage return waits for its line feed.
        cut = len(held) - held.endswith("\r")
        yield held[:cut]
        held = held[cut:] + decoder.decode(chunk)
    yield held + decoder.decode(b"", final=True)


def _lines(first: bytes, stream: BinaryIO) -> Iterator[str]:
    held = first
    while chunk := stream.read(CHUNK):
        cut = held.rfind(b"\n") + 1 or _character_boundary(held)
        yield _decode(held[:cut])
        held = held[cut:] + chunk
    cut = held.rfind(b"\n") + 1
    yield _decode(held[:cut])
    yield _decode(held[cut:])


def _character_boundary(held: bytes) -> int:
    """Where a piece without any line end may be cut: not inside a UTF-8 character, nor before a line feed."""
    cut = len(held)
    for back in range(1, min(4, cut) + 1):
        byte = held[-back]
        if byte >= 0xC0:
            return cut - back
        if byte < 0x80:
            return cut - (back == 1 and byte == 0x0D)
    return cut


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(_decode_line(line) for line in data.splitlines(keepends=True))


def _decode_line(line: bytes) -> str:
    for encoding in ("utf-8", "cp1252"):
        try:
            return line.decode(encoding)
        except UnicodeDecodeError:
            continue
    return line.decode("latin-1")
