"""How many rows there are, counted once for each state of the library: a million rows take a database a while."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from samehand.store import Parameter, Store
from samehand.web.find.state import state

_KNOWN: WeakKeyDictionary[Store, tuple[str, dict[tuple[str, tuple[Parameter, ...]], int]]] = (
    WeakKeyDictionary()
)
"""The state of which things were counted, and their counts."""


def counted(store: Store, sql: str, parameters: Sequence[Parameter] = ()) -> int:
    """The number that a query gives: asked of the database unless it was asked in this state. For few different queries.

    >>> import tempfile
    >>> from samehand.store import open_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     counted(open_store(f"{folder}/my.library"), "SELECT COUNT(*) FROM mentions")
    0
    """
    now = state(store)
    before, counts = _KNOWN.get(store, ("", {}))
    if before != now:
        counts = {}
        _KNOWN[store] = (now, counts)
    question = (sql, tuple(parameters))
    if question not in counts:
        counts[question] = store.number(sql, parameters)
    return counts[question]
