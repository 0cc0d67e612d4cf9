"""DBLP XML: the whole dump or any part of it.

DBLP writes one record as a flat list of fields, and 99 in 100 records are nothing else; those are read by
cutting the text at its brackets, faster than building a tree. A record with markup inside a field is parsed
by lxml, and a file with anything unusual between its records (a comment, CDATA, an error) is handed to lxml
from there on, which also says what is wrong with it. Both ways give the same references.

The number that tells homonyms apart ("Wei Wang 0001") is DBLP's own disambiguation, not part of the name: it
is dropped from `authors` and kept in `fields`. A home page is the record of a person, not a publication: it
becomes a reject.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import BinaryIO

import orjson
from lxml import etree

from samehand.normalise import identifiers
from samehand.read.values import clean, doi_of, pages_of, rejected, year_of
from samehand.read.xml_stream import Document, elements, text_content
from samehand.records import Reference, Reject

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
RECORDS = frozenset(TYPES)
RECORD_LIMIT = 8 << 20

_OPENING = re.compile(rf"\s*<({'|'.join(TYPES)})((?:\s[^<>]*)?)>")
_LONGEST_GAP = 100_000
_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_ROOT = re.compile(r"<dblp\b[^<>]*>")
_STRANGE = re.compile(r"<[!?]")
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_PLAIN_DOI = re.compile(r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/[A-Za-z0-9._-]*[A-Za-z0-9])")
_BAD_BYTE = re.compile("[\udc80-\udcff]")

Field = tuple[str, str, str]
"""(name, ORCID or "", text)."""


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The publications of a DBLP file.

    >>> import io
    >>> text = b'<dblp><article key="j/x/L1"><author>J&uuml;rgen Lee 0001</author></article></dblp>'
    >>> [record] = read(io.BytesIO(text), "dblp.xml")
    >>> record.id, record.authors
    ('j/x/L1', ['Jürgen Lee'])
    """
    document = Document(stream, source)
    rest = yield from _regular_records(document, source)
    if rest is None:
        return
    yield from _any_records(document, rest, source)


def _regular_records(document: Document, source: str) -> Generator[Reference | Reject, None, str | None]:
    """Yields the records of the usual shape; returns the text from the first unusual place on, or None."""
    text = document.read_text()
    root = _ROOT.match(text)
    if not root:
        return text
    at, line = root.end(), document.line + text.count("\n", 0, root.end())
    strange = _STRANGE.search(text, at) is not None
    while not strange:
        while span := _next_record(text, at):
            start, end = span
            first_line = line + text.count("\n", at, start)
            record = _record(text[start:end], first_line, source)
            if record is None:
                strange = True
                break
            yield record
            line, at = first_line + text.count("\n", start, end), end
        more = "" if strange or _is_hopeless(text, at) else _at_least_as_much(document, len(text) - at)
        if not more:
            break
        strange = _STRANGE.search(text[-1:] + more) is not None
        text, at = text[at:] + more, 0
    if text[at:].strip() == "</dblp>" and not strange:
        return None
    document.line = line
    return root[0].replace("\n", " ") + text[at:]


def _next_record(text: str, at: int) -> tuple[int, int] | None:
    """Where the record after `at` begins and ends; None if the text ends before it does."""
    opening = _OPENING.match(text, at)
    if not opening:
        return None
    closing = f"</{opening[1]}>"
    end = text.find(closing, opening.end())
    return (opening.start(1) - 1, end + len(closing)) if end >= 0 else None


def _is_hopeless(text: str, at: int) -> bool:
    """Whether more text would not help: the record is too long, or there is no record to begin with."""
    rest = len(text) - at
    return rest > RECORD_LIMIT or (rest > _LONGEST_GAP and not _OPENING.match(text, at))


def _at_least_as_much(document: Document, size: int) -> str:
    """More text, at least as much as is left over: looking at it again then costs linear time in all."""
    pieces = [document.read_text()]
    while pieces[-1] and sum(map(len, pieces)) < size:
        pieces.append(document.read_text())
    return "".join(pieces)


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


def _any_records(document: Document, text: str, source: str) -> Iterator[Reference | Reject]:
    """The records from here on, by lxml; at an error, one reject for the rest of the file."""
    try:
        for line, element in elements(document, RECORDS, text):
            yield _from_element(element, line, source)
    except etree.XMLSyntaxError as error:
        line = document.line + (error.lineno or 1) - 1
        yield rejected(source, line, f"malformed XML, the rest was not read: {error.msg}", text[:200])


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
        return "person record (home page), not a publication"
    return None if fields else "record without any field"


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
        doi=_doi(links),
        arxiv=next((found for link in links if "arxiv" in link and (found := identifiers.arxiv(link))), None),
        isbn=identifiers.isbn(first["isbn"]) if "isbn" in first else None,
        url=links[0] if links else None,
        orcids=orcids if any(orcids) else [],
        crossref=first.get("crossref"),
        fields=orjson.dumps({"entrytype": tag, **attributes, **values}).decode(),
    )


def _doi(links: list[str]) -> str | None:
    """The first DOI among the links; the plain form most of them have needs no further look."""
    for link in links:
        found = _PLAIN_DOI.fullmatch(link)
        if doi := found[1].lower() if found else doi_of(link):
            return doi
    return None


def _plain(name: str) -> str:
    return name[:-5] if name[-4:].isdigit() and name[-5:-4] == " " else name


def _type(tag: str, publtype: str, journal: str) -> str:
    """The type; what DBLP files under the journal CoRR is a preprint."""
    return "preprint" if journal == "CoRR" or (publtype.startswith("informal") and journal) else TYPES[tag]
