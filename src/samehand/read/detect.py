"""Which format a file has, by its content; its name only breaks ties.

The order of the questions matters: marks that nothing else has (Parquet, an XML root, an entry with its
brace) come first, a table by its header next, and plain text is what is left, unless it is no text at all.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from samehand.errors import UnknownFormatError, UsageError
from samehand.read.json_stream import first_object
from samehand.read.table_csv import cells_of, delimiter_of
from samehand.read.tables import column_names, shape_of

FORMATS = {
    "bibtex": "BibTeX and BibLaTeX (.bib)",
    "ris": "RIS (.ris)",
    "csl": "CSL-JSON",
    "crossref": "Crossref JSON",
    "openalex": "OpenAlex JSON",
    "dblp": "DBLP XML",
    "medline": "PubMed/MEDLINE XML",
    "csv": "CSV and TSV tables",
    "jsonl": "JSON lines and JSON tables",
    "parquet": "Parquet tables",
    "text": "plain text, one citation per line or paragraph",
}

_BIBTEX = re.compile(
    rb"^[^\S\n]*@\s*(?!comment|string|preamble)[A-Za-z]+\s*[{(]\s*[^\s{}()=]{0,200}?\s*,", re.M | re.I
)
_BIBTEX_ANYWHERE = re.compile(rb"@\s*[A-Za-z]{3,20}\s*[{(]")
_BIBTEX_LINE = re.compile(rb"^[^\S\n]*@\s*[A-Za-z]{3,20}\s*[{(]", re.M)
_RIS = re.compile(rb"^(?:\xef\xbb\xbf)?\s{0,4}TY\s{1,3}-\s", re.M)
_XML_ROOT = re.compile(rb"<([A-Za-z_][\w.-]*)[\s>/]")
_XML_PROLOG = re.compile(rb"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+", re.S)
_XML_FORMATS = {
    "dblp": "dblp",
    "PubmedArticleSet": "medline",
    "PubmedBookArticleSet": "medline",
    "MedlineCitationSet": "medline",
    "PubmedArticle": "medline",
    "MedlineCitation": "medline",
    "PubmedBookArticle": "medline",
}
_JSON_KEY = re.compile(rb'"([A-Za-z_][\w-]{0,60})"\s*:')
_PACKED = {
    b"PK\x03\x04": "a zip archive", b"BZh": "a bzip2 archive", b"\xfd7zXZ": "an xz archive",
    b"\x1f\x8b": "an archive inside an archive", b"\x28\xb5\x2f\xfd": "an archive inside an archive",
    b"%PDF": "a PDF document", b"\x7fELF": "a program", b"\x89PNG": "a picture",
}  # fmt: skip


def detect(prefix: bytes, source: str) -> str:
    """The format of a file that begins with `prefix`.

    >>> detect(b"% my library\\n@book{lee2001, title={On Hands}}", "a.bib")
    'bibtex'
    >>> detect(b"title,authors\\nOn Hands,Ann Lee\\n", "a")
    'csv'
    """
    if prefix.startswith(b"PAR1"):
        return "parquet"
    _refuse_binary(prefix, source)
    text = prefix.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\x00\x1e")
    questions: tuple[Callable[[bytes, str], str | None], ...] = (_xml, _json, _ris, _bibtex, _csv)
    for question in questions:
        if found := question(text, source):
            return found
    return "text"


def _refuse_binary(prefix: bytes, source: str) -> None:
    """Text has no other control characters than white space, but for a stray NUL here and there."""
    packed = next((what for magic, what in _PACKED.items() if prefix.startswith(magic)), None)
    control = sum(prefix.count(bytes([code])) for code in (*range(9), *range(14, 27), *range(28, 32)))
    if packed or control > max(2, len(prefix) // 20):
        what = packed or "binary data"
        raise UnknownFormatError(
            f"{source}: this is {what}, not a format samehand reads ({', '.join(FORMATS.values())}); "
            "unpack or export it to one of them"
        )


def _xml(text: bytes, source: str) -> str | None:
    if not text.startswith(b"<"):
        return None
    prolog = _XML_PROLOG.match(text)
    root = _XML_ROOT.match(text, prolog.end() if prolog else 0)
    name = root[1].decode() if root else "?"
    if name not in _XML_FORMATS:
        raise UnknownFormatError(
            f"{source}: XML with the root element <{name}>; samehand reads DBLP (<dblp>) and PubMed "
            "(<PubmedArticleSet>) XML: export to one of them, or to RIS or BibTeX"
        )
    return _XML_FORMATS[name]


def _ris(text: bytes, source: str) -> str | None:
    """A line "TY  - ", unless a BibTeX entry begins before it: abstracts quote all kinds of lines."""
    found = _RIS.search(text)
    return "ris" if found and not _BIBTEX.search(text, 0, found.start()) else None


def _bibtex(text: bytes, source: str) -> str | None:
    """An entry at the beginning of a line; or anywhere, in a file that is named so."""
    named = _extension(source) in (".bib", ".bibtex")
    if _BIBTEX.search(text) or (named and _BIBTEX_ANYWHERE.search(text)) or _BIBTEX_LINE.match(text):
        return "bibtex"
    return "bibtex" if named else None


def _json(text: bytes, source: str) -> str | None:
    if text[:1] not in (b"{", b"["):
        return None
    record = first_object(text)
    if record is None:
        keys = {key.decode() for key in _JSON_KEY.findall(text[:20_000])}
        return _json_kind(dict.fromkeys(keys)) if keys else _json_or_text(text, source)
    return _json_kind(record)


def _json_or_text(text: bytes, source: str) -> str | None:
    """Without any key: brackets may be those of a citation label, "[1] Lee, A. ..."."""
    return "jsonl" if _extension(source).startswith(".json") or text[1:2] in b'[{"]}' else None


def _json_kind(record: dict[str, Any]) -> str:
    """The kind of JSON by the keys of one record.

    >>> _json_kind({"id": "https://openalex.org/W1", "authorships": []}), _json_kind({"title": "On Hands"})
    ('openalex', 'jsonl')
    """
    keys = set(record)
    inner = record.get("message")
    if isinstance(inner, dict):
        keys |= set(inner)
    if "authorships" in keys or str(record.get("id", "")).startswith("https://openalex.org/"):
        return "openalex"
    crossref_only = {
        "message-type",
        "message-version",
        "indexed",
        "reference-count",
        "is-referenced-by-count",
        "prefix",
    }
    if keys & crossref_only or ("DOI" in keys and isinstance(record.get("title"), list)):
        return "crossref"
    csl_only = {
        "issued",
        "container-title",
        "DOI",
        "citation-key",
        "event-place",
        "publisher-place",
        "original-date",
    }
    people = record.get("author")
    named_parts = isinstance(people, list) and any(
        isinstance(person, dict) and {"family", "literal"} & set(person) for person in people
    )
    return "csl" if keys & csl_only or named_parts else "jsonl"


def _csv(text: bytes, source: str) -> str | None:
    """A header of known columns; or a file named so, whose columns the reader will judge."""
    header = text.partition(b"\n")[0][:10_000].decode("utf-8", "replace").strip()
    delimiter = delimiter_of(header)
    columns = cells_of(header, delimiter)
    if _extension(source) in (".csv", ".tsv", ".tab"):
        return "csv"
    known = column_names(columns)
    if len(columns) < 2 or 2 * len(known) < len(columns) or any(len(column) > 40 for column in columns):
        return None
    try:
        shape_of(columns, source)
    except UsageError:
        return None
    return "csv"


def _extension(source: str) -> str:
    """The last extension but those of archives.

    >>> _extension("a/b.CSV.gz")
    '.csv'
    """
    name = source.lower().removesuffix(".gz").removesuffix(".zst")
    return os.path.splitext(name)[1]
