"""What the fields of a BibTeX or biblatex entry mean: an `Entry` to a `Reference`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

import orjson

from samehand.normalise import identifiers
from samehand.normalise.latex import decode, decode_url
from samehand.normalise.years import year as parse_year
from samehand.read.bibtex_names import split_names
from samehand.read.bibtex_scan import Entry
from samehand.records import Reference

TYPES = {
    "article": "article",
    "suppperiodical": "article",
    "inproceedings": "inproceedings",
    "conference": "inproceedings",
    "book": "book",
    "mvbook": "book",
    "booklet": "book",
    "collection": "book",
    "mvcollection": "book",
    "reference": "book",
    "mvreference": "book",
    "manual": "book",
    "incollection": "incollection",
    "inbook": "incollection",
    "bookinbook": "incollection",
    "suppbook": "incollection",
    "suppcollection": "incollection",
    "inreference": "incollection",
    "chapter": "incollection",
    "proceedings": "proceedings",
    "mvproceedings": "proceedings",
    "thesis": "thesis",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "masterthesis": "thesis",
    "mscthesis": "thesis",
    "bachelorsthesis": "thesis",
    "techreport": "techreport",
    "report": "techreport",
    "preprint": "preprint",
}
"""Entry type -> type of reference; any other is "misc", or "preprint" if it has an arXiv identifier."""

_CONTAINED = frozenset({"inproceedings", "incollection", "proceedings"})
_JOURNAL_FIRST = ("journal", "journaltitle", "booktitle", "eventtitle", "shortjournal", "series")
_BOOK_FIRST = ("booktitle", "journal", "journaltitle", "eventtitle", "maintitle", "series")
_PUBLISHERS = ("publisher", "school", "institution", "organization")
_YEARS = ("year", "date", "eventdate", "issue_date")
_NUMBERS = ("number", "issue")
_PAGES = ("pages", "eid", "articleno")
_URLS = ("url", "ee", "link", "bdsk-url-1", "howpublished")
_DOI_PLACES = ("url", "ee", "link", "bdsk-url-1", "bdsk-url-2", "note", "howpublished")
_ARXIV_PLACES = (
    "url",
    "ee",
    "link",
    "journal",
    "journaltitle",
    "note",
    "howpublished",
    "eid",
    "doi",
    "number",
)
_KEYWORDS = ("keywords", "keyword")

LONGEST_YEAR = 200
"""Characters of a year field that are looked at, so that the cache of years stays small."""

_DASHES = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_PUBMED = re.compile(r"ncbi\.nlm\.nih\.gov", re.IGNORECASE)


def reference(entry: Entry, source: str) -> Reference:
    """The reference that an entry describes.

    >>> entry = Entry(1, "article", "k", {"title": "On {H}ands", "author": "Knuth, D.", "pages": "1--9"})
    >>> found = reference(entry, "a.bib")
    >>> found.title, found.authors, found.pages, found.type
    ('On Hands', ['Knuth, D.'], '1-9', 'article')
    """
    fields = entry.fields
    kind = TYPES.get(entry.type, "misc")
    authors, truncated = split_names(fields["author"]) if "author" in fields else ([], False)
    editors = split_names(fields["editor"])[0] if "editor" in fields else []
    written = orjson.dumps({"entrytype": entry.type, **fields}).decode()
    # Cheaper than to look for identifiers in a dozen fields that name none.
    lower = written.lower()
    arxiv = _arxiv(fields) if "arxiv" in lower or "eprint" in fields else None
    return Reference(
        source=source,
        line=entry.line,
        key=entry.key,
        type="preprint" if kind == "misc" and arxiv else kind,
        title=_title(fields, kind),
        authors=authors,
        truncated=truncated,
        editors=editors,
        venue=_first(fields, _BOOK_FIRST if kind in _CONTAINED else _JOURNAL_FIRST),
        year=_year(fields),
        volume=_text(fields, "volume"),
        number=_first(fields, _NUMBERS),
        pages=_pages(fields),
        publisher=_first(fields, _PUBLISHERS),
        doi=_doi(fields) if "doi" in lower else None,
        arxiv=arxiv,
        pmid=_pmid(fields) if "pmid" in lower or "pubmed" in lower else None,
        isbn=identifiers.isbn(fields["isbn"]) if "isbn" in fields else None,
        url=_url(fields),
        affiliations=_affiliations(fields["affiliation"], len(authors)) if "affiliation" in fields else [],
        keywords=_keywords(fields),
        crossref=_crossref(fields),
        fields=written,
    )


def _text(fields: Mapping[str, str], name: str) -> str | None:
    value = fields.get(name)
    return (decode(value) or None) if value else None


def _first(fields: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    """The first of these fields that says something."""
    for name in names:
        if (value := fields.get(name)) and (text := decode(value)):
            return text
    return None


def _title(fields: Mapping[str, str], kind: str) -> str | None:
    """The title, with biblatex's subtitle after a colon; a book may have its title in "booktitle" only."""
    title = _text(fields, "title")
    if title and "subtitle" in fields and (subtitle := _text(fields, "subtitle")):
        return f"{title}{'' if title.endswith((':', '?', '!')) else ':'} {subtitle}"
    return title or (_text(fields, "booktitle") if kind in ("proceedings", "book") else None)


