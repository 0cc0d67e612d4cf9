"""Works as the Crossref REST API returns them: one message, a page of items, a list, or lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from samehand.normalise import identifiers
from samehand.read.csl import date_year, unmarked
from samehand.read.json_stream import records
from samehand.read.values import BadValue, doi_of, name_of, names_of, pages_of, rejected, text_of, texts_of
from samehand.records import Reference, Reject

TYPES = {
    "journal-article": "article", "proceedings-article": "inproceedings", "book": "book", "monograph": "book",
    "edited-book": "book", "reference-book": "book", "book-chapter": "incollection",
    "book-section": "incollection", "book-part": "incollection", "reference-entry": "incollection",
    "proceedings": "proceedings", "dissertation": "thesis", "report": "techreport", "standard": "techreport",
    "posted-content": "preprint",
}  # fmt: skip

_DATES = ("issued", "published-print", "published-online", "published", "created")


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The works of a Crossref answer.

    >>> import io
    >>> work = b'{"message": {"DOI": "10.1000/A", "title": ["On Hands"], "author": [{"family": "Lee"}]}}'
    >>> [record] = read(io.BytesIO(work), "a.json")
    >>> record.doi, record.title, record.authors
    ('10.1000/a', 'On Hands', ['Lee'])
    """
    for record in records(stream, source):
        if isinstance(record, Reject):
            yield record
            continue
        line, work = record
        message = work.get("message")
        try:
            yield _reference(source, line, message if isinstance(message, dict) else work)
        except BadValue as problem:
            yield rejected(source, line, str(problem), orjson.dumps(work))


def _reference(source: str, line: int, work: dict[str, Any]) -> Reference:
    people = _people(work.get("author"))
    authors, truncated = names_of(people, "author")
    people = people[: len(authors)]
    editors, _ = names_of(work.get("editor"), "editor")
    doi = doi_of(work.get("DOI"))
    return Reference(
        source,
        line,
        id=doi,
        key=doi,
        type=TYPES.get(str(work.get("type")), "misc"),
        title=_title(work),
        authors=authors,
        truncated=truncated,
        editors=editors,
        venue=text_of(work.get("container-title") or _event(work), "container-title"),
        year=next((year for name in _DATES if (year := date_year(work.get(name)))), None),
        volume=text_of(work.get("volume"), "volume"),
        number=text_of(work.get("issue"), "issue"),
        pages=pages_of(work.get("page")),
        publisher=text_of(work.get("publisher"), "publisher"),
        doi=doi,
        isbn=identifiers.isbn(text_of(work.get("ISBN"), "ISBN") or ""),
        url=text_of(work.get("URL"), "URL"),
        affiliations=_or_none_at_all([_affiliation(person) for person in people]),
        orcids=_or_none_at_all([_orcid(person) for person in people]),
        keywords=texts_of(work.get("subject"), "subject"),
        fields=orjson.dumps({name: value for name, value in work.items() if name != "reference"}).decode(),
    )


def _people(value: Any) -> list[Any]:
    """The authors that have a name; an organisation is written under `name`."""
    people = value if isinstance(value, list) else [value]
    marked = [_marked_organisation(person) for person in people]
    return [person for person in marked if name_of(person, "author")]


def _marked_organisation(person: Any) -> Any:
    if isinstance(person, dict) and "name" in person and not person.get("family"):
        return {**person, "literal": person["name"]}
    return person


def _title(work: dict[str, Any]) -> str | None:
    """Title and subtitle, without markup."""
    title, subtitle = text_of(work.get("title"), "title"), text_of(work.get("subtitle"), "subtitle")
    if title and subtitle and subtitle.casefold() not in title.casefold():
        title = f"{title}: {subtitle}"
    return unmarked(title) if title and "<" in title else title


def _event(work: dict[str, Any]) -> Any:
    event = work.get("event")
    return event.get("name") if isinstance(event, dict) else event


def _affiliation(person: Any) -> str:
    given = person.get("affiliation") if isinstance(person, dict) else None
    items = given if isinstance(given, list) else [given]
    names = [text_of(item.get("name"), "affiliation") for item in items if isinstance(item, dict)]
    return "; ".join(name for name in names if name)


def _orcid(person: Any) -> str:
    value = person.get("ORCID") if isinstance(person, dict) else None
    return (identifiers.orcid(value) if isinstance(value, str) else None) or ""


def _or_none_at_all(values: list[str]) -> list[str]:
    return values if any(values) else []
