"""The value types and the schemas of the tables that flow from step to step.

A `Reference` is one bibliographic record as one source wrote it. Readers yield `Reference` and `Reject`
values; `references_frame` and `rejects_frame` turn them into the typed tables every later step uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl
import pyarrow as pa

Kind = Literal["paper", "author", "venue"]
KINDS: tuple[Kind, ...] = ("paper", "author", "venue")

Scope = Literal["reference", "author", "venue", "citation"]
"""Which slots of a record are mentions.

`reference`: its paper, every author, its venue. `author`: only the author at `focus` (a row of a table of
author mentions). `venue`: only its venue (a row of a table of venue mentions). `citation`: a raw citation
string in `text`, whose slots are not known yet: only its paper is a mention.
"""


@dataclass(slots=True)
class Reference:
    """One bibliographic record as one source wrote it, decoded to plain Unicode text.

    Text fields hold text, not markup: LaTeX and XML entities are decoded, white space is single. A name in
    `authors` or `editors` is either "First Last" as written, or "Last, First" / "Last, Suffix, First" where
    the source tells the parts apart; a group in braces, as in "{World Health Organization}" or
    "Jan {van der Berg}", is one unit that no parser may divide. `affiliations` and `orcids` are empty or as
    long as `authors`, with "" where nothing is given.
    """

    source: str
    line: int
    id: str | None = None
    scope: Scope = "reference"
    key: str | None = None
    type: str | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    truncated: bool = False
    focus: int | None = None
    editors: list[str] = field(default_factory=list)
    venue: str | None = None
    year: int | None = None
    volume: str | None = None
    number: str | None = None
    pages: str | None = None
    publisher: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    pmid: str | None = None
    isbn: str | None = None
    url: str | None = None
    affiliations: list[str] = field(default_factory=list)
    orcids: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    crossref: str | None = None
    block: str | None = None
    text: str | None = None
    fields: str | None = None


@dataclass(slots=True)
class Reject:
    """What could not be read, and why: it stands in the rejects table instead of vanishing."""

    source: str
    line: int
    reason: str
    raw: str


TYPES = (
    "article", "inproceedings", "book", "incollection", "proceedings", "thesis", "techreport", "preprint", "misc",
)  # fmt: skip

REFERENCES = pl.Schema(
    {
        "id": pl.String(),  # the input's own identifier, else "source:key" or "source:line"; unique
        "source": pl.String(),  # path as given, or "-" for standard input
        "line": pl.Int64(),  # where the record begins, 1-based; record number where lines mean nothing
        "scope": pl.String(),  # see Scope
        "key": pl.String(),  # citation key
        "type": pl.String(),  # see TYPES
        "title": pl.String(),
        "authors": pl.List(pl.String),
        "truncated": pl.Boolean(),  # the author list ended in "and others" or "et al."
        "focus": pl.Int32(),  # scope author: index into authors of the author this row is about
        "editors": pl.List(pl.String),
        "venue": pl.String(),  # journal, book title, conference, series
        "year": pl.Int32(),
        "volume": pl.String(),
        "number": pl.String(),
        "pages": pl.String(),  # "12-34"
        "publisher": pl.String(),  # publisher, school or institution
        "doi": pl.String(),  # normalised: lower case, no prefix
        "arxiv": pl.String(),  # normalised: no version
        "pmid": pl.String(),
        "isbn": pl.String(),  # 13 digits
        "url": pl.String(),
        "affiliations": pl.List(pl.String),
        "orcids": pl.List(pl.String),
        "keywords": pl.List(pl.String),
        "crossref": pl.String(),  # key of the parent record in the same source
        "block": pl.String(),  # a block given by the input
        "text": pl.String(),  # the raw citation string
        "fields": pl.String(),  # JSON object: the source's own fields, for publishing; of tables, what has no column here
    }
)

REJECTS = pl.Schema({"source": pl.String(), "line": pl.Int64(), "reason": pl.String(), "raw": pl.String()})

MENTIONS = pl.Schema(
    {
        "id": pl.String(),  # see normalise/mentions.py
        "kind": pl.String(),  # paper, author, venue
        "reference": pl.String(),
        "slot": pl.Int32(),  # position of an author in its list, 0-based; 0 for paper and venue
        "name": pl.String(),  # title, author name or venue string, for people to read
    }
)

CLUSTERING = pl.Schema({"mention": pl.String(), "cluster": pl.UInt32(), "probability": pl.Float64()})
"""What a model returns: each mention of one kind once; clusters numbered from 0 in order of first mention."""

ASSIGNMENTS = pl.Schema(
    {
        "id": pl.String(),
        "kind": pl.String(),
        "reference": pl.String(),
        "name": pl.String(),
        "entity": pl.String(),
        "probability": pl.Float64(),
    }
)
"""`mentions.parquet`: one row per mention, with the entity it belongs to."""


def references_frame(references: Sequence[Reference]) -> pl.DataFrame:
    """The references as a table with schema `REFERENCES`; `id` may still be null (see read/identify.py).

    >>> references_frame([Reference("a.bib", 1, title="On Hands")])["title"].to_list()
    ['On Hands']
    """
    return pl.DataFrame(
        {name: _series([getattr(r, name) for r in references], dtype) for name, dtype in REFERENCES.items()}
    )


def _series(values: list[Any], dtype: pl.DataType) -> pl.Series:
    """A column; lists of strings by way of Arrow, because Polars makes a series of each list in Python."""
    if isinstance(dtype, pl.List):
        return pl.Series(pa.array(values, pa.large_list(pa.large_string())))
    return pl.Series(values, dtype=dtype)


def rejects_frame(rejects: Sequence[Reject]) -> pl.DataFrame:
    """The rejects as a table with schema `REJECTS`.

    >>> rejects_frame([Reject("a.bib", 3, "no closing brace", "@article{x,")]).height
    1
    """
    return pl.DataFrame(
        {
            name: pl.Series(name, [getattr(r, name) for r in rejects], dtype=dtype)
            for name, dtype in REJECTS.items()
        }
    )
