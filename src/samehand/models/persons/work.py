"""The work of a run: author mentions block after block, with their evidence and the curators' constraints.

`lay_out` does all of it for a library that fits in memory. A larger one goes the same way in parts (engine/): sheets of
references, shards of whole blocks, and the statistics of all of them.
"""

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
from samehand.models.persons.evidence import Bags, Evidence, make_bags
from samehand.models.persons.forms import name_forms
from samehand.models.persons.known_pairs import Sample, draw_sample
from samehand.models.persons.layout import Floats, Hashes, Ints, Longs
from samehand.models.persons.likeness import portraits
from samehand.models.persons.sheets import Sheet, make_sheet
from samehand.models.persons.statistics import (
    Manner,
    Statistics,
    Vocabulary,
    count,
    manner,
    spread,
    statistics,
    vocabulary,
)
from samehand.records import CLUSTERING


@dataclass(frozen=True)
class Work:
    """Mentions in the order of their blocks; `row[m]` is mention m's row in the blocked table.

    Block b has the mentions from `starts[b]` to `starts[b + 1]` and the features `ambiguity[b]`; its
    constraints are pairs of positions within it. Mention m's name is row `name[m]` of `names`,
    its paper the hash `papers[m]`; `words` are those of the whole library.
    """

    mentions: pl.Series
    row: Longs
    keys: list[str]
    starts: Longs
    evidence: Evidence
    ambiguity: Floats
    same: list[Ints]
    apart: list[Ints]
    names: pl.DataFrame  # schema sheets.NAMES
    name: Ints
    papers: Hashes  # of each mention
    words: Vocabulary

    def block(self, number: int) -> slice:
        """The mentions of a block."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


@dataclass(frozen=True)
class Sorted:
    """A sheet whose blocks are whole, block after block: mention m is row `order[m]` of the sheet."""

    sheet: Sheet
    order: Longs
    keys: list[str]
    starts: Longs
    bags: Bags
    papers: Ints

    def sample(self, words: Vocabulary) -> Sample:
        """The mentions that are looked at to learn how alike the papers of one person are, and of two."""
        own = self.sheet.mentions[self.order]
        papers: Hashes = own["paper"].to_numpy()
        return draw_sample(own["id"], self.bags, own["block"], papers, words.acquaintances(), words.mentions)

    def portraits(self, words: Vocabulary, found: Manner) -> Longs:
        """How alike the pairs of mentions of each block are."""
        known = found.spread.of(self.bags.vocabulary)
        return portraits(self.bags, known, found.totals, words.distinct, self.starts)


def sort_sheet(sheet: Sheet) -> Sorted:
    """The mentions of a sheet block after block, with their bags."""
    block = sheet.mentions["block"]
    order = block.to_frame().select(pl.arg_sort_by("block", maintain_order=True)).to_series()
    sizes = block.gather(order).rle().struct.unnest()
    starts = np.concatenate([[0], np.cumsum(sizes["len"].to_numpy())]).astype(np.int64)
    rows = order.to_numpy().astype(np.int64)
    bags, papers = make_bags(sheet, rows, starts)
    return Sorted(sheet, rows, sizes["value"].to_list(), starts, bags, papers)


def lay_out(blocked: Blocked, constraints: Constraints) -> Work:
    """Author mentions sorted by block; blocks that a curator's "same" lies across are made one."""
    block = joined_blocks(blocked.mentions["block"], constraints)
    sheet = make_sheet(blocked.mentions.with_columns(block=block), blocked.references)
    laid = sort_sheet(sheet)
    whole, alike = statistics_of(sheet, laid)
    return work_of(laid, alike, whole, constraints)


def statistics_of(sheet: Sheet, laid: Sorted) -> tuple[Statistics, Longs]:
    """The statistics of a library that is one sheet, and how alike the pairs of its blocks are."""
    words = vocabulary(count(sheet), [sheet.people], sheet.mentions.height)
    found = manner(words, spread(laid.bags, laid.starts), [laid.sample(words)])
    alike = laid.portraits(words, found)
    return statistics(words, found, alike), alike


def work_of(laid: Sorted, alike: Longs, whole: Statistics, constraints: Constraints) -> Work:
    """The work of a sorted sheet, with what it must know of the whole library; constraints are pairs of its rows."""
    order, bags, words = laid.order, laid.bags, whole.words
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    name = laid.sheet.mentions["name"].to_numpy()[order].astype(np.int32)
    frequency = words.frequency.of(bags.vocabulary)
    evidence = Evidence(
        bags.starts, bags.tokens, bags.counts, bags.vocabulary, bags.field, frequency, words.totals, words.distinct,
        laid.sheet.mentions["year"].to_numpy()[order], laid.papers,
        name_forms(laid.sheet.names, name, words.census.rarity),
    )  # fmt: skip
    return Work(
        mentions=laid.sheet.mentions["id"].gather(order),
        row=order,
        keys=laid.keys,
        starts=laid.starts,
        evidence=evidence,
        ambiguity=ambiguity(laid.sheet.names, name, bags, laid.starts, alike, whole),
        same=_by_block(place[constraints.same], laid.starts),
        apart=_by_block(place[constraints.different], laid.starts),
        names=laid.sheet.names,
        name=name,
        papers=laid.sheet.mentions["paper"].to_numpy()[order],
        words=words,
    )


def table_of(work: Work, labels: Longs, probability: Floats) -> pl.DataFrame:
    """Labels and probabilities as a clustering of the mentions, in the order of the blocked table."""
    order = np.argsort(work.row)
    table = pl.DataFrame(
        {"mention": work.mentions.gather(order), "root": labels[order], "probability": probability[order]}
    )
    first = table.select(pl.col("root").unique(maintain_order=True)).with_row_index("cluster")
    return table.join(first, on="root", maintain_order="left").select(
        "mention", pl.col("cluster").cast(CLUSTERING["cluster"]), "probability"
    )


def joined_blocks(block: pl.Series, constraints: Constraints) -> pl.Series:
    """The block of each mention, where blocks that a curator's "same" lies across are one, under the smallest key."""
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
