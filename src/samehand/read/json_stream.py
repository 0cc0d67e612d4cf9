"""JSON records one by one, from lines, arrays, or the envelopes that web services put around them.

orjson is fast but wants a whole document, so the stream is first cut into records: by lines where the first
line is a whole object; else by a scanner that follows brackets and strings and yields each element of the
outermost list of records. Nothing larger than one record is held; nothing recurses, however deep the nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO, NamedTuple, cast

import orjson

from samehand.read.lines import CHUNK, Overlong, line_blocks
from samehand.read.values import rejected
from samehand.records import Reject

RECORD_LIMIT = 16 << 20
ENVELOPES = (("items",), ("results",), ("records",), ("message", "items"))
"""Keys under which a top-level object holds the list of its records."""

_DEEPEST_ENVELOPE = 1 + max(map(len, ENVELOPES))
_SKIPPING = -1
_STEP = 1 << 12
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[\[\]{}]|"|[^\s,:\[\]{}"]++', re.DOTALL)
_BEFORE_VALUE = b" \t\r\n,:\x1e\xef\xbb\xbf"

Record = tuple[int, dict[str, Any]]


class Block(NamedTuple):
    """Neighbouring records: the line where each begins, the objects, and what was rejected among them."""

    lines: Sequence[int]
    rows: list[dict[str, Any]]
    rejects: list[Reject]


def records(stream: BinaryIO, source: str) -> Iterator[Record | Reject]:
    """(line, object) for each record; whatever is no object becomes a reject with its line.

    >>> import io
    >>> list(records(io.BytesIO(b'{"message": {"items": [{"a": 1},\\n{"a": 2}]}}'), "x.json"))
    [(1, {'a': 1}), (2, {'a': 2})]
    """
    for block in blocks(stream, source):
        yield from _in_order(block)


def blocks(stream: BinaryIO, source: str) -> Iterator[Block]:
    """The same records, those that end in one chunk of the stream together.

    >>> import io
    >>> list(blocks(io.BytesIO(b'{"a": 1}\\n{"a": 2}'), "x.jsonl"))
    [Block(lines=range(1, 2), rows=[{'a': 1}], rejects=[]), Block(lines=range(2, 3), rows=[{'a': 2}], rejects=[])]
    """
    head = stream.read(CHUNK)
    first = head.lstrip(_BEFORE_VALUE).partition(b"\n")[0]
    rest = _Rejoined(head, stream)
    if first.rstrip().endswith(b"}") and isinstance(_parsed(first), dict) and not _is_envelope(first):
        return _line_blocks(rest, source)
    return _document_blocks(rest, source)


def _in_order(block: Block) -> Iterable[Record | Reject]:
    found = zip(block.lines, block.rows, strict=True)
    if not block.rejects:
        return found
    return sorted(
        chain(found, block.rejects), key=lambda one: one.line if isinstance(one, Reject) else one[0]
    )


def _is_envelope(line: bytes) -> bool:
    value = orjson.loads(line)
    for path in ENVELOPES:
        inner: Any = value
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, list):
            return True
    return False


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


class _Rejoined:
    """A stream with bytes that were already read put back in front."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self.head, self.stream = head, stream

    def read(self, size: int) -> bytes:
        if self.head:
            head, self.head = self.head, b""
            return head
        return self.stream.read(size)


def _line_blocks(stream: Any, source: str) -> Iterator[Block]:
    for number, lines in line_blocks(stream, RECORD_LIMIT):
        if isinstance(lines, Overlong):
            reason = f"line longer than {RECORD_LIMIT >> 20} MiB"
            yield _block([rejected(source, number, reason, lines.beginning)])
            continue
        rows = _all_parsed(lines)
        if rows is not None:
            yield Block(range(number, number + len(rows)), rows, [])
        else:
            numbered = ((number + place, line) for place, line in enumerate(lines))
            yield _block(
                parse_record(line, source, at) for at, line in numbered if line and not line.isspace()
            )


