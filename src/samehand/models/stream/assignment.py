"""What a library says of a new mention: the entities it may belong to, likeliest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from samehand.models.stream.persons import Distribution
from samehand.records import Kind

MOST_CANDIDATES = 10
LEAST_PROBABILITY = 0.001
"""Candidates beyond these are not named: together they are hardly possible."""


@dataclass(frozen=True)
class Candidate:
    """An entity of the library, or a new one (None); the probability is None where the model gives none."""

    entity: str | None
    name: str | None
    probability: float | None


@dataclass(frozen=True)
class Assignment:
    """A mention of a new reference and whose it may be.

    `entity` is where it was put if it was kept (a new entity has an identifier then), else the likeliest candidate;
    `asked` says that it is uncertain enough to be a question; `known` that the library had the reference already.
    """

    mention: str
    kind: Kind
    name: str
    reference: str
    entity: str | None
    candidates: tuple[Candidate, ...]
    asked: bool = False
    known: bool = False

    @property
    def probability(self) -> float | None:
        """The probability of the likeliest candidate."""
        return self.candidates[0].probability

    @property
    def margin(self) -> float:
        """By what factor, as a logarithm, the likeliest candidate is likelier than the second."""
        shares = [candidate.probability for candidate in self.candidates[:2]]
        if len(shares) < 2 or shares[0] is None or not shares[1]:
            return math.inf
        return math.log(shares[0]) - math.log(shares[1])

    def to_dict(self) -> dict[str, Any]:
        """The assignment as plain values, for JSON.

        >>> found = Assignment("x/author/1", "author", "Ann Lee", "x", None, (Candidate(None, None, 1.0),))
        >>> found.to_dict()["candidates"]
        [{'entity': None, 'name': None, 'probability': 1.0}]
        """
        plain = {name: getattr(self, name) for name in ("mention", "kind", "name", "reference", "entity")}
        candidates = [
            {"entity": one.entity, "name": one.name, "probability": one.probability}
            for one in self.candidates
        ]
        return plain | {
            "probability": self.probability,
            "asked": self.asked,
            "known": self.known,
            "candidates": candidates,
        }


def shortened(found: Distribution[str]) -> list[tuple[str | None, float]]:
    """The likeliest persons, and the new one in any case.

    >>> import numpy as np
    >>> shortened(Distribution(("ada", "bob", None), np.array([0.9995, 0.0004, 0.0001])))
    [('ada', 0.9995), (None, 0.0001)]
    """
    pairs: Sequence[tuple[str | None, float]] = list(
        zip(found.persons, found.probabilities.tolist(), strict=True)
    )
    kept = [
        (person, share)
        for place, (person, share) in enumerate(pairs)
        if person is None or (place < MOST_CANDIDATES and share >= LEAST_PROBABILITY)
    ]
    return kept
