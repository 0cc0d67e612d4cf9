"""A library that grows: only the authors and papers that have changed are resolved again, many authors in shards."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import positions
from samehand.infer.run import Run
from samehand.models import DEFAULT
from samehand.progress import Progress, counted
from samehand.records import Kind

if TYPE_CHECKING:
    from samehand.library import Library
    from samehand.store.meanwhile import State

LARGE = 500_000
"""Author mentions; a library with more is resolved in shards, whether an engine is named or not."""


@dataclass(frozen=True)
class Growth:
    """How a library is to be resolved: only the authors and papers `touched`, or the authors in shards on an `engine`."""

    library: Library
    since: State | None
    touched: bool
    engine: str | None
    run: Run
    progress: Progress

    def resolve(self, blocked: Blocked, decisions: pl.DataFrame, outcome: list[str]) -> pl.DataFrame | None:
        """The clustering of the mentions of a kind; None if they are to be resolved as those of any input are."""
        if self.touched and self.engine is None:
            last = self._last_settings()
            weights = None if self.run.weights is None else str(self.run.weights)
            if blocked.kind == "author" and last.get("weights") == weights and last:
                return self._touched_authors(blocked, decisions, outcome)
            if blocked.kind == "paper" and last.get("versions") == self.run.versions:
                return self._touched_papers(blocked, decisions, outcome)
        if blocked.kind == "author" and (self.engine is not None or blocked.mentions.height > LARGE):
            return self._in_shards(blocked, decisions)
        return None

    def _touched_authors(self, blocked: Blocked, decisions: pl.DataFrame, outcome: list[str]) -> pl.DataFrame:
        from samehand.models.persons.growing import resolve_touched

        constraints = positions(decisions, blocked.mentions["id"])
        found, blocks = resolve_touched(blocked, constraints, self.run, unchanged(self.library, "author"))
        outcome.append(f"{counted(blocks, 'author block')} touched")
        return found

    def _touched_papers(self, blocked: Blocked, decisions: pl.DataFrame, outcome: list[str]) -> pl.DataFrame:
        from samehand.models.papers.growing import resolve_touched

        constraints = positions(decisions, blocked.mentions["id"])
        previous = unchanged(self.library, "paper").join(self.library.works(), on="entity", how="left")
        found, records = resolve_touched(blocked, constraints, self.run, previous)
        outcome.append(f"{counted(records, 'paper record')} touched")
        return found

    def _last_settings(self) -> dict[str, Any]:
        """The settings of the last run, if it was one of this model and of all kinds: else nothing, for then it is not
        known what has changed since each kind was resolved."""
        runs = self.library.runs()["settings"].to_list()
        last: dict[str, Any] = orjson.loads(runs[-1]) if runs else {}
        return last if last.get("model") == DEFAULT and last.get("only") is None else {}

    def _in_shards(self, blocked: Blocked, decisions: pl.DataFrame) -> pl.DataFrame:
        from samehand.sharded import cluster_references

        return cluster_references(
            blocked.references,
            blocked.mentions["id"],
            decisions,
            run_folder(self.library),
            engine=self.engine or "threads",
            workers=self.run.threads,
            weights=self.run.weights,
            seed=self.run.seed,
            record=self.library.record_task,
        )


def unchanged(library: Library, kind: Kind) -> pl.DataFrame:
    """What the last run found of the mentions that have not changed since: mention, entity, probability."""
    known = library.mentions(kind)
    revised = library.revised()
    arrived = library.arrivals()["mention"]
    kept = known.filter(
        ~pl.col("reference").is_in(revised.implode()) & ~pl.col("id").is_in(arrived.implode())
    )
    return kept.select("entity", "probability", mention="id")


def run_folder(library: Library) -> Path:
    """Where the files of an unfinished run lie: beside the file of the library, or in the user's cache for a server's.

    The environment variable SAMEHAND_WORK names another place, which a cluster must see under the same path.
    """
    location = library.store.location
    own = hashlib.blake2b(location.encode(), digest_size=8).hexdigest()
    if "SAMEHAND_WORK" in os.environ:
        return Path(os.environ["SAMEHAND_WORK"]) / own
    if location.startswith(("postgresql://", "postgres://")):
        return Path(os.environ.get("XDG_CACHE_HOME", tempfile.gettempdir())) / "samehand" / own
    return Path(f"{location}.work").absolute()


def clear_folder(library: Library) -> None:
    """Remove the files of a run that is saved."""
    folder = run_folder(library)
    if (folder / "plan.json").exists():
        shutil.rmtree(folder)
