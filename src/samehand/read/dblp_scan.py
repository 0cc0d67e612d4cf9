"""One pass over the bytes of many DBLP records: where each one ends, and the contents of the flat ones.

`scan` takes a block of UTF-8 text from a place between two records on. Of each record it finds the end; one
that consists of nothing but flat fields, which is nearly every record, also becomes a row: its texts are
decoded and cleaned into one buffer, its JSON is written into another, and its columns are spans of the first.
Whatever the pass does not understand (markup in a title, a reference to white space, an attribute without
quotes) is an odd record, for the reader of single records in `dblp`.

A name of up to thirteen small letters is handled as a number, its code: the letters are its digits to base 27.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samehand.kernels import kernel

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

RECORDS_AT_ONCE, FIELDS_AT_ONCE = 1 << 14, 1 << 18

_LETTERS = 13  # 27 ** 13 < 2 ** 63: up to here a name is a number
_MOST_NAMES, _MOST_ATTRIBUTES = 40, 8  # of one record; more are for the reader of single records


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
AUTHORS, EDITORS, LINKS, ORCIDS = range(4)
_LIST_CODES = np.array([_code_of(name) for name in ("author", "editor", "ee")])
_TAG_CODES = np.array([_code_of(tag) for tag in TYPES])
_PERSON_TAG, _WWW_TAG = (list(TYPES).index(tag) for tag in ("person", "www"))
_KEY_CODE, _PUBLTYPE_CODE, _ENTRYTYPE_CODE = (_code_of(name) for name in ("key", "publtype", "entrytype"))
_TEXT_END, JSON_END, _ROW_END = range(3)
UNSURE_DOI, ARXIV = 1, 2  # bits of `Rows.doubts`
_SPACE, _QUOTE, _AMPERSAND, _APOSTROPHE, _SLASH, _LESS, _GREATER, _BACKSLASH, _COMMA, _HYPHEN = (
    ord(mark) for mark in " \"&'/<>\\,-"
)
_ORDINARY = np.array([0x20 < byte < 0x7F and byte not in (_AMPERSAND, _LESS) for byte in range(256)])
"""Bytes that a text keeps as they are, whatever stands around them."""

_HOMEPAGES, _INFORMAL, _CORR = _bytes_of("homepages/"), _bytes_of("informal"), _bytes_of("CoRR")
_JSON_START, _JSON_NAME, _JSON_IS, _JSON_LIST = (_bytes_of(t) for t in ('{"entrytype":"', ',"', '":"', '":['))
_ORCID, _ORCID_GIVEN = _bytes_of("orcid"), _bytes_of(' orcid="')
_HTTP, _SECURE, _MARK, _OLD, _RESOLVER = (_bytes_of(t) for t in ("http", "s", "://", "dx.", "doi.org/"))
_TEN, _ARXIV_WORD = _bytes_of("10."), _bytes_of("arxiv")
_AMP, _LT, _GT, _QUOT, _APOS = (_bytes_of(f"&{name};") for name in ("amp", "lt", "gt", "quot", "apos"))


class Rows(NamedTuple):
    """What a pass writes: one row for each flat record. A span is (start, end) in `text`, or (-1, -1)."""

    text: NDArray[np.uint8]
    json: NDArray[np.uint8]
    json_ends: NDArray[np.int64]
    spans: NDArray[np.int64]  # [row, slot, 2]
    lists: NDArray[np.int64]  # [list, value, 2]: authors, editors, links, ORCIDs
    list_ends: NDArray[np.int64]  # [list, row + 1]
    ends: NDArray[np.int64]  # how much of the text, of the JSON and of the rows is in use
    tags: NDArray[np.int64]
    preprint: NDArray[np.bool_]
    doubts: NDArray[np.uint8]  # what only Python can tell of the links
    records: NDArray[np.int64]  # which record of the block a row is


class Fields(NamedTuple):
    """The fields of the record at hand, and the codes of its attributes and of the different field names."""

    codes: NDArray[np.int64]
    names: NDArray[np.int64]  # spans in the block
    texts: NDArray[np.int64]  # spans in `Rows.text`
    orcids: NDArray[np.int64]  # where in the block an ORCID begins, or -1
    attributes: NDArray[np.int64]
    different: NDArray[np.int64]


class Spans(NamedTuple):
    """Every record of a block: where it begins and ends, its line, and its kind."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    lines: NDArray[np.int64]
    kinds: NDArray[np.int64]


