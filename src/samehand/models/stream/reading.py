"""Reading raw citations that arrive: a parser that learns once how names, titles and venues look in a library."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from samehand.models.citations.fill import IS_RAW, read_as
from samehand.models.citations.parsing import learn
from samehand.models.citations.parsing.parser import Parser
from samehand.store import Store
from samehand.store.schema import TABLES


def parser_of(store: Store, count: int, texts: Sequence[str] = ()) -> Parser:
    """A parser that has learnt from so many references of a library, from all over it, and from these raw citations."""
    some = _some_references(store, count)
    return learn([*some.filter(IS_RAW)["text"], *texts], some.filter(~IS_RAW))


def read_citations(references: pl.DataFrame, parser: Parser) -> pl.DataFrame:
    """References (schema `records.REFERENCES`) with the fields that the parser finds in raw citations."""
    texts = references.filter(IS_RAW)["text"].to_list()
    return read_as(references, [readings[0] for readings in parser.parses_of(texts)]) if texts else references


def _some_references(store: Store, count: int) -> pl.DataFrame:
    number = store.number('SELECT COALESCE(MAX("position"), -1) + 1 FROM "references"')
    step = max(1, number // count)
    schema = TABLES["references"]
    columns = ", ".join(f'"{name}"' for name in schema)
    places = ", ".join(str(place) for place in range(0, max(1, number), step))
    sql = f'SELECT {columns} FROM "references" WHERE "position" IN ({places})'
    return store.query(schema, sql).drop("position")
