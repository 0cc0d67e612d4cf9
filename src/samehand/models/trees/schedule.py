"""How a search cools down: the columns of a schedule, and the temperature of a sweep."""

from __future__ import annotations

from samehand.kernels import kernel
from samehand.models.trees.layout import Floats

ALIKE, HOT, COLD, COOLING, MOST_SWEEPS, PATIENCE = range(6)


@kernel
def temperature_of(schedule: Floats, sweep: int) -> float:
    """From `hot` to `cold` by equal ratios over `cooling` sweeps, then `cold`."""
    share = min(1.0, sweep / max(1.0, schedule[COOLING]))
    return float(schedule[HOT] * (schedule[COLD] / schedule[HOT]) ** share)
