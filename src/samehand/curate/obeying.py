"""A clustering made to follow decisions that were taken after it was begun, changed as little as will do.

Mentions that are `same` form groups, which stay whole.

1. Where a cluster holds groups that are `different`, these are dealt out, the largest first (of equals the one that the
   model is surer of), each to the first part that it is not `different` from. The part with most mentions stays, with
   all mentions that nobody spoke of; each other part leaves for a cluster of its own.
2. Where a group lies in several clusters, the smaller clusters are joined to the largest; but if that would bring
   together what is `different`, only the group itself moves.

Decisions that do not contradict each other can always be followed so: after step 1 no cluster is at odds with itself,
and a group may always join a cluster that holds a part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

import polars as pl

from samehand.curate.decisions import Closure, violations
from samehand.records import CLUSTERING


def obeying(clustering: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """The clustering (schema `records.CLUSTERING`), following the decisions in force; itself if it does already.

    A mention that is moved by a decision is there with probability 1.

    >>> ledger = pl.DataFrame({"id": [1], "judgement": ["different"], "left": ["x"], "right": ["y"],
    ...     "undone_at": [None]})
    >>> both = pl.DataFrame([("x", 0, 0.9), ("y", 0, 0.8), ("z", 0, 0.9)], schema=CLUSTERING, orient="row")
    >>> obeying(both, ledger).rows()
    [('x', 0, 0.9), ('y', 1, 1.0), ('z', 0, 0.9)]
    """
    if violations(clustering, decisions).is_empty():
        return clustering
    work = _Work(clustering, Closure(decisions))
    work.part()
    work.join()
    return work.result(clustering)


class _Work:
    """The clusters that hold mentions curators spoke of; `where` is the cluster of each of their mentions."""

    def __init__(self, clustering: pl.DataFrame, closure: Closure) -> None:
        self.closure = closure
        self.enemies: dict[str, set[str]] = defaultdict(set)
        for one, other in closure.apart():
            self.enemies[one].add(other)
            self.enemies[other].add(one)
        self.groups = closure.groups()
        spoken = {*self.enemies, *(mention for members in self.groups.values() for mention in members)}
        clusters = clustering.filter(pl.col("mention").is_in(pl.Series(sorted(spoken)).implode()))["cluster"]
        held = clustering.filter(pl.col("cluster").is_in(clusters.unique().implode()))
        self.where: dict[str, int] = dict(held.select("mention", "cluster").iter_rows())
        self.sure: dict[str, float | None] = dict(held.select("mention", "probability").iter_rows())
        self.members: dict[int, dict[str, None]] = defaultdict(dict)
        for mention, cluster in self.where.items():
            self.members[cluster][mention] = None
        largest = clustering["cluster"].max()
        assert isinstance(largest, int)
        self.unused = largest + 1
        self.decided: set[str] = set()

    def part(self) -> None:
        """Step 1."""
        for cluster in list(self.members):
            for part in self._parts(cluster)[1:]:
                self._move(part, self.unused)
                self.unused += 1
                self.decided.update(part)

    def _parts(self, cluster: int) -> list[list[str]]:
        """The mentions of groups that are at odds with another in their cluster, dealt out; most mentions first."""
        groups = self._largest_first(cluster)
        names = [group for group, _ in groups]
        parts: list[dict[str, list[str]]] = []
        for group, mentions in groups:
            if not self._opposed([group], names):
                continue
            for part in parts:
                if not self._opposed([group], part):
                    part[group] = mentions
                    break
            else:
                parts.append({group: mentions})
        dealt = [[mention for mentions in part.values() for mention in mentions] for part in parts]
        return sorted(dealt, key=len, reverse=True)

    def join(self) -> None:
        """Step 2."""
        for mentions in self.groups.values():
            present = [mention for mention in mentions if mention in self.where]
            clusters = sorted({self.where[mention] for mention in present}, key=self._size)
            for cluster in clusters[1:]:
                self._join_to(clusters[0], cluster, present)

    def result(self, clustering: pl.DataFrame) -> pl.DataFrame:
        """The clustering with what was moved."""
        moved = pl.DataFrame(list(self.where.items()), schema=["mention", "to"], orient="row")
        decided = pl.col("mention").is_in(pl.Series(sorted(self.decided), dtype=pl.String).implode())
        return (
            clustering.join(moved, on="mention", how="left", maintain_order="left")
            .with_columns(
                pl.coalesce(pl.col("to"), pl.col("cluster").cast(pl.Int64)).alias("cluster"),
                pl.when(decided).then(1.0).otherwise("probability").alias("probability"),
            )
            .select(pl.col(name).cast(dtype) for name, dtype in CLUSTERING.items())
        )

    def _join_to(self, target: int, cluster: int, group: list[str]) -> None:
        parts = [mention for mention in group if self.where[mention] == cluster]
        self.decided.update(parts)
        opposed = self._opposed(self._names(target), self._names(cluster))
        self._move(parts if opposed else list(self.members[cluster]), target)

    def _opposed(self, ones: Iterable[str], others: Collection[str]) -> bool:
        """Whether a group of the ones is different from one of the others."""
        return any(not self.enemies[one].isdisjoint(others) for one in ones if one in self.enemies)

    def _names(self, cluster: int) -> set[str]:
        return {self.closure.group(mention) for mention in self.members[cluster]}

    def _move(self, mentions: list[str], cluster: int) -> None:
        for mention in mentions:
            del self.members[self.where[mention]][mention]
            self.where[mention] = cluster
            self.members[cluster][mention] = None

    def _largest_first(self, cluster: int) -> list[tuple[str, list[str]]]:
        """The groups of a cluster, a mention nobody joined being one, with their mentions there."""
        found: dict[str, list[str]] = defaultdict(list)
        for mention in self.members[cluster]:
            found[self.closure.group(mention)].append(mention)
        return sorted(found.items(), key=self._weight)

    def _weight(self, group: tuple[str, list[str]]) -> tuple[int, float, str]:
        name, mentions = group
        return -len(mentions), -max(self.sure[mention] or 0.0 for mention in mentions), name

    def _size(self, cluster: int) -> tuple[int, int]:
        return -len(self.members[cluster]), cluster
