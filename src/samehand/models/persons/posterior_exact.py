"""The posterior of a few atoms, by summing over all their forests.

With s(A, B) the score of a join over the temperature, the trees over a set of atoms S weigh together

    W(S) = sum over divisions of S into A and B of W(A) W(B) exp s(A, B),     W of one atom = 1,

and 0 where a curator's "different" lies inside S; the forests over a set R weigh

    Z(R) = sum over S within R that hold its first atom of W(S) Z(R - S),     Z of nothing = 1.

So S is a person with probability W(S) Z(all - S) / Z(all). Sets are numbers whose bits are atoms.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.compare import Terms, join_score
from samehand.models.persons.join import join
from samehand.models.persons.layout import Floats, Ints, Longs

FEW = 6
"""For so many atoms there are 301 joins to score."""
CERTAIN = 150.0
"""Log-odds beyond this are not told apart: exp of a few of them is still a number."""


@bare
def forbidden(apart: Ints, atoms: int) -> bool:
    """Whether a curator's "different" lies inside a set of atoms.

    >>> forbidden(np.array([[0, 2]], np.int32), 0b101), forbidden(np.array([[0, 2]], np.int32), 0b110)
    (True, False)
    """
    for i in range(apart.shape[0]):
        one, other = 1 << apart[i, 0], 1 << apart[i, 1]
        if atoms & one and atoms & other:
            return True
    return False


@kernel
def tree_weights(
    nodes: Longs, pool: Ints, used: int, form_pool: Ints, form_used: int, terms: Terms, apart: Ints
) -> Floats:
    """W of every set of atoms; the pools have room for the bags of all sets."""
    sets = 1 << nodes.shape[0]
    rows, weights, out = (
        np.zeros((sets, nodes.shape[1]), np.int64),
        np.zeros(sets),
        np.empty(terms.weights.shape[0]),
    )
    for atom in range(nodes.shape[0]):
        rows[1 << atom], weights[1 << atom] = nodes[atom], 1.0
    for whole in range(3, sets):
        first = whole & -whole
        if whole == first or forbidden(apart, whole):
            continue
        rest = part = whole ^ first
        while part > 0:
            weight = weights[part] * weights[whole ^ part]
            if weight > 0.0:
                worth = join_score(rows, pool, form_pool, terms, part, whole ^ part, out)
                weights[whole] += weight * math.exp(min(worth, CERTAIN))
            part = (part - 1) & rest
        if whole < sets - 1:
            used, form_used = join(rows, pool, used, form_pool, form_used, first, rest, whole)
    return weights


@kernel
def forest_weights(trees: Floats) -> Floats:
    """Z of every set of atoms.

    >>> forest_weights(np.array([0.0, 1.0, 1.0, 3.0])).tolist()
    [1.0, 1.0, 1.0, 4.0]
    """
    forests = np.zeros_like(trees)
    forests[0] = 1.0
    for whole in range(1, trees.shape[0]):
        first = whole & -whole
        rest = part = whole ^ first
        while True:
            forests[whole] += trees[part | first] * forests[rest ^ part]
            if part == 0:
                break
            part = (part - 1) & rest
    return forests


@kernel
def exact_shares(trees: Floats, sizes: Longs, person: Longs, people: Longs) -> Floats:
    """Two rows: of each atom, the expected share of the other mentions of its person that are with it (of a person of one
    mention, the probability that it is alone), and the probability that the atom is alone.

    `sizes` are the mentions of atoms, `people` those of persons.
    """
    forests, shares = forest_weights(trees), np.zeros((2, sizes.shape[0]))
    every = trees.shape[0] - 1
    for i in range(sizes.shape[0]):
        shares[1, i] = forests[every ^ 1 << i] / forests[every]
        others = people[person[i]] - 1
        if others == 0:
            shares[0, i] = shares[1, i]
            continue
        for chosen in range(1, trees.shape[0]):
            mates = -1
            for j in range(sizes.shape[0]):
                if chosen >> j & 1 and person[j] == person[i]:
                    mates += sizes[j]
            if chosen >> i & 1:
                shares[0, i] += trees[chosen] * forests[every ^ chosen] / forests[every] * mates / others
    return shares
