"""Mentions that came after the last run: whose they are, given what the model said of each and what curators decided.

An arrival belongs, in this order:

1. to the entity of a mention that a curator said is the same;
2. to the likeliest of its candidates that holds no mention a curator said is different;
3. to a new entity of its own.

A candidate may be the new entity of an earlier arrival: it stands for whoever that one turned out to be. The answer
depends on nothing but the candidates and the decisions in force, so that undoing a decision undoes all it did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import orjson
import polars as pl

from samehand.curate.decisions import Closure
from samehand.infer.union import connected

Candidates = Sequence[tuple[str | None, float]]
"""Entities and their probabilities, the likeliest first; None is a new entity."""


@dataclass(frozen=True)
class Arrival:
    """A mention, the identifier of the entity it founds where it belongs to nobody, and its candidates."""

    mention: str
    own: str
    candidates: Candidates
    asked: bool = False


@dataclass(frozen=True)
class Placed:
    """Where a mention belongs, how probable that is, and whether a curator said so."""

    entity: str
    probability: float
    decided: bool = False


def concerning(decisions: pl.DataFrame, mentions: Collection[str]) -> pl.DataFrame:
    """The decisions that say something about these mentions, directly or through others.

    >>> ledger = pl.DataFrame({"left": ["a", "b", "x"], "right": ["b", "c", "y"]})
    >>> concerning(ledger, ["a"]).rows()
    [('a', 'b'), ('b', 'c')]
    """
    if decisions.is_empty():
        return decisions
    named = pl.Series(sorted(mentions), dtype=pl.String)
    while True:
        wanted = named.implode()
        found = decisions.filter(pl.col("left").is_in(wanted) | pl.col("right").is_in(wanted))
        more = pl.concat([named, found["left"], found["right"]]).unique()
        if more.len() == named.len():
            return found
        named = more


class Settlement:
    """Where mentions belong: those of the last run (`before`: their entities), and arrivals one after the other.

    Entities that curators have joined since the last run are one here: the largest stands for all.

    >>> none = Closure(pl.DataFrame(schema={"id": pl.Int64, "judgement": pl.String, "left": pl.String,
    ...     "right": pl.String, "undone_at": pl.String}))
    >>> state = Settlement({"x": "ada"}, none)
    >>> state.place(Arrival("m", "new1", [(None, 0.6), ("ada", 0.4)])).entity
    'new1'
    >>> state.place(Arrival("n", "new2", [("new1", 0.9), (None, 0.1)])).entity
    'new1'
    """

    def __init__(self, before: Mapping[str, str], closure: Closure) -> None:
        alias = aliases(before, closure)
        self.entities = {mention: alias.get(entity, entity) for mention, entity in before.items()}
        self.whose = alias
        self._word = _Word(closure)

    def place(self, arrival: Arrival) -> Placed:
        """Where the next arrival belongs; it is remembered."""
        same = [other for other in self._word.same(arrival.mention) if other in self.entities]
        found = Placed(self.entities[same[0]], 1.0, decided=True) if same else self._likeliest(arrival)
        self.entities[arrival.mention] = self.whose[arrival.own] = found.entity
        return found

    def opposed(self, mention: str) -> set[str]:
        """The entities with a mention that a curator said is different from this one."""
        return {self.entities[other] for other in self._word.different(mention) if other in self.entities}

    def _likeliest(self, arrival: Arrival) -> Placed:
        left = open_candidates(arrival, self.whose, self.opposed(arrival.mention))
        entity, probability = left[0]
        return Placed(entity or arrival.own, probability)


class _Word:
    """What curators said of a mention, directly or through others."""

    def __init__(self, closure: Closure) -> None:
        self._closure = closure
        self._members = closure.groups()
        self._opposed: dict[str, list[str]] = {}
        for left, right in closure.apart():
            self._opposed.setdefault(left, []).append(right)
            self._opposed.setdefault(right, []).append(left)

    def same(self, mention: str) -> list[str]:
        return self._members.get(self._closure.group(mention), [])

    def different(self, mention: str) -> list[str]:
        groups = self._opposed.get(self._closure.group(mention), [])
        return [member for group in groups for member in self._members.get(group, [group])]


def open_candidates(
    arrival: Arrival, whose: Mapping[str, str], banned: Collection[str]
) -> list[tuple[str | None, float]]:
    """The candidates that nobody has excluded, with their probabilities made to add up to 1.

    `whose` says who the new entities of earlier arrivals turned out to be. There is always at least the new entity.

    >>> open_candidates(Arrival("m", "new1", [("ada", 0.75), (None, 0.25)]), {}, ["ada"])
    [(None, 1.0)]
    """
    shares: dict[str | None, float] = {}
    for entity, probability in arrival.candidates:
        known = whose.get(entity, entity) if entity else None
        if known not in banned:
            shares[known] = shares.get(known, 0.0) + probability
    total = sum(shares.values())
    if total <= 0.0:
        return [(None, 1.0)]
    return sorted(((entity, share / total) for entity, share in shares.items()), key=lambda pair: -pair[1])


def encode_candidates(candidates: Candidates) -> str:
    """Candidates as JSON.

    >>> decode_candidates(encode_candidates([("ada", 0.75), (None, 0.25)]))
    [('ada', 0.75), (None, 0.25)]
    """
    return orjson.dumps(candidates).decode()


def decode_candidates(text: str) -> list[tuple[str | None, float]]:
    """The inverse of `encode_candidates`."""
    return [(entity, probability) for entity, probability in orjson.loads(text)]


def aliases(before: Mapping[str, str], closure: Closure) -> dict[str, str]:
    """Entities that curators have joined since the last run -> the one that stands for them, the largest.

    >>> ledger = pl.DataFrame({"id": [1], "judgement": ["same"], "left": ["x"], "right": ["y"], "undone_at": [None]})
    >>> aliases({"x": "ada", "y": "bob", "z": "bob"}, Closure(ledger))
    {'ada': 'bob'}
    """
    groups = [
        [before[mention] for mention in group if mention in before] for group in closure.groups().values()
    ]
    joined = [list(dict.fromkeys(group)) for group in groups if len(set(group)) > 1]
    if not joined:
        return {}
    entities = list(dict.fromkeys(entity for group in joined for entity in group))
    place = {entity: number for number, entity in enumerate(entities)}
    pairs = [(place[group[0]], place[other]) for group in joined for other in group[1:]]
    labels = connected(len(entities), pairs)
    sizes = _sizes(before.values())
    found: dict[str, str] = {}
    for label in set(labels.tolist()):
        members = [entity for entity in entities if labels[place[entity]] == label]
        largest = max(members, key=lambda entity: sizes[entity])
        found |= {entity: largest for entity in members if entity != largest}
    return found


def _sizes(entities: Iterable[str]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for entity in entities:
        sizes[entity] = sizes.get(entity, 0) + 1
    return sizes
