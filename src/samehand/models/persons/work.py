"""The work of a run: all author mentions block after block, with their evidence and the curators' constraints."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.union import connected
from samehand.models.persons.ambiguity import ambiguity
from samehand.models.persons.evidence import Evidence, described, evidence
from samehand.models.persons.layout import Floats, Ints, Longs


@dataclass(frozen=True)
class Work:
    """Mentions in the order of their blocks; `row[m]` is mention m's row in the blocked table.

    Block b has the mentions from `starts[b]` to `starts[b + 1]` and the features `ambiguity[b]`; its
    constraints are pairs of positions within it.
    """

    mentions: pl.Series
    row: Longs
    keys: list[str]
    starts: Longs
    evidence: Evidence
    ambiguity: Floats
    same: list[Ints]
    apart: list[Ints]

    def block(self, number: int) -> slice:
        """The mentions of a block."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


def lay_out(blocked: Blocked, constraints: Constraints) -> Work:
    """Author mentions sorted by block; blocks that a curator's "same" lies across are made one."""
    block = _joined_blocks(blocked.mentions["block"], constraints)
    authors = described(blocked.mentions.with_columns(block=block), blocked.references)
    row = authors.select(pl.arg_sort_by("block", maintain_order=True)).to_series().to_numpy().astype(np.int64)
    authors = authors[row]
    sizes = authors.group_by("block", maintain_order=True).len()
    starts = np.concatenate([[0], np.cumsum(sizes["len"].to_numpy())]).astype(np.int64)
    place = np.empty_like(row)
    place[row] = np.arange(len(row))
    found = evidence(authors)
    return Work(
        mentions=authors["id"],
        row=row,
        keys=sizes["block"].to_list(),
        starts=starts,
        evidence=found,
        ambiguity=ambiguity(authors, found, starts),
        same=_by_block(place[constraints.same], starts),
        apart=_by_block(place[constraints.different], starts),
    )


def _joined_blocks(block: pl.Series, constraints: Constraints) -> pl.Series:
    if len(constraints.same) == 0:
        return block
    number = block.rank("dense").cast(pl.Int64).to_numpy() - 1
    group = connected(int(number.max()) + 1, (), same=number[constraints.same])
    keys = block.unique().sort()
    first = pl.DataFrame({"group": group, "key": keys}).group_by("group").agg(pl.col("key").first())
    named = pl.DataFrame({"group": group[number]}).join(first, on="group", maintain_order="left")
    return named["key"].alias("block")


def _by_block(pairs: Longs, starts: Longs) -> list[Ints]:
    """Pairs of mentions as pairs of positions within their block; a pair across blocks constrains nothing."""
    nothing = np.empty((0, 2), np.int32)
    result = [nothing] * (len(starts) - 1)
    block = np.searchsorted(starts, pairs, side="right") - 1
    inside = block[:, 0] == block[:, 1]
    for number in np.unique(block[inside, 0]).tolist():
        chosen = pairs[inside & (block[:, 0] == number)]
        result[number] = (chosen - starts[number]).astype(np.int32)
    return result


def run_blocks(work: Work, resolve: Callable[[int], None], threads: int) -> None:
    """Call `resolve` with the number of each block, the largest first, on `threads` threads."""
    waiting = iter(np.argsort(-np.diff(work.starts), kind="stable").tolist())

    def take(_: int) -> None:
        for block in waiting:
            resolve(block)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(take, range(threads)))
