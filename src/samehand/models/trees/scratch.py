"""The arrays that every step of a sampler writes to, made once for a block."""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.trees.layout import ATTRIBUTES, MOST_DEPTH, Floats, Ints


@kernel
def scratch(
    field: Ints, stats: Floats, weights: Floats, structure: Floats
) -> tuple[Ints, Ints, Floats, Floats, Ints, Floats, Ints]:
    """moved and dense (a spread bag), figures, products, chain and changes (`climb`), fresh (names of a new node)."""
    tokens = max(1, field.shape[0])
    longest = int(structure[MOST_DEPTH]) + 3
    moved = np.empty((2, tokens), np.int32)
    dense = np.zeros(tokens, np.int32)
    figures = np.empty((longest, stats.shape[1], 4))
    products = np.empty((longest + 1, weights.shape[0]))
    chain = np.empty(longest, np.int32)
    changes = np.empty((longest, 2))
    fresh = np.empty((1, ATTRIBUTES), np.int32)
    return moved, dense, figures, products, chain, changes, fresh
