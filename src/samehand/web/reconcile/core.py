"""Reconciliation: from a name and some evidence to the entities it may mean, with the model's probabilities.

Both versions of the protocol (protocol_0_2.py, protocol_1_0.py) turn their queries into `Query` and these `Candidate`s
into their answers. A score is a probability times 100:

- Person: the stream model's distribution over the persons of that name, given the evidence (persons.py).
- Paper: the paper model's log-odds between the query and the candidates' references; candidates exclude one another, and
  so does "none of them" (papers.py).
- Venue: the venue model's probability that the string belongs to the venue (venues.py).

What only shares words with the name, and is not weighed by the model, comes after, with a share of what probability is
left that is never more than half of it. `match` says that the model is sure: SURE or more, and no second within reach.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from rapidfuzz import fuzz

from samehand.errors import UnknownEntityError
from samehand.library import Library
from samehand.normalise.tokens import tokens
from samehand.records import KINDS, Kind
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.web.find.entities import SHOWN, Search, search
from samehand.web.find.entity import live_id, whole
from samehand.web.find.paging import Asked, Row
from samehand.web.reconcile.values import texts_of

SURE = 0.95
SECOND = 0.05
"""A match has probability SURE or more, and the next candidate no more than SECOND."""

LIMIT, MOST = 10, 50
BY_WORDS = 15
LONGEST = 1_000

FEATURE_NAMES = {
    "probability": "Probability by the model",
    "name": "Similarity of names",
    "authors": "Evidence of co-authors or authors",
    "title": "Evidence of the title",
    "venue": "Evidence of the venue",
    "year": "Evidence of the year",
    "doi": "The DOI is the same",
    "affiliation": "Evidence of the affiliation",
}


@dataclass(frozen=True)
class Requirement:
    """Values that a candidate must have for a property: any, all or none of them."""

    property: str
    values: Sequence[str]
    quantifier: Literal["any", "all", "none"] = "any"

    def holds(self, has: Sequence[str]) -> bool:
        """Whether a candidate that has these values satisfies it; case and accents do not count.

        >>> Requirement("venue", ["J. Hands"], "any").holds(["Nature", "j hands"])
        True
        """
        there = {" ".join(tokens(value)) for value in has}
        found = [" ".join(tokens(value)) in there for value in self.values]
        return {"any": any(found), "all": all(found), "none": not any(found)}[self.quantifier]


@dataclass(frozen=True)
class Query:
    """A name to reconcile. `evidence` has the values given for each property of types.PROPERTIES; `id` an identifier that
    is asked for instead of a name; `required` what a candidate must satisfy."""

    name: str = ""
    kinds: Sequence[Kind] = KINDS
    limit: int = LIMIT
    evidence: Mapping[str, Sequence[str]] = field(default_factory=dict)
    id: str | None = None
    required: Sequence[Requirement] = ()

    def first(self, property: str) -> str | None:
        """The first value given for a property."""
        return next(iter(self.evidence.get(property, ())), None)


@dataclass(frozen=True)
class Candidate:
    """An entity that a name may mean."""

    id: str
    kind: Kind
    name: str
    description: str
    probability: float
    features: Mapping[str, float] = field(default_factory=dict)
    match: bool = False

    @property
    def score(self) -> float:
        """The probability in per cent."""
        return round(100.0 * self.probability, 2)


@dataclass(frozen=True)
class Weighed:
    """What a model says of an entity."""

    probability: float
    features: Mapping[str, float] = field(default_factory=dict)


Weigher = Callable[[Library, Query, Sequence[Row]], dict[str, Weighed]]
"""Takes the candidates found by words, gives the entities that the model weighs (among them or others)."""


def match(library: Library, query: Query, weighers: Mapping[Kind, Weigher]) -> list[Candidate]:
    """The candidates for a query, likeliest first."""
    if query.id is not None:
        return _by_id(library.store, query.id)
    if not query.name.strip() and not query.evidence:
        return []
    query = replace(query, name=query.name[:LONGEST])
    found = [one for kind in query.kinds for one in _of_kind(library, query, kind, weighers[kind])]
    found = [one for one in found if _satisfies(library, one, query)]
    found.sort(key=lambda one: (-one.probability, one.name, one.id))
    return found[: max(1, min(query.limit, MOST))]


def _satisfies(library: Library, candidate: Candidate, query: Query) -> bool:
    if not query.required:
        return True
    record = whole(library, candidate.id).record
    return all(one.holds(texts_of(record, candidate.kind, one.property)) for one in query.required)


def _of_kind(library: Library, query: Query, kind: Kind, weigh: Weigher) -> list[Candidate]:
    by_words = (
        search(library.store, Search(kind, query.name), Asked(1, BY_WORDS)).page.rows if query.name else []
    )
    weighed = weigh(library, query, by_words)
    known = {row["entity"]: row for row in by_words}
    missing = [entity for entity in weighed if entity not in known]
    known |= {
        row["entity"]: row
        for row in read_among(library.store, "facts", "entity", missing, list(SHOWN)).to_dicts()
    }
    left = max(0.0, 1.0 - sum(one.probability for one in weighed.values()))
    candidates = []
    for entity, row in known.items():
        alike = similarity(query.name, row["name"])
        said = weighed.get(entity) or Weighed(0.5 * left * alike)
        features = {"name": alike} | dict(said.features)
        if entity in weighed:
            features["probability"] = said.probability
        candidates.append(
            Candidate(entity, row["kind"], row["name"], described(row), min(1.0, said.probability), features)
        )
    return _with_match(candidates, weighed)


def _with_match(candidates: list[Candidate], weighed: Mapping[str, Weighed]) -> list[Candidate]:
    ranked = sorted(candidates, key=lambda one: -one.probability)
    if not ranked or ranked[0].id not in weighed:
        return ranked
    second = ranked[1].probability if len(ranked) > 1 else 0.0
    is_sure = ranked[0].probability >= SURE and second <= SECOND
    return [replace(ranked[0], match=is_sure), *ranked[1:]]


def _by_id(store: Store, id: str) -> list[Candidate]:
    try:
        live = live_id(store, id)
    except UnknownEntityError:
        return []
    rows = store.read("facts", '"entity" = $1', (live,), list(SHOWN)).to_dicts()
    return [Candidate(live, row["kind"], row["name"], described(row), 1.0, {}, True) for row in rows]


def similarity(one: str, other: str) -> float:
    """How alike two names are, words in any order, from 0 to 1.

    >>> similarity("Lovelace, Ada", "Ada Lovelace"), similarity("Ada Lovelace", "Alan Turing") < 0.5
    (1.0, True)
    """
    return float(fuzz.token_sort_ratio(" ".join(tokens(one)), " ".join(tokens(other)))) / 100.0


def described(row: Row) -> str:
    """A few words that tell an entity from its namesakes.

    >>> described({"kind": "author", "papers": 2, "first_year": 1999, "last_year": 2004})
    'person, 2 papers, 1999-2004'
    """
    years = {str(year) for year in (row["first_year"], row["last_year"]) if year}
    papers = f"{row['papers']} paper" + ("" if row["papers"] == 1 else "s")
    kind = "person" if row["kind"] == "author" else row["kind"]
    parts = [kind, *([papers] if row["kind"] != "paper" else []), "-".join(sorted(years))]
    return ", ".join(part for part in parts if part)
