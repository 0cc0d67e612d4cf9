"""The steps of resolving authors in shards, each a list of tasks for an engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import polars as pl
import pyarrow.parquet as pq

from samehand.engine import Engine
from samehand.engine.files import read_frame, write_frame, write_whole
from samehand.errors import UsageError
from samehand.models.persons import naming, shards, variant_shards
from samehand.progress import Progress, counted, step
from samehand.publish.tables import whole_file, write_csv
from samehand.read import Paths
from samehand.read.batches import Batch, divide, rows_of


class AuthorRun:
    """The steps of a run in its folder."""

    def __init__(
        self,
        place: Path,
        engine: Engine,
        seed: int,
        weights: str | Path | None,
        progress: Progress,
        record: Callable[[str, int], None] | None = None,
    ) -> None:
        self.place, self.engine, self.seed = place, engine, seed
        self.weights = None if weights is None else str(Path(weights).resolve())
        self.progress, self.record = progress, record
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
            outcome.append(f"{counted(rows_of(batches), 'row')} in {counted(len(batches), 'part')}")
        return batches

    def resolve(
        self,
        batches: Sequence[Batch],
        count: int,
        decisions: pl.DataFrame | None = None,
        together: pl.DataFrame | None = None,
    ) -> dict[str, int]:
        """The persons of so many shards; how many mentions, persons, shards and joins there are.

        `decisions` are those of curators, `together` the blocks that they have put together.
        """
        folder = str(self.place)
        self.shards = count
        calls: list[tuple[Any, ...]] = [(folder, i, b, count, together) for i, b in enumerate(batches)]
        mentions = sum(self._tasks("make", shards.make, calls))
        self._alone("count", shards.count_words, folder, len(batches), mentions)
        sizes = self._tasks("sort", shards.sort, [(folder, i, len(batches)) for i in range(count)])
        shards.drop_sheets(folder)
        self._alone("compare", shards.compare_manners, folder, count)
        first = np.argsort(sizes)[::-1].tolist()
        self._tasks("portray", shards.portray, [(folder, i) for i in first])
        self._alone("survey", shards.survey, folder, count)
        calls = [(folder, i, self.seed, self.weights, decisions) for i in first]
        found = self._tasks("resolve", shards.resolve, calls, mentions, _merges)
        self._tasks(
            "match",
            variant_shards.match,
            [(folder, which, count) for which in variant_shards.matches(mentions)],
        )
        parts = self._alone("part", variant_shards.divide, folder)
        self._tasks("cast", variant_shards.cast, [(folder, "weighed", i) for i in first])
        self._tasks("weigh", variant_shards.weigh, [(folder, part, self.weights) for part in range(parts)])
        troupes = self._alone("troupes", variant_shards.divide_again, folder, parts)
        self._tasks("recast", variant_shards.cast, [(folder, "troupes", i) for i in first])
        apart = np.empty((0, 2), np.int64)
        if decisions is not None and decisions.height:
            apart = variant_shards.parted(folder, count, decisions)
        calls = [(folder, which, self.weights, apart) for which in range(troupes)]
        joins = sum(self._tasks("join", variant_shards.join, calls))
        write_frame(self.place / "joined.arrow", naming.read_joined(self.place))
        persons = sum(people for _, people in found) - joins
        return {"mentions": mentions, "persons": persons, "shards": count, "joins": joins}

    def name(self) -> None:
        """Give every person its identifier."""
        _check_distinct(self._tasks("name", naming.name, [(str(self.place), i) for i in range(self.shards)]))

    def clusters(self) -> pl.DataFrame:
        """Columns mention, person and probability, after persons with different names are joined."""
        joined = naming.read_joined(self.place)
        return pl.concat(naming.clusters(self.place, number, joined) for number in range(self.shards))

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
                if self.record is not None:
                    self.record(name, number)
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
