"""Places grouped by key, in flat arrays."""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.layout import Ints, Longs


@kernel
def grouped(keys: Ints, count: int) -> tuple[Longs, Ints]:
    """The places of each key below `count`, in their order: those of key k are order[starts[k] : starts[k + 1]]; other
    keys have none.

    >>> starts, order = grouped(np.array([1, 0, -1, 1], np.int32), 2)
    >>> starts.tolist(), order.tolist()
    ([0, 1, 3], [1, 0, 3])
    """
    starts = np.zeros(count + 1, np.int64)
    for key in keys:
        if key >= 0:
            starts[key + 1] += 1
    for key in range(count):
        starts[key + 1] += starts[key]
    filled, order = starts[:-1].copy(), np.empty(starts[count], np.int32)
    for place in range(keys.shape[0]):
        if keys[place] >= 0:
            order[filled[keys[place]]] = place
            filled[keys[place]] += 1
    return starts, order
