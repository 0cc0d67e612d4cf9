"""How sure each field of a citation is: the probability of its value, over all readings that have it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from samehand.models.citations.parsing.parse import Parse

FIELDS = ("title", "authors", "venue", "year", "volume", "pages", "publisher", "type")

Value = str | int | tuple[str, ...] | None


class Field(NamedTuple):
    """The most probable value of a field, and its probability."""

    value: Value
    probability: float


def marginals(parses: Sequence[Parse]) -> dict[str, Field]:
    """For each field, its most probable value: sum the probabilities of the readings that agree on it.

    >>> one = Parse(math.log(0.6), "On hands", (), "Nature", 1991, "", "", "", "article", ())
    >>> two = Parse(math.log(0.4), "On hands", (), "Science", 1991, "", "", "", "article", ())
    >>> found = marginals([one, two])
    >>> found["title"].value, round(found["title"].probability, 3), round(found["venue"].probability, 3)
    ('On hands', 1.0, 0.6)
    """
    return {name: _most_probable(name, parses) for name in FIELDS}


def _most_probable(name: str, parses: Sequence[Parse]) -> Field:
    shares: dict[Value, float] = {}
    for parse in parses:
        value = getattr(parse, name)
        shares[value] = shares.get(value, 0.0) + math.exp(parse.log_probability)
    value = max(shares, key=lambda key: shares[key])
    return Field(value, min(shares[value], 1.0))
