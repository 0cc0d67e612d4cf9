"""A curator's act on entities: merge two, split one, move mentions from one to another; as decisions on pairs.

An act takes effect at once on the library and binds every later run as ordinary decisions. It writes as few as will do,
and claims as little as it can:

- Merge A and B: one `same`, between the mentions of which the library is surest. What else A and B hold stays the
  model's affair.
- Split S from R: no later run may put any mention of S with any of R, so every such pair must follow from decisions. If
  S is tied by `same` into a groups and R into b, that takes (|S| - a) + (|R| - b) + a b decisions, which is least,
  |S| + |R| - 1, when one side is one group. So the smaller side, which the curator has looked at, becomes one group, and
  is `different` from every mention of the larger, of which nothing else is claimed: it can be split again.
- Move S from E to F: split S from the rest of E, then one `same` with F's surest mention.

Mentions that earlier decisions tie together count as one, and what is implied already is not decided again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from samehand.curate.decisions import Closure, Judgement, violations
from samehand.curate.ledger import listed
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.records import Kind

What = Literal["merge", "split", "move"]
Word = tuple[Judgement, str, str]
"""A decision to be made: the judgement and its two mentions."""


@dataclass(frozen=True)
class Group:
    """An entity as it is: its identifier, and its mentions in order with how sure the library is of each."""

    entity: str
    kind: Kind
    mentions: Mapping[str, float | None]

    @property
    def surest(self) -> str:
        """The mention of which the library is surest, the first of equals.

        >>> Group("a1", "author", {"x": 0.5, "y": None, "z": 0.9}).surest
        'z'
        """
        return max(self.mentions, key=lambda mention: self.mentions[mention] or 0.0)


@dataclass(frozen=True)
class Plan:
    """What an act would do: the parts into which the mentions concerned fall, and the decisions that keep them so."""

    what: What
    kind: Kind
    before: Mapping[str, str]  # mention -> the entity it is in now
    parts: Sequence[Sequence[str]]
    words: Sequence[Word]


@dataclass(frozen=True)
class Part:
    """An entity after an act: `is_new` if the act makes it, `taken` the identifiers that lead to it from then on."""

    entity: str
    name: str
    mentions: tuple[str, ...]
    is_new: bool
    taken: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many mentions it has."""
        return len(self.mentions)


@dataclass(frozen=True)
class Act:
    """An act and what it leaves: the entities concerned, and the decisions behind it; `id` is None in a preview."""

    id: int | None
    what: What
    kind: Kind
    parts: tuple[Part, ...]
    words: tuple[Word, ...]
    decisions: tuple[int, ...] = field(default=())


def plan_merge(left: Group, right: Group, ledger: pl.DataFrame) -> Plan:
    """Make two entities one; `ledger` holds the decisions in force that concern them.

    >>> from samehand.curate.decisions import DECISIONS
    >>> one, two = Group("a1", "author", {"x": 0.5, "y": 0.9}), Group("a2", "author", {"z": 1.0})
    >>> [(word.value, left, right) for word, left, right in plan_merge(one, two, DECISIONS.to_frame()).words]
    [('same', 'y', 'z')]
    """
    if left.entity == right.entity:
        raise UsageError(f"both are the entity {left.entity}; name two different ones")
    _check_kinds(left, right)
    closure = Closure(ledger)
    before = _before(left, right)
    parts = [[*left.mentions, *right.mentions]]
    _check(before, parts, ledger)
    return Plan(
        "merge", left.kind, before, parts, _tenable(_joined(left.surest, right.surest, closure), ledger)
    )


def plan_split(entity: Group, taken: Sequence[str], ledger: pl.DataFrame) -> Plan:
    """Take mentions out of an entity; they are an entity of their own.

    >>> from samehand.curate.decisions import DECISIONS
    >>> one = Group("a1", "author", {"x": 0.5, "y": 0.9, "z": 1.0})
    >>> [(word.value, left, right) for word, left, right in plan_split(one, ["z"], DECISIONS.to_frame()).words]
    [('different', 'z', 'x'), ('different', 'z', 'y')]
    """
    taken, rest = _divided(entity, taken)
    before = _before(entity)
    _check(before, [taken, rest], ledger)
    words = _parted(taken, rest, Closure(ledger))
    return Plan("split", entity.kind, before, [taken, rest], _tenable(words, ledger))


def plan_move(entity: Group, taken: Sequence[str], into: Group, ledger: pl.DataFrame) -> Plan:
    """Take mentions out of one entity and put them into another.

    >>> from samehand.curate.decisions import DECISIONS
    >>> one, two = Group("a1", "author", {"x": 0.5, "y": 0.9}), Group("a2", "author", {"z": 1.0})
    >>> plan = plan_move(one, ["y"], two, DECISIONS.to_frame())
    >>> [(word.value, left, right) for word, left, right in plan.words]
    [('different', 'y', 'x'), ('same', 'y', 'z')]
    """
    if entity.entity == into.entity:
        raise UsageError(f"these mentions are in {into.entity} already; name another entity")
    _check_kinds(entity, into)
    taken, rest = _divided(entity, taken)
    before = _before(entity, into)
    parts = [[*into.mentions, *taken], rest]
    _check(before, parts, ledger)
    closure = Closure(ledger)
    surest = Group(entity.entity, entity.kind, {one: entity.mentions[one] for one in taken}).surest
    words = [*_parted(taken, rest, closure), *_joined(surest, into.surest, closure)]
    return Plan("move", entity.kind, before, parts, _tenable(words, ledger))


