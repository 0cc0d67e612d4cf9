"""What tells one state of a library from another: as long as it stays, every answer stays the same."""

from __future__ import annotations

from samehand.models.stream.index import ARRIVED
from samehand.store import Store

FOUND = "found"
"""In the table `meta`: the state that the tables of find/build.py were made of."""

_COUNTED = {
    "run": 'SELECT COALESCE(MAX("id"), 0) FROM runs',
    "arrived": f'SELECT COALESCE(MAX(CAST("value" AS BIGINT)), -1) FROM meta WHERE "key" = \'{ARRIVED}\'',
    "decisions": 'SELECT 2 * COUNT(*) + COUNT("undone_at") FROM decisions',
    "acts": 'SELECT 2 * COUNT(*) + COUNT("undone_at") FROM acts',
    "choices": "SELECT COUNT(*) FROM choices",
    "sources": "SELECT COALESCE(MAX(\"added\"), '') FROM sources",
}
_STATE = "SELECT " + ", ".join(f'({sql}) AS "{name}"' for name, sql in _COUNTED.items())


def state(store: Store) -> str:
    """The last run, what arrived since, decisions and acts made and undone, choices, sources: as one short text."""
    return "-".join(str(number) for number in store.first(_STATE) or ())


def found_state(store: Store) -> str:
    """The state of which the lists of entities were made; "" before the first time."""
    row = store.first('SELECT "value" FROM meta WHERE "key" = $1', (FOUND,))
    return str(row[0]) if row else ""
