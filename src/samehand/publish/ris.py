"""RIS: the canonical papers as EndNote, Mendeley and others read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import polars as pl

TYPES = {
    "article": "JOUR",
    "inproceedings": "CONF",
    "book": "BOOK",
    "proceedings": "BOOK",
    "incollection": "CHAP",
    "thesis": "THES",
    "techreport": "RPRT",
    "preprint": "UNPB",
}
"""RIS's name for each record type; anything else is "GEN"."""


def write(papers: pl.DataFrame, authors: pl.DataFrame, stream: IO[bytes]) -> None:
    """Write the papers as RIS in UTF-8.

    >>> import io
    >>> from samehand.publish import canonical, example
    >>> tables = example.references(), example.mentions()
    >>> stream = io.BytesIO()
    >>> write(canonical.papers(*tables), canonical.authors(*tables), stream)
    >>> stream.getvalue().decode().splitlines()[:3]
    ['TY  - JOUR', 'ID  - lovelace', 'TI  - On Hands']
    """
    sort_names = dict(authors.select("entity", "sort_name").iter_rows())
    for row in papers.iter_rows(named=True):
        names = [sort_names[entity] for entity in row["author_entities"]]
        lines = [f"{tag}  - {' '.join(str(value).split())}" for tag, value in tags(row, names)]
        stream.write("\n".join([*lines, "ER  - ", "", ""]).encode())


def tags(paper: dict[str, Any], authors: list[str]) -> Iterator[tuple[str, Any]]:
    """The tags of one paper in order; `authors` are its authors' sort names."""
    yield "TY", TYPES.get(paper["type"] or "", "GEN")
    first_page, _, last_page = (paper["pages"] or "").partition("-")
    venue_tag = "JF" if paper["type"] == "article" else "T2"
    single = [
        ("ID", paper["key"]),
        ("TI", paper["title"]),
        *(("AU", _person(name)) for name in authors),
        *(("ED", _person(name)) for name in paper["editors"]),
        ("PY", paper["year"]),
        (venue_tag, paper["venue"]),
        ("VL", paper["volume"]),
        ("IS", paper["number"]),
        ("SP", first_page),
        ("EP", last_page),
        ("PB", paper["publisher"]),
        ("SN", paper["isbn"]),
        ("DO", paper["doi"]),
        ("AN", paper["arxiv"] and f"arXiv:{paper['arxiv']}"),
        ("N1", paper["pmid"] and f"PMID: {paper['pmid']}"),
        ("UR", paper["url"]),
    ]
    yield from ((tag, value) for tag, value in single if value)


def _person(name: str) -> str:
    """RIS closes the name of a body with a comma, and writes "Last, First, Suffix"."""
    if name.startswith("{") and name.endswith("}"):
        return name[1:-1] + ","
    parts = name.split(", ")
    return f"{parts[0]}, {parts[2]}, {parts[1]}" if len(parts) == 3 else name
