"""Factor sets: small readable files of weights. Two are the papers'; a user can supply his own.

A file has tables `[structure]`, `[search]` and one `[fields.NAME]` for each bag (fields.py lists the names); the
weights are those of factors.py. What is not named is 0.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from samehand.errors import UsageError
from samehand.models.trees import layout as at
from samehand.models.trees import schedule as cooling
from samehand.models.trees.fields import FIELDS
from samehand.models.trees.layout import Floats

_FIELD_WEIGHTS = {
    "cosine": at.COSINE,
    "shift": at.SHIFT,
    "logged": at.LOGGED,
    "inclusive": at.INCLUSIVE,
    "entropy": at.ENTROPY,
    "complexity": at.COMPLEXITY,
    "names": at.NAMES,
}
_STRUCTURE = {
    "entity": at.ENTITY,
    "subentity": at.SUBENTITY,
    "branching": at.BRANCHING,
    "ideal_children": at.IDEAL_CHILDREN,
    "different": at.DIFFERENT,
    "equal": at.EQUAL,
    "initials": at.INITIALS,
    "most_children": at.MOST_CHILDREN,
    "most_depth": at.MOST_DEPTH,
}
_SEARCH = {
    "alike": cooling.ALIKE,
    "hot": cooling.HOT,
    "cold": cooling.COLD,
    "cooling": cooling.COOLING,
    "most_sweeps": cooling.MOST_SWEEPS,
    "patience": cooling.PATIENCE,
}


@dataclass(frozen=True)
class Settings:
    """A factor set and how it is searched, as arrays (layout.py, schedule.py)."""

    fields: tuple[str, ...]
    weights: Floats
    structure: Floats
    schedule: Floats


def published(name: str) -> Settings:
    """One of the papers' factor sets.

    >>> published("trees-2013").fields[:2]
    ('topics', 'coauthors')
    """
    text = (files("samehand.models.trees") / f"{name}.toml").read_text("utf-8")
    return parse(tomllib.loads(text), name)


def load(path: str | Path) -> Settings:
    """A user's own factor set."""
    try:
        return parse(tomllib.loads(Path(path).read_text("utf-8")), str(path))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; name a file of weights") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a file of weights in TOML: {error}") from None


def parse(table: dict[str, Any], source: str) -> Settings:
    """The arrays of a factor set; a name that means nothing is an error that lists those that do."""
    given = table.get("fields", {})
    _check(given, FIELDS, f"{source}: fields")
    weights = np.array([_row(given[name], _FIELD_WEIGHTS, f"{source}: fields.{name}") for name in given])
    structure = _row(table.get("structure", {}), _STRUCTURE, f"{source}: structure")
    schedule = _row(table.get("search", {}), _SEARCH, f"{source}: search")
    for name, value, least in (
        ("most_children", structure[at.MOST_CHILDREN], 2.0),
        ("most_depth", structure[at.MOST_DEPTH], 1.0),
        ("hot", schedule[cooling.HOT], 1e-6),
        ("cold", schedule[cooling.COLD], 1e-6),
    ):
        if value < least:
            raise UsageError(f"{source}: {name} is {value:g}; it must be at least {least:g}")
    return Settings(tuple(given), weights.reshape(len(given), at.FIELD_WEIGHTS), structure, schedule)


def _row(given: dict[str, Any], columns: dict[str, int], where: str) -> Floats:
    _check(given, columns, where)
    row = np.zeros(len(columns))
    for name, value in given.items():
        if not isinstance(value, int | float):
            raise UsageError(f"{where}.{name}: {value!r} is no number")
        row[columns[name]] = float(value)
    return row


def _check(given: Any, known: Any, where: str) -> None:
    if not isinstance(given, dict):
        raise UsageError(f"{where}: a table is expected")
    unknown = [name for name in given if name not in known]
    if unknown:
        raise UsageError(f"{where}: nothing is called {', '.join(unknown)}; there are: {', '.join(known)}")
