"""`samehand bench author-speed`: the default author model on one core, step by step.

| method | what is timed |
|---|---|
| lay-out | from blocked mentions to bags, name forms and the ambiguity of each block |
| search | from bags to persons |
| posterior | the same, and how surely each mention belongs there |
| variants | persons of different blocks, joined |

Sets are acl-a's own mix of blocks (needs the labelled data) and generated blocks of one size whose mentions are all
written with one name. Seconds are processor seconds of one thread; kernels are loaded before the clock starts.
`share` is the step's share of all, where posterior includes the search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from samehand.bench import Options, Row
from samehand.bench.author_sets import blocks_alike, first_blocks, read_authors
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.models.persons.blocks import resolve_work
from samehand.models.persons.variants import join_variants
from samehand.models.persons.weights import default
from samehand.models.persons.work import lay_out

BLOCKS = ((1_400, 6), (10_000, 1), (40_000, 1))
Result = TypeVar("Result")


def run(options: Options) -> Iterator[Row]:
    """Four rows for each set."""
    if options.data is not None and options.wants("acl-a"):
        blocked = read_authors(options.data_folder() / "authors" / "acl-a.jsonl.gz")
        yield from steps("acl-a", first_blocks(blocked, 5_000) if options.quick else blocked, options.seed)
    for size, count in BLOCKS[:1] if options.quick else BLOCKS:
        if options.wants(f"blocks-{size}"):
            alike = blocks_alike(size, 1 if options.quick else count, options.seed)
            yield from steps(f"blocks-{size}", alike, options.seed)


def steps(name: str, blocked: Blocked, seed: int) -> Iterator[Row]:
    """The seconds of each step on one set."""
    timed(first_blocks(blocked, 1), seed)
    seconds = timed(blocked, seed)
    total = seconds["lay-out"] + seconds["posterior"] + seconds["variants"]
    for method, each in seconds.items():
        yield {
            "bench": "author-speed",
            "set": name,
            "method": method,
            "mentions": blocked.mentions.height,
            "seconds": each,
            "mentions_per_second": blocked.mentions.height / each,
            "share": each / total,
        }


def timed(blocked: Blocked, seed: int) -> dict[str, float]:
    """Processor seconds by step."""
    weights, alone = default(), Run(seed, threads=1)
    seconds: dict[str, float] = {}

    def clock(step: str, call: Callable[[], Result]) -> Result:
        started = time.process_time()
        result = call()
        seconds[step] = time.process_time() - started
        return result

    work = clock("lay-out", lambda: lay_out(blocked, NONE))
    clock("search", lambda: resolve_work(work, weights, alone, posterior=False))
    labels, probability = clock("posterior", lambda: resolve_work(work, weights, alone))
    clock("variants", lambda: join_variants(work, NONE, weights, labels, probability))
    return seconds
