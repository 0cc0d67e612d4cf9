"""What the author model says about mentions, worked out in the background and kept as long as the library stays as it is.

Opening the block of a name can take longer than a page should: a page asks, waits a moment, and if the answer is not
there yet leaves a place for it that the browser fills later (parts of pages, `data-load`). Where the last answer took
longer than that moment, or the present one does, the page does not even ask: the browser does.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from threading import Lock
from typing import TypeVar, cast

from fastapi import Request

from samehand.curate.branches import Branch, author_branches
from samehand.errors import LibraryError
from samehand.library import Library
from samehand.models.persons.backdrop import Backdrop
from samehand.models.persons.explain import explain, last_weights
from samehand.models.persons.explanation import Explanation
from samehand.models.persons.stage import Stage
from samehand.store.meanwhile import State
from samehand.web.find.state import state
from samehand.web.shelf import Shelf, shelf_of

KEPT = 200
MOMENT = 0.1
"""How many seconds a page waits for an answer before it goes out without."""
PATIENCE = 8.0
"""How many seconds the request for the part alone waits before the browser is told to ask again."""

Answer = TypeVar("Answer")


class Evidence:
    """Answers of the author model for one library; one thread works them out."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="samehand-evidence")
        self._began: float | None = None
        self._took = 0.0
        self._behind: tuple[State, Backdrop] | None = None
        self._known: OrderedDict[tuple[str, ...], Future[object]] = OrderedDict()

    def explanation(
        self, library: Library, left: str, right: str, wait: float = MOMENT
    ) -> Explanation | None:
        """Why two are one or not; None if that is not known yet. UsageError if the model cannot tell."""
        return self.ask(
            library,
            ("explain", left, right),
            lambda own: explain(own, left, right, self._backdrop(own)),
            wait,
        )

    def branches(self, library: Library, entity: str, wait: float = MOMENT) -> Branch | None:
        """The tree of an author; None if it is not known yet."""
        return self.ask(
            library, ("branches", entity), lambda own: _tree(own, entity, self._backdrop(own)), wait
        )

    def ask(
        self, library: Library, question: tuple[str, ...], work: Callable[[Library], Answer], wait: float
    ) -> Answer | None:
        key = (state(library.store), *question)
        with self._lock:
            if key not in self._known:
                if wait <= MOMENT < self._usual():
                    return None
                self._known[key] = self._worker.submit(self._work, work)
                while len(self._known) > KEPT:
                    self._known.popitem(last=False)[1].cancel()
            self._known.move_to_end(key)
            future = self._known[key]
        try:
            return cast("Answer", future.result(wait))
        except NotYet:
            return None
        except LibraryError:
            # Somebody was writing, most likely: the next time it may be known.
            with self._lock:
                self._known.pop(key, None)
            raise

    def _backdrop(self, library: Library) -> Backdrop:
        """The library behind every answer, made again when its references have changed; only the worker asks."""
        now = library.state()
        if self._behind is None or self._behind[0] != now:
            self._behind = (now, Backdrop.of(library.references()))
        return self._behind[1]

    def _work(self, work: Callable[[Library], object]) -> object:
        self._began = time.monotonic()
        try:
            with self._shelf.library() as library:
                return work(library)
        finally:
            self._took, self._began = self._usual(), None

    def _usual(self) -> float:
        """How many seconds an answer takes: the one that is being worked out, so far, else the last one."""
        began = self._began
        return self._took if began is None else time.monotonic() - began


def evidence_of(request: Request) -> Evidence:
    """The evidence of the application that answers a request."""
    app = request.app
    if not hasattr(app.state, "evidence"):
        app.state.evidence = Evidence(shelf_of(request))
    found: Evidence = app.state.evidence
    return found


def _tree(library: Library, entity: str, behind: Backdrop) -> Branch:
    mentions = library.entity(entity).mentions["id"].to_list()
    if len(mentions) == 1:
        return Branch(tuple(mentions))
    return author_branches(Stage(library, last_weights(library), mentions, behind), mentions)
