"""How sure one can be: the posterior of a block's persons, by a Markov chain over binary forests.

    P(forest) ~ exp(sum over inner nodes of the join's score / T),     T the temperature of the weights

The chain starts at the search's forest. What the search joined surely stays joined and is a leaf, an atom
(posterior_atoms.py). Pairs of atoms whose own join scores below -UNLIKELY T, and across which the search joined
nothing, are not proposed. The others are, the likelier the more often: draw a pair, and toggle; now and then
draw an inner node, and rotate (posterior_moves.py).

A mention's probability is the mean, over the chain's samples, of the share of the other mentions of its person (as
the search has it) that are with it, less what it is expected to lose inside its atom; of a person of one mention,
the share of samples in which it is alone.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State, below, uniform
from samehand.kernels import kernel
from samehand.models.persons.layout import SIZE, Floats, Ints, Longs
from samehand.models.persons.posterior_atoms import atom_nodes, inner_doubt, number_atoms, split_joins
from samehand.models.persons.posterior_forest import (
    NOBODY,
    Forest,
    Terms,
    grow,
    join_score,
    make_room,
    plant,
    top,
)
from samehand.models.persons.posterior_moves import rotate, toggle

SURE = 3.0
"""Joins with log-odds from here on stay as they are; what is doubtful about them is added in closed form."""
UNLIKELY = 4.0
"""Joins of two atoms with log-odds below minus this are not proposed."""
RAREST = 0.05
"""The likeliest pairs are proposed 1 / RAREST times as often as the unlikeliest."""
ROTATIONS = 4
"""One rotation for so many toggles: most rotations change a tree, few of them whose it is."""
SWEEPS, FEWEST_SWEEPS, BURN_IN = 60, 20, 6
MOST_STEPS = 100_000
"""In a giant block the chain makes fewer sweeps, for so many steps in all."""


@kernel
def loose_pairs(joins: Ints, loose: Ints, place: Ints) -> Ints:
    """Two atoms across each of the search's loose joins."""
    pairs = np.empty((loose.shape[0], 2), np.int32)
    for i in range(loose.shape[0]):
        pairs[i, 0], pairs[i, 1] = place[joins[loose[i], 0]], place[joins[loose[i], 1]]
    return pairs


@kernel
def likely_pairs(nodes: Longs, pool: Ints, form_pool: Ints, terms: Terms, pairs: Ints) -> tuple[Ints, Floats]:
    """The pairs given, and those of atoms whose join is not unlikely; and how often each is to be drawn."""
    atoms, count, found = nodes.shape[0], pairs.shape[0], pairs
    weights, out = np.ones(count), np.empty(terms.weights.shape[0])
    for i in range(atoms):
        if count + atoms > found.shape[0]:
            larger, more = np.empty((2 * (count + atoms), 2), np.int32), np.empty(2 * (count + atoms))
            larger[:count], more[:count] = found[:count], weights[:count]
            found, weights = larger, more
        for j in range(i + 1, atoms):
            worth = join_score(nodes, pool, form_pool, terms, i, j, out)
            if worth > -UNLIKELY:
                found[count, 0], found[count, 1] = i, j
                weights[count] = max(RAREST, min(1.0, math.exp(worth)))
                count += 1
    return found[:count], weights[:count]


@kernel
def active_atoms(atoms: int, pairs: Ints) -> Ints:
    """The atoms that are in some pair, ascending.

    >>> active_atoms(5, np.array([[3, 1], [1, 4]], np.int32)).tolist()
    [1, 3, 4]
    """
    touched = np.zeros(atoms, np.bool_)
    for i in range(pairs.shape[0]):
        touched[pairs[i, 0]] = touched[pairs[i, 1]] = True
    return np.flatnonzero(touched).astype(np.int32)


@kernel
def replay(
    forest: Forest, joins: Ints, strengths: Floats, loose: Ints, place: Ints, temperature: float
) -> None:
    """Grow the search's forest from its loose joins."""
    node_of = place.copy()
    for k in loose:
        a, b = joins[k, 0], joins[k, 1]
        node_of[a] = grow(forest, node_of[a], node_of[b], strengths[k] / temperature)


@kernel
def sweep(
    forest: Forest,
    terms: Terms,
    pool: Ints,
    form_pool: Ints,
    apart: Ints,
    pairs: Ints,
    drawn: Floats,
    random: State,
) -> tuple[Ints, Ints]:
    """As many toggles as there are atoms, and some rotations; returns the pools, which may have been replaced.

    Pair i is proposed in proportion to drawn[i] - drawn[i - 1].
    """
    atoms = forest.parent.shape[0] >> 1
    for _ in range(atoms):
        pool, form_pool = make_room(forest, pool, form_pool)
        place = np.searchsorted(drawn, uniform(random) * drawn[-1], side="right")
        pair = pairs[min(place, pairs.shape[0] - 1)]
        toggle(forest, terms, pool, form_pool, apart, pair[0], pair[1], random)
        if below(random, ROTATIONS) == 0:
            pool, form_pool = make_room(forest, pool, form_pool)
            rotate(forest, terms, pool, form_pool, atoms + below(random, atoms - 1), random)
    return pool, form_pool


