"""Raw citations become references: title, authors, venue and the rest as the most probable reading has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from samehand.models.citations.parsing import Parse, learn
from samehand.models.citations.parsing.parse import PublicationType
from samehand.records import REFERENCES

TYPES: dict[PublicationType, str] = {
    "article": "article", "conference": "inproceedings", "book": "book", "thesis": "thesis", "report": "techreport",
    "other": "misc",
}  # fmt: skip
"""The publication types of parses under the names of `records.TYPES`."""


IS_RAW = (pl.col("scope") == "citation") & pl.col("text").is_not_null() & pl.col("title").is_null()
"""References that are raw citations, not read yet."""


def fill(references: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """References (schema `records.REFERENCES`) with the fields of raw citations filled in from their text.

    A raw citation (`IS_RAW`) is one of scope `citation` with a text and no title; its text stays, and as its slots are
    known now, its scope becomes `reference`. All others are untouched, and teach the parser.

    >>> from samehand.records import Reference, references_frame
    >>> raw = Reference("a.txt", 1, id="a.txt:1", scope="citation", text="J. Lee. On hands. Nature, 12:3-9, 1991.")
    >>> fill(references_frame([raw])).select("title", "authors", "venue", "year").row(0)
    ('On hands', ['J. Lee'], 'Nature', 1991)
    """
    texts = references.filter(IS_RAW)["text"].to_list()
    if not texts:
        return references
    parser = learn(texts, references.filter(~IS_RAW), seed)
    return read_as(references, [readings[0] for readings in parser.parses_of(texts)])


def read_as(references: pl.DataFrame, parses: Sequence[Parse]) -> pl.DataFrame:
    """The references with each raw citation read as its parse, in order."""
    table = references.with_row_index("row")
    read = _columns(table.filter(IS_RAW)["row"], parses)
    return table.update(read, on="row", how="left").drop("row").select(REFERENCES.names())


def _columns(rows: pl.Series, parses: Sequence[Parse]) -> pl.DataFrame:
    """What parses say, as columns of references; null where they say nothing."""
    values: dict[str, list[Any]] = {
        "scope": ["reference" if parse.title or parse.authors else None for parse in parses],
        "title": [parse.title or None for parse in parses],
        "authors": [list(parse.authors) for parse in parses],
        "venue": [parse.venue or None for parse in parses],
        "year": [parse.year for parse in parses],
        "volume": [parse.volume or None for parse in parses],
        "pages": [parse.pages or None for parse in parses],
        "publisher": [parse.publisher or None for parse in parses],
        "type": [TYPES[parse.type] for parse in parses],
    }
    columns = [pl.Series(name, value, dtype=REFERENCES[name]) for name, value in values.items()]
    return pl.DataFrame([rows, *columns])
