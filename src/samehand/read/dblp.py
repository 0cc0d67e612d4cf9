"""DBLP XML: the whole dump or any part of it.

DBLP writes one record as a flat list of fields, and 99 in 100 records are nothing else; those are read many at
once (`dblp_scan`, `dblp_frames`). Any other record is read here: a flat one by cutting its text at the
brackets, one with markup inside a field by lxml. A file with anything unusual between its records (a comment,
CDATA, an error) is handed to lxml from there on, which also says what is wrong with it. All ways give the same
references, and the way of a single record is the definition.

The number that tells homonyms apart ("Wei Wang 0001") is DBLP's own disambiguation, not part of the name: it
is dropped from `authors` and kept in `fields`. A home page is the record of a person, not a publication: it
becomes a reject.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import BinaryIO

import numpy as np
import orjson
import polars as pl
from lxml import etree

from samehand.normalise import identifiers
from samehand.read.dblp_frames import frame, link_arxiv, link_doi
from samehand.read.dblp_scan import EMPTY, FLAT, PERSON, RECORDS_AT_ONCE, TYPES, Scan, scan
from samehand.read.values import clean, pages_of, rejected, year_of
from samehand.read.xml_stream import Document, elements, text_content
from samehand.records import Reference, Reject, references_frame

RECORDS = frozenset(TYPES)
RECORD_LIMIT = 8 << 20
BLOCK = 2 << 20
REASONS = {PERSON: "person record (home page), not a publication", EMPTY: "record without any field"}

_OPENING = re.compile(rf"\s*<(?:{'|'.join(TYPES)})(?:\s[^<>]*)?>".encode())
_LONGEST_GAP = 100_000
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ROOT = re.compile(r"<dblp\b[^<>]*>")
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LOCATION = re.compile(r"\s*, line \d+, column \d+$| line \d+(?= and )")
_BAD_BYTE = re.compile("[\udc80-\udcff]")

Found = Reference | Reject | pl.DataFrame

Field = tuple[str, str, str]
"""(name, ORCID or "", text)."""


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject | pl.DataFrame]:
    """The publications of a DBLP file: tables with schema REFERENCES, single references, and rejects.

    >>> import io
    >>> text = b'<dblp><article key="j/x/L1"><author>J&uuml;rgen Lee 0001</author></article></dblp>'
    >>> [table] = read(io.BytesIO(text), "dblp.xml")
    >>> table.select("id", "authors").rows()
    [('j/x/L1', ['Jürgen Lee'])]
    """
    document = Document(stream, source)
    rest = yield from _regular_records(document, source)
    if rest is not None:
        yield from _any_records(document, *rest, source)


def _regular_records(document: Document, source: str) -> Generator[Found, None, tuple[str, str] | None]:
    """Yields the records of the usual shape; returns (root tag, text from the first unusual place on) or None."""
    text = document.read_text()
    root = _ROOT.match(text)
    if not root:
        return "", text
    block = _encoded(text[root.end() :])
    document.line += root[0].count("\n")
    while True:
        at, is_regular = yield from _block_records(document, block, source)
        is_regular = is_regular and not _is_strange(block[at:]) and not _is_hopeless(block, at)
        more = _at_least(document, max(BLOCK, len(block) - at)) if is_regular else b""
        if not more:
            break
        block = block[at:] + more
    rest = block[at:].decode("utf-8", "surrogatepass")
    return None if is_regular and rest.strip() == "</dblp>" else (root[0], rest)


def _encoded(text: str) -> bytes:
    """UTF-8 from which the text can be had back, undecodable bytes of the file included."""
    return text.encode("utf-8", "surrogatepass")


def _is_strange(text: bytes) -> bool:
    """Whether a comment, CDATA, a declaration or an instruction, which can hide anything, begins in a text."""
    return b"<!" in text or b"<?" in text


def _block_records(document: Document, block: bytes, source: str) -> Generator[Found, None, tuple[int, bool]]:
    """Yields the whole records of a block; returns where they end, and whether all of them were readable."""
    at = 0
    while True:
        found = scan(block, at, document.line)
        odd, readable = yield from _odd_records(found, block, source)
        yield from _in_order(found, odd, readable, source)
        if readable < found.record_count:
            document.line = int(found.spans.lines[readable])
            return int(found.spans.starts[readable]), False
        at, document.line = found.end, found.line
        if found.record_count < RECORDS_AT_ONCE:
            return at, True


def _odd_records(
    found: Scan, block: bytes, source: str
) -> Generator[Reject, None, tuple[dict[int, Reference], int]]:
    """Yields rejects; returns the references by their place, and how many records could be read."""
    references: dict[int, Reference] = {}
    for place in np.flatnonzero(found.spans.kinds[: found.record_count] != FLAT).tolist():
        start, end, line, kind = (int(column[place]) for column in found.spans)
        raw = block[start:end]
        text = raw.decode("utf-8", "surrogatepass")
        if reason := REASONS.get(kind):
            yield rejected(source, line, reason, text)
            continue
        record = None if _is_strange(raw) else _record(text, line, source)
        if record is None:
            return references, place
        if isinstance(record, Reject):
            yield record
        else:
            references[place] = record
    return references, found.record_count


def _in_order(found: Scan, odd: dict[int, Reference], readable: int, source: str) -> Iterator[pl.DataFrame]:
    """The table of all references among the first `readable` records, in the order of the file."""
    table, others = frame(found, source), references_frame(list(odd.values()))
    *cuts, end = np.searchsorted(found.rows.records[: found.row_count], [*odd, readable]).tolist()
    pieces, at = [], 0
    for number, cut in enumerate(cuts):
        pieces += [table[at:cut], others[number : number + 1]]
        at = cut
    table = pl.concat([*pieces, table[at:end]], rechunk=True)
    if table.height:
        yield table


def _is_hopeless(block: bytes, at: int) -> bool:
    """Whether more text would not help: the record is too long, or there is no record to begin with."""
    rest = len(block) - at
    return rest > RECORD_LIMIT or (rest > _LONGEST_GAP and not _OPENING.match(block, at))


def _at_least(document: Document, size: int) -> bytes:
    """So much more text, if there is; as much as is left over makes looking at that again linear in all."""
    pieces = [_encoded(document.read_text())]
    held = len(pieces[0])
    while pieces[-1] and held < size:
        pieces.append(_encoded(document.read_text()))
        held += len(pieces[-1])
    return b"".join(pieces)


def _record(text: str, line: int, source: str) -> Reference | Reject | None:
    """The reference of a record; None where only an XML parser can tell."""
    if not text.isascii() and _BAD_BYTE.search(text):
        return rejected(source, line, "record is not valid text in the file's encoding", text)
    opening, _, body = text.partition(">")
    tag, _, given = opening[1:].partition(" ") if " " in opening else (opening[1:].strip(), "", "")
    fields = _flat_fields(body.rpartition("<")[0])
    if fields is None or tag not in RECORDS:
        return _parsed_record(text, line, source)
    attributes = {name: double or single for name, double, single in _ATTRIBUTE.findall(_unescaped(given))}
    if reason := _no_publication(tag, attributes, fields):
        return rejected(source, line, reason, text)
    return _reference(source, line, tag, attributes, fields)


def _flat_fields(body: str) -> list[Field] | None:
    """The fields of a record that has nothing but flat fields; None of any other."""
    pieces = body.split("<")
    if len(pieces) % 2 == 0 or pieces[0].strip():
        return None
    fields = []
    for opening, closing in zip(pieces[1::2], pieces[2::2], strict=True):
        name, mark, text = opening.partition(">")
        orcid = ""
        if " " in name:
            name, _, given = name.partition(" ")
            orcid = _orcid(given)
            if given.count('"') % 2 or given.count("'") % 2:
                return None
        if not mark or closing.rstrip() != f"/{name}>":
            return None
        if "&" in text:
            text = _unescaped(text)
        if written := clean(text):
            fields.append((name, orcid, written))
    return fields


def _parsed_record(text: str, line: int, source: str) -> Reference | Reject | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        element = etree.fromstring(text, parser)
    except etree.XMLSyntaxError:
        return None
    return _from_element(element, line, source)


def _any_records(document: Document, root: str, text: str, source: str) -> Iterator[Reference | Reject]:
    """The records from here on, by lxml; at an error, one reject for the rest of the file."""
    try:
        for line, element in elements(document, RECORDS, root.replace("\n", " ") + text):
            yield _from_element(element, line, source)
    except etree.XMLSyntaxError as error:
        line = document.line + (error.lineno or 1) - 1
        # lxml counts lines and columns from where it was handed the text.
        problem = _LOCATION.sub("", error.msg or "no document")
        yield rejected(source, line, f"malformed XML, the rest was not read: {problem}", text)


def _from_element(element: etree._Element, line: int, source: str) -> Reference | Reject:
    fields = [
        (child.tag, identifiers.orcid(child.get("orcid", "")) or "", text)
        for child in element
        if isinstance(child.tag, str) and (text := text_content(child))
    ]
    attributes = dict(element.attrib)
    if reason := _no_publication(element.tag, attributes, fields):
        return rejected(source, line, reason, etree.tostring(element, encoding="unicode", with_tail=False))
    return _reference(source, line, element.tag, attributes, fields)


def _unescaped(text: str) -> str:
    return _REFERENCE.sub(_referred, text) if "&" in text else text


def _referred(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _PREDEFINED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000 else " "


def _orcid(attributes: str) -> str:
    return (identifiers.orcid(attributes) if "orcid" in attributes else None) or ""


def _no_publication(tag: str, attributes: dict[str, str], fields: list[Field]) -> str | None:
    if tag == "person" or (tag == "www" and attributes.get("key", "").startswith("homepages/")):
        return REASONS[PERSON]
    return None if fields else REASONS[EMPTY]


def _reference(
    source: str, line: int, tag: str, attributes: dict[str, str], fields: list[Field]
) -> Reference:
    values: dict[str, list[str]] = {}
    for name, _, text in fields:
        if name in values:
            values[name].append(text)
        else:
            values[name] = [text]
    first = {name: texts[0] for name, texts in values.items()}
    orcids = [orcid for name, orcid, _ in fields if name == "author"]
    key = attributes.get("key")
    links = values.get("ee", [])
    return Reference(
        source,
        line,
        id=key,
        key=key,
        type=_type(tag, attributes.get("publtype", ""), first.get("journal", "")),
        title=first.get("title"),
        authors=[_plain(name) for name in values.get("author", ())],
        editors=[_plain(name) for name in values.get("editor", ())],
        venue=first.get("journal") or first.get("booktitle") or first.get("series"),
        year=year_of(first.get("year")),
        volume=first.get("volume"),
        number=first.get("number"),
        pages=pages_of(first.get("pages")),
        publisher=first.get("publisher") or first.get("school"),
        doi=link_doi(links),
        arxiv=link_arxiv(links),
        isbn=identifiers.isbn(first["isbn"]) if "isbn" in first else None,
        url=links[0] if links else None,
        orcids=orcids if any(orcids) else [],
        crossref=first.get("crossref"),
        fields=orjson.dumps({"entrytype": tag, **attributes, **values}).decode(),
    )


def _plain(name: str) -> str:
    return name[:-5] if name[-4:].isdigit() and name[-5:-4] == " " else name


def _type(tag: str, publtype: str, journal: str) -> str:
    """The type; what DBLP files under the journal CoRR is a preprint."""
    return "preprint" if journal == "CoRR" or (publtype.startswith("informal") and journal) else TYPES[tag]
