"""Lines of a byte stream: numbered, decoded, and never longer than a limit.

Text is UTF-8; a line that is not valid UTF-8 is read as Windows-1252, the usual suspect (decided line by
line, so that one stray byte does not spoil a file). A line over the limit is skipped without being held in
memory, and only its beginning is passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

CHUNK = 1 << 18
LINE_LIMIT = 16 << 20
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Overlong:
    """The beginning of a line that went over the limit; the rest was skipped."""

    beginning: bytes


def byte_lines(stream: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[tuple[int, bytes | Overlong]]:
    """(line number, line without its line end) for each line; a byte order mark is dropped.

    >>> import io
    >>> list(byte_lines(io.BytesIO(b"a\\r\\nb")))
    [(1, b'a'), (2, b'b')]
    """
    for number, block in line_blocks(stream, limit):
        if isinstance(block, Overlong):
            yield number, block
            continue
        for place, line in enumerate(block):
            yield number + place, (line[:-1] if line.endswith(b"\r") else line)


def line_blocks(stream: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[tuple[int, list[bytes] | Overlong]]:
    """(number of the first line, lines without "\\n") for each chunk of the stream; no byte order mark.

    >>> import io
    >>> list(line_blocks(io.BytesIO(b"a\\nb")))
    [(1, [b'a']), (2, [b'b'])]
    """
    number = 1
    for block in _whole_lines(stream, limit):
        if isinstance(block, Overlong):
            yield number, block
            number += 1
            continue
        lines = (block.removeprefix(_BOM) if number == 1 else block).split(b"\n")
        yield number, lines
        number += len(lines)


def _whole_lines(stream: BinaryIO, limit: int) -> Iterator[bytes | Overlong]:
    """Blocks of whole lines (the last line end cut off), with overlong lines on their own."""
    pending: list[bytes] = []
    held = 0
    skipping = False
    while chunk := _filled(stream, CHUNK):
        cut = chunk.rfind(b"\n")
        if skipping:
            first = chunk.find(b"\n")
            if first < 0:
                continue
            chunk, cut, skipping = chunk[first + 1 :], cut - first - 1, False
        if cut >= 0:
            yield b"".join([*pending, chunk[:cut]])
            pending, held = [chunk[cut + 1 :]], len(chunk) - cut - 1
        else:
            pending.append(chunk)
            held += len(chunk)
        if held > limit:
            yield Overlong(b"".join(pending)[:CHUNK])
            pending, held, skipping = [], 0, True
    if held:
        yield b"".join(pending)


def _filled(stream: BinaryIO, size: int) -> bytes:
    """The next `size` bytes, fewer only at the end; archives give their content in smaller pieces."""
    chunk = stream.read(size)
    if not chunk or len(chunk) >= size:
        return chunk
    pieces = [chunk]
    missing = size - len(chunk)
    while missing > 0 and (chunk := stream.read(missing)):
        pieces.append(chunk)
        missing -= len(chunk)
    return b"".join(pieces)


def decode(line: bytes) -> str:
    """UTF-8, else Windows-1252, whose five unused bytes become replacement characters.

    >>> decode(b"Z\\xfcrich"), decode("Zürich".encode())
    ('Zürich', 'Zürich')
    """
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", "replace")


def text_lines(stream: BinaryIO, limit: int = LINE_LIMIT) -> Iterator[tuple[int, str | Overlong]]:
    """`byte_lines`, decoded.

    >>> import io
    >>> list(text_lines(io.BytesIO(b"caf\\xe9\\n")))
    [(1, 'café')]
    """
    for number, line in byte_lines(stream, limit):
        yield number, line if isinstance(line, Overlong) else decode(line)
