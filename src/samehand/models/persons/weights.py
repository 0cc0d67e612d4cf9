"""Weights: one small readable file. `default` ships with samehand; `samehand train` writes others.

A file has a table `[features]` with a weight for each feature (compare.py, ambiguity.py), a table
`[fields.NAME]` with `concentration`, `power` and `floor` for each field of evidence, `[variants]` with what each
kind of variant of a name adds to the score of joining persons of different blocks (variant_keys.py), and `[posterior]`
with the `temperature` at which the scores are log-odds.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from samehand.errors import UsageError
from samehand.models.persons.layout import FEATURES, FIELDS, Floats
from samehand.models.persons.variant_keys import KINDS

_SHAPE = ("concentration", "power", "floor")


@dataclass(frozen=True)
class Weights:
    """What the author model learned, as arrays (layout.py)."""

    features: Floats  # (features,)
    shape: Floats  # (fields, 3)
    variants: Floats  # (kinds of variants,)
    temperature: float = 1.0

    def toml(self) -> str:
        """The weights as the text of a file that `load` reads.

        >>> parse(tomllib.loads(default().toml()), "x").features.tolist() == default().features.tolist()
        True
        """
        lines = ["[posterior]", f"temperature = {self.temperature:.6g}", "", "[features]"]
        lines += [f"{name} = {value:.6g}" for name, value in zip(FEATURES, self.features, strict=True)]
        for field, row in zip(FIELDS, self.shape, strict=True):
            lines += [
                "",
                f"[fields.{field}]",
                *(f"{name} = {value:.6g}" for name, value in zip(_SHAPE, row, strict=True)),
            ]
        lines += ["", "[variants]"]
        lines += [f"{name} = {value:.6g}" for name, value in zip(KINDS, self.variants, strict=True)]
        return "\n".join(lines) + "\n"


@cache
def default() -> Weights:
    """The weights that ship with samehand: one set for all data (docs/authors.md says how they were learned)."""
    return parse(
        tomllib.loads((files("samehand.models.persons") / "default.toml").read_text("utf-8")), "default.toml"
    )


def load(path: str | Path) -> Weights:
    """Weights from a user's file."""
    try:
        return parse(tomllib.loads(Path(path).read_text("utf-8")), str(path))
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}; name a file of weights, as `samehand train` writes it"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not a file of weights in TOML: {error}") from None


def parse(table: dict[str, Any], source: str) -> Weights:
    """The arrays of a table of weights; every one must be given, and nothing else."""
    features = _row(table.get("features"), FEATURES, f"{source}: features")
    fields: Any = table.get("fields")
    _check(fields, FIELDS, f"{source}: fields")
    shape = np.array([_row(fields[name], _SHAPE, f"{source}: fields.{name}") for name in FIELDS])
    variants = _row(table.get("variants"), KINDS, f"{source}: variants")
    (temperature,) = _row(table.get("posterior"), ("temperature",), f"{source}: posterior")
    if temperature <= 0 or (shape[:, 0] <= 0).any():
        raise UsageError(f"{source}: temperature and concentrations must be above 0")
    return Weights(features, shape, variants, float(temperature))


def _row(given: Any, names: tuple[str, ...], where: str) -> Floats:
    _check(given, names, where)
    for name in names:
        if not isinstance(given[name], int | float) or not np.isfinite(given[name]):
            raise UsageError(f"{where}.{name}: {given[name]!r} is no finite number")
    return np.array([float(given[name]) for name in names])


def _check(given: Any, names: tuple[str, ...], where: str) -> None:
    if not isinstance(given, dict):
        raise UsageError(f"{where}: a table is expected")
    missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
    if missing or unknown:
        raise UsageError(
            f"{where}: missing: {', '.join(missing) or 'nothing'}; unknown: {', '.join(unknown) or 'nothing'}"
        )
