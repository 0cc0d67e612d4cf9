"""CSL-JSON: the canonical papers as Zotero, pandoc and citeproc read them."""

from __future__ import annotations

from functools import lru_cache
from typing import IO, Any

import orjson
import polars as pl

from samehand.normalise.names import parse_name

TYPES = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "book": "book",
    "proceedings": "book",
    "incollection": "chapter",
    "thesis": "thesis",
    "techreport": "report",
    "preprint": "article",
}
"""CSL's name for each record type; anything else is a "document"."""

_SAME = {
    "title": "title",
    "container-title": "venue",
    "volume": "volume",
    "issue": "number",
    "page": "pages",
    "publisher": "publisher",
    "DOI": "doi",
    "PMID": "pmid",
    "ISBN": "isbn",
    "URL": "url",
}


def write(papers: pl.DataFrame, authors: pl.DataFrame, stream: IO[bytes]) -> None:
    """Write the papers as one CSL-JSON array.

    >>> import io
    >>> from samehand.publish import canonical, example
    >>> tables = example.references(), example.mentions()
    >>> stream = io.BytesIO()
    >>> write(canonical.papers(*tables), canonical.authors(*tables), stream)
    >>> orjson.loads(stream.getvalue())[0]["author"]
    [{'family': 'Lovelace', 'given': 'Ada'}]
    """
    sort_names = dict(authors.select("entity", "sort_name").iter_rows())
    items = [
        item(row, [sort_names[entity] for entity in row["author_entities"]]) for row in papers.to_dicts()
    ]
    stream.write(orjson.dumps(items, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def item(paper: dict[str, Any], authors: list[str]) -> dict[str, Any]:
    """One paper as a CSL item; `authors` are its authors' sort names.

    >>> item({"entity": "p1", "key": "lee", "type": "book", "title": "On Hands", "year": 2001}, [])["issued"]
    {'date-parts': [[2001]]}
    """
    result: dict[str, Any] = {"id": paper["key"], "type": TYPES.get(paper["type"] or "", "document")}
    result |= {name: paper[column] for name, column in _SAME.items() if paper.get(column) is not None}
    people = {"author": authors, "editor": paper.get("editors")}
    result |= {role: [person(name) for name in names] for role, names in people.items() if names}
    if paper.get("year") is not None:
        result["issued"] = {"date-parts": [[paper["year"]]]}
    if paper.get("arxiv") is not None:
        result["note"] = f"arXiv:{paper['arxiv']}"
    return result


@lru_cache(maxsize=100_000)
def person(name: str) -> dict[str, str]:
    """A name as CSL divides it.

    >>> person("van der Berg, Jr, Jan")
    {'family': 'van der Berg', 'given': 'Jan', 'suffix': 'Jr'}
    """
    parts = parse_name(name)
    if parts.literal:
        return {"literal": parts.last}
    given = " ".join(part for part in (parts.first, parts.middle) if part)
    named = {"family": parts.last, "given": given, "suffix": parts.suffix}
    return {part: text for part, text in named.items() if text}
