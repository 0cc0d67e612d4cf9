"""Reading citation strings: a parser that learns once, from a part of the library, and then answers in milliseconds."""

from __future__ import annotations

from threading import Lock, Thread

from samehand.errors import SamehandError
from samehand.models.citations.fill import IS_RAW
from samehand.models.citations.parsing.parser import Parser
from samehand.models.stream.reading import parser_of, read_citations
from samehand.records import Reference, references_frame
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
        return Reference(**read_citations(frame, self._learnt()).row(0, named=True))

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
                    self._parser = parser_of(library.store, LEARNT_FROM)
            return self._parser