class Scan(NamedTuple):
    """The records from a place on, `row_count` of them flat; the next one begins at `end`, in `line`."""

    record_count: int
    row_count: int
    end: int
    line: int
    spans: Spans
    rows: Rows


def scan(block: bytes, at: int, line: int) -> Scan:
    """The whole records of a block from `at`, which is in `line`, on.

    >>> found = scan(b"<www key='a'><x></www> <book><title>A &amp; B</title></book><boo", 0, 1)
    >>> found.record_count, found.row_count, found.end, found.spans.kinds[:2].tolist()
    (2, 1, 60, [1, 0])
    """
    most_fields = min(FIELDS_AT_ONCE, (len(block) - at) // len("<a>b</a>") + 1)
    most_records = min(RECORDS_AT_ONCE, (len(block) - at) // len("<www></www>") + 1)
    rows = _empty_rows(len(block) - at, most_fields, most_records)
    fields = _empty_fields(most_fields)
    starts, ends, lines, kinds = (np.empty(most_records, np.int64) for _ in range(4))
    spans = Spans(starts, ends, lines, kinds)
    count, end, line = _scan(np.frombuffer(bytearray(block), np.uint8), at, line, spans, rows, fields)
    return Scan(count, int(rows.ends[_ROW_END]), end, line, spans, rows)


def _empty_rows(size: int, most_fields: int, most_records: int) -> Rows:
    """Buffers that cannot overflow: decoding shrinks text, a DOI is copied, JSON escapes a byte by another."""
    return Rows(
        text=np.empty(2 * size + 1, np.uint8),
        json=np.empty(2 * size + 1, np.uint8),
        json_ends=np.zeros(most_records + 1, np.int64),
        spans=np.empty((most_records, len(SLOTS), 2), np.int64),
        lists=np.empty((4, most_fields, 2), np.int64),
        list_ends=np.zeros((4, most_records + 1), np.int64),
        ends=np.zeros(3, np.int64),
        tags=np.empty(most_records, np.int64),
        preprint=np.empty(most_records, np.bool_),
        doubts=np.empty(most_records, np.uint8),
        records=np.empty(most_records, np.int64),
    )


def _empty_fields(most_fields: int) -> Fields:
    return Fields(
        codes=np.empty(most_fields, np.int64),
        names=np.empty((most_fields, 2), np.int64),
        texts=np.empty((most_fields, 2), np.int64),
        orcids=np.empty(most_fields, np.int64),
        attributes=np.empty(_MOST_ATTRIBUTES, np.int64),
        different=np.empty(_MOST_NAMES, np.int64),
    )


@kernel
def _scan(
    block: NDArray[np.uint8], at: int, line: int, spans: Spans, rows: Rows, fields: Fields
) -> tuple[int, int, int]:
    """Records one after the other, until the block or the room for them ends."""
    stop = block.size
    count = 0
    while count < spans.starts.size:
        start, body, tag = _opening(block, at, stop)
        if tag < 0:
            break
        row = rows.ends[_ROW_END]
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
            rows.ends[_ROW_END] = row + 1
        count += 1
        line += _newlines(block, start, end)
        at = end
    return count, at, line


@kernel
def _newlines(block: NDArray[np.uint8], at: int, stop: int) -> int:
    count = 0
    for byte in block[at:stop]:
        count += byte == 10
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
        code = code * 27 + int(block[at]) - 96
        at += 1
    return (code if at - start <= _LETTERS else 0), at


@kernel
def _matches(block: NDArray[np.uint8], at: int, stop: int, word: NDArray[np.uint8]) -> bool:
    if at + word.size > stop:
        return False
    place = 0
    while place < word.size and block[at + place] == word[place]:
        place += 1
    return place == word.size


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
    place = 0
    while place < length and block[at + 2 + place] == block[name + place]:
        place += 1
    return place == length


@kernel
def _flat_record(
    block: NDArray[np.uint8], start: int, body: int, stop: int, tag: int, row: int, rows: Rows, fields: Fields
) -> tuple[int, int]:
    """(kind, end) of a record. A flat one is written as a row; of any other, nothing stays in use."""
    for slot in range(rows.spans.shape[1]):
        rows.spans[row, slot, 0] = rows.spans[row, slot, 1] = -1
    rows.preprint[row] = False
    text_end, json_end, attribute_count = _attributes(block, start, body - 1, row, rows, fields)
    if attribute_count < 0:
        return ODD, -1
    end, text_end, count = _fields(block, body, stop, start, text_end, rows, fields)
    if end < 0:
        return ODD, -1
    key, key_end = rows.spans[row, _KEY, 0], rows.spans[row, _KEY, 1]
    if tag == _PERSON_TAG or (tag == _WWW_TAG and key >= 0 and _matches(rows.text, key, key_end, _HOMEPAGES)):
        return PERSON, end
    if count == 0:
        return EMPTY, end
    json_end = _json_fields(block, json_end, attribute_count, count, rows, fields)
    text_end = _columns(block, row, text_end, count, rows, fields)
    if json_end < 0 or text_end < 0:
        return ODD, -1
    rows.tags[row] = tag
    rows.json_ends[row + 1] = json_end
    rows.ends[_TEXT_END], rows.ends[JSON_END] = text_end, json_end
    return FLAT, end


@kernel
def _attributes(
    block: NDArray[np.uint8], start: int, stop: int, row: int, rows: Rows, fields: Fields
) -> tuple[int, int, int]:
    """(end of text, end of JSON, count) after the attributes in the opening tag at `start`; count -1: odd."""
    text_end = rows.ends[_TEXT_END]
    at = _name(block, start + 1, stop)[1]
    json_end = _put_word(_JSON_START, rows.json, rows.ends[JSON_END])
    json_end = _put(block, start + 1, at, rows.json, json_end)
    rows.json[json_end] = _QUOTE
    json_end += 1
    count = 0
    while at < stop:
        name = _after_space(block, at, stop)
        if name == stop:
            break
        code, equals = _name(block, name, stop)
        end = _end_of_value(block, name, equals, stop) if block[at] == _SPACE else -1
        if code in (0, _ENTRYTYPE_CODE) or end < 0 or count == _MOST_ATTRIBUTES:
            return text_end, json_end, -1
        if _index(fields.attributes, count, code) >= 0:
            return text_end, json_end, -1
        fields.attributes[count] = code
        count += 1
        json_end = _put_word(_JSON_NAME, rows.json, json_end)
        json_end = _put(block, name, equals, rows.json, json_end)
        json_end = _put_word(_JSON_IS, rows.json, json_end)
        json_end = _put_escaped(block, equals + 2, end, rows.json, json_end)
        rows.json[json_end] = _QUOTE
        json_end += 1
        if code == _KEY_CODE:
            key = text_end
            text_end = _put(block, equals + 2, end, rows.text, text_end)
            rows.spans[row, _KEY, 0], rows.spans[row, _KEY, 1] = key, text_end
        elif code == _PUBLTYPE_CODE:
            rows.preprint[row] = _matches(block, equals + 2, end, _INFORMAL)
        at = end + 1
    return text_end, json_end, count


@kernel
def _end_of_value(block: NDArray[np.uint8], name: int, equals: int, stop: int) -> int:
    """Where the value of `name="value"` ends; -1 where the attribute is not of that plain form."""
    if equals == name or equals + 1 >= stop or block[equals] != 61 or block[equals + 1] != _QUOTE:
        return -1
    for at in range(equals + 2, stop):
        byte = block[at]
        if byte == _QUOTE:
            return at
        if byte < 32 or byte in (_AMPERSAND, _APOSTROPHE, _LESS, _GREATER) or byte == 127:
            return -1
        if byte == 0xED and not _is_plain(block, at, stop):
            return -1
    return -1


@kernel
def _put(source: NDArray[np.uint8], start: int, end: int, target: NDArray[np.uint8], to: int) -> int:
    """Copies bytes; returns where they end."""
    for place in range(end - start):
        target[to + place] = source[start + place]
    return to + end - start


@kernel
def _put_word(word: NDArray[np.uint8], target: NDArray[np.uint8], to: int) -> int:
    for place in range(word.size):
        target[to + place] = word[place]
    return to + word.size


@kernel
def _put_escaped(source: NDArray[np.uint8], start: int, end: int, target: NDArray[np.uint8], to: int) -> int:
    """Copies the bytes of a text without control characters, as JSON wants them; returns where they end."""
    for place in range(start, end):
        if source[place] == _QUOTE or source[place] == _BACKSLASH:
            target[to] = _BACKSLASH
            to += 1
        target[to] = source[place]
        to += 1
    return to


@kernel
def _fields(
    block: NDArray[np.uint8], at: int, stop: int, start: int, text_end: int, rows: Rows, fields: Fields
) -> tuple[int, int, int]:
    """(end of the record, end of text, count) of the fields of the record at `start`; end -1: odd."""
    tag, tag_end = _name(block, start + 1, stop)
    count = 0
    while True:
        at = _after_space(block, at, stop)
        if at + 1 >= stop or block[at] != _LESS:
            return -1, text_end, count
        if block[at + 1] == _SLASH:
            ends = _closes(block, at, start + 1, tag_end - start - 1, stop)
            return (at + tag_end - start + 2 if ends else -1), text_end, count
        code, name_end = _name(block, at + 1, stop)
        orcid, opened = _field_opening(block, name_end, stop)
        # A field named like its record would seem to end the record.
        if code in (0, tag) or opened < 0:
            return -1, text_end, count
        closing, end = _put_clean(block, opened, stop, rows.text, text_end)
        length = name_end - at - 1
        if closing < 0 or not _closes(block, closing, at + 1, length, stop):
            return -1, text_end, count
        if end > text_end:
            if count == fields.codes.size:
                return -1, text_end, count
            fields.codes[count] = code
            fields.names[count, 0], fields.names[count, 1] = at + 1, name_end
            fields.texts[count, 0], fields.texts[count, 1] = text_end, end
            fields.orcids[count] = orcid
            count += 1
            text_end = end
        at = closing + length + 3


@kernel
def _field_opening(block: NDArray[np.uint8], at: int, stop: int) -> tuple[int, int]:
    """(start of the ORCID or -1, end of the opening tag) from the end of its name on; end -1: odd."""
    if at < stop and block[at] == _GREATER:
        return -1, at + 1
    if _matches(block, at, stop, _ORCID_GIVEN):
        start = at + _ORCID_GIVEN.size
        closed = start + 21 <= stop and block[start + 19] == _QUOTE and block[start + 20] == _GREATER
        if not closed or not _looks_like_orcid(block, start):
            return -1, -1
        return (start if _orcid_is_valid(block, start) else -1), start + 21
    while at < stop and block[at] == _SPACE:
        equals = _name(block, at + 1, stop)[1]
        end = _end_of_value(block, at + 1, equals, stop)
        if end < 0 or _contains(block, at, end, _ORCID):
            return -1, -1
        at = end + 1
    return -1, (at + 1 if at < stop and block[at] == _GREATER else -1)


@kernel
def _looks_like_orcid(block: NDArray[np.uint8], start: int) -> bool:
    for place in range(19):
        byte = block[start + place]
        if place % 5 == 4:
            if byte != _HYPHEN:
                return False
        elif not (48 <= byte <= 57 or (place == 18 and byte == 88)):
            return False
    return True


@kernel
def _orcid_is_valid(block: NDArray[np.uint8], start: int) -> bool:
    """Whether the last character is the check of ISO 7064, MOD 11-2, of the digits before it."""
    total = 0
    for place in range(18):
        if place % 5 != 4:
            total = (total + int(block[start + place]) - 48) * 2
    check = (12 - total % 11) % 11
    return int(block[start + 18]) == (88 if check == 10 else 48 + check)


@kernel
def _contains(block: NDArray[np.uint8], at: int, stop: int, word: NDArray[np.uint8]) -> bool:
    for place in range(at, stop - word.size + 1):
        if block[place] == word[0] and _matches(block, place, stop, word):
            return True
    return False


@kernel
def _put_clean(
    block: NDArray[np.uint8], at: int, stop: int, text: NDArray[np.uint8], to: int
) -> tuple[int, int]:
    """(the next bracket, end of the text): copies text up to a bracket, decoded, with single white space.

    The bracket is -1 where the text is odd, or ends with the block.
    """
    start = to
    while at < stop:
        byte = block[at]
        if _ORDINARY[byte]:
            text[to] = byte
            to += 1
            at += 1
        elif byte == _LESS:
            return at, (to - 1 if to > start and text[to - 1] == _SPACE else to)
        elif _is_space(byte):
            if to > start and text[to - 1] != _SPACE:
                text[to] = _SPACE
                to += 1
            at += 1
        elif byte == _AMPERSAND:
            at, to = _put_reference(block, at, stop, text, to)
            if at < 0:
                return -1, to
        elif byte >= 128 and _is_plain(block, at, stop):
            text[to] = byte
            to += 1
            at += 1
        else:
            return -1, to
    return -1, to


@kernel
def _is_plain(block: NDArray[np.uint8], at: int, stop: int) -> bool:
    """Whether no white space and no lone surrogate begins at a byte past ASCII; not, if the block ends there."""
    byte = block[at]
    if byte not in (0xC2, 0xE1, 0xE2, 0xE3, 0xED):
        return True
    if at + 2 >= stop:
        return False
    second, third = int(block[at + 1]), int(block[at + 2])
    if byte == 0xC2:
        return second != 0x85 and second != 0xA0
    code = (int(byte) & 15) << 12 | (second & 63) << 6 | third & 63
    return not _is_wide_space(code) and not 0xD800 <= code < 0xE000


@kernel
def _is_wide_space(code: int) -> bool:
    """White space, as Python's `str.split` sees it, past Latin-1."""
    return 0x2000 <= code <= 0x200A or code in (0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)


@kernel
def _put_reference(
    block: NDArray[np.uint8], at: int, stop: int, text: NDArray[np.uint8], to: int
) -> tuple[int, int]:
    """(end of the reference, end of the text) after the character that `&...;` stands for; -1: odd."""
    if at + 2 < stop and block[at + 1] == 35:
        code, end = _number(block, at + 2, stop)
        return end, (_put_character(code, text, to) if end >= 0 else to)
    for word, character in ((_AMP, 38), (_LT, 60), (_GT, 62), (_QUOT, 34), (_APOS, 39)):
        if _matches(block, at, stop, word):
            text[to] = character
            return at + word.size, to + 1
    return -1, to


@kernel
def _number(block: NDArray[np.uint8], at: int, stop: int) -> tuple[int, int]:
    """(code, end) of the decimal or hexadecimal number before a semicolon; -1 unless it is a plain character."""
    base, most = (16, 6) if block[at] == 120 else (10, 7)
    at += base == 16
    code = 0
    start = at
    while at < stop and at - start <= most and block[at] != 59:
        digit = _digit(int(block[at]))
        if digit < 0 or digit >= base:
            return 0, -1
        code = code * base + digit
        at += 1
    closed = at < stop and block[at] == 59 and 0 < at - start <= most
    plain = 0x20 < code < 0x7F or (0xA0 < code < 0x110000 and not _is_wide_space(code))
    if not closed or not plain or 0xD800 <= code < 0xE000:
        return 0, -1
    return code, at + 1


@kernel
def _digit(byte: int) -> int:
    if 48 <= byte <= 57:
        return byte - 48
    lower = byte | 32
    return lower - 87 if 97 <= lower <= 102 else -1


@kernel
def _put_character(code: int, text: NDArray[np.uint8], to: int) -> int:
    """Writes a character as UTF-8; returns where it ends."""
    if code < 0x80:
        text[to] = code
        return to + 1
    length = 2 if code < 0x800 else 3 if code < 0x10000 else 4
    for place in range(length - 1, 0, -1):
        text[to + place] = 0x80 | code & 63
        code >>= 6
    text[to] = (0xF00 >> length) & 0xFF | code
    return to + length


@kernel
def _json_fields(
    block: NDArray[np.uint8], to: int, attribute_count: int, count: int, rows: Rows, fields: Fields
) -> int:
    """Writes each field name, at its first place, with the list of its values; returns the end, -1: odd."""
    names = 0
    for first in range(count):
        code = fields.codes[first]
        if _index(fields.different, names, code) >= 0:
            continue
        taken = code == _ENTRYTYPE_CODE or _index(fields.attributes, attribute_count, code) >= 0
        if taken or names == _MOST_NAMES:
            return -1
        fields.different[names] = code
        names += 1
        to = _put_word(_JSON_NAME, rows.json, to)
        to = _put(block, fields.names[first, 0], fields.names[first, 1], rows.json, to)
        to = _put_word(_JSON_LIST, rows.json, to)
        for field in range(first, count):
            if fields.codes[field] == code:
                rows.json[to] = _QUOTE
                start, end = fields.texts[field, 0], fields.texts[field, 1]
                to = _put_escaped(rows.text, start, end, rows.json, to + 1)
                rows.json[to], rows.json[to + 1] = _QUOTE, _COMMA
                to += 2
        rows.json[to - 1] = 93
    rows.json[to] = 125
    return to + 1


@kernel
def _columns(
    block: NDArray[np.uint8], row: int, text_end: int, count: int, rows: Rows, fields: Fields
) -> int:
    """Writes the spans and lists of a row; returns the end of the text, -1: odd."""
    rows.doubts[row] = 0
    for which in range(4):
        used = rows.list_ends[which, row]
        if used + count > rows.lists.shape[1]:
            return -1
        rows.list_ends[which, row + 1] = used
    has_orcid = False
    for field in range(count):
        code = fields.codes[field]
        start, end = fields.texts[field, 0], fields.texts[field, 1]
        slot = _index(_SLOT_CODES, _SLOT_CODES.size, code)
        if slot >= 0 and rows.spans[row, slot, 0] < 0:
            rows.spans[row, slot, 0], rows.spans[row, slot, 1] = start, end
        which = _index(_LIST_CODES, _LIST_CODES.size, code)
        if which < 0:
            continue
        if which == LINKS:
            text_end = _link(row, start, end, text_end, rows)
        else:
            end = _end_of_name(rows.text, start, end)
            if end < 0:
                return -1
            has_orcid |= which == AUTHORS and fields.orcids[field] >= 0
        _append(which, row, start, end, rows)
    start, end = rows.spans[row, _JOURNAL, 0], rows.spans[row, _JOURNAL, 1]
    corr = end - start == _CORR.size and _matches(rows.text, start, end, _CORR)
    rows.preprint[row] = start >= 0 and (rows.preprint[row] or corr)
    return _write_orcids(block, row, text_end, count, rows, fields) if has_orcid else text_end


@kernel
def _append(which: int, row: int, start: int, end: int, rows: Rows) -> None:
    place = rows.list_ends[which, row + 1]
    rows.lists[which, place, 0], rows.lists[which, place, 1] = start, end
    rows.list_ends[which, row + 1] = place + 1


@kernel
def _end_of_name(text: NDArray[np.uint8], start: int, end: int) -> int:
    """The end of a name without the number of a homonym; -1 if it could be one in digits past ASCII."""
    at = end
    odd = False
    for _ in range(4):
        at -= 1
        while at > start and text[at] & 0xC0 == 0x80:
            at -= 1
        if at <= start or not (48 <= text[at] <= 57 or text[at] >= 128):
            return end
        odd |= text[at] >= 128
    if text[at - 1] != _SPACE:
        return end
    return -1 if odd else at - 1


@kernel
def _write_orcids(
    block: NDArray[np.uint8], row: int, text_end: int, count: int, rows: Rows, fields: Fields
) -> int:
    """One ORCID for each author, empty where none is given; returns the end of the text."""
    for field in range(count):
        if fields.codes[field] == _LIST_CODES[AUTHORS]:
            start = text_end
            orcid = fields.orcids[field]
            if orcid >= 0:
                text_end = _put(block, orcid, orcid + 19, rows.text, text_end)
            _append(ORCIDS, row, start, text_end, rows)
    return text_end


@kernel
def _link(row: int, start: int, end: int, text_end: int, rows: Rows) -> int:
    """Takes the DOI out of a link of the plain form, notes what else may be in it; returns the end of the text."""
    if _contains(rows.text, start, end, _ARXIV_WORD):
        rows.doubts[row] |= ARXIV
    if rows.spans[row, _DOI, 0] >= 0 or rows.doubts[row] & UNSURE_DOI:
        return text_end
    doi = _plain_doi(rows.text, start, end)
    if doi >= 0:
        rows.spans[row, _DOI, 0], rows.spans[row, _DOI, 1] = text_end, text_end + end - doi
        for place in range(doi, end):
            byte = rows.text[place]
            rows.text[text_end] = byte + 32 if 65 <= byte <= 90 else byte
            text_end += 1
    elif _contains(rows.text, start, end, _TEN):
        rows.doubts[row] |= UNSURE_DOI
    return text_end


@kernel
def _plain_doi(text: NDArray[np.uint8], at: int, stop: int) -> int:
    """Where the DOI begins in `https://doi.org/10.1000/...` if it has letters, digits and ._- only; else -1."""
    if not _matches(text, at, stop, _HTTP):
        return -1
    at += _HTTP.size
    at += _matches(text, at, stop, _SECURE)
    if not _matches(text, at, stop, _MARK):
        return -1
    at += _MARK.size
    at += _OLD.size * _matches(text, at, stop, _OLD)
    if not _matches(text, at, stop, _RESOLVER) or not _matches(text, at + _RESOLVER.size, stop, _TEN):
        return -1
    at += _RESOLVER.size
    slash = at + _TEN.size
    while slash < stop and 48 <= text[slash] <= 57:
        slash += 1
    if not 4 <= slash - at - _TEN.size <= 9 or slash + 1 >= stop or text[slash] != _SLASH:
        return -1
    for place in range(slash + 1, stop):
        if not (_is_alphanumeric(text[place]) or (text[place] in (45, 46, 95) and place < stop - 1)):
            return -1
    return at


@kernel
def _is_alphanumeric(byte: int) -> bool:
    return 48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122


@kernel
def gather(text: NDArray[np.uint8], spans: NDArray[np.int64], target: NDArray[np.uint8]) -> None:
    """Copies the texts of spans into a target, one after the other."""
    to = 0
    for row in range(len(spans)):
        to = _put(text, spans[row, 0], spans[row, 1], target, to)
