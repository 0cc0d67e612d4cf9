"""Why entities changed between two runs, as far as the library knows: the likeliest reason first.

In this order: decisions on their mentions, references of theirs that came, changed or went, other settings; and where
there is none of these, what the author model says for or against, or what came into the library elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import orjson
import polars as pl

from samehand.curate.ledger import listed

Cause = Literal["decision", "references", "settings", "evidence", "elsewhere"]

NAMED = 3
"""So many references are named; of the others, how many there are."""

REFERENCE_OF = pl.col("mention").str.replace(r"/(author/\d+|venue)$", "")
"""The reference of a mention, also of one that is gone (see normalise/mentions.py)."""


@dataclass(frozen=True)
class Reason:
    """One reason, in words."""

    cause: Cause
    text: str


@dataclass(frozen=True)
class References:
    """References that came, changed or went between two states."""

    added: frozenset[str]
    revised: frozenset[str]
    removed: frozenset[str]

    @classmethod
    def between(cls, before: pl.DataFrame, after: pl.DataFrame, revised: Iterable[str]) -> References:
        """Those of two states (columns mention, kind, entity); `revised` are those whose records were replaced."""
        old, new = (frozenset(state.select(REFERENCE_OF.unique()).to_series()) for state in (before, after))
        return cls(new - old, frozenset(revised) & old & new, old - new)

    def among(self, references: Collection[str]) -> References:
        """Those that are among these."""
        wanted = frozenset(references)
        return References(self.added & wanted, self.revised & wanted, self.removed & wanted)

    @property
    def text(self) -> str:
        """What happened, in words; empty if nothing did.

        >>> References(frozenset("ab"), frozenset(), frozenset("c")).text
        '2 references added (a, b), 1 removed (c)'
        """
        told = (("added", self.added), ("changed", self.revised), ("removed", self.removed))
        parts = [f"{len(found):,} {word} ({_some(found)})" for word, found in told if found]
        if not parts:
            return ""
        count, _, rest = parts[0].partition(" ")
        parts[0] = f"{count} {'reference' if count == '1' else 'references'} {rest}"
        return ", ".join(parts)


class Reasons:
    """All that happened to a library between two runs, by the entities that it touched."""

    def __init__(
        self,
        before: pl.DataFrame,
        after: pl.DataFrame,
        decisions: pl.DataFrame,
        acts: pl.DataFrame,
        revised: Iterable[str],
        settings: str,
    ) -> None:
        self.settings = settings
        self.references = References.between(before, after, revised)
        self._touched = _touched(before, after, self.references)
        self._decided = _decided(before, after, decisions, acts)

    def of(self, *entities: str | None) -> list[Reason]:
        """The reasons that concern these entities; none where the library does not know any."""
        named = [entity for entity in entities if entity]
        decided = dict.fromkeys(text for entity in named for text in self._decided.get(entity, ()))
        found = [Reason("decision", text) for text in decided]
        touched = [reference for entity in named for reference in self._touched.get(entity, ())]
        text = self.references.among(touched).text
        if text:
            found.append(Reason("references", text))
        if self.settings:
            found.append(Reason("settings", self.settings))
        return found

    def elsewhere(self) -> Reason:
        """What is left to say where nothing of an entity's own has changed."""
        text = self.references.text
        return Reason("elsewhere", f"elsewhere in the library: {text}" if text else "no reason is on record")


def _touched(before: pl.DataFrame, after: pl.DataFrame, references: References) -> Mapping[str, list[str]]:
    """Entity -> its references that came, changed or went."""
    wanted = pl.Series(sorted(references.added | references.revised | references.removed), dtype=pl.String)
    held = pl.concat([before, after]).select("entity", REFERENCE_OF.alias("reference")).unique()
    found = held.filter(pl.col("reference").is_in(wanted.implode())).group_by("entity").agg("reference")
    return dict(found.iter_rows())


def _decided(
    before: pl.DataFrame, after: pl.DataFrame, decisions: pl.DataFrame, acts: pl.DataFrame
) -> Mapping[str, list[str]]:
    """Entity -> the decisions (columns id, judgement, left, right, by, is_undone) that touch it and took effect.

    An act (schema `store.schema.ACTS`) is told once for all decisions that it made.

    A decision took effect if its two mentions are together now and were not before, or the other way round; or if one
    of them was not there.
    """
    named = pl.concat([decisions["left"], decisions["right"]]).unique().implode()
    was, now = (
        dict(state.filter(pl.col("mention").is_in(named)).select("mention", "entity").iter_rows())
        for state in (before, after)
    )
    act_of = {
        number: f"{act['what']} {act['id']}"
        for act in acts.drop_nulls("first_decision").iter_rows(named=True)
        for number in range(act["first_decision"], act["last_decision"] + 1)
    }
    found: dict[str, list[str]] = defaultdict(list)
    for row in decisions.iter_rows(named=True):
        sides = [(place.get(row["left"]), place.get(row["right"])) for place in (was, now)]
        together = [None if None in pair else pair[0] == pair[1] for pair in sides]
        if together[0] != together[1]:
            for entity in {entity for pair in sides for entity in pair if entity}:
                found[entity].append(_sentence(row, act_of.get(row["id"])))
    return found


def _sentence(row: Mapping[str, Any], act: str | None) -> str:
    if act is not None:
        return f"{act} was undone by {row['undone_by']}" if row["is_undone"] else f"{act} by {row['by']}"
    undone = f"decision {row['id']} was undone by {row['undone_by']}: "
    made = f"decision {row['id']} by {row['by']}: "
    return f"{undone if row['is_undone'] else made}{row['judgement']} {row['left']} {row['right']}"


def decisions_between(ledger: pl.DataFrame, start: datetime, end: datetime) -> pl.DataFrame:
    """The decisions made or undone after `start` and up to `end`; `is_undone` says which."""
    made = pl.col("at").is_between(start, end, closed="right")
    undone = pl.col("undone_at").is_between(start, end, closed="right").fill_null(False)
    # What was made and undone between the two, or superseded by another that is listed, has had no effect.
    undone_only = undone & ~made & pl.col("superseded_by").is_null()
    return ledger.filter((made & ~undone) | undone_only).with_columns(undone_only.alias("is_undone"))


def settings_changed(before: str, after: str) -> str:
    """Which settings of two runs (JSON objects) differ, in words; how long the steps took is none.

    >>> settings_changed('{"model": "baseline", "seed": 1}', '{"model": "samehand", "seed": 1, "only": "paper"}')
    'model baseline -> samehand, only none -> paper'
    """
    old, new = _plain(before), _plain(after)
    names = sorted({*old, *new})
    return listed(
        f"{name} {_said(old.get(name))} -> {_said(new.get(name))}"
        for name in names
        if old.get(name) != new.get(name)
    )


def _plain(settings: str) -> dict[str, Any]:
    told: dict[str, Any] = orjson.loads(settings)
    trace = told.pop("trace", {})
    return told | {name: value for name, value in trace.items() if name != "steps"}


def _said(value: object) -> str:
    return "none" if value is None else str(value)


def _some(references: Collection[str]) -> str:
    named = sorted(references)
    more = f", and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
    return listed(named[:NAMED]) + more