def _year(fields: Mapping[str, str]) -> int | None:
    for name in _YEARS:
        if (value := fields.get(name)) and (year := _cached_year(value[:LONGEST_YEAR])) is not None:
            return year
    return None


_cached_year = lru_cache(maxsize=4096)(parse_year)


def _pages(fields: Mapping[str, str]) -> str | None:
    text = _first(fields, _PAGES)
    return _DASHES.sub("-", text) if text else None


def _doi(fields: Mapping[str, str]) -> str | None:
    if (value := fields.get("doi")) and (found := identifiers.doi(value)):
        return found
    for name in _DOI_PLACES:
        value = fields.get(name)
        if value and "10." in value and "doi" in value.lower() and (found := identifiers.doi(value)):
            return found
    return None


def _arxiv(fields: Mapping[str, str]) -> str | None:
    """From eprint, unless it names another archive than arXiv; from arxivid; or wherever "arXiv" is named."""
    if eprint := fields.get("eprint"):
        archive = fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv"
        found = identifiers.arxiv(decode_url(eprint)) if archive.strip(" {}").lower() == "arxiv" else None
        if found:
            return found
    if (value := fields.get("arxivid")) and (found := identifiers.arxiv(value)):
        return found
    for name in _ARXIV_PLACES:
        value = fields.get(name)
        if value and "arxiv" in value.lower() and (found := identifiers.arxiv(decode_url(value))):
            return found
    return None


def _pmid(fields: Mapping[str, str]) -> str | None:
    if value := fields.get("pmid"):
        return identifiers.pmid(decode(value))
    if fields.get("eprinttype", "").lower() in ("pubmed", "pmid") and (value := fields.get("eprint")):
        return identifiers.pmid(value)
    if (value := fields.get("url")) and _PUBMED.search(value):
        return identifiers.pmid(decode_url(value))
    return None


def _url(fields: Mapping[str, str]) -> str | None:
    for name in _URLS:
        if (value := fields.get(name)) and (name != "howpublished" or "://" in value):
            text = decode_url(value)
            address = text[text.find("http") :] if name == "howpublished" else text
            if address:
                return address
    return None


def _affiliations(text: str, author_count: int) -> list[str]:
    """One affiliation for each author, where the field tells them apart; otherwise none."""
    for separator in (" and ", ";", "\n"):
        parts = [decode(part) for part in text.split(separator) if part.strip()]
        if len(parts) == author_count:
            return parts
    return []


def _keywords(fields: Mapping[str, str]) -> list[str]:
    for name in _KEYWORDS:
        if value := fields.get(name):
            separator = ";" if ";" in value else ","
            return [text for part in value.split(separator) if (text := decode(part))]
    return []


def _crossref(fields: Mapping[str, str]) -> str | None:
    value = fields.get("crossref")
    return (value.strip() or None) if value else None
