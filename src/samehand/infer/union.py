"""Union-find under constraints: edges are joined in their order of priority, unless a curator said no.

`same` pairs are joined first, whatever the edges say. Then each edge joins its two components, unless some
`different` pair lies across them. Clusters are numbered from 0 in the order of their first member.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from samehand.kernels import bare, kernel

Indices = npt.NDArray[np.int64]


@bare
def _find(parent: Indices, member: int) -> int:
    root = member
    while parent[root] != root:
        root = parent[root]
    while parent[member] != root:
        parent[member], member = root, parent[member]
    return root


@bare
def _apart(parent: Indices, different: Indices, root_a: int, root_b: int) -> bool:
    for pair in range(different.shape[0]):
        left = _find(parent, different[pair, 0])
        right = _find(parent, different[pair, 1])
        if (left == root_a and right == root_b) or (left == root_b and right == root_a):
            return True
    return False


@bare
def _join(parent: Indices, constrained: npt.NDArray[np.bool_], pairs: Indices, different: Indices) -> None:
    for pair in range(pairs.shape[0]):
        a = _find(parent, pairs[pair, 0])
        b = _find(parent, pairs[pair, 1])
        if a == b:
            continue
        if constrained[a] and constrained[b] and _apart(parent, different, a, b):
            continue
        low, high = min(a, b), max(a, b)
        parent[high] = low
        constrained[low] = constrained[low] or constrained[high]


@kernel
def _number(parent: Indices) -> Indices:
    labels = np.full(parent.shape[0], -1, np.int64)
    following = 0
    for member in range(parent.shape[0]):
        root = _find(parent, member)
        if labels[root] < 0:
            labels[root] = following
            following += 1
        labels[member] = labels[root]
    return labels


def as_pairs(pairs: object) -> Indices:
    """Any sequence of index pairs as an array of shape (n, 2), empty included."""
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 2)


def connected(count: int, edges: object, same: object = (), different: object = ()) -> Indices:
    """The cluster of each of `count` members after joining `same`, then `edges` in order.

    >>> connected(4, [(0, 1), (1, 2)]).tolist()
    [0, 0, 0, 1]
    >>> connected(4, [(0, 1), (1, 2)], different=[(0, 2)]).tolist()
    [0, 0, 1, 2]
    >>> connected(4, [], same=[(0, 3)]).tolist()
    [0, 1, 2, 0]
    """
    parent = np.arange(count, dtype=np.int64)
    apart = as_pairs(different)
    constrained = np.zeros(count, np.bool_)
    constrained[apart.ravel()] = True
    _join(parent, constrained, as_pairs(same), np.empty((0, 2), np.int64))
    for member in apart.ravel().tolist():
        constrained[_find(parent, member)] = True
    _join(parent, constrained, as_pairs(edges), apart)
    return _number(parent)
