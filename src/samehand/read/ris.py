"""RIS, as written by EndNote, Zotero, Mendeley, Scopus and others.

A record is a run of lines "XX  - value" from TY to ER. Real files lack ER, wrap values over lines, begin with
a byte order mark, and put the journal under any of five tags; all of that is read. Lines outside any record
become one reject per run. `fields` keeps every tag, known or not, with the list of its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import orjson

from samehand.normalise import identifiers
from samehand.read.lines import LINE_LIMIT, Overlong, text_lines
from samehand.read.values import clean, doi_of, names_of, pages_of, rejected, year_of
from samehand.records import Reference, Reject

TAG = re.compile(r"\s{0,4}([A-Z][A-Z0-9])\s{1,3}-(?:\s|$)(.*)", re.DOTALL)

TYPES = {
    "JOUR": "article", "JFULL": "article", "MGZN": "article", "NEWS": "article", "EJOUR": "article",
    "ABST": "article", "INPR": "article", "CONF": "inproceedings", "CPAPER": "inproceedings",
    "BOOK": "book", "EBOOK": "book", "EDBOOK": "book", "CHAP": "incollection", "ECHAP": "incollection",
    "ENCYC": "incollection", "DICT": "incollection", "THES": "thesis", "RPRT": "techreport",
    "GOVDOC": "techreport", "STAND": "techreport", "UNPB": "preprint",
}  # fmt: skip

VENUE_TAGS = ("JF", "T2", "BT", "JO", "JA", "J2", "J1", "C3", "T3")
"""Where the venue may stand, the fullest form first."""

Tags = dict[str, list[str]]


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The records of a RIS file.

    >>> import io
    >>> text = b"TY  - JOUR\\nAU  - Lee, Ann\\nTI  - On Hands\\nPY  - 2001/05//\\nER  - \\n"
    >>> [record] = read(io.BytesIO(text), "a.ris")
    >>> record.authors, record.year
    (['Lee, Ann'], 2001)
    """
    for line, tags, stray in _records(stream):
        if isinstance(stray, Overlong):
            reason = f"line longer than {LINE_LIMIT >> 20} MiB; its record was read without it"
            yield rejected(source, line, reason, stray.beginning)
        elif stray:
            yield rejected(source, line, "text outside any record (no TY line before it)", stray)
        elif all(not any(values) for tag, values in tags.items() if tag != "TY"):
            yield rejected(source, line, "record without any field", "TY  - " + tags["TY"][0])
        else:
            yield _reference(source, line, tags)


def _records(stream: BinaryIO) -> Iterator[tuple[int, Tags, str | Overlong]]:
    """(first line, tags, "") for each record, (line, {}, text) for text outside records and overlong lines."""
    tags: Tags = {}
    stray: list[str] = []
    start, last = 0, ""
    for number, line in text_lines(stream):
        if isinstance(line, Overlong):
            yield number, {}, line
            continue
        found = TAG.match(line)
        tag = found[1] if found else ""
        if tag in ("TY", "ER") or (tag and not tags and not stray):
            if tags or stray:
                yield start, tags, " ".join(stray)
            tags, stray, start, last = {}, [], number, ""
        if tag == "TY" and found:
            tags, last = {"TY": [found[2].strip()]}, "TY"
        elif tag and tag != "ER" and tags and found:
            tags.setdefault(tag, []).append(found[2].strip())
            last = tag
        elif tags and line.strip():
            tags[last][-1] += " " + line.strip()
        elif line.strip() and tag != "ER":
            start = start if stray else number
            stray.append(line.strip())
    if tags or stray:
        yield start, tags, " ".join(stray)


def _reference(source: str, line: int, tags: Tags) -> Reference:
    authors, truncated = names_of(_all(tags, "AU", "A1"), "AU")
    editors, _ = names_of(_all(tags, "ED", "A2", "A3"), "ED")
    kind = TYPES.get(tags["TY"][0].upper(), "misc")
    url = _first(tags, "UR", "L2", "LK")
    return Reference(
        source,
        line,
        key=_first(tags, "ID"),
        type=kind,
        title=_first(tags, "TI", "T1", "CT") or (_first(tags, "BT") if kind == "book" else None),
        authors=authors,
        truncated=truncated,
        editors=editors,
        venue=_first(tags, *VENUE_TAGS),
        year=next((year for text in _all(tags, "PY", "Y1", "DA", "Y2") if (year := year_of(text))), None),
        volume=_first(tags, "VL"),
        number=_first(tags, "IS", "CP"),
        pages=_pages(tags),
        publisher=_first(tags, "PB"),
        doi=_doi(tags),
        arxiv=next(
            (found for text in _all(tags, "UR", "AN", "M1") if (found := identifiers.arxiv(text))), None
        ),
        isbn=next((found for text in _all(tags, "SN") if (found := identifiers.isbn(text))), None),
        url=url,
        keywords=[word for text in _all(tags, "KW") if (word := clean(text))],
        fields=orjson.dumps(tags).decode(),
    )


def _all(tags: Tags, *names: str) -> list[str]:
    return [value for name in names for value in tags.get(name, ())]


def _first(tags: Tags, *names: str) -> str | None:
    return next((text for value in _all(tags, *names) if (text := clean(value))), None)


def _pages(tags: Tags) -> str | None:
    """SP and EP; some programs write the whole range into SP, and again the last page into EP."""
    first, last = _first(tags, "SP"), _first(tags, "EP")
    if first and last and first != last and not first.endswith(last):
        return pages_of(f"{first}-{last}")
    return pages_of(first or last)


def _doi(tags: Tags) -> str | None:
    """DO or DI; else a DOI among the links and notes."""
    candidates = _all(tags, "DO", "DI", "UR", "L3", "M3", "N1")
    return next((doi for text in candidates if (doi := doi_of(text))), None)
