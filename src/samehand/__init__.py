"""samehand decides which mentions in bibliographic records are in the same hand.

Which citations are one paper, which author names one person, which venue strings one venue:

    records = samehand.read("references.bib")          what the files say, and what could not be read
    result = samehand.resolve(records)                 papers, authors, venues as Polars tables
    library = samehand.Library("my.library")           a place where all of it is kept, with decisions
    scores = samehand.evaluate(result.mentions, truth) how good it is, with intervals

Names are imported when they are first used, so that importing samehand costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samehand.errors import SamehandError as SamehandError
    from samehand.evaluate import Evaluation as Evaluation
    from samehand.evaluate import evaluate as evaluate
    from samehand.library import Library as Library
    from samehand.models.persons.explain import explain as explain
    from samehand.models.persons.train import train as train
    from samehand.pipeline import Resolution as Resolution
    from samehand.pipeline import resolve as resolve
    from samehand.publish.exports import export as export
    from samehand.publish.exports import write_outputs as write_outputs
    from samehand.read import Records as Records
    from samehand.read import read as read
    from samehand.read import read_batches as read_batches

__version__ = "0.1.0"

_HOMES = {
    "Evaluation": "samehand.evaluate",
    "Library": "samehand.library",
    "Records": "samehand.read",
    "Resolution": "samehand.pipeline",
    "SamehandError": "samehand.errors",
    "evaluate": "samehand.evaluate",
    "explain": "samehand.models.persons.explain",
    "export": "samehand.publish.exports",
    "read": "samehand.read",
    "read_batches": "samehand.read",
    "resolve": "samehand.pipeline",
    "train": "samehand.models.persons.train",
    "write_outputs": "samehand.publish.exports",
}

__all__ = [
    "Evaluation",
    "Library",
    "Records",
    "Resolution",
    "SamehandError",
    "__version__",
    "evaluate",
    "explain",
    "export",
    "read",
    "read_batches",
    "resolve",
    "train",
    "write_outputs",
]


class _Package(ModuleType):
    """Keeps `samehand.read` and `samehand.evaluate` functions, though folders have the same names.

    Importing a submodule sets it as an attribute of its package; for the public names that is ignored.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'samehand' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    setattr(sys.modules[__name__], name, value)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
