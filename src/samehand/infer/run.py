"""What a resolver is told about the run it is part of."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Run:
    """The seed of all random choices, and how many threads may share the work; the answer depends on the seed only."""

    seed: int = 0
    threads: int = field(default_factory=_cores)
