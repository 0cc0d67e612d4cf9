"""The tasks that an unfinished run in shards has done; they are gone when it is saved."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl

from samehand.store import Store
from samehand.store.schema import TASKS


def record_task(store: Store, plan: str, step: str, number: int) -> None:
    """Note that a task is done; those of other plans will not be gone on with."""
    store.execute('DELETE FROM tasks WHERE "plan" <> $1', (plan,))
    store.execute('DELETE FROM tasks WHERE "step" = $1 AND "number" = $2', (step, number))
    row = {"plan": plan, "step": step, "number": number, "finished": datetime.now(UTC)}
    store.append("tasks", pl.DataFrame([row], schema=TASKS))


def forget_tasks(store: Store) -> None:
    """The run is saved."""
    store.execute("DELETE FROM tasks")
