"""Curators' decisions and what they imply together.

`same` is transitive: it makes groups of mentions. `different` holds between whole groups. `unsure` implies
nothing. Every function here is pure and takes the ledger as a table with schema `DECISIONS`; rows that were
undone are ignored, and rows about mentions that are no longer there still carry their implication.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from enum import StrEnum

import polars as pl

from samehand.errors import UsageError

_TIME = pl.Datetime("us", "UTC")

DECISIONS = pl.Schema(
    {
        "id": pl.Int64(),  # numbered from 1 in the order they were made; never reused
        "kind": pl.String(),
        "judgement": pl.String(),  # see Judgement
        "left": pl.String(),  # mention
        "right": pl.String(),  # mention
        "left_entity": pl.String(),  # the entity the curator named instead of a mention, else null
        "right_entity": pl.String(),
        "by": pl.String(),
        "note": pl.String(),
        "at": _TIME,
        "undone_at": _TIME,  # null while the decision is in force
        "undone_by": pl.String(),
        "superseded_by": pl.Int64(),  # the later decision on the same pair that replaced this one, else null
    }
)
"""The ledger: one row for every decision ever made. Rows are never deleted."""

VIOLATIONS = pl.Schema(
    {"judgement": pl.String(), "left": pl.String(), "right": pl.String(), "decisions": pl.List(pl.Int64)}
)
"""A pair of mentions that a clustering puts wrong, and the decisions that together forbid it."""

Pair = tuple[str, str]


class Judgement(StrEnum):
    """A curator's word on two mentions of one kind.

    Judgements add along a path: same + same = same, same + different = different, and two differences
    or anything unsure say nothing.

    >>> (Judgement.SAME + Judgement.DIFFERENT).value
    'different'
    >>> (Judgement.DIFFERENT + Judgement.DIFFERENT).value
    'unsure'
    """

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"

    def __add__(self, other: object) -> Judgement:
        pair = {self, Judgement.parse(str(other))}
        if pair == {Judgement.SAME}:
            return Judgement.SAME
        return Judgement.DIFFERENT if pair == {Judgement.SAME, Judgement.DIFFERENT} else Judgement.UNSURE

    @classmethod
    def parse(cls, word: str) -> Judgement:
        """The judgement of this name, or a UsageError that lists the names.

        >>> Judgement.parse("same").value
        'same'
        """
        try:
            return cls(word)
        except ValueError:
            names = ", ".join(judgement.value for judgement in cls)
            raise UsageError(f"no judgement is called {word!r}; say one of: {names}") from None


class Closure:
    """Everything the decisions in force imply.

    >>> ledger = pl.DataFrame({"id": [1, 2], "judgement": ["same", "different"], "left": ["a", "b"],
    ...     "right": ["b", "c"], "undone_at": [None, None]})
    >>> closure = Closure(ledger)
    >>> closure.implied("a", "c").value, closure.evidence("a", "c")
    ('different', [1, 2])
    """

    def __init__(self, decisions: pl.DataFrame) -> None:
        self._neighbours: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._differences: list[tuple[int, str, str]] = []
        for number, judgement, left, right in _in_force(decisions):
            if judgement == Judgement.SAME:
                self._neighbours[left].append((right, number))
                self._neighbours[right].append((left, number))
            elif judgement == Judgement.DIFFERENT:
                self._differences.append((number, left, right))
        self._group = self._label_groups()
        self._apart: dict[Pair, list[tuple[int, str, str]]] = defaultdict(list)
        for number, left, right in self._differences:
            self._apart[self._group_pair(left, right)].append((number, left, right))

    def implied(self, left: str, right: str) -> Judgement:
        """What the decisions say of two mentions, directly or through others."""
        if self.group(left) == self.group(right):
            return Judgement.SAME
        apart = self._group_pair(left, right) in self._apart
        return Judgement.DIFFERENT if apart else Judgement.UNSURE

    def evidence(self, left: str, right: str) -> list[int]:
        """The numbers of the decisions behind `implied`, sorted; the shortest chain of several."""
        implied = self.implied(left, right)
        if implied is Judgement.UNSURE:
            return []
        if implied is Judgement.SAME:
            return sorted(self._path(left, right))
        chains = [
            sorted([*self._path(left, near), number, *self._path(far, right)])
            for number, near, far in self._differences_between(left, right)
        ]
        return min(chains, key=lambda chain: (len(chain), chain))

    def contradictions(self) -> list[list[int]]:
        """For each `different` inside a group of `same`, the decisions that cannot all hold."""
        return [
            sorted({number, *self._path(left, right)})
            for number, left, right in self._differences
            if self.group(left) == self.group(right)
        ]

    def group(self, mention: str) -> str:
        """The smallest mention of the group of `same`; a mention nobody joined is its own group."""
        return self._group.get(mention, mention)

    def groups(self) -> dict[str, list[str]]:
        """The groups of two or more mentions, each sorted, by their smallest mention."""
        members: dict[str, list[str]] = defaultdict(list)
        for mention, group in sorted(self._group.items()):
            members[group].append(mention)
        return dict(members)

    def apart(self) -> list[Pair]:
        """The pairs of groups that must stay apart, sorted."""
        return sorted(self._apart)

    def _group_pair(self, left: str, right: str) -> Pair:
        first, second = sorted((self.group(left), self.group(right)))
        return first, second

    def _differences_between(self, left: str, right: str) -> Iterator[tuple[int, str, str]]:
        """Each difference between two groups, turned so that its first mention is on the side of `left`."""
        for number, near, far in self._apart[self._group_pair(left, right)]:
            on_left = self.group(near) == self.group(left)
            yield (number, near, far) if on_left else (number, far, near)

    def _label_groups(self) -> dict[str, str]:
        label: dict[str, str] = {}
        for start in sorted(self._neighbours):
            waiting = [] if start in label else [start]
            while waiting:
                mention = waiting.pop()
                if mention not in label:
                    label[mention] = start
                    waiting.extend(neighbour for neighbour, _ in self._neighbours[mention])
        return label

    def _path(self, start: str, end: str) -> list[int]:
        """The decisions along a shortest chain of `same` between two mentions of one group."""
        came: dict[str, tuple[str, int]] = {}
        waiting = deque([start])
        while end != start and end not in came:
            mention = waiting.popleft()
            for neighbour, number in self._neighbours[mention]:
                if neighbour != start and neighbour not in came:
                    came[neighbour] = (mention, number)
                    waiting.append(neighbour)
        path = []
        while end != start:
            end, number = came[end]
            path.append(number)
        return path


def _in_force(decisions: pl.DataFrame) -> Iterator[tuple[int, str, str, str]]:
    active = decisions.filter(pl.col("undone_at").is_null())
    return active.select("id", "judgement", "left", "right").iter_rows()


def consistent(decisions: pl.DataFrame) -> bool:
    """Whether the decisions in force can all hold at once.

    >>> consistent(pl.DataFrame(schema=DECISIONS))
    True
    """
    return not Closure(decisions).contradictions()


def must_link(decisions: pl.DataFrame, present: Collection[str] | None = None) -> list[Pair]:
    """Pairs of mentions that have to be one entity; linking them all joins every group completely.

    With `present`, only those mentions are named; groups hold together even where the mention that joins
    them is gone.

    >>> ledger = pl.DataFrame({"id": [1, 2], "judgement": ["same", "same"], "left": ["a", "b"],
    ...     "right": ["b", "c"], "undone_at": [None, None]})
    >>> must_link(ledger)
    [('a', 'b'), ('a', 'c')]
    >>> must_link(ledger, present={"b", "c"})
    [('b', 'c')]
    """
    pairs: list[Pair] = []
    for members in Closure(decisions).groups().values():
        first, *others = _present(members, present) or [""]
        pairs.extend((first, other) for other in others)
    return pairs


def cannot_link(decisions: pl.DataFrame, present: Collection[str] | None = None) -> list[Pair]:
    """One pair of mentions for each two groups that have to be different entities.

    Together with `must_link` a pair of representatives is enough. With `present`, only those are named.

    >>> ledger = pl.DataFrame({"id": [1, 2], "judgement": ["same", "different"], "left": ["a", "b"],
    ...     "right": ["b", "c"], "undone_at": [None, None]})
    >>> cannot_link(ledger)
    [('a', 'c')]
    """
    closure = Closure(decisions)
    groups = closure.groups()
    pairs = []
    for left, right in closure.apart():
        lefts = _present(groups.get(left, [left]), present)
        rights = _present(groups.get(right, [right]), present)
        if lefts and rights:
            pairs.append((lefts[0], rights[0]))
    return pairs


def _present(mentions: list[str], present: Collection[str] | None) -> list[str]:
    return mentions if present is None else [mention for mention in mentions if mention in present]


def violations(clustering: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """The pairs that a clustering (columns `mention`, `cluster`) puts wrong; empty if it obeys.

    >>> clustering = pl.DataFrame({"mention": ["a", "b"], "cluster": [0, 1]})
    >>> ledger = pl.DataFrame({"id": [1], "judgement": ["same"], "left": ["a"], "right": ["b"],
    ...     "undone_at": [None]})
    >>> violations(clustering, ledger).rows()
    [('same', 'a', 'b', [1])]
    """
    named = pl.concat([decisions["left"], decisions["right"]]).unique()
    concerned = clustering.filter(pl.col("mention").is_in(named.implode()))
    cluster = dict(concerned.select("mention", "cluster").iter_rows())
    closure = Closure(decisions)
    wrong = [("same", pair) for pair in must_link(decisions, cluster) if not _together(pair, cluster)]
    wrong += [("different", pair) for pair in cannot_link(decisions, cluster) if _together(pair, cluster)]
    rows = [(judgement, *pair, closure.evidence(*pair)) for judgement, pair in wrong]
    return pl.DataFrame(rows, schema=VIOLATIONS, orient="row")


def _together(pair: Pair, cluster: dict[str, int]) -> bool:
    return cluster[pair[0]] == cluster[pair[1]]


def is_pair(left: str, right: str) -> pl.Expr:
    """The decisions on these two mentions, in either order.

    >>> pl.DataFrame({"left": ["a", "b"], "right": ["b", "c"]}).filter(is_pair("b", "a")).rows()
    [('a', 'b')]
    """
    straight = (pl.col("left") == left) & (pl.col("right") == right)
    return straight | ((pl.col("left") == right) & (pl.col("right") == left))
