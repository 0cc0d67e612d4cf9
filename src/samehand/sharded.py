"""Resolving authors of a collection of any size: the same model as `pipeline.resolve`, in parts that fit in memory.

    divide -> make -> count -> sort -> compare -> portray -> survey -> resolve -> match -> part -> cast -> weigh
    -> troupes -> recast -> join -> name -> gather

Every step but the small ones between is a list of tasks on files (models/persons/shards.py, variant_shards.py), run by an
engine. The files lie in a folder of the run's own: a run that was killed goes on from the last finished task when it is
started again, and ends with the same bytes as one that was not. The folder is removed when the result is written.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import orjson
import polars as pl

from samehand.engine import Engine, open_engine
from samehand.engine.files import write_whole
from samehand.errors import ReadError, SamehandError, UsageError
from samehand.models.persons.sharding import AuthorRun
from samehand.models.persons.shards import blocks_together
from samehand.progress import Progress, Silent
from samehand.read import Paths, Records
from samehand.read.batches import Batch, copy_batch, read_batch, rows_of
from samehand.read.open import places
from samehand.records import CLUSTERING, REJECTS, Reject

SHARD = 250_000
"""Mentions in a shard, and references in a sheet, as near as may be."""

AUTHORS_OF_A_PAPER = 4
"""Mentions that a reference is expected to have, where references are not mentions themselves."""

VERSION = 3
"""Of the files between tasks: a run begun with another is not gone on with."""


@dataclass(frozen=True)
class Sharded:
    """What a run on shards found, and how long each step took."""

    mentions: int
    persons: int
    shards: int
    joins: int  # of persons with different names
    path: Path  # the assignments
    timings: dict[str, float] = field(default_factory=dict)


def resolve_sharded(
    inputs: Paths,
    output: str | Path,
    *,
    engine: str | Engine = "threads",
    workers: int | None = None,
    weights: str | Path | None = None,
    format: str | None = None,
    seed: int = 0,
    shard_size: int = SHARD,
    keep: bool = False,
    progress: Progress | None = None,
) -> Sharded:
    """Resolve the authors of `inputs` without holding them in memory; `output`/mentions.parquet is the result.

    `engine` is where the tasks run: "threads", "ray", "ray://address", or an engine that is open already. A cluster must
    see the input and the output under the same paths. `keep` leaves the folder of the run (`output`/work) where it is.
    """
    target = Path(output)
    place = target / "work"
    plan = _plan(inputs, format, seed, weights, shard_size)
    opened = open_engine(engine, workers) if isinstance(engine, str) else engine
    try:
        _begin(place, plan)
        run = AuthorRun(place, opened, seed, weights, progress or Silent())
        batches = _divided(run, inputs, format, shard_size)
        each = 1 if all(batch.groups for batch in batches) else AUTHORS_OF_A_PAPER
        found = run.resolve(batches, max(1, rows_of(batches) * each // shard_size))
        run.name()
    finally:
        if isinstance(engine, str):
            opened.close()
    path = run.gather(target / "mentions.parquet")
    if not keep:
        shutil.rmtree(place)
    return Sharded(**found, path=path, timings=run.timings)


def _divided(run: AuthorRun, inputs: Paths, format: str | None, size: int) -> list[Batch]:
    """The batches of the input; where there is none, or it cannot be read, nothing is left of the run."""
    try:
        batches = run.divide(inputs, format, size)
        if rows_of(batches) == 0:
            reasons = [reason for batch in batches for reason in read_batch(batch).rejects["reason"]]
            raise ReadError("no references in the input" + (f": {reasons[0]}" if reasons else ""))
    except SamehandError:
        shutil.rmtree(run.place)
        raise
    return batches


def cluster_references(
    references: pl.DataFrame,
    mentions: pl.Series,
    decisions: pl.DataFrame,
    place: Path,
    *,
    engine: str | Engine = "threads",
    workers: int | None = None,
    weights: str | Path | None = None,
    seed: int = 0,
    shard_size: int = SHARD,
    progress: Progress | None = None,
    record: Callable[[str, str, int], None] | None = None,
) -> pl.DataFrame:
    """The authors of references under curators' decisions, as any resolver gives them (schema `records.CLUSTERING`).

    `mentions` are all author mentions, in the order that the answer has. The run lies in the folder `place` until the
    caller removes it: one that was killed goes on there if nothing it depends on has changed, and begins anew if it has.
    `record` is told the name of the plan, the step and the number of each task that is done.
    """
    key = {
        "seed": seed,
        "size": shard_size,
        "weights": None if weights is None else Path(weights).read_text("utf-8"),
    }
    known = (
        references.hash_rows(1).to_list(),
        decisions.select("judgement", "left", "right").rows(),
        key,
        VERSION,
    )
    name = hashlib.blake2b(orjson.dumps(known), digest_size=16).hexdigest()
    plan = name.encode()
    if (place / "plan.json").exists() and (place / "plan.json").read_bytes() != plan:
        shutil.rmtree(place)
    _begin(place, plan)
    told = None if record is None else partial(record, name)
    opened = open_engine(engine, workers) if isinstance(engine, str) else engine
    try:
        run = AuthorRun(place, opened, seed, weights, progress or Silent(), told)
        batches = [
            copy_batch(Records(part, REJECTS.to_frame()), place / "batches" / f"{number:05}")
            for number, part in enumerate(references.iter_slices(shard_size))
        ]
        together = blocks_together(references, decisions) if decisions.height else None
        run.resolve(batches, max(1, mentions.len() // shard_size), decisions, together)
    finally:
        if isinstance(engine, str):
            opened.close()
    found = mentions.alias("mention").to_frame().join(run.clusters(), on="mention", maintain_order="left")
    first = found.select(pl.col("person").unique(maintain_order=True)).with_row_index("cluster")
    return found.join(first, on="person", maintain_order="left").select(
        pl.col(name).cast(dtype) for name, dtype in CLUSTERING.items()
    )


def _plan(inputs: Paths, format: str | None, seed: int, weights: str | Path | None, size: int) -> bytes:
    """All that the result depends on."""
    files = []
    for each in places(inputs):
        path = Path(each.source if isinstance(each, Reject) else each.path)
        state = path.stat() if path.exists() else None
        files.append([str(path.resolve()), state and state.st_size, state and state.st_mtime_ns])
    known = {
        "version": VERSION, "files": files, "format": format, "seed": seed, "size": size,
        "weights": None if weights is None else Path(weights).read_text("utf-8"),
    }  # fmt: skip
    return orjson.dumps(known, option=orjson.OPT_SORT_KEYS)


def _begin(place: Path, plan: bytes) -> None:
    """Begin a run in its folder, or go on with the one that was begun there."""
    path = place / "plan.json"
    if path.exists() and path.read_bytes() != plan:
        raise UsageError(
            f"{place}: holds an unfinished run of other input or settings; finish that one, or remove the folder"
        )
    if not path.exists() and place.exists() and any(place.iterdir()):
        raise UsageError(f"{place}: is not the folder of a run; remove it or choose another output")
    write_whole(path, lambda file: file.write(plan))
