"""What a resolver is told about the run it is part of."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Run:
    """The seed of all random choices, how many threads may share the work, a user's file of weights, if any, and
    whether the versions of a work (report, conference paper, article) are "separate" papers or "merged" into one.

    The answer does not depend on the number of threads.
    """

    seed: int = 0
    threads: int = field(default_factory=_cores)
    weights: Path | None = None
    versions: str = "separate"
