"""Atoms: what the search joined so surely that the chain need not ask again.

An atom is a maximal subtree of the search's forest all of whose joins are at least `sure`; a curator's "same" is
infinitely sure. The joins that are left, the loose ones, are the forest over atoms that the chain starts from. A person
of very many loose joins is asked about the weakest of them only; of the others, as of the sure ones, the doubt is added
in closed form.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.grouping import grouped
from samehand.models.persons.join import compacted, unite
from samehand.models.persons.layout import (
    FORM_LENGTH,
    FORM_START,
    LENGTH,
    START,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.search import find


@kernel
def enough(weakest: Floats, person: Longs, sure: float, most: int) -> Floats:
    """From what on each person's joins are sure: `sure`, or less if more than `most` joins of his were loose then.

    `weakest` and `person` are of joins; persons are numbered as mentions are.

    >>> enough(np.array([2.0, 2.5, 2.6, 1.0]), np.array([0, 0, 0, 1]), 3.0, 1).tolist()
    [2.5, 3.0]
    """
    loose = np.zeros(np.max(person) + 1, np.int64)
    for k in range(person.shape[0]):
        loose[person[k]] += weakest[k] < sure
    bar = np.full(loose.shape[0], sure)
    starts, order = grouped(np.where(loose[person] > most, person, -1).astype(np.int32), loose.shape[0])
    for each in np.flatnonzero(loose > most):
        bar[each] = np.sort(weakest[order[starts[each] : starts[each + 1]]])[most]
    return bar


@kernel
def split_joins(
    mentions: int, joins: Ints, strengths: Floats, made: int, labels: Longs, sure: float, most: int
) -> tuple[Ints, Ints, Ints]:
    """The mention that stands for each mention's atom, and the numbers of the sure joins and of the loose ones: those
    that are not `sure`, or above one that is not, and of each person only the `most` weakest.

    >>> joins, strengths = np.array([[0, 1], [2, 3], [0, 2]], np.int32), np.array([9.0, 2.0, 7.0])
    >>> group, firm, loose = split_joins(4, joins, strengths, 3, np.zeros(4, np.int64), 5.0, 3)
    >>> group.tolist(), firm.tolist(), loose.tolist()
    ([0, 0, 2, 3], [0], [1, 2])
    """
    group = np.arange(mentions).astype(np.int32)
    firm, loose, firms = np.empty(made, np.int32), np.empty(made, np.int32), 0
    if made == 0:
        return group, firm, loose
    below, weakest = np.full(mentions, np.inf), np.empty(made)
    for k in range(made):
        a, b = joins[k, 0], joins[k, 1]
        weakest[k] = below[a] = min(strengths[k], below[a], below[b])
    person = labels[joins[:made, 0]]
    bar = enough(weakest, person, sure, most)
    for k in range(made):
        if weakest[k] >= bar[person[k]]:
            group[joins[k, 1]] = joins[k, 0]
            firm[firms] = k
            firms += 1
        else:
            loose[k - firms] = k
    for m in range(mentions):
        group[m] = find(group, m)
    return group, firm[:firms], loose[: made - firms]


@kernel
def number_atoms(group: Ints) -> tuple[Ints, Ints]:
    """The mention that stands for each atom, ascending, and the number of each mention's atom.

    >>> tuple(row.tolist() for row in number_atoms(np.array([0, 2, 2, 0], np.int32)))
    ([0, 2], [0, 1, 1, 0])
    """
    place = np.empty_like(group)
    stands, count = np.empty_like(group), 0
    for m in range(group.shape[0]):
        if group[m] == m:
            place[m] = count
            stands[count] = m
            count += 1
    return stands[:count], place[group]


@kernel
def atom_nodes(
    nodes: Longs, pool: Ints, form_pool: Ints, joins: Ints, firm: Ints, stands: Ints
) -> tuple[Longs, Ints, Ints]:
    """The nodes of the atoms, and pools that hold nothing but their bags and forms; `nodes` are those of
    single mentions."""
    mentions = nodes.shape[0]
    used, form_used = nodes[mentions - 1, START] + nodes[mentions - 1, LENGTH], mentions
    alive, living = np.arange(mentions).astype(np.int32), mentions
    place = alive.copy()
    for k in firm:
        a, b = joins[k, 0], joins[k, 1]
        pool, used, form_pool, form_used = unite(
            nodes, pool, used, form_pool, form_used, alive, place, living, a, b
        )
        living -= 1
    count = stands.shape[0]
    pool, used = compacted(nodes, stands, count, START, LENGTH, pool, 0)
    form_pool, form_used = compacted(nodes, stands, count, FORM_START, FORM_LENGTH, form_pool, 0)
    return nodes[stands], pool[:, :used].copy(), form_pool[:, :form_used].copy()


@kernel
def inner_doubt(mentions: int, joins: Ints, strengths: Floats, firm: Ints, temperature: float) -> Floats:
    """How many mates each mention is expected to lose inside its atom, to first order.

    A join of score s is wrong with probability 1 / (1 + exp(s / T)); then each side loses the mentions of the other.

    >>> joins = np.array([[0, 1], [0, 2]], np.int32)
    >>> lost = inner_doubt(3, joins, np.array([9.0, 3.0]), np.array([0, 1], np.int32), 1.0)
    >>> lost.round(4).tolist()
    [0.0475, 0.0475, 0.0949]
    """
    size, lost = np.ones(mentions), np.zeros(mentions)
    for k in firm:
        size[joins[k, 0]] += size[joins[k, 1]]
    for k in firm[::-1]:
        a, b = joins[k, 0], joins[k, 1]
        wrong = 1.0 / (1.0 + math.exp(min(strengths[k] / temperature, 700.0)))
        size[a] -= size[b]
        lost[b] = lost[a] + wrong * size[a]
        lost[a] += wrong * size[b]
    return lost
