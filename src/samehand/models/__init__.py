"""The models, by name. A model is, for each kind of entity it resolves, a function from blocked mentions and
a curator's constraints to a clustering (schema `records.CLUSTERING`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.errors import UsageError
from samehand.records import Kind

Resolver = Callable[[Blocked, Constraints], pl.DataFrame]

MODELS: dict[str, dict[Kind, str]] = {
    "baseline": {
        "paper": "samehand.models.baseline.papers",
        "author": "samehand.models.baseline.authors",
        "venue": "samehand.models.baseline.venues",
    },
}


def resolver(model: str, kind: Kind) -> Resolver:
    """The function that resolves mentions of `kind` in the model called `model`.

    >>> resolver("baseline", "venue").__module__
    'samehand.models.baseline.venues'
    """
    if model not in MODELS:
        raise UsageError(f"no model named {model!r}; there are: {', '.join(sorted(MODELS))}")
    if kind not in MODELS[model]:
        raise UsageError(f"the model {model!r} does not resolve {kind}s")
    return cast(Resolver, import_module(MODELS[model][kind]).resolve)
