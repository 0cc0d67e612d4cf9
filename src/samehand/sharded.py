"""Resolving authors of a collection of any size: the same model as `pipeline.resolve`, in parts that fit in memory.

    divide -> make -> count -> sort -> compare -> portray -> survey -> resolve -> match -> cast -> join -> name -> gather

Every step but the small ones between is a list of tasks on files (models/persons/shards.py, variant_shards.py), run by an
engine. The files lie in a folder of the run's own: a run that was killed goes on from the last finished task when it is
started again, and ends with the same bytes as one that was not. The folder is removed when the result is written.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pyarrow.parquet as pq

from samehand.engine import Engine, open_engine
from samehand.engine.files import read_frame, write_frame, write_whole
from samehand.errors import UsageError
from samehand.models.persons import naming, shards, variant_shards
from samehand.progress import Progress, Silent, counted, step
from samehand.publish.tables import whole_file, write_csv
from samehand.read import Paths
from samehand.read.batches import Batch, divide, rows_of
from samehand.read.open import places
from samehand.records import Reject

SHARD = 250_000
"""Mentions in a shard, and references in a sheet, as near as may be."""

AUTHORS_OF_A_PAPER = 4
"""Mentions that a reference is expected to have, where references are not mentions themselves."""

VERSION = 1
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
    _begin(place, plan)
    opened = open_engine(engine, workers) if isinstance(engine, str) else engine
    try:
        run = _Run(
            place,
            opened,
            seed,
            None if weights is None else str(Path(weights).resolve()),
            progress or Silent(),
        )
        batches = run.divide(inputs, format, shard_size)
        if not batches:
            raise UsageError("there is nothing to resolve in the input")
        found = run.resolve(batches, shard_size)
    finally:
        if isinstance(engine, str):
            opened.close()
    path = run.gather(target / "mentions.parquet")
    if not keep:
        shutil.rmtree(place)
    return Sharded(**found, path=path, timings=run.timings)


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


class _Run:
    """The steps of a run in its folder."""

    def __init__(
        self, place: Path, engine: Engine, seed: int, weights: str | None, progress: Progress
    ) -> None:
        self.place, self.engine, self.seed, self.weights = place, engine, seed, weights
        self.progress = progress
        self.timings: dict[str, float] = {}
        self.shards = 0

    def divide(self, inputs: Paths, format: str | None, size: int) -> list[Batch]:
        """The batches of the input; what had to be copied is not copied again when a run goes on."""
        with self._step("divide") as outcome:
            path = self.place / "batches.json"
            if not path.exists():
                found = list(divide(inputs, self.place / "batches", size, format))
                text = orjson.dumps([asdict(batch) for batch in found])
                write_whole(path, lambda file: file.write(text))
            batches = [
                Batch(**row | {"groups": tuple(row["groups"])}) for row in orjson.loads(path.read_bytes())
            ]
            outcome.append(f"{counted(rows_of(batches), 'row')} in {counted(len(batches), 'batch')}")
        return batches

    def resolve(self, batches: Sequence[Batch], size: int) -> dict[str, int]:
        """All steps up to names; how many mentions, persons, shards and joins there are."""
        folder, rows = str(self.place), rows_of(batches)
        each = 1 if all(batch.groups for batch in batches) else AUTHORS_OF_A_PAPER
        count = self.shards = max(1, rows * each // size)
        sizes = self._tasks("make", shards.make, [(folder, i, b, count) for i, b in enumerate(batches)])
        mentions = sum(sizes)
        self._alone("count", shards.count_words, folder, len(batches), mentions)
        sizes = self._tasks("sort", shards.sort, [(folder, i, len(batches)) for i in range(count)])
        shards.drop_sheets(folder)
        self._alone("compare", shards.compare_manners, folder, count)
        first = np.argsort(sizes)[::-1].tolist()
        self._tasks("portray", shards.portray, [(folder, i) for i in first])
        self._alone("survey", shards.survey, folder, count)
        calls = [(folder, i, self.seed, self.weights, None) for i in first]
        found = self._tasks("resolve", shards.resolve, calls, mentions, _merges)
        self._tasks(
            "match", variant_shards.match, [(folder, which, count) for which in variant_shards.MATCHES]
        )
        troupes = self._alone("troupes", variant_shards.divide, folder)
        self._tasks("cast", variant_shards.cast, [(folder, i, self.weights) for i in first])
        nobody = np.empty((0, 2), np.int64)
        calls_ = [(folder, which, self.weights, nobody) for which in range(troupes)]
        joins = sum(self._tasks("join", variant_shards.join, calls_))
        write_frame(self.place / "joined.arrow", naming.read_joined(self.place))
        named = self._tasks("name", naming.name, [(folder, i) for i in range(count)])
        _check_distinct(named)
        persons = sum(people for _, people in found) - joins
        return {"mentions": mentions, "persons": persons, "shards": count, "joins": joins}

    def gather(self, path: Path) -> Path:
        """Put the results of all shards into one file."""
        with self._step("gather") as outcome:
            draft = path.with_name(f".{path.name}")
            writer = None
            for number in range(self.shards):
                table = read_frame(self.place / "named" / f"{number:05}.arrow").to_arrow(
                    compat_level=pl.CompatLevel.oldest()
                )
                writer = writer or pq.ParquetWriter(draft, table.schema, compression="zstd")
                writer.write_table(table)
            if writer is not None:
                writer.close()
            draft.replace(path)
            rejects = [read_frame(part) for part in sorted((self.place / "rejects").iterdir())]
            with whole_file(path.with_name("rejects.csv")) as stream:
                write_csv(pl.concat(rejects), stream)
            outcome.append(str(path))
        return path

    @contextmanager
    def _step(self, name: str) -> Iterator[list[str]]:
        started = time.perf_counter()
        with step(self.progress, name) as outcome:
            yield outcome
        self.timings[name] = time.perf_counter() - started

    def _alone(self, name: str, task: Callable[..., Any], *arguments: object) -> Any:
        with self._step(name):
            return task(*arguments)

    def _tasks(
        self,
        name: str,
        task: Callable[..., Any],
        calls: Sequence[tuple[Any, ...]],
        mentions: int = 0,
        told: Callable[[list[Any]], str] | None = None,
    ) -> list[Any]:
        """The results of all calls, in their order."""
        results: dict[int, Any] = {}
        started = time.perf_counter()
        with self._step(name) as outcome:
            for number, result in self.engine.run(task, calls):
                results[number] = result
                speed = mentions * len(results) / len(calls) / (time.perf_counter() - started)
                rate = f", {speed:,.0f} mentions/s" if mentions else ""
                detail = f", {told(list(results.values()))}" if told else ""
                self.progress.update(
                    len(results), len(calls), f"{len(results)} of {len(calls)} tasks{rate}{detail}"
                )
            outcome.append(
                counted(len(calls), "task") + (f", {told(list(results.values()))}" if told else "")
            )
        return [results[number] for number in range(len(calls))]


def _merges(found: list[tuple[int, int]]) -> str:
    """How many mentions were joined to others so far."""
    return counted(sum(mentions - people for mentions, people in found), "merge")


def _check_distinct(named: Sequence[pl.Series]) -> None:
    """Identifiers have 50 bits: of fifty million persons, one pair in three runs would have the same."""
    every = pl.concat(named)
    if every.n_unique() < every.len():
        raise UsageError("two persons would have the same identifier; give the run another order of mentions")
