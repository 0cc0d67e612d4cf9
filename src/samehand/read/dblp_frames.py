"""Many flat DBLP records at once: one pass over the bytes of a block, and a table of references.

`scan` takes a block of UTF-8 text from a place between two records on. Of each record it finds where it ends;
one that consists of nothing but flat fields, which is nearly every record, also becomes a row: its texts are
decoded and cleaned into one buffer, its JSON is written into another, and its columns are spans of the first.
`frame` turns the rows into a table. Whatever the pass does not understand (markup in a title, a character
reference to white space, an attribute without quotes) it leaves to the reader of single records in `dblp`,
which is the definition: for the records taken here, both give the same reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from samehand.kernels import kernel
from samehand.normalise import identifiers
from samehand.read.values import doi_of, pages_of, year_of
from samehand.records import REFERENCES

TYPES = {
    "article": "article",
    "inproceedings": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "incollection": "incollection",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "www": "misc",
    "data": "misc",
    "person": "misc",
}
FLAT, ODD, PERSON, EMPTY = range(4)
"""Kinds of records: a row; for the reader of single records; a home page; a record without any field."""

RECORDS_AT_ONCE = 1 << 14

_LETTERS = 13  # 27 ** 13 < 2 ** 63: up to here a name is a number
_MOST_NAMES = 40


def _code_of(name: str) -> int:
    code = 0
    for letter in name.encode():
        code = code * 27 + letter - 96
    return code


def _bytes_of(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


SLOTS = ("key", "title", "journal", "booktitle", "series", "year", "volume", "number", "pages", "publisher",
         "school", "isbn", "ee", "crossref", "doi")  # fmt: skip
"""The spans of a row: the first field of each of these names, the key, and a DOI in its plain form."""

_SLOT_CODES = np.array([0, *(_code_of(name) for name in SLOTS[1:-1]), 0])
_KEY, _JOURNAL, _LINK, _DOI = (SLOTS.index(name) for name in ("key", "journal", "ee", "doi"))
_AUTHORS, _EDITORS, _LINKS, _ORCIDS = range(4)
_LIST_CODES = np.array([_code_of(name) for name in ("author", "editor", "ee")])
_TAG_CODES = np.array([_code_of(tag) for tag in TYPES])
_PERSON_TAG, _WWW_TAG = (list(TYPES).index(tag) for tag in ("person", "www"))
_KEY_CODE, _PUBLTYPE_CODE, _ENTRYTYPE_CODE = (_code_of(name) for name in ("key", "publtype", "entrytype"))
_TEXT_END, _JSON_END = 4, 5  # places in `Rows.ends`, after the four lists
_UNSURE_DOI, _ARXIV = 1, 2  # bits of `Rows.doubts`
_SPACE, _QUOTE, _AMPERSAND, _SLASH, _LESS, _GREATER, _BACKSLASH = (ord(mark) for mark in ' "&/<>\\')
_HOMEPAGES, _INFORMAL, _CORR = _bytes_of("homepages/"), _bytes_of("informal"), _bytes_of("CoRR")
_JSON_START, _ORCID = _bytes_of('{"entrytype":"'), _bytes_of("orcid")
_ORCID_GIVEN = _bytes_of(' orcid="')
_HTTP, _SECURE, _MARK, _OLD, _RESOLVER = (_bytes_of(t) for t in ("http", "s", "://", "dx.", "doi.org/"))
_TEN, _ARXIV_WORD = _bytes_of("10."), _bytes_of("arxiv")
_AMP, _LT, _GT, _QUOT, _APOS = (_bytes_of(f"&{name};") for name in ("amp", "lt", "gt", "quot", "apos"))


class Rows(NamedTuple):
    """What a pass writes: one row for each flat record. A span is (start, end) in `text`, or (-1, -1)."""

    text: NDArray[np.uint8]
    json: NDArray[np.uint8]
    json_ends: NDArray[np.int64]
    spans: NDArray[np.int32]  # [row, slot, 2]
    lists: NDArray[np.int32]  # [list, value, 2]: authors, editors, links, ORCIDs
    list_ends: NDArray[np.int64]  # [list, row + 1]
    ends: NDArray[np.int64]  # how much of each list, of the text and of the JSON is in use
    tags: NDArray[np.int64]
    preprint: NDArray[np.bool_]
    doubts: NDArray[np.uint8]  # what only Python can tell of the links
    records: NDArray[np.int64]  # which record of the block a row is


class Fields(NamedTuple):
    """The fields of the record at hand: codes of their names, and spans."""

    codes: NDArray[np.int64]
    names: NDArray[np.int32]  # in the block
    texts: NDArray[np.int32]  # in `Rows.text`
    orcids: NDArray[np.int32]  # in the block


class Spans(NamedTuple):
    """Every record of a block: where it begins and ends, its line, and its kind."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: NDArray[np.int64]
    kinds: NDArray[np.uint8]


