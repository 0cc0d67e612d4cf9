"""The authors of a library that grows: only what has changed is resolved again, what is large is resolved in shards."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import positions
from samehand.infer.run import Run
from samehand.progress import Progress, counted

if TYPE_CHECKING:
    from samehand.library import Library
    from samehand.store.meanwhile import State

LARGE = 500_000
"""Author mentions; a library with more is resolved in shards, whether an engine is named or not."""


@dataclass(frozen=True)
class Growth:
    """How the authors of a library are to be resolved: only those `touched`, or in shards on an `engine`."""

    library: Library
    since: State | None
    touched: bool
    engine: str | None
    run: Run
    progress: Progress

    def resolve(self, blocked: Blocked, decisions: pl.DataFrame, outcome: list[str]) -> pl.DataFrame | None:
        """The clustering of the authors; None if they are to be resolved as those of any input are."""
        if self.touched and self.engine is None and self.library.runs().height:
            return self._touched(blocked, decisions, outcome)
        if self.engine is not None or blocked.mentions.height > LARGE:
            return self._in_shards(blocked, decisions)
        return None

    def _touched(self, blocked: Blocked, decisions: pl.DataFrame, outcome: list[str]) -> pl.DataFrame:
        from samehand.models.persons.growing import resolve_touched

        constraints = positions(decisions, blocked.mentions["id"])
        found, blocks = resolve_touched(blocked, constraints, self.run, unchanged(self.library))
        outcome.append(f"{counted(blocks, 'author block')} touched")
        return found

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


def unchanged(library: Library) -> pl.DataFrame:
    """What the last run found of the author mentions that have not changed since: mention, entity, probability."""
    known = library.mentions("author")
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
