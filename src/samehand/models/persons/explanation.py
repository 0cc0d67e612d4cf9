"""An explanation: what speaks for and against two sides being one person, as plain values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from samehand.models.persons.factors import Factor


@dataclass(frozen=True)
class Side:
    """What is compared: mentions, and their names as written, the commonest first.

    >>> Side(["x/author/1", "y/author/1"], ["Ann Lee", "A. Lee"]).title
    'Ann Lee (2 mentions)'
    """

    mentions: list[str]
    names: list[str]

    @property
    def title(self) -> str:
        """Its commonest name, and how many mentions there are."""
        more = f" ({len(self.mentions):,} mentions)" if len(self.mentions) > 1 else ""
        return self.names[0] + more


@dataclass(frozen=True)
class Word:
    """A word that both sides have, with what it adds to the score."""

    word: str
    worth: float


@dataclass(frozen=True)
class Bar:
    """Features that belong together, as one bar of the waterfall: what they add up to, and what they are about."""

    label: str
    contribution: float
    detail: str
    factors: list[Factor]
    words: list[Word]


@dataclass(frozen=True)
class Explanation:
    """The prior and the bars, the heaviest first, add up to the score of joining both sides.

    `entity` is the person who holds both in the library, if there is one; `decided` a curator's "same" or "different" on
    mentions of both; the probability is 1 / (1 + exp(-score / temperature)). If not `compared`, the two stand in
    different blocks and their names are no variants of one name: the model never asks whether they are one.
    """

    left: Side
    right: Side
    entity: str | None
    score: float
    temperature: float
    probability: float
    compared: bool
    decided: str | None
    remarks: list[str]
    prior: Bar
    bars: list[Bar]

    @property
    def factors(self) -> list[Factor]:
        """All features, those of the prior last."""
        return [factor for bar in (*self.bars, self.prior) for factor in bar.factors]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain values, for JSON."""
        return asdict(self)
