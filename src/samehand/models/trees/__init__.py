"""Author coreference by entity trees (Wick, Singh and McCallum 2012; Wick, Kobren and McCallum 2013).

Each person is a tree: mentions are its leaves, inner nodes are latent sub-entities whose bags are the sums of their
children's. The score of a forest is the sum of child-parent factors and node factors (factors.py); a multi-try search
(search.py) changes the trees of a block until nothing better is found.

    layout     how a forest lies in flat arrays        fields     mentions to bags
    bags       sparse counts in one pool               settings   factor sets: two papers', or a user's
    forest     links, and the primitives of moves      blocks     a block in one call, many on all cores
    factors    what nodes and pairs score              score      the same score, slowly and obviously
    deltas     what a proposal would change            search     multi-try search
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.trees.blocks import BlockKernel, resolve_block, run_blocks
from samehand.models.trees.fields import bags
from samehand.models.trees.layout import Ints, Longs
from samehand.models.trees.settings import Settings, published
from samehand.records import CLUSTERING


def resolve_2012(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions with the factor set of 2012."""
    return resolve_blocked(resolve_block, published("trees-2012"), blocked, constraints, run)


def resolve_2013(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions with the factor set of 2013."""
    return resolve_blocked(resolve_block, published("trees-2013"), blocked, constraints, run)


def resolve_blocked(
    kernel: BlockKernel, settings: Settings, blocked: Blocked, constraints: Constraints, run: Run
) -> pl.DataFrame:
    """Cluster author mentions block by block with any kernel and factor set."""
    authors = described(blocked)
    leaf_of, leaf_block = leaves_of(authors["block"], constraints)
    order = np.argsort(leaf_block, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    leaf = place[leaf_of]
    keys, block_starts = _blocks(authors["block"], leaf, leaf_block[order])
    apart_starts, apart = _apart(constraints, leaf, block_starts)
    randoms = np.array([stream(run.seed, key) for key in keys], np.uint64).reshape(len(keys), 2)
    roots = run_blocks(
        kernel, block_starts, bags(authors, leaf, len(order), settings.fields), settings, apart_starts, apart, randoms,
        run.threads,
    ).labels  # fmt: skip
    root = (
        roots
        + 2 * np.repeat(block_starts[:-1], np.diff(block_starts))
        + np.repeat(np.arange(len(keys)), np.diff(block_starts))
    )
    return _clustering(authors["id"], root[leaf])


def described(blocked: Blocked) -> pl.DataFrame:
    """The author mentions with title, venue and keywords of their references."""
    about = blocked.references.select(reference="id", title="title", venue="venue", keywords="keywords")
    return blocked.mentions.join(about, on="reference", how="left", maintain_order="left")


def leaves_of(block: pl.Series, constraints: Constraints) -> tuple[Longs, Longs]:
    """Each mention's leaf, mentions that a curator joined sharing one, and each leaf's block as a number."""
    leaf = connected(block.len(), (), same=constraints.same)
    number = block.rank("dense").cast(pl.Int64).to_numpy() - 1
    first = np.unique(leaf, return_index=True)[1]
    return leaf, number[first]


def _blocks(block: pl.Series, leaf: Longs, leaf_block: Longs) -> tuple[list[str], Longs]:
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
