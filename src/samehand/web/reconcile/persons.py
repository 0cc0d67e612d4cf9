"""Persons, weighed by the stream model: the query as one more reference, whose first author is looked for.

What each piece of evidence says is the model's own word: by how much the log-odds of a candidate change when it is added
to the name alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from samehand.library import Library
from samehand.read import Records
from samehand.records import REJECTS, Reference, references_frame
from samehand.web.find.paging import Row
from samehand.web.reconcile.core import Query, Weighed

SOURCE = "reconcile"
EVIDENCE = ("authors", "title", "venue", "affiliation", "year")
LIMIT = 12.0
"""Log-odds are cut off here: beyond, they only say "certainly"."""


def weigh(library: Library, query: Query, by_words: Sequence[Row]) -> dict[str, Weighed]:
    """The persons that the model considers."""
    if not query.name.strip():
        return {}
    given = [name for name in EVIDENCE if query.evidence.get(name)]
    variants = [("all", given), ("name", []), *((name, [name]) for name in given)] if given else [("all", [])]
    references = references_frame([_reference(query, label, used) for label, used in variants])
    assigned = library.assign(Records(references, REJECTS.to_frame()))
    shares: dict[str, dict[str | None, float]] = {}
    for one in assigned:
        if one.kind == "author" and one.mention == f"{one.reference}/author/1":
            label = one.reference.removeprefix(f"{SOURCE}:")
            shares[label] = {candidate.entity: candidate.probability or 0.0 for candidate in one.candidates}
    return {
        entity: Weighed(share, _features(entity, shares, given))
        for entity, share in shares.get("all", {}).items()
        if entity is not None
    }


def _reference(query: Query, label: str, used: Sequence[str]) -> Reference:
    """The query as a reference, with these pieces of evidence only."""
    others = list(query.evidence["authors"]) if "authors" in used else []
    said: dict[str, Any] = {name: query.first(name) for name in ("title", "venue") if name in used}
    if "year" in used:
        said["year"] = as_year(query.first("year"))
    if "affiliation" in used:
        said["affiliations"] = [query.first("affiliation") or "", *("" for _ in others)]
    return Reference(SOURCE, 1, id=f"{SOURCE}:{label}", authors=[query.name, *others], **said)


def as_year(text: str | None) -> int | None:
    """A year, if the text is one.

    >>> as_year("1999"), as_year("1999.0"), as_year("soon")
    (1999, 1999, None)
    """
    digits = (text or "").strip().removesuffix(".0")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) == 4 else None


def _features(
    entity: str, shares: Mapping[str, Mapping[str | None, float]], given: Sequence[str]
) -> dict[str, float]:
    alone = _log_odds(shares.get("name", {}).get(entity, 0.0))
    return {name: round(_log_odds(shares.get(name, {}).get(entity, 0.0)) - alone, 3) for name in given}


def _log_odds(share: float) -> float:
    if share <= 0.0:
        return -LIMIT
    return LIMIT if share >= 1.0 else max(-LIMIT, min(LIMIT, math.log(share) - math.log1p(-share)))
