"""CSL-JSON: what Zotero, Mendeley, pandoc and DOI resolvers exchange; an array, one object, or lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import orjson

from samehand.normalise import identifiers
from samehand.read.json_stream import records
from samehand.read.values import (
    BadValue,
    doi_of,
    names_of,
    pages_of,
    rejected,
    text_of,
    texts_of,
    year_of,
)  # fmt: skip
from samehand.records import Reference, Reject

TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "review": "article", "review-book": "article", "paper-conference": "inproceedings",
    "speech": "inproceedings",
    "book": "book", "chapter": "incollection", "entry": "incollection", "entry-dictionary": "incollection",
    "entry-encyclopedia": "incollection", "thesis": "thesis", "report": "techreport",
    "standard": "techreport", "article": "preprint", "manuscript": "preprint",
}  # fmt: skip


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The items of a CSL-JSON document.

    >>> import io
    >>> item = b'{"id": "lee", "author": [{"family": "Lee", "given": "Ann"}], "title": "On Hands"}'
    >>> [record] = read(io.BytesIO(item), "a.json")
    >>> record.id, record.authors
    ('lee', ['Lee, Ann'])
    """
    for record in records(stream, source):
        if isinstance(record, Reject):
            yield record
            continue
        line, item = record
        try:
            yield _reference(source, line, item)
        except BadValue as problem:
            yield rejected(source, line, str(problem), orjson.dumps(item))


def _reference(source: str, line: int, item: dict[str, Any]) -> Reference:
    authors, truncated = names_of(item.get("author"), "author")
    editors, _ = names_of(item.get("editor"), "editor")
    key = text_of(item.get("id"), "id")
    url = text_of(item.get("URL"), "URL")
    return Reference(
        source,
        line,
        id=key,
        key=key,
        type=TYPES.get(str(item.get("type")), "misc"),
        title=_unmarked(text_of(item.get("title"), "title")),
        authors=authors,
        truncated=truncated,
        editors=editors,
        venue=text_of(
            item.get("container-title") or item.get("event-title") or item.get("event"), "container-title"
        ),
        year=date_year(item.get("issued")),
        volume=text_of(item.get("volume"), "volume"),
        number=text_of(item.get("issue") or item.get("number"), "issue"),
        pages=pages_of(item.get("page")),
        publisher=text_of(item.get("publisher"), "publisher"),
        doi=doi_of(item.get("DOI")) or doi_of(url),
        arxiv=_arxiv(item, url),
        pmid=identifiers.pmid(text_of(item.get("PMID"), "PMID") or ""),
        isbn=identifiers.isbn(text_of(item.get("ISBN"), "ISBN") or ""),
        url=url,
        keywords=_keywords(item.get("keyword")),
        fields=orjson.dumps(item).decode(),
    )


_MARK = re.compile(r"</?(?:i|b|sub|sup|sc|span|em|strong|tt|jats:\w+|mml:\w+)\b[^<>]*>", re.IGNORECASE)


def _unmarked(text: str | None) -> str | None:
    return unmarked(text) if text and "<" in text else text


def unmarked(text: str) -> str:
    """A title without the HTML tags that CSL and Crossref allow in it.

    >>> unmarked("On <i>H</i><sub>2</sub>O, a < b")
    'On H2O, a < b'
    """
    return _MARK.sub("", text)


def date_year(date: Any) -> int | None:
    """The year of a CSL date: date-parts, else raw, literal or the text itself.

    >>> date_year({"date-parts": [["2003", 5]]}), date_year({"literal": "Spring 1999"})
    (2003, 1999)
    """
    if not isinstance(date, dict):
        return year_of(date)
    parts = date.get("date-parts")
    while isinstance(parts, list) and parts:
        parts = parts[0]
    return year_of(parts) or year_of(date.get("raw")) or year_of(date.get("literal"))


def _arxiv(item: dict[str, Any], url: str | None) -> str | None:
    """From `number` of a preprint ("arXiv:1234.5678"), the URL, or the DOI arXiv gives."""
    candidates = (item.get("number"), url, item.get("DOI"), item.get("note"))
    marked = (text for text in candidates if isinstance(text, str) and "arxiv" in text.lower())
    return next((found for text in marked if (found := identifiers.arxiv(text))), None)


def _keywords(value: Any) -> list[str]:
    """CSL writes keywords as one string with commas or semicolons."""
    words = re.split(r"[;,]", value) if isinstance(value, str) else value
    return texts_of(words, "keyword")
