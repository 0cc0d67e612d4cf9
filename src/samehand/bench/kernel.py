"""`samehand bench kernel`: the tree kernel on one core, with the factor set of 2013.

| set | what is measured |
|---|---|
| acl-a | mentions per second on that set's own mix of blocks (needs the labelled data) |
| blocks-1000, -10000 | the same in generated blocks of one size, all mentions written with the same name |
| entity-10 ... -10000 | steps per second in a block that holds one person of that many mentions, and noise |

A step draws a pair of nodes; `looked_at_per_second` counts only the pairs that are then scored. A block of one person
starts with that person as one balanced tree; `largest` is the largest tree at the end.
All seconds are processor seconds of one thread, from bags to clusters. `bytes_at_rest` are the bags, `bytes_active` all
arrays of a block while it is searched, both per mention. Shares of time come from prefixes: on the forest that the search
begins with, the same steps are run without carrying them out, first drawing only, then spreading and leaving too, then
all proposals; what the search takes beyond that is carrying out, and choosing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from samehand.bench import Options, Row
from samehand.bench.author_sets import blocks_alike, read_authors
from samehand.bench.kernel_parts import DRAWING, JOINING, LEAVING, frozen_steps
from samehand.bench.kernel_start import balanced
from samehand.curate.constraints import NONE
from samehand.infer.random import stream
from samehand.models.trees import Work, lay_out
from samehand.models.trees.blocks import index_rare, resolve_block, run_blocks
from samehand.models.trees.fields import Bags
from samehand.models.trees.forest import root_of
from samehand.models.trees.layout import COSINE
from samehand.models.trees.proposals import MOVES
from samehand.models.trees.schedule import COLD, COOLING, HOT, MOST_SWEEPS
from samehand.models.trees.search import search
from samehand.models.trees.settings import Settings, published
from samehand.models.trees.start import number_tokens, singletons

ENTITIES = (10, 100, 1_000, 10_000)
BLOCKS = ((1_000, 8), (10_000, 1))
METHOD = "trees-2013"
STEPS = 40_000
"""About as many steps are timed in each block of one person."""
NOBODY = np.empty((0, 2), np.int32)


def run(options: Options) -> Iterator[Row]:
    """Rows of mixes of blocks, then of entities by size."""
    settings = published(METHOD)
    if options.data is not None and options.wants("acl-a"):
        yield _mixed("acl-a", read_acl(options), settings, options)
    for size, count in BLOCKS[: 1 if options.quick else 2]:
        if options.wants(f"blocks-{size}"):
            yield _mixed(f"blocks-{size}", blocks_of(size, count, settings, options.seed), settings, options)
    for size in ENTITIES[: 3 if options.quick else 4]:
        if options.wants(f"entity-{size}"):
            yield {"bench": "kernel", "set": f"entity-{size}", "method": METHOD} | entity_row(size, options)


def read_acl(options: Options) -> Work:
    """The set of the data folder whose blocks are most like a library's."""
    blocked = read_authors(options.data_folder() / "authors" / "acl-a.jsonl.gz")
    return lay_out(blocked, NONE, published(METHOD))


def blocks_of(size: int, count: int, settings: Settings, seed: int) -> Work:
    """Blocks of just this size, laid out."""
    return lay_out(blocks_alike(size, count, seed), NONE, settings)


def _mixed(name: str, work: Work, settings: Settings, options: Options) -> Row:
    """Mentions and steps per second over all blocks, and how often each move was taken."""
    first = work.block_starts[:2]
    for block_starts in (first, work.block_starts):  # the first call loads the kernels
        started = time.process_time()
        searched = run_blocks(
            resolve_block, block_starts, work.bags, settings, np.zeros(len(block_starts), np.int64), NOBODY,
            work.randoms(options.seed), 1,
        )  # fmt: skip
        seconds = time.process_time() - started
    mentions, steps = int(work.block_starts[-1]), int(searched.taken[-1])
    return {
        "bench": "kernel",
        "set": name,
        "method": METHOD,
        "mentions": mentions,
        "seconds": seconds,
        "mentions_per_second": mentions / seconds,
        "steps_per_second": steps / seconds,
        "steps_per_mention": steps / mentions,
        "gain_per_mention": float(searched.gains.sum()) / mentions,
        "bytes_at_rest": work.bags.bytes_per_leaf,
        **dict(zip(MOVES[1:], searched.taken[1:-1].tolist(), strict=True)),
    }