class Scan(NamedTuple):
    """The records from `at` on: `count` of them, `row_count` flat; the next one begins at `end`, in `line`."""

    count: int
    row_count: int
    end: int
    line: int
    spans: Spans
    rows: Rows


def scan(block: bytes, at: int, stop: int, line: int) -> Scan:
    """The whole records of a block between `at`, which is in `line`, and `stop`.

    >>> found = scan(b"<www key='a'><x></www> <book><title>A &amp; B</title></book><boo", 0, 64, 1)
    >>> found.count, found.row_count, found.end, found.spans.kinds[:2].tolist()
    (2, 1, 60, [1, 0])
    """
    most_fields = block.count(b"<", at, stop) // 2 + 1
    most_records = min(RECORDS_AT_ONCE, most_fields)
    rows = _empty_rows(stop - at, most_fields, most_records)
    fields = Fields(
        np.empty(most_fields, np.int64), *(np.empty((most_fields, 2), np.int32) for _ in range(3))
    )
    spans = Spans(
        *(np.empty(most_records, np.int64) for _ in range(3)), np.empty(most_records, np.uint8)
    )
    count, row_count, end, line = _scan(np.frombuffer(block, np.uint8), at, stop, line, spans, rows, fields)
    return Scan(count, row_count, end, line, spans, rows)


def _empty_rows(size: int, most_fields: int, most_records: int) -> Rows:
    """Buffers that cannot overflow: decoding shrinks text, a DOI is copied, JSON escapes a byte by another."""
    return Rows(
        text=np.empty(2 * size + 1, np.uint8),
        json=np.empty(2 * size + 1, np.uint8),
        json_ends=np.zeros(most_records + 1, np.int64),
        spans=np.empty((most_records, len(SLOTS), 2), np.int32),
        lists=np.empty((4, most_fields, 2), np.int32),
        list_ends=np.zeros((4, most_records + 1), np.int64),
        ends=np.zeros(6, np.int64),
        tags=np.empty(most_records, np.int64),
        preprint=np.empty(most_records, np.bool_),
        doubts=np.empty(most_records, np.uint8),
        records=np.empty(most_records, np.int64),
    )


@kernel
def _scan(
    block: NDArray[np.uint8], at: int, stop: int, line: int, spans: Spans, rows: Rows, fields: Fields
) -> tuple[int, int, int, int]:
    """Records one after the other, until the block or the room for them ends."""
    count = row = 0
    while count < spans.starts.size:
        start, body, tag = _opening(block, at, stop)
        if tag < 0:
            break
        kind, end = _flat_record(block, start, body, stop, tag, row, rows, fields)
        if kind == ODD:
            end = _end_of_record(block, start, body, stop)
        if end < 0:
            break
        line += _newlines(block, at, start)
        spans.starts[count], spans.ends[count], spans.lines[count] = start, end, line
        spans.kinds[count] = kind
        if kind == FLAT:
            rows.records[row] = count
            row += 1
        count += 1
        line += _newlines(block, start, end)
        at = end
    return count, row, at, line


@kernel
def _newlines(block: NDArray[np.uint8], at: int, stop: int) -> int:
    count = 0
    for place in range(at, stop):
        count += block[place] == 10
    return count


