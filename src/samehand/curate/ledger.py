"""A decision on its way into the ledger: who is named, whether it can be, and its row."""

from __future__ import annotations

import getpass
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from samehand.curate.decisions import DECISIONS, Closure, Judgement
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.records import Kind


@dataclass(frozen=True)
class Named:
    """A side of a decision: the mention, the entity that was named instead if any, and their kind."""

    mention: str
    entity: str | None
    kind: Kind


def login_name() -> str:
    """Who is deciding, where nobody says: the name of the account."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def check_pair(left: Named, right: Named) -> None:
    """Refuse a decision on one mention alone, or on two kinds."""
    if left.mention == right.mention:
        raise UsageError(f"both sides are the mention {left.mention!r}; name two different ones")
    if left.kind != right.kind:
        raise UsageError(
            f"{left.mention!r} is of kind {left.kind}, {right.mention!r} of kind {right.kind}; "
            "name two of one kind"
        )


def check_conflict(judgement: Judgement, left: str, right: str, ledger: pl.DataFrame) -> None:
    """Refuse a judgement that contradicts what the other decisions imply."""
    closure = Closure(ledger)
    implied = closure.implied(left, right)
    if {judgement, implied} == {Judgement.SAME, Judgement.DIFFERENT}:
        raise ConflictingDecisionError(
            f"{left!r} and {right!r} cannot be {judgement.value}: earlier decisions imply that they are "
            f"{implied.value}; undo one of decision {listed(closure.evidence(left, right))} first"
        )


def decision_row(
    number: int, judgement: Judgement, left: Named, right: Named, by: str, note: str | None
) -> pl.DataFrame:
    """The row of a decision made now, schema `DECISIONS`."""
    row = dict.fromkeys(DECISIONS) | {
        "id": number,
        "kind": left.kind,
        "judgement": judgement.value,
        "left": left.mention,
        "right": right.mention,
        "left_entity": left.entity,
        "right_entity": right.entity,
        "by": by,
        "note": note,
        "at": datetime.now(UTC),
    }
    return pl.DataFrame([row], schema=DECISIONS)


def listed(items: Iterable[object]) -> str:
    """Things with commas between.

    >>> listed([1, 2])
    '1, 2'
    """
    return ", ".join(str(item) for item in items)