@kernel
def count_mates(
    forest: Forest, person: Longs, order: Longs, people: Longs, with_it: Longs, mates: Floats
) -> None:
    """Add to mates[i] the share of the other mentions of atom i's person that are with it now.

    `order` are the atoms by person; `people[p]` the mentions of person p; `with_it` is zero for every node,
    before and after.
    """
    begin = 0
    while begin < order.shape[0]:
        end, size = begin, people[person[order[begin]]]
        while end < order.shape[0] and person[order[end]] == person[order[begin]]:
            with_it[top(forest, order[end])] += forest.nodes[order[end], SIZE]
            end += 1
        for i in order[begin:end]:
            if size > 1:
                mates[i] += (with_it[top(forest, i)] - 1) / (size - 1)
            elif forest.parent[i] == NOBODY:
                mates[i] += 1.0
        for i in order[begin:end]:
            with_it[top(forest, i)] = 0
        begin = end


@kernel
def run_chain(
    forest: Forest,
    terms: Terms,
    pool: Ints,
    form_pool: Ints,
    apart: Ints,
    pairs: Ints,
    drawn: Floats,
    person: Longs,
    people: Longs,
    random: State,
) -> Floats:
    """The probability of each atom; `person` is its number among `people`, the sizes of the search's persons."""
    atoms = person.shape[0]
    order, with_it, mates = (
        np.argsort(person, kind="mergesort"),
        np.zeros(2 * atoms, np.int64),
        np.zeros(atoms),
    )
    sweeps = min(SWEEPS, max(FEWEST_SWEEPS, MOST_STEPS // atoms))
    for number in range(BURN_IN + sweeps):
        pool, form_pool = sweep(forest, terms, pool, form_pool, apart, pairs, drawn, random)
        if number >= BURN_IN:
            count_mates(forest, person, order, people, with_it, mates)
    mates /= sweeps
    return mates


@kernel
def renumbered(pairs: Ints, number: Ints) -> Ints:
    """The pairs under other numbers, without those of which one has none.

    >>> renumbered(np.array([[0, 2], [1, 2]], np.int32), np.array([4, -1, 5], np.int32)).tolist()
    [[4, 5]]
    """
    kept, count = np.empty((pairs.shape[0], 2), np.int32), 0
    for i in range(pairs.shape[0]):
        one, other = number[pairs[i, 0]], number[pairs[i, 1]]
        if one != NOBODY and other != NOBODY:
            kept[count, 0], kept[count, 1] = one, other
            count += 1
    return kept[:count]


@kernel
def atom_shares(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    joins: Ints,
    strengths: Floats,
    loose: Ints,
    labels: Longs,
    apart: Ints,
    stands: Ints,
    place: Ints,
    random: State,
) -> Floats:
    """The probability of each atom; where nothing is to be proposed it is 1."""
    shares = np.ones(stands.shape[0])
    pairs, weights = likely_pairs(nodes, pool, form_pool, terms, loose_pairs(joins, loose, place))
    active = active_atoms(stands.shape[0], pairs)
    if active.shape[0] > 0:
        number = np.full(stands.shape[0], NOBODY, np.int32)
        number[active] = np.arange(active.shape[0])
        forest = plant(nodes[active], pool.shape[1], form_pool.shape[1], terms.weights.shape[0], random)
        replay(forest, joins, strengths, loose, number[place], terms.temperature)
        shares[active] = run_chain(
            forest, terms, pool, form_pool, renumbered(apart, number[place]), renumbered(pairs, number),
            np.cumsum(weights), labels[stands[active]], np.bincount(labels), random,
        )  # fmt: skip
    return shares


@kernel
def posterior(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    joins: Ints,
    strengths: Floats,
    made: int,
    labels: Longs,
    apart: Ints,
    random: State,
    probability: Floats,
) -> None:
    """Fill in the probability of each mention of a searched block; nodes and pools are those of single mentions."""
    mentions, temperature = nodes.shape[0], terms.temperature
    group, firm, loose = split_joins(mentions, joins, strengths, made, SURE * temperature)
    stands, place = number_atoms(group)
    shares = np.ones(stands.shape[0])
    if stands.shape[0] > 1:
        nodes, pool, form_pool = atom_nodes(nodes, pool, form_pool, joins, firm, stands)
        shares = atom_shares(
            nodes, pool, form_pool, terms, joins, strengths, loose, labels, apart, stands, place, random
        )
    lost = inner_doubt(mentions, joins, strengths, firm, temperature)
    people = np.bincount(labels)
    for m in range(mentions):
        mates = max(people[labels[m]] - 1, 1)
        probability[m] = shares[place[m]] * max(0.0, 1.0 - lost[m] / mates)
