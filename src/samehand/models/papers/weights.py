"""Weights: one small readable file, `default.toml`.

Two tables, `[work]` and `[version]`, have a weight for each feature that speaks at that level (evidence.py), and
`[links]` has `unlike`, the log-odds of a pair that was not worth comparing, and `temperature`, at which the summed
log-odds of a partition are its log-probability.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from samehand.block.canopies import Floats
from samehand.errors import UsageError
from samehand.models.papers.evidence import FEATURES, VERSION_FEATURES, WORK_FEATURES

UNLIKE, TEMPERATURE = -8.0, 2.0


@dataclass(frozen=True)
class Weights:
    """What was learned: a weight for each feature at the level of works, and of versions of one work."""

    work: Floats
    version: Floats
    unlike: float = UNLIKE
    temperature: float = TEMPERATURE

    def toml(self) -> str:
        """The weights as the text of a file.

        >>> parse(tomllib.loads(default().toml()), "x").work.tolist() == default().work.tolist()
        True
        """
        links = {"unlike": self.unlike, "temperature": self.temperature}
        lines = ["[links]", *(f"{name} = {value:.6g}" for name, value in links.items())]
        for level, names, weights in (
            ("work", WORK_FEATURES, self.work),
            ("version", VERSION_FEATURES, self.version),
        ):
            table = dict(zip(FEATURES, weights, strict=True))
            lines += ["", f"[{level}]", *(f"{name} = {table[name]:.6g}" for name in names)]
        return "\n".join(lines) + "\n"


@cache
def default() -> Weights:
    """The weights that ship with samehand (docs/papers.md says how they were learned)."""
    text = (files("samehand.models.papers") / "default.toml").read_text("utf-8")
    return parse(tomllib.loads(text), "default.toml")


def parse(table: dict[str, Any], source: str) -> Weights:
    """The weights of a table; every one must be given, and nothing else.

    >>> parse({"links": {}}, "mine.toml")
    Traceback (most recent call last):
    samehand.errors.UsageError: mine.toml: links: missing: temperature, unlike; unknown: nothing
    """
    links = _numbers(table.get("links"), ("unlike", "temperature"), f"{source}: links")
    if links["temperature"] <= 0:
        raise UsageError(f"{source}: links.temperature must be above 0")
    work = _numbers(table.get("work"), WORK_FEATURES, f"{source}: work")
    version = _numbers(table.get("version"), VERSION_FEATURES, f"{source}: version")
    return Weights(_row(work), _row(version), links["unlike"], links["temperature"])


def _row(given: dict[str, float]) -> Floats:
    return np.array([given.get(name, 0.0) for name in FEATURES])


def _numbers(given: Any, names: tuple[str, ...], where: str) -> dict[str, float]:
    if not isinstance(given, dict):
        raise UsageError(f"{where}: a table is expected")
    missing, unknown = sorted(set(names) - set(given)), sorted(set(given) - set(names))
    if missing or unknown:
        raise UsageError(
            f"{where}: missing: {', '.join(missing) or 'nothing'}; unknown: {', '.join(unknown) or 'nothing'}"
        )
    for name in names:
        if not isinstance(given[name], int | float) or not np.isfinite(given[name]):
            raise UsageError(f"{where}.{name}: {given[name]!r} is no finite number")
    return {name: float(given[name]) for name in names}
