"""Tables as JSON lines, or as a JSON array of flat objects."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import BinaryIO

from samehand.read.json_stream import Block, blocks
from samehand.read.table_frames import Found, FrameReader
from samehand.read.tables import shape_of

ROWS_TO_JUDGE_BY = 500


def read(stream: BinaryIO, source: str) -> Iterator[Found]:
    """The rows of a JSON table; their shape is decided by the columns of the first rows together.

    >>> import io
    >>> [frame] = read(io.BytesIO(b'{"id": "m1", "name": "Ann Lee", "coauthors": ["Bo Ek"]}'), "a.jsonl")
    >>> frame.select("scope", "authors", "focus").row(0)
    ('author', ['Ann Lee', 'Bo Ek'], 0)
    """
    found = blocks(stream, source)
    beginning: list[Block] = []
    while sum(len(block.rows) for block in beginning) < ROWS_TO_JUDGE_BY and (more := next(found, None)):
        yield from more.rejects
        if more.rows:
            beginning.append(more._replace(rejects=[]))
    if not beginning:
        return
    reader = FrameReader(source, shape_of(_columns(beginning), source))
    for block in chain(beginning, found):
        yield from block.rejects
        yield from reader.add(block.lines, block.rows)
    yield from reader.finish()


def _columns(beginning: list[Block]) -> list[str]:
    """All columns of the first rows, in order of first appearance."""
    rows = islice(chain.from_iterable(block.rows for block in beginning), ROWS_TO_JUDGE_BY)
    return list(dict.fromkeys(chain.from_iterable(rows)))
