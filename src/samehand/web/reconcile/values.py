"""The values of an entity's properties, from its canonical record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from samehand.errors import UnknownEntityError
from samehand.library import Library
from samehand.records import Kind
from samehand.web.find.entity import whole
from samehand.web.find.paging import Row
from samehand.web.reconcile.types import LINKED, PROPERTIES

Value = dict[str, Any]


def values_of(record: Row, kind: Kind, property: str) -> list[Value]:
    """The values of one property as the protocol has them: text, number, or entity.

    >>> values_of({"authors": ["Ada Lovelace"], "author_entities": ["aada"]}, "paper", "authors")
    [{'id': 'aada', 'name': 'Ada Lovelace'}]
    >>> values_of({"year": 2001}, "paper", "year"), values_of({}, "paper", "year")
    ([{'int': 2001}], [])
    """
    known = PROPERTIES.get(property)
    column = known.fields.get(kind) if known else None
    if column is None or record.get(column) in (None, "", []):
        return []
    values = record[column] if isinstance(record[column], list) else [record[column]]
    ids: list[str | None] = []
    if (kind, property) in LINKED:
        found = record.get(LINKED[kind, property][0]) or []
        ids = found if isinstance(found, list) else [found]
    return [_told(value, id) for value, id in zip_longest(values, ids[: len(values)]) if value is not None]


def _told(value: Any, id: str | None) -> Value:
    if id is not None:
        return {"id": id, "name": str(value)}
    return {"int": value} if isinstance(value, int) else {"str": str(value)}


def texts_of(record: Row, kind: Kind, property: str) -> list[str]:
    """The same as plain texts."""
    return [
        str(value.get("name", value.get("str", value.get("int", ""))))
        for value in values_of(record, kind, property)
    ]


def extended(
    library: Library, ids: Sequence[str], properties: Sequence[str]
) -> dict[str, dict[str, list[Value]]]:
    """For each entity and property its values; an unknown entity has none."""
    found: dict[str, dict[str, list[Value]]] = {}
    for id in dict.fromkeys(ids):
        try:
            entity = whole(library, id)
        except UnknownEntityError:
            found[id] = {name: [] for name in properties}
            continue
        found[id] = {name: values_of(entity.record, entity.kind, name) for name in properties}
    return found
