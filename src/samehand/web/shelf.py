"""Open libraries for the threads that answer requests: each has one to itself while it works.

Nothing here waits for another request to give its library back (a request that holds one may itself be waiting for a
thread): if none is free, one more is opened, and only so many are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.concurrency import run_in_threadpool

from samehand.errors import UsageError
from samehand.library import Library

KEPT = 16
"""So many stay open: to open one takes as long as to answer several requests."""

WAIT = 5.0
"""How many seconds a writer waits for another before the client is told to try again."""


class Turns:
    """A lock that is had in the order in which it was asked for: of many requests none waits far longer than the others.

    >>> turns = Turns()
    >>> with turns:
    ...     print("mine")
    mine
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[Lock] = deque()
        self._is_taken = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            mine = Lock()
            mine.acquire()
            self._waiting.append(mine)
        # Whoever had it before gives it back by releasing this one.
        mine.acquire()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_taken = False


class Shelf:
    """The library at a location, opened as often as there are requests at one time.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shelf = Shelf(f"{folder}/my.library")
    ...     with shelf.library() as library, shelf.library() as another:
    ...         library is another
    ...     shelf.close()
    False
    """

    def __init__(self, location: str, *, create: bool = True) -> None:
        self.location = location
        self._lock = Lock()
        self._resolving = Turns()
        self._resolver: Library | None = None
        self._free = [Library(location, create=create, wait=WAIT)]
        self.shown = self._free[0].store.location
        self._closed = False

    @contextmanager
    def library(self) -> Iterator[Library]:
        """A library that nobody else uses meanwhile."""
        with self.lent(self.free() or self.opened()) as library:
            yield library

    @contextmanager
    def lent(self, library: Library) -> Iterator[Library]:
        """Use a library, and give it back."""
        sound = False
        try:
            yield library
            sound = True
        except (UsageError, HTTPException):
            sound = True
            raise
        finally:
            # After any other error it may be the connection that is broken: the next request gets a new one.
            if sound:
                self._give_back(library)
            else:
                library.close()

    @contextmanager
    def resolver(self) -> Iterator[Library]:
        """The one library that assigns new records: what it has learnt of their neighbours stays in memory."""
        with self._resolving:
            if self._resolver is None:
                self._resolver = Library(self.location, create=False, wait=WAIT)
            yield self._resolver

    def close(self) -> None:
        """Close every library that is not in use; those in use are closed when given back."""
        with self._lock:
            self._closed = True
            closing, self._free = self._free, []
        if self._resolver is not None:
            closing.append(self._resolver)
        for library in closing:
            library.close()

    def free(self) -> Library | None:
        """A library that is open already, if there is one."""
        with self._lock:
            return self._free.pop() if self._free else None

    def opened(self) -> Library:
        """One more library."""
        return Library(self.location, create=False, wait=WAIT)

    def _give_back(self, library: Library) -> None:
        with self._lock:
            if len(self._free) < KEPT and not self._closed:
                self._free.append(library)
                return
        library.close()


def shelf_of(request: Request) -> Shelf:
    """The shelf of the application that answers a request."""
    shelf: Shelf = request.app.state.shelf
    return shelf


async def _library_for(request: Request) -> AsyncIterator[Library]:
    """A library for one request. Taking one that is free, the usual case, needs no thread and no waiting."""
    shelf = shelf_of(request)
    library = shelf.free()
    if library is None:
        library = await run_in_threadpool(shelf.opened)
    with shelf.lent(library):
        yield library


Opened = Annotated[Library, Depends(_library_for)]
"""The type of a handler's argument that takes a library for the time of one request."""
