"""What changed in a library from one run to another, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from samehand.curate.differences import WHATS, compare
from samehand.curate.reasons import Reason, Reasons, decisions_between, settings_changed
from samehand.errors import SamehandError, UsageError
from samehand.records import Kind
from samehand.store.arrivals import read_among
from samehand.store.history import state_after
from samehand.store.ledger import read_ledger

if TYPE_CHECKING:
    from samehand.library import Library
    from samehand.models.persons.explanation import Explanation

EXPLAINED = 20
"""For so many changes without another reason, the author model is asked."""

BARS = 3

RETURNED = Reason(
    "elsewhere",
    "a run between merged it and a later one parted it; an identifier merged away is never given again",
)


@dataclass(frozen=True)
class Change:
    """What happened to an entity: see `curate.differences.WHATS`; `mentions` are those that it lost or got."""

    what: str
    kind: Kind
    entity: str
    other: str | None
    name: str
    other_name: str | None
    mentions: list[str]
    why: list[Reason]


@dataclass(frozen=True)
class Diff:
    """All changes from one run to another, the most telling first."""

    before: int
    after: int
    settings: str
    references: str
    changes: list[Change]

    def counts(self, kind: Kind | None = None) -> dict[str, int]:
        """How many changes there are of each sort, of one kind or of all."""
        found = Counter(change.what for change in self.changes if kind in (None, change.kind))
        return {what: found[what] for what in WHATS if found[what]}

    def to_dict(self) -> dict[str, Any]:
        """The diff as plain values, for JSON."""
        return asdict(self) | {"counts": self.counts()}


def diff_runs(library: Library, before: int, after: int, kind: Kind | None = None) -> Diff:
    """See `Library.diff`."""
    if before >= after:
        raise UsageError(f"run {before} is not before run {after}; name the earlier run first")
    store = library.store
    with store.reading():
        old, new = (_of_kind(state_after(store, run), kind) for run in (before, after))
        rows = compare(old, new)
        reasons = _reasons(library, old, new, before, after)
        names = _names(library, rows, pl.concat([old, new]))
    changes = [_change(row, names, reasons) for row in rows.iter_rows(named=True)]
    explained = _Evidence(library, old, new, reasons)
    told = [explained(change) if not change.why else change for change in changes]
    return Diff(before, after, reasons.settings, reasons.references.text, told)


def _of_kind(state: pl.DataFrame, kind: Kind | None) -> pl.DataFrame:
    return state if kind is None else state.filter(kind=kind)


def _reasons(library: Library, old: pl.DataFrame, new: pl.DataFrame, before: int, after: int) -> Reasons:
    runs = library.runs()
    first, last = (runs.row(by_predicate=pl.col("id") == run, named=True) for run in (before, after))
    decisions = decisions_between(read_ledger(library.store, all=True), first["saved"], last["saved"])
    revised = library.store.read("revisions", '"run" > $1 AND "run" <= $2', (before, after))
    settings = settings_changed(first["settings"], last["settings"])
    return Reasons(old, new, decisions, library.acts(), revised["reference"], settings)


def _names(library: Library, rows: pl.DataFrame, states: pl.DataFrame) -> dict[str, str]:
    """What the entities are called: as they are in the library, or after a mention that is still there."""
    wanted = pl.concat([rows["entity"], rows["other"]]).drop_nulls().unique().to_list()
    living = dict(read_among(library.store, "entities", "id", wanted, ["id", "name"]).iter_rows())
    gone = states.filter(pl.col("entity").is_in(pl.Series(wanted, dtype=pl.String).implode()))
    gone = gone.filter(~pl.col("entity").is_in(pl.Series([*living], dtype=pl.String).implode())).unique(
        "entity"
    )
    called = dict(
        read_among(library.store, "mentions", "id", gone["mention"].to_list(), ["id", "name"]).iter_rows()
    )
    return living | {
        entity: called.get(mention, "") for mention, entity in gone.select("mention", "entity").iter_rows()
    }


def _change(row: Mapping[str, Any], names: Mapping[str, str], reasons: Reasons) -> Change:
    entity, other = row["entity"], row["other"]
    return Change(
        row["what"],
        row["kind"],
        entity,
        other,
        names.get(entity) or "",
        None if other is None else names.get(other) or "",
        row["mentions"],
        reasons.of(entity, other),
    )


class _Evidence:
    """Asks the author model why, for the first few changes that have no other reason."""

    def __init__(self, library: Library, old: pl.DataFrame, new: pl.DataFrame, reasons: Reasons) -> None:
        self._library, self._old, self._new, self._reasons = library, old, new, reasons
        self._left = EXPLAINED

    def __call__(self, change: Change) -> Change:
        why = [RETURNED if change.what == "renamed" else self._reasons.elsewhere()]
        pair = self._pair(change) if change.kind == "author" and change.other and self._left else None
        if pair is not None:
            self._left -= 1
            why = [Reason("evidence", self._told(*pair)), *why]
        return Change(**{**vars(change), "why": why})

    def _pair(self, change: Change) -> tuple[str, str] | None:
        """A mention that moved, and one of those that it came to, or that it left where it came to none."""
        moved = pl.Series(change.mentions).implode()
        for state, entity in ((self._new, change.other), (self._old, change.entity)):
            rest = state.filter((pl.col("entity") == entity) & ~pl.col("mention").is_in(moved))["mention"]
            if rest.len():
                return change.mentions[0], rest[0]
        return None

    def _told(self, left: str, right: str) -> str:
        from samehand.models.persons.explain import explain

        try:
            return _line(explain(self._library, left, right))
        except SamehandError as error:
            return str(error)


def _line(explanation: Explanation) -> str:
    """The probability that both sides are one person, and the heaviest of what speaks for and against."""
    bars = sorted((*explanation.bars, explanation.prior), key=lambda bar: -abs(bar.contribution))[:BARS]
    told = ", ".join(f"{bar.label} {bar.contribution:+.1f}" for bar in bars)
    sides = f"{explanation.left.names[0]} and {explanation.right.names[0]}"
    return f"{sides}: one person with probability {explanation.probability:.2f} ({told})"
