"""How sure one can be: the posterior of a block's persons, by a Markov chain over binary forests.

    P(forest) ~ exp(sum over inner nodes of the join's score / T),     T the temperature of the weights

The chain starts at the search's forest. What the search joined surely stays joined (posterior_atoms.py);
pairs of atoms whose own join scores below -UNLIKELY T, and across which the search joined nothing, are not
proposed. The others are: draw an atom, then one of its candidates, and toggle; draw an inner node, and
rotate (posterior_moves.py).

A mention's probability is the mean, over the chain's samples, of the share of the other mentions of its
person (as the search has it) that are with it; of a person of one mention, the share of samples in which it is alone.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, below
from samehand.kernels import kernel
from samehand.models.persons.layout import SIZE, Floats, Ints, Longs
from samehand.models.persons.posterior_atoms import atom_nodes, number_atoms, split_joins
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

SURE = 5.0
UNLIKELY = 5.0
SWEEPS = 40
BURN_IN = 10
MOST_STEPS = 100_000
"""In a giant block the chain makes fewer sweeps, for so many steps in all."""
FEWEST_SWEEPS = 20


@kernel
def loose_pairs(joins: Ints, loose: Ints, place: Ints) -> Ints:
    """Two atoms across each of the search's loose joins."""
    pairs = np.empty((loose.shape[0], 2), np.int32)
    for i in range(loose.shape[0]):
        pairs[i, 0], pairs[i, 1] = place[joins[loose[i], 0]], place[joins[loose[i], 1]]
    return pairs


@kernel
def likely_pairs(nodes: Longs, pool: Ints, form_pool: Ints, terms: Terms, pairs: Ints) -> Ints:
    """The pairs given, and those of atoms whose join is not unlikely."""
    atoms, count, found = nodes.shape[0], pairs.shape[0], pairs
    out = np.empty(terms.weights.shape[0])
    for i in range(atoms):
        if count + atoms > found.shape[0]:
            larger = np.empty((2 * (count + atoms), 2), np.int32)
            larger[:count] = found[:count]
            found = larger
        for j in range(i + 1, atoms):
            if join_score(nodes, pool, form_pool, terms, i, j, out) > -UNLIKELY:
                found[count, 0], found[count, 1] = i, j
                count += 1
    return found[:count]


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
def neighbours(atoms: int, pairs: Ints) -> tuple[Longs, Ints]:
    """The candidates of each atom: atom i has others[starts[i] : starts[i + 1]].

    >>> starts, others = neighbours(3, np.array([[0, 1], [1, 2]], np.int32))
    >>> starts.tolist(), others.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """
    starts = np.zeros(atoms + 1, np.int64)
    for i in range(pairs.shape[0]):
        starts[pairs[i, 0] + 1] += 1
        starts[pairs[i, 1] + 1] += 1
    for atom in range(atoms):
        starts[atom + 1] += starts[atom]
    filled, others = starts[:-1].copy(), np.empty(2 * pairs.shape[0], np.int32)
    for i in range(pairs.shape[0]):
        for one, other in ((pairs[i, 0], pairs[i, 1]), (pairs[i, 1], pairs[i, 0])):
            others[filled[one]] = other
            filled[one] += 1
    return starts, others


@kernel
def sweep(
    forest: Forest,
    terms: Terms,
    pool: Ints,
    form_pool: Ints,
    apart: Ints,
    starts: Longs,
    others: Ints,
    random: State,
) -> tuple[Ints, Ints]:
    """As many toggles and rotations as there are atoms; returns the pools, which may have been replaced."""
    atoms = starts.shape[0] - 1
    for _ in range(atoms):
        pool, form_pool = make_room(forest, pool, form_pool)
        i = below(random, atoms)
        j = others[starts[i] + below(random, starts[i + 1] - starts[i])]
        toggle(forest, terms, pool, form_pool, apart, i, j, random)
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
    person: Longs,
    people: Longs,
    random: State,
) -> Floats:
    """The probability of each atom; `person` is its number among `people`, the sizes of the search's persons."""
    atoms = person.shape[0]
    starts, others = neighbours(atoms, pairs)
    order, with_it, mates = (
        np.argsort(person, kind="mergesort"),
        np.zeros(2 * atoms, np.int64),
        np.zeros(atoms),
    )
    sweeps = min(SWEEPS, max(FEWEST_SWEEPS, MOST_STEPS // atoms))
    for number in range(BURN_IN + sweeps):
        pool, form_pool = sweep(forest, terms, pool, form_pool, apart, starts, others, random)
        if number >= BURN_IN:
            count_mates(forest, person, order, people, with_it, mates)
    mates /= sweeps
    return mates


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
    """Fill in the probability of each mention of a block, after its search; `nodes` and pools are those of
    single mentions."""
    probability[:] = 1.0
    mentions, temperature = nodes.shape[0], terms.temperature
    group, firm, loose = split_joins(mentions, joins, strengths, made, SURE * temperature)
    stands, place = number_atoms(group)
    if stands.shape[0] == 1:
        return
    nodes, pool, form_pool = atom_nodes(nodes, pool, form_pool, joins, firm, stands)
    pairs = likely_pairs(nodes, pool, form_pool, terms, loose_pairs(joins, loose, place))
    active = active_atoms(stands.shape[0], pairs)
    if active.shape[0] == 0:
        return
    local = np.full(stands.shape[0] + 1, NOBODY, np.int32)
    for i in range(active.shape[0]):
        local[active[i]] = i
    here = local[place]
    forest = plant(nodes[active], pool.shape[1], form_pool.shape[1], terms.weights.shape[0], random)
    replay(forest, joins, strengths, loose, here, temperature)
    people = np.zeros(mentions, np.int64)
    for m in range(mentions):
        people[labels[m]] += 1
    ours = np.empty((pairs.shape[0], 2), np.int32)
    for i in range(pairs.shape[0]):
        ours[i, 0], ours[i, 1] = local[pairs[i, 0]], local[pairs[i, 1]]
    shares = run_chain(
        forest, terms, pool, form_pool, inside(apart, here), ours, labels[stands[active]], people, random
    )
    for m in range(mentions):
        if here[m] != NOBODY:
            probability[m] = shares[here[m]]


@kernel
def inside(apart: Ints, here: Ints) -> Ints:
    """Pairs of mentions kept apart, as pairs of active atoms; the others constrain nothing."""
    kept, count = np.empty((apart.shape[0], 2), np.int32), 0
    for i in range(apart.shape[0]):
        one, other = here[apart[i, 0]], here[apart[i, 1]]
        if one != NOBODY and other != NOBODY:
            kept[count, 0], kept[count, 1] = one, other
            count += 1
    return kept[:count]