def check_unbroken(
    before: Mapping[str, str], after: Mapping[str, str], ledger: pl.DataFrame, since: int = 0
) -> None:
    """Refuse to move mentions against decisions in force; what was against them before is not held against it.

    Where all decisions behind a refusal have numbers up to `since`, they are not held against it either.

    >>> ledger = pl.DataFrame({"id": [7], "judgement": ["same"], "left": ["x"], "right": ["y"], "undone_at": [None]})
    >>> check_unbroken({"x": "a1", "y": "a1"}, {"x": "a1", "y": "a2"}, ledger)
    Traceback (most recent call last):
    ...
    samehand.errors.ConflictingDecisionError: earlier decisions forbid this: 'x' and 'y' are same; undo decision 7 first
    """
    known = {tuple(row[:3]) for row in _broken(before, ledger).iter_rows()}
    for judgement, left, right, decisions in _broken(after, ledger).iter_rows():
        if (judgement, left, right) not in known and max(decisions) > since:
            raise ConflictingDecisionError(
                f"earlier decisions forbid this: {left!r} and {right!r} are {judgement}; "
                f"undo {'one of ' if len(decisions) > 1 else ''}decision {listed(decisions)} first"
            )


def _check(before: Mapping[str, str], parts: Sequence[Sequence[str]], ledger: pl.DataFrame) -> None:
    after = {mention: str(number) for number, part in enumerate(parts) for mention in part}
    check_unbroken(before, after, ledger)


def _broken(entities: Mapping[str, str], ledger: pl.DataFrame) -> pl.DataFrame:
    clusters = {"mention": list(entities), "cluster": list(entities.values())}
    return violations(pl.DataFrame(clusters, schema={"mention": pl.String, "cluster": pl.String}), ledger)


def _check_kinds(left: Group, right: Group) -> None:
    if left.kind != right.kind:
        raise UsageError(f"{left.entity} is of kind {left.kind}, {right.entity} of kind {right.kind}")


def _divided(entity: Group, taken: Sequence[str]) -> tuple[list[str], list[str]]:
    """The mentions that leave and those that stay, both in the entity's order."""
    wanted = set(taken)
    strange = [mention for mention in taken if mention not in entity.mentions]
    if strange:
        raise UsageError(f"{strange[0]!r} is not in {entity.entity} any more; look at the entity again")
    leaving = [mention for mention in entity.mentions if mention in wanted]
    staying = [mention for mention in entity.mentions if mention not in wanted]
    if not leaving:
        raise UsageError("no mention is chosen; choose those that shall leave")
    if not staying:
        raise UsageError(f"these are all mentions of {entity.entity}; to join it with another, merge the two")
    return leaving, staying


def _before(*groups: Group) -> dict[str, str]:
    return {mention: group.entity for group in groups for mention in group.mentions}


def _tenable(words: list[Word], ledger: pl.DataFrame) -> list[Word]:
    """The words, unless they contradict decisions that no run has followed yet."""
    names = ["id", "judgement", "left", "right", "undone_at"]
    known = ledger.select(names)
    added = pl.DataFrame([(0, *word, None) for word in words], schema=known.schema, orient="row")
    for numbers in Closure(pl.concat([known, added])).contradictions():
        earlier = [number for number in numbers if number]
        raise ConflictingDecisionError(
            f"earlier decisions forbid this; undo {'one of ' if len(earlier) > 1 else ''}"
            f"decision {listed(earlier)} first"
        )
    return words


def _joined(left: str, right: str, closure: Closure) -> list[Word]:
    implied = closure.implied(left, right)
    return [] if implied is Judgement.SAME else [(Judgement.SAME, left, right)]


def _parted(taken: Sequence[str], rest: Sequence[str], closure: Closure) -> list[Word]:
    """The decisions after which no mention of one side can be with one of the other; see the head of this file."""
    small, large = sorted((_heads(taken, closure), _heads(rest, closure)), key=len)
    opposed = _opposed(small, closure)
    for group in (group for group in small if group in opposed):
        left, right = small[group], small[opposed[group]]
        raise ConflictingDecisionError(
            f"{left!r} and {right!r} would be one, but earlier decisions say that they are different; "
            f"choose only one of them, or undo one of decision {listed(closure.evidence(left, right))} first"
        )
    first, *others = small.values()
    words = [(Judgement.SAME, first, other) for other in others]
    return words + [
        (Judgement.DIFFERENT, first, head) for group, head in large.items() if group not in opposed
    ]


def _heads(mentions: Iterable[str], closure: Closure) -> dict[str, str]:
    """One mention for each group that earlier decisions tie together, by the name of the group."""
    found: dict[str, str] = {}
    for mention in mentions:
        found.setdefault(closure.group(mention), mention)
    return found


def _opposed(groups: Collection[str], closure: Closure) -> dict[str, str]:
    """The groups that have to stay apart from one of these, with that one."""
    found: dict[str, str] = {}
    for left, right in closure.apart():
        found |= {right: left} if left in groups else {}
        found |= {left: right} if right in groups else {}
    return found
