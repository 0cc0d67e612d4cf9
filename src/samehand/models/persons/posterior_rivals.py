"""Rivals: the pairs of atoms that the chain may join or part, and the pieces of a block that they hold together.

A pair is likely if its own join scores above -UNLIKELY T, or if the search joined something across it. Atoms that no
likely pair holds together, directly or through others, never meet: each such piece has a posterior of its own, and a
block's is the product of them.

Two bounds keep the work in proportion to the mentions. Among more than MANY atoms only those are compared that share a
token which at most HOLDERS of them hold. And a piece has at most a given number of atoms: pairs are taken likeliest
first, and one that would make a piece too large is left out.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.compare import Terms
from samehand.models.persons.heap import pop
from samehand.models.persons.layout import Floats, Ints, Longs
from samehand.models.persons.pairs import node_pairs
from samehand.models.persons.search import find

UNLIKELY = 4.0
"""Joins of two atoms with log-odds below minus this are not proposed."""
MANY, HOLDERS = 200, 128
MOST_ODDS = 3.0
"""Log-odds of a pair that is left out count no more than this."""


@kernel
def likely_pairs(nodes: Longs, pool: Ints, form_pool: Ints, terms: Terms, loose: Ints) -> tuple[Ints, Floats]:
    """The loose pairs, and those of atoms whose join is not unlikely, the likeliest first; and the worth of each,
    infinite if it is loose."""
    atoms = np.arange(nodes.shape[0]).astype(np.int32)
    most = MANY if atoms.shape[0] <= MANY else HOLDERS
    scores, heap, waiting = node_pairs(nodes, pool, form_pool, terms, atoms, nodes.shape[0], most, -UNLIKELY)
    pairs, worths = (
        np.empty((loose.shape[0] + waiting, 2), np.int32),
        np.full(loose.shape[0] + waiting, np.inf),
    )
    pairs[: loose.shape[0]] = loose
    for k in range(loose.shape[0], pairs.shape[0]):
        pairs[k, 0], pairs[k, 1], worths[k] = heap[0, 0], heap[0, 1], scores[0]
        waiting = pop(scores, heap, waiting)
    return pairs, worths


@kernel
def pieces(atoms: int, pairs: Ints, worths: Floats, most: int) -> Ints:
    """The number of the piece that each atom is in; it has at most `most` atoms.

    Pairs come likeliest first, and those of infinite worth hold whatever they make.

    >>> pairs = np.array([[2, 3], [1, 2], [0, 1]], np.int32)
    >>> pieces(4, pairs, np.array([np.inf, -1.0, -2.0]), 3).tolist()
    [0, 1, 1, 1]
    """
    group, size = np.arange(atoms).astype(np.int32), np.ones(atoms, np.int64)
    for k in range(pairs.shape[0]):
        a, b = find(group, pairs[k, 0]), find(group, pairs[k, 1])
        if a != b and (size[a] + size[b] <= most or worths[k] == np.inf):
            group[max(a, b)] = min(a, b)
            size[min(a, b)] += size[max(a, b)]
    number, count = np.empty(atoms, np.int32), 0
    for atom in range(atoms):
        first = find(group, atom)
        if first == atom:
            number[atom] = count
            count += 1
        else:
            number[atom] = number[first]
    return number


@kernel
def inside(piece: Ints, pairs: Ints) -> Ints:
    """The piece that both atoms of each pair are in, or -1."""
    found = np.full(pairs.shape[0], -1, np.int32)
    for i in range(pairs.shape[0]):
        if piece[pairs[i, 0]] == piece[pairs[i, 1]]:
            found[i] = piece[pairs[i, 0]]
    return found


@kernel
def left_out(piece: Ints, pairs: Ints, worths: Floats) -> Floats:
    """Of each atom, the sum of the odds of its likely pairs that lead out of its piece."""
    odds = np.zeros(piece.shape[0])
    for k in range(pairs.shape[0]):
        if piece[pairs[k, 0]] != piece[pairs[k, 1]]:
            for side in range(2):
                odds[pairs[k, side]] += math.exp(min(worths[k], MOST_ODDS))
    return odds