def _all_parsed(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """Every line as an object that is not empty; None if one of them is anything else."""
    try:
        rows = list(map(orjson.loads, lines))
    except orjson.JSONDecodeError:
        return None
    return rows if set(map(type, rows)) == {dict} and all(rows) else None


def _block(found: Iterable[Record | Reject]) -> Block:
    block = Block([], [], [])
    for one in found:
        if isinstance(one, Reject):
            block.rejects.append(one)
        else:
            cast(list[int], block.lines).append(one[0])
            block.rows.append(one[1])
    return block


def parse_record(text: bytes, source: str, line: int) -> Record | Reject:
    """One JSON object, or the reject that says why it is none.

    >>> parse_record(b"[1]", "x.json", 3)
    Reject(source='x.json', line=3, reason='a JSON object was expected, not list', raw='[1]')
    """
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        return rejected(source, line, f"not JSON: {error.msg}", text)
    if not isinstance(value, dict):
        return rejected(source, line, f"a JSON object was expected, not {type(value).__name__}", text)
    return (line, value) if value else rejected(source, line, "empty JSON object", text)


def _document_blocks(stream: Any, source: str) -> Iterator[Block]:
    scanner = _Scanner()
    chunk = b"start"
    while chunk:
        chunk = stream.read(CHUNK)
        yield _block(parse_record(text, source, line) for line, text in scanner.feed(chunk))
        if len(scanner.held) > RECORD_LIMIT:
            reason = f"record longer than {RECORD_LIMIT >> 20} MiB; the rest of the file was not read"
            yield _block([rejected(source, scanner.line, reason, bytes(scanner.held[:CHUNK]))])
            return
    if scanner.keys or scanner.held.strip(_BEFORE_VALUE):
        problem = "JSON document ends in the middle"
        yield _block([rejected(source, scanner.line, problem, bytes(scanner.held[:CHUNK]))])


def _may_go_on(token: bytes, at_end: bool) -> bool:
    """Whether a token may go on in the next chunk: a string not closed yet, a number at the very end."""
    return token == b'"' or (at_end and token[:1] not in (b'"', b"[", b"]", b"{", b"}"))


@dataclass
class _Scanner:
    """Cuts a JSON document into records.

    `keys` has one entry per open bracket: the string that stood before it. Records are the values at depth
    `level`: 0 for values that follow one another, 1 for the elements of a list, more inside an envelope;
    when the list of an envelope is over, the rest of the envelope is skipped. A long string that is not
    closed yet is looked at again only when twice as much text is `held`, which keeps the time linear.
    """

    held: bytearray = field(default_factory=bytearray)
    line: int = 1
    keys: list[bytes] = field(default_factory=list)
    level: int = 0
    before: bytes = b""
    scanned: int = 0
    wait: int = 0
    start: int | None = None

    def feed(self, chunk: bytes) -> list[tuple[int, bytes]]:
        """The records that end in this chunk, each with the line where it begins; b"" ends the document."""
        self.held += chunk
        if chunk and len(self.held) < self.wait:
            return []
        found: list[tuple[int, bytes]] = []
        used = 0
        for token in _TOKEN.finditer(self.held, self.scanned):
            kind = token[0]
            if _may_go_on(kind, token.end() == len(self.held)):
                self.scanned = token.start()
                self.wait = 2 * len(self.held)
                break
            self.scanned = token.end()
            ended = self._step(kind, token.start())
            if ended is not None:
                self.line += self.held.count(b"\n", used, ended)
                found.append((self.line, bytes(self.held[ended : self.scanned])))
                self.line += self.held.count(b"\n", ended, self.scanned)
                used = self.scanned
        else:
            self.wait = 0
        self._forget(used if self.start is not None else self.scanned, used)
        return found

    def _step(self, kind: bytes, at: int) -> int | None:
        """Takes one token; returns where a record began, if this token ends it."""
        if kind in (b"{", b"["):
            self._opened(kind, at)
        elif kind in (b"}", b"]"):
            return self._closed()
        elif len(self.keys) == self.level:
            return at
        else:
            self.before = kind
        return None

    def _opened(self, kind: bytes, at: int) -> None:
        if len(self.keys) == self.level and self.start is None:
            self.start = at
        self.keys.append(self.before)
        self.before = b""
        if kind == b"[" and self.level == 0 and self._holds_records():
            self.level, self.start = len(self.keys), None

    def _holds_records(self) -> bool:
        if len(self.keys) > _DEEPEST_ENVELOPE:
            return False
        path = tuple(key.strip(b'"').decode("utf-8", "replace") for key in self.keys[1:])
        return len(self.keys) == 1 or path in ENVELOPES

    def _closed(self) -> int | None:
        if self.keys:
            self.keys.pop()
        if len(self.keys) < self.level:
            self.level = _SKIPPING
        if not self.keys and self.level == _SKIPPING:
            self.level = 0
            return None
        if len(self.keys) != self.level:
            return None
        start, self.start = self.start, None
        return start

    def _forget(self, upto: int, counted: int) -> None:
        """Drops the text before `upto`; its lines are counted up to `counted` already."""
        self.line += self.held.count(b"\n", counted, upto)
        del self.held[:upto]
        self.scanned -= upto
        if self.start is not None:
            self.start -= upto


def first_object(prefix: bytes) -> dict[str, Any] | None:
    """The first record of a document of which only the beginning is known; None if it is cut off.

    >>> first_object(b'{"results": [{"a": 1}, {"a":')
    {'a': 1}
    """
    scanner = _Scanner()
    for at in range(0, len(prefix), _STEP):
        for _, text in scanner.feed(prefix[at : at + _STEP]):
            value = _parsed(text)
            if isinstance(value, dict):
                return value
    return None
