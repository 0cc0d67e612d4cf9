"""`samehand bench scale`: authors end to end, out of core, from a Parquet file to assignments.

A collection is generated (that is not timed), and `samehand resolve --only authors --engine threads` is run on it in a
process of its own, kernels loaded before the clock starts. `mentions_per_second` is by the clock on all cores,
`microseconds` are processor time for a mention, `peak_mib` is the process's largest resident memory, `disk_mib` what the
run left in its folder at the end, `growth` the processor time for a mention against that of the smallest size.
`share_STEP` is a step's share of the clock.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl

from samehand.bench import Options, Row
from samehand.errors import SamehandError
from samehand.evaluate import bcubed, pairs
from samehand.evaluate.contingency import contingency
from samehand.evaluate.synthetic import generate
from samehand.normalise.coded import coded
from samehand.sharded import resolve_sharded

SIZES = (100_000, 1_000_000, 5_800_000)


def run(options: Options) -> Iterator[Row]:
    """A row for each size."""
    wanted = (options.mentions,) if options.mentions else (20_000,) if options.quick else SIZES
    first: float | None = None
    for mentions in wanted:
        if not options.wants(f"generated-{mentions}"):
            continue
        with tempfile.TemporaryDirectory(prefix="samehand-") as folder:
            collection = Path(folder) / "mentions.parquet"
            generate(mentions, collection, seed=options.seed)
            row = measured(collection, Path(folder) / "out", options.seed)
        first = first or row["microseconds"]
        yield {"bench": "scale", "set": f"generated-{mentions}", "method": "samehand", **row,
               "growth": row["microseconds"] / first}  # fmt: skip


def measured(collection: Path, output: Path, seed: int, engine: str = "threads") -> Row:
    """Speed, memory and accuracy of a run on a generated collection, in a process of its own."""
    command = [sys.executable, "-m", __name__, str(collection), str(output), str(seed), engine]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SamehandError(f"the run on {collection.name} failed; its messages are above")
    figures: Row = orjson.loads(done.stdout.splitlines()[-1])
    truth = collection.with_suffix(".truth.parquet")
    return figures | accuracy(output / "mentions.parquet", truth)


def accuracy(found: Path, truth: Path) -> dict[str, float]:
    """B-cubed and pairwise figures, without the intervals of `samehand evaluate`."""
    guessed = pl.read_parquet(found, columns=["id", "entity"])
    known = pl.read_parquet(truth)
    table = guessed.join(known.rename({known.columns[1]: "truth"}), on="id")
    if table.height != guessed.height or table.height != known.height:
        raise SamehandError(f"{found}: {guessed.height:,} mentions, but the truth has {known.height:,}")
    codes = [coded(table[column])[0].astype(np.int64) for column in ("truth", "entity")]
    cells = contingency(*codes)
    figures: dict[str, float] = {}
    for measure in (bcubed, pairs):
        totals = {name: values.sum() for name, values in measure.sums(cells).items()}
        figures |= {name: float(value) for name, value in measure.figures(totals).items()}
    return figures


def _timed(collection: Path, output: Path, seed: int, engine: str) -> dict[str, Any]:
    """Run on a collection in this process, after a small one for which modules and kernels are loaded."""
    small = output.parent / "small.parquet"
    generate(2_000, small, seed=seed)
    resolve_sharded(small, output.parent / "small", seed=seed, engine=engine)
    before, started = time.process_time(), time.perf_counter()
    found = resolve_sharded(collection, output, seed=seed, engine=engine, keep=True)
    seconds, processor = time.perf_counter() - started, time.process_time() - before
    disk = sum(path.stat().st_size for path in (output / "work").rglob("*") if path.is_file())
    return {
        "mentions": found.mentions,
        "clusters": found.persons,
        "seconds": seconds,
        "mentions_per_second": found.mentions / seconds,
        "microseconds": 1e6 * processor / found.mentions,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "disk_mib": disk / 2**20,
        **{f"share_{name}": each / seconds for name, each in found.timings.items()},
    }


if __name__ == "__main__":
    place, target, number, where = sys.argv[1:]
    print(orjson.dumps(_timed(Path(place), Path(target), int(number), where)).decode())
