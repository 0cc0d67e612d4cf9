"""Author coreference by entity trees (Wick, Singh and McCallum 2012; Wick, Kobren and McCallum 2013).

Each person is a tree: mentions are its leaves, inner nodes are latent sub-entities whose bags are the sums of their
children's. The score of a forest is the sum of child-parent factors and node factors (factors.py); a multi-try search
(search.py) changes the trees of a block until nothing better is found.

    layout      how a forest lies in flat arrays       fields     mentions to bags
    bags        sparse counts in one pool              settings   factor sets: two papers', or a user's
    forest      links, and the primitives of moves     blocks     a block in one call, many on all cores
    start       every mention a tree of its own        scratch    the arrays that steps write to
    factors     what nodes and pairs score             score      the same score, slowly and obviously
    deltas      what changes along a chain             leaving, joining, inside   what each proposal would change
    draws       which pairs are looked at              shape      how wide and how high trees may grow
    proposals   every proposal, and the choice         carrying, regraft          changing the forest
    schedule    temperatures                           search     multi-try search
    compiled    the decorator of inner kernels         posterior  Metropolis-Hastings over the same moves
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.trees.blocks import BlockKernel, resolve_block, run_blocks
from samehand.models.trees.fields import Bags, bags
from samehand.models.trees.layout import Ints, Longs
from samehand.models.trees.settings import Settings, published
from samehand.normalise.tokens import tokens_series
from samehand.records import CLUSTERING


def resolve_2012(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions with the factor set of 2012."""
    return resolve_blocked(resolve_block, published("trees-2012"), blocked, constraints, run)


def resolve_2013(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions with the factor set of 2013."""
    return resolve_blocked(resolve_block, published("trees-2013"), blocked, constraints, run)


@dataclass(frozen=True)
class Work:
    """Author mentions laid out for kernels: leaves block after block.

    Mention row r of the blocked table is leaf `leaf[r]`; block b, called `keys[b]`, has the leaves from
    `block_starts[b]` to `block_starts[b + 1]`. Pairs of leaves that must stay apart are positions within their block.
    """

    mentions: pl.Series
    leaf: Longs
    keys: list[str]
    block_starts: Longs
    bags: Bags
    apart_starts: Longs
    apart: Ints

    def randoms(self, seed: int) -> npt.NDArray[np.uint64]:
        """Each block's own stream of random numbers."""
        return np.array([stream(seed, key) for key in self.keys], np.uint64).reshape(len(self.keys), 2)

    def clusters(self, roots: Longs) -> Longs:
        """Each mention's cluster from the root of each leaf within its block; a block of n leaves has 2n + 1 nodes."""
        sizes = np.diff(self.block_starts)
        nodes_before = 2 * self.block_starts[:-1] + np.arange(len(sizes))
        return (roots + np.repeat(nodes_before, sizes))[self.leaf]


def resolve_blocked(
    kernel: BlockKernel, settings: Settings, blocked: Blocked, constraints: Constraints, run: Run
) -> pl.DataFrame:
    """Cluster author mentions block by block with any kernel and factor set."""
    work = lay_out(blocked, constraints, settings)
    roots = run_blocks(
        kernel, work.block_starts, work.bags, settings, work.apart_starts, work.apart, work.randoms(run.seed),
        run.threads,
    ).labels  # fmt: skip
    return _clustering(work.mentions, work.clusters(roots))


def lay_out(blocked: Blocked, constraints: Constraints, settings: Settings) -> Work:
    """The leaves, blocks and bags of author mentions in the fields of a factor set."""
    authors = described(blocked)
    leaf_of, leaf_block = leaves_of(authors["block"], constraints)
    order = np.argsort(leaf_block, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    leaf = place[leaf_of]
    keys, block_starts = _blocks(authors["block"], leaf_block[order])
    apart_starts, apart = _apart(constraints, leaf, block_starts)
    found = bags(authors, leaf, len(order), settings.fields)
    return Work(authors["id"], leaf, keys, block_starts, found, apart_starts, apart)


def described(blocked: Blocked) -> pl.DataFrame:
    """The author mentions with title, venue and keywords of their references, and with topics where they are fitted."""
    known = [name for name in ("title", "venue", "keywords", "topics") if name in blocked.references.columns]
    about = blocked.references.select(*known, reference="id")
    return blocked.mentions.join(about, on="reference", how="left", maintain_order="left")


def with_topics(blocked: Blocked, *, topics: int = 100, seed: int = 0) -> Blocked:
    """The same mentions, with a column `topics` in their references: LDA topics of the words of title and venue.

    Topics are fitted on the distinct papers of the references; the field `topics` (fields.py) then uses them.
    """
    from samehand.models.topics import fit

    words = tokens_series(
        blocked.references.select(
            pl.concat_str("title", "venue", separator=" ", ignore_nulls=True)
        ).to_series()
    )
    found = fit(words.unique(maintain_order=True), topics=topics, seed=seed).infer(words)
    names = found.list.eval(pl.element().struct.field("topic").cast(pl.String))
    return replace(blocked, references=blocked.references.with_columns(topics=names))


def leaves_of(block: pl.Series, constraints: Constraints) -> tuple[Longs, Longs]:
    """Each mention's leaf, mentions that a curator joined sharing one, and each leaf's block as a number."""
    leaf = connected(block.len(), (), same=constraints.same)
    number = block.rank("dense").cast(pl.Int64).to_numpy() - 1
    first = np.unique(leaf, return_index=True)[1]
    return leaf, number[first]


def _blocks(block: pl.Series, leaf_block: Longs) -> tuple[list[str], Longs]:
    """The keys of the blocks that have leaves, in the order of the leaves, and where each begins."""
    numbers, starts = np.unique(leaf_block, return_index=True)
    keys = block.unique().sort().gather(numbers).to_list()
    return keys, np.append(starts, len(leaf_block)).astype(np.int64)


def _apart(constraints: Constraints, leaf: Longs, block_starts: Longs) -> tuple[Longs, Ints]:
    """The pairs of leaves that must stay apart, by block, as positions within the block."""
    pairs = leaf[constraints.different]
    block = np.searchsorted(block_starts, pairs, side="right") - 1
    inside = block[:, 0] == block[:, 1]
    pairs, block = pairs[inside], block[inside, 0]
    order = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[order], np.arange(len(block_starts))).astype(np.int64)
    return starts, (pairs[order] - block_starts[block[order], None]).astype(np.int32)


def _clustering(mentions: pl.Series, roots: Longs) -> pl.DataFrame:
    """Roots as clusters numbered from 0 in order of first mention; the search claims no probability."""
    table = pl.DataFrame({"mention": mentions, "root": roots})
    first = table.select(pl.col("root").unique(maintain_order=True)).with_row_index("cluster")
    return table.join(first, on="root", maintain_order="left").select(
        "mention", pl.col("cluster").cast(CLUSTERING["cluster"]), probability=pl.lit(None, pl.Float64)
    )
