"""Reading citation strings: a parser that learns once, from a part of the library, and then answers in milliseconds."""

from __future__ import annotations

from threading import Lock, Thread

import polars as pl

from samehand.errors import SamehandError
from samehand.models.citations.fill import IS_RAW, read_as
from samehand.models.citations.parsing import learn
from samehand.models.citations.parsing.parser import Parser
from samehand.records import Reference, references_frame
from samehand.store import Store
from samehand.store.schema import TABLES
from samehand.web.shelf import Shelf

LEARNT_FROM = 1_000
"""So many references of the library teach the parser how names, titles and venues look here."""


class Citations:
    """Citation strings to references. Learning takes seconds: it begins when the server starts."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = Lock()
        self._parser: Parser | None = None

    def start(self) -> None:
        """Begin to learn, in the background."""
        Thread(target=self._learn_early, name="samehand-citations", daemon=True).start()

    def read(self, citation: Reference) -> Reference:
        """A raw citation with the fields that the likeliest reading finds in it."""
        frame = references_frame([citation])
        if frame.filter(IS_RAW).is_empty():
            return citation
        readings = self._learnt().parses_of([citation.text or ""])
        return Reference(**read_as(frame, [readings[0][0]]).row(0, named=True))

    def _learn_early(self) -> None:
        try:
            self._learnt()
        except SamehandError:
            # The library is closed already, or busy: the first citation learns.
            return

    def _learnt(self) -> Parser:
        with self._lock:
            if self._parser is None:
                with self._shelf.library() as library:
                    some = _some_references(library.store)
                self._parser = learn(some.filter(IS_RAW)["text"].to_list(), some.filter(~IS_RAW))
            return self._parser


def _some_references(store: Store) -> pl.DataFrame:
    """References from all over the library."""
    count = store.number('SELECT COALESCE(MAX("position"), 0) + 1 FROM "references"')
    step = max(1, count // LEARNT_FROM)
    schema = TABLES["references"]
    columns = ", ".join(f'"{name}"' for name in schema)
    places = ", ".join(str(place) for place in range(0, count, step))
    sql = f'SELECT {columns} FROM "references" WHERE "position" IN ({places})'
    return store.query(schema, sql).drop("position")