@kernel
def _is_space(byte: int) -> bool:
    return byte == 32 or byte == 10 or byte == 9 or byte == 13


@kernel
def _after_space(block: NDArray[np.uint8], at: int, stop: int) -> int:
    while at < stop and _is_space(block[at]):
        at += 1
    return at


@kernel
def _name(block: NDArray[np.uint8], at: int, stop: int) -> tuple[int, int]:
    """(code, end) of the name at a place; code 0 where it is not one to thirteen small letters."""
    code = 0
    start = at
    while at < stop and 97 <= block[at] <= 122 and at - start <= _LETTERS:
        code = code * 27 + block[at] - 96
        at += 1
    return (code if at - start <= _LETTERS else 0), at


@kernel
def _matches(block: NDArray[np.uint8], at: int, stop: int, word: NDArray[np.uint8]) -> bool:
    if at + word.size > stop:
        return False
    for place in range(word.size):
        if block[at + place] != word[place]:
            return False
    return True


@kernel
def _index(codes: NDArray[np.int64], count: int, code: int) -> int:
    for place in range(count):
        if codes[place] == code:
            return place
    return -1


@kernel
def _opening(block: NDArray[np.uint8], at: int, stop: int) -> tuple[int, int, int]:
    """(start of the tag, end of the tag, index of its name) of the record at a place; index -1 for none."""
    start = _after_space(block, at, stop)
    if start >= stop or block[start] != _LESS:
        return at, at, -1
    code, end = _name(block, start + 1, stop)
    tag = _index(_TAG_CODES, _TAG_CODES.size, code)
    if end >= stop or not (block[end] == _GREATER or _is_space(block[end])):
        return at, at, -1
    while end < stop and block[end] != _GREATER:
        if block[end] == _LESS:
            return at, at, -1
        end += 1
    return start, end + 1, (tag if end < stop else -1)


@kernel
def _end_of_record(block: NDArray[np.uint8], start: int, at: int, stop: int) -> int:
    """The end of the first closing tag after `at` with the name of the tag at `start`; -1 for none."""
    length = _name(block, start + 1, stop)[1] - start - 1
    for place in range(at, stop - length - 2):
        if block[place] == _LESS and _closes(block, place, start + 1, length, stop):
            return place + length + 3
    return -1


@kernel
def _closes(block: NDArray[np.uint8], at: int, name: int, length: int, stop: int) -> bool:
    """Whether `</name>` stands at a place."""
    if at + length + 3 > stop or block[at + 1] != _SLASH or block[at + 2 + length] != _GREATER:
        return False
    for place in range(length):
        if block[at + 2 + place] != block[name + place]:
            return False
    return True


@kernel
def _flat_record(
    block: NDArray[np.uint8], start: int, body: int, stop: int, tag: int, row: int, rows: Rows, fields: Fields
) -> tuple[int, int]:
    """(kind, end) of a record; a row is written if it is flat."""
    rows.spans[row] = -1
    rows.preprint[row] = False
    text_end, json_end = rows.ends[_TEXT_END], rows.ends[_JSON_END]
    text_end, json_end, attributes = _attributes(block, start, body - 1, row, rows, fields.codes)
    if attributes < 0:
        return ODD, -1
    # The codes of the attributes stay in front of those of the fields: no name may occur among both.
    end, text_end, count = _flat_fields(block, body, stop, start, text_end, attributes, rows.text, fields)
    if end < 0:
        return ODD, -1
    key, key_end = rows.spans[row, _KEY]
    if tag == _PERSON_TAG or (tag == _WWW_TAG and key >= 0 and _matches(rows.text, key, key_end, _HOMEPAGES)):
        return PERSON, end
    if count == attributes:
        return EMPTY, end
    json_end = _write_json_fields(block, json_end, attributes, count, rows, fields)
    text_end = _write_row(block, row, text_end, attributes, count, rows, fields)
    if json_end < 0 or text_end < 0:
        return ODD, -1
    _commit(row, tag, text_end, json_end, attributes, count, rows, fields)
    return FLAT, end