def entity_bags(size: int, seed: int, fields: tuple[str, ...]) -> Bags:
    """One person of `size` mentions, a quarter as many of others, at least 10; all share last name and initial.

    A mention of the person has 8 of 40 title words, 3 co-authors with about 24 mentions each, and 2 of 4 venue words;
    any other has as many from a vocabulary 50 times as large.
    """
    rng = np.random.default_rng(seed)
    drawn = {"topics": (8, 40), "coauthors": (3, max(6, size // 8)), "venue": (2, 4)}
    leaves = size + max(10, size // 4)
    field: list[int] = []
    rows: list[list[int]] = [[] for _ in range(leaves)]
    for name, (count, vocabulary) in drawn.items():
        first = len(field)
        field += [fields.index(name)] * (51 * vocabulary)
        for leaf, row in enumerate(rows):
            own = leaf < size
            ranks = (vocabulary if own else 50 * vocabulary) * rng.random(count)
            row += sorted({first + (0 if own else vocabulary) + int(rank) for rank in ranks})
    for name in ("first_initials", "last_names"):
        for row in rows:
            row.append(len(field))
        field.append(fields.index(name))
    held, tokens = number_tokens(np.concatenate(rows).astype(np.int32))
    return Bags(
        starts=np.cumsum([0, *map(len, rows)]).astype(np.int64),
        tokens=tokens,
        counts=np.ones(len(tokens), np.int32),
        field=np.array(field, np.int32)[held],
        names=np.full((leaves, 3), -1, np.int32),
        initial=np.empty(0, np.int32),
    )


@dataclass
class Block:
    """A block in the middle of its search: its bags, its forest and its index, as the kernels take them."""

    bags: Bags
    settings: Settings
    random: Any

    def __post_init__(self) -> None:
        weights = self.settings.weights
        evidence = weights[self.bags.field, COSINE] != 0.0
        self.index = index_rare(self.bags.starts, self.bags.tokens, len(self.bags.field), evidence)
        self.forest: list[Any] = list(
            singletons(
                self.bags.starts,
                self.bags.tokens,
                self.bags.counts,
                self.bags.field,
                len(weights),
                self.bags.names,
            )
        )
        self.taken = np.zeros(len(MOVES) + 1, np.int64)

    @property
    def leaves(self) -> int:
        return len(self.bags.names)

    def build(self, members: int) -> None:
        """Make the first leaves one balanced tree."""
        self.forest[2] = cast(Any, balanced)(
            self.leaves,
            *self.forest,
            self.bags.field,
            self.settings.weights,
            self.settings.structure,
            members,
        )

    def search(self, hot: float, cold: float, sweeps: int) -> float:
        """Search on for so many sweeps; returns the seconds."""
        schedule = self.settings.schedule.copy()
        schedule[[HOT, COLD, COOLING, MOST_SWEEPS]] = hot, cold, sweeps, sweeps
        started = time.process_time()
        self.forest[2], _ = cast(Any, search)(
            self.leaves, *self.forest, self.bags.field, self.bags.initial, self.settings.weights,
            self.settings.structure, *self.index, NOBODY, self.random, schedule, self.taken,
        )  # fmt: skip
        return time.process_time() - started

    def frozen(self, last: int, steps: int) -> tuple[float, int]:
        """Seconds of so many steps up to the part `last`, none carried out, and how many pairs were looked at."""
        started = time.process_time()
        looked, _ = cast(Any, frozen_steps)(
            self.leaves, *self.forest, self.bags.field, self.bags.initial, self.settings.weights,
            self.settings.structure, *self.index, self.random.copy(), self.settings.schedule, last, steps,
        )  # fmt: skip
        return time.process_time() - started, int(looked)

    def bytes_active(self) -> float:
        """All arrays of the search, per mention: forest, index, token numbers, table of scores, a spread bag."""
        arrays = (*self.forest, *self.index)
        spread, scores = 12 * len(self.bags.field), 16 * (2 * self.leaves + 1)
        numbered = self.bags.tokens.nbytes + self.bags.field.nbytes + self.bags.starts.nbytes
        return float(sum(array.nbytes for array in arrays) + spread + scores + numbered) / self.leaves

    def largest(self) -> int:
        """The leaves of the largest tree."""
        return int(np.bincount([root_of(self.forest[0], leaf) for leaf in range(self.leaves)]).max())


def entity_row(size: int, options: Options) -> Row:
    """Time steps at the cold end in a block with one large person, and their parts."""
    settings = published(METHOD)
    cold = float(settings.schedule[COLD])
    for mentions in (10, size):  # the first loads the kernels
        block = Block(
            entity_bags(mentions, options.seed, settings.fields), settings, stream(options.seed, "block")
        )
        block.build(mentions)
        sweeps = max(2, STEPS // block.leaves)
        steps = sweeps * block.leaves
        (drawing, looked), (leaving, _), (proposing, _) = (
            block.frozen(part, steps) for part in (DRAWING, LEAVING, JOINING)
        )
        whole = block.search(cold, cold, sweeps)
    total = max(whole, proposing)
    return {
        "mentions": block.leaves,
        "largest": block.largest(),
        "steps_per_second": steps / whole,
        "looked_at_per_second": looked / whole,
        "bytes_at_rest": block.bags.bytes_per_leaf,
        "bytes_active": block.bytes_active(),
        "share_drawing": drawing / total,
        "share_leaving": (leaving - drawing) / total,
        "share_joining": (proposing - leaving) / total,
        "share_carrying_out": (total - proposing) / total,
        **dict(zip(MOVES[1:], block.taken[1:-1].tolist(), strict=True)),
    }
