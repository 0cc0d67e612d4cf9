"""Readings of citations of one paper help each other: a reading gains by titles and authors that others have too.

In a cluster of citations, let P_i be the probabilities of the readings of citation i. A reading r of citation i is
weighed again:

    weight(r) = P_i(r) * (e_t + mean over others j of E_j[ likeness of titles ]) * (e_a + the same of authors)

where E_j is over the readings of j, the likeness of titles is exp(-20 d) with d the share of letters that differ, and
that of authors the share of surnames they have in common, to the fourth power. The small e leave room for a citation that
is like no other. All citations are weighed by the others' readings alone, then once more by the new weights.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import Indel

from samehand.models.citations.parsing.parse import Parse
from samehand.normalise.tokens import fold, tokens

TITLE_ALONE, AUTHORS_ALONE = 1e-4, 1e-2
SHARPNESS = 20.0
ROUNDS = 2
MOST_OTHERS = 30
"""Of a large cluster, so many other citations speak."""

Readings = Sequence[Parse]
Facts = tuple[str, frozenset[str]]


def reparse(parses: Sequence[Readings], clusters: Sequence[int]) -> list[list[Parse]]:
    """The readings of each citation, weighed again by those of the citations in the same cluster, best first.

    >>> right = Parse(-0.1, "On hands", ("A. Lee",), "Nature", None, "", "", "", "other", ())
    >>> wrong = Parse(-0.1, "On hands, Nature", ("A. Lee",), "", None, "", "", "", "other", ())
    >>> [readings[0].title for readings in reparse([[wrong, right], [right]], [7, 7])]
    ['On hands', 'On hands']
    """
    members = defaultdict(list)
    for place, cluster in enumerate(clusters):
        members[cluster].append(place)
    found = [list(readings) for readings in parses]
    for places in members.values():
        if len(places) > 1:
            for place, readings in zip(places, _weighed([parses[place] for place in places]), strict=True):
                found[place] = readings
    return found


def _weighed(cluster: Sequence[Readings]) -> list[list[Parse]]:
    """The readings of the citations of one cluster, weighed by each other."""
    facts = [[_facts(reading) for reading in readings] for readings in cluster]
    first = [_shares([reading.log_probability for reading in readings]) for readings in cluster]
    shares = first
    for _ in range(ROUNDS):
        heard = [_heard(fact, share) for fact, share in zip(facts, shares, strict=True)]
        shares = [
            _shares(
                [
                    math.log(max(p, 1e-300)) + _support(fact, place, heard)
                    for fact, p in zip(facts[place], start, strict=True)
                ]
            )
            for place, start in enumerate(first)
        ]
    return [_ordered(readings, share) for readings, share in zip(cluster, shares, strict=True)]


def _facts(reading: Parse) -> Facts:
    """What is compared: the letters of the title, and the authors' surnames (the longest word of each)."""
    surnames = (max(tokens(author), key=len, default="") for author in reading.authors)
    return "".join(fold(reading.title).split()), frozenset(surname for surname in surnames if surname)


def _heard(facts: Sequence[Facts], shares: Sequence[float]) -> list[tuple[Facts, float]]:
    """What a citation says: different facts with their probabilities, the unlikely left out."""
    found: dict[Facts, float] = defaultdict(float)
    for fact, share in zip(facts, shares, strict=True):
        found[fact] += share
    return [(fact, share) for fact, share in found.items() if share > 0.01]


def _support(fact: Facts, place: int, heard: Sequence[Sequence[tuple[Facts, float]]]) -> float:
    """The logarithm of what the other citations add to a reading."""
    others = [said for other, said in enumerate(heard) if other != place][:MOST_OTHERS]
    title = sum(share * _title_likeness(fact[0], told[0]) for said in others for told, share in said)
    authors = sum(share * _author_likeness(fact[1], told[1]) for said in others for told, share in said)
    return math.log(TITLE_ALONE + title / len(others)) + math.log(AUTHORS_ALONE + authors / len(others))


def _title_likeness(one: str, other: str) -> float:
    if not one or not other:
        return 0.0
    return math.exp(-SHARPNESS * Indel.normalized_distance(one, other))


def _author_likeness(one: frozenset[str], other: frozenset[str]) -> float:
    if not one and not other:
        return 1.0
    return float((len(one & other) / max(len(one | other), 1)) ** 4)


def _shares(logs: Sequence[float]) -> list[float]:
    greatest = max(logs)
    weights = [math.exp(log - greatest) for log in logs]
    return [weight / sum(weights) for weight in weights]


def _ordered(readings: Readings, shares: Sequence[float]) -> list[Parse]:
    weighed = sorted(zip(shares, range(len(readings)), strict=True), key=lambda pair: (-pair[0], pair[1]))
    return [
        replace(readings[place], log_probability=math.log(max(share, 1e-300))) for share, place in weighed
    ]
