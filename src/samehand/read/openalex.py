"""Works as OpenAlex returns them (API pages) or ships them (JSON lines)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from samehand.normalise import identifiers
from samehand.read.csl import unmarked
from samehand.read.json_stream import records
from samehand.read.values import BadValue, doi_of, rejected, text_of, texts_of, year_of
from samehand.records import Reference, Reject

TYPES = {
    "article": "article", "review": "article", "letter": "article", "editorial": "article",
    "erratum": "article",
    "book": "book", "book-chapter": "incollection", "reference-entry": "incollection",
    "dissertation": "thesis",
    "report": "techreport", "standard": "techreport", "preprint": "preprint",
    "proceedings-article": "inproceedings", "journal-article": "article", "posted-content": "preprint",
}  # fmt: skip


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The works of an OpenAlex page or snapshot file.

    >>> import io
    >>> work = b'{"id": "https://openalex.org/W7", "display_name": "On Hands", "publication_year": 2001}'
    >>> [record] = read(io.BytesIO(work), "a.json")
    >>> record.id, record.title, record.year
    ('W7', 'On Hands', 2001)
    """
    for record in records(stream, source):
        if isinstance(record, Reject):
            yield record
            continue
        line, work = record
        try:
            yield _reference(source, line, work)
        except BadValue as problem:
            yield rejected(source, line, str(problem), orjson.dumps(work))


def _reference(source: str, line: int, work: dict[str, Any]) -> Reference:
    people = [person for person in _list(work, "authorships") if _name(person)]
    ids, biblio, venue = _object(work, "ids"), _object(work, "biblio"), _venue(work)
    title = text_of(work.get("display_name") or work.get("title"), "display_name")
    key = (text_of(work.get("id"), "id") or "").rpartition("/")[2] or None
    kind = TYPES.get(str(work.get("type")), "misc")
    return Reference(
        source,
        line,
        id=key,
        key=key,
        type="inproceedings" if kind == "article" and venue.get("type") == "conference" else kind,
        title=unmarked(title) if title and "<" in title else title,
        authors=[_name(person) for person in people],
        truncated=work.get("is_authors_truncated") is True,
        venue=text_of(venue.get("display_name") or _raw_venue(work), "source"),
        year=year_of(work.get("publication_year")) or year_of(work.get("publication_date")),
        volume=text_of(biblio.get("volume"), "volume"),
        number=text_of(biblio.get("issue"), "issue"),
        pages=_pages(biblio),
        publisher=text_of(venue.get("host_organization_name"), "host_organization_name"),
        doi=doi_of(work.get("doi") or ids.get("doi")),
        arxiv=_arxiv(work),
        pmid=identifiers.pmid(text_of(ids.get("pmid"), "pmid") or ""),
        url=text_of(_object(work, "primary_location").get("landing_page_url"), "landing_page_url"),
        affiliations=_or_none_at_all([_affiliation(person) for person in people]),
        orcids=_or_none_at_all([_orcid(person) for person in people]),
        keywords=[
            word for item in _list(work, "keywords") if (word := text_of(item.get("display_name"), "keyword"))
        ],
        fields=_fields(work),
    )


_BULKY = frozenset(("abstract_inverted_index", "referenced_works", "related_works", "counts_by_year"))


def _fields(work: dict[str, Any]) -> str:
    """All but the abstract's index and the links to other works, which would outweigh the rest."""
    return orjson.dumps({name: value for name, value in work.items() if name not in _BULKY}).decode()


def _object(container: dict[str, Any], name: str) -> dict[str, Any]:
    value = container.get(name)
    return value if isinstance(value, dict) else {}


def _list(container: dict[str, Any], name: str) -> list[dict[str, Any]]:
    value = container.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadValue(f"{name} holds no list")
    return [item for item in value if isinstance(item, dict)]


def _name(person: dict[str, Any]) -> str:
    author = _object(person, "author")
    return text_of(person.get("raw_author_name") or author.get("display_name"), "authorships") or ""


def _venue(work: dict[str, Any]) -> dict[str, Any]:
    return _object(_object(work, "primary_location"), "source") or _object(work, "host_venue")


def _raw_venue(work: dict[str, Any]) -> Any:
    return _object(work, "primary_location").get("raw_source_name")


def _pages(biblio: dict[str, Any]) -> str | None:
    first, last = (
        text_of(biblio.get("first_page"), "first_page"),
        text_of(biblio.get("last_page"), "last_page"),
    )
    return f"{first}-{last}" if first and last and first != last else first or last


def _arxiv(work: dict[str, Any]) -> str | None:
    """From the DOI arXiv gives, or the address of any copy there."""
    places = [location.get("landing_page_url") for location in _list(work, "locations")]
    candidates = [
        text for text in (work.get("doi"), *places) if isinstance(text, str) and "arxiv" in text.lower()
    ]
    return next((found for text in candidates if (found := identifiers.arxiv(text))), None)


def _affiliation(person: dict[str, Any]) -> str:
    written = texts_of(person.get("raw_affiliation_strings"), "raw_affiliation_strings")
    single = text_of(person.get("raw_affiliation_string"), "raw_affiliation_string")
    known = [text_of(place.get("display_name"), "institution") for place in _list(person, "institutions")]
    return "; ".join(written or ([single] if single else [name for name in known if name]))


def _orcid(person: dict[str, Any]) -> str:
    value = _object(person, "author").get("orcid")
    return (identifiers.orcid(value) if isinstance(value, str) else None) or ""


def _or_none_at_all(values: list[str]) -> list[str]:
    return values if any(values) else []
