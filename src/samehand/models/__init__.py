"""The models, by name. A model is, for each kind of entity it resolves, a function from blocked mentions,
a curator's constraints and the run's seed to a clustering (schema `records.CLUSTERING`). One of papers may have a
further column `work`: papers of one number are versions of one work."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.errors import UsageError
from samehand.infer.run import Run
from samehand.records import Kind

Resolver = Callable[[Blocked, Constraints, Run], pl.DataFrame]

_BASELINE: dict[Kind, str] = {
    "paper": "samehand.models.baseline.papers:resolve",
    "author": "samehand.models.baseline.authors:resolve",
    "venue": "samehand.models.baseline.venues:resolve",
}

DEFAULT = "samehand"
"""The model of `samehand resolve`."""

BASELINE = "baseline"
"""The model that compares what is written, and reads raw citations as they are."""

MODELS: dict[str, dict[Kind, str]] = {
    DEFAULT: {
        "paper": "samehand.models.papers:resolve",
        "author": "samehand.models.persons:resolve",
        "venue": "samehand.models.venues.links:resolve",
    },
    BASELINE: _BASELINE,
    "citations-2003": _BASELINE | {"paper": "samehand.models.citations.published:resolve"},
    "phrases": _BASELINE | {"paper": "samehand.models.citations.phrases:resolve"},
    "pairwise": _BASELINE | {"author": "samehand.models.pairwise:resolve"},
    "trees-2012": _BASELINE | {"author": "samehand.models.trees:resolve_2012"},
    "trees-2013": _BASELINE | {"author": "samehand.models.trees:resolve_2013"},
    "venues-dpv": _BASELINE | {"venue": "samehand.models.venues.published:resolve_dpv"},
    "venues-dpvt": _BASELINE | {"venue": "samehand.models.venues.published:resolve_dpvt"},
    "venues-dpvsw": _BASELINE | {"venue": "samehand.models.venues.published:resolve_dpvsw"},
}
"""Model name -> kind -> where its resolver is. A model of one kind leaves the others to the baseline."""


def resolver(model: str, kind: Kind) -> Resolver:
    """The function that resolves mentions of `kind` in the model called `model`.

    >>> resolver("baseline", "venue").__module__
    'samehand.models.baseline.venues'
    """
    if model not in MODELS:
        raise UsageError(f"no model named {model!r}; there are: {', '.join(sorted(MODELS))}")
    module, function = MODELS[model][kind].split(":")
    return cast(Resolver, getattr(import_module(module), function))
