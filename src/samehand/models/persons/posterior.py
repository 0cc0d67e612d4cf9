"""How sure one can be: the posterior of a block's persons, by a Markov chain over binary forests.

    P(forest) ~ exp(sum over inner nodes of the join's score / T),     T the temperature of the weights

What the search joined surely stays joined and is a leaf, an atom (posterior_atoms.py). Atoms that no likely pair
holds together never meet, so that a block falls into pieces (posterior_rivals.py). A piece of a few atoms is summed over
exactly (posterior_exact.py); in a larger one the chain starts at the search's forest, draws pairs of atoms, the
likelier the more often, and toggles; now and then it draws an inner node, and rotates (posterior_moves.py).

A mention's probability is the mean, over forests, of the share of the other mentions of its person (as the search has it)
that are with it, less what it is expected to lose inside its atom; of a person of one mention, the probability that
it is alone. What the bounds on pieces leave out is added in closed form: an atom alone with probability q, whose pairs
that lead out of its piece have odds of o together, goes there instead: p becomes p / (1 + q o).

The work is in proportion to the mentions. What that costs in a block of more than LARGE: of a person only the FEW - 1
weakest joins are asked again, pieces have at most FEW atoms, and rivals are those that share a rare token.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, below, uniform
from samehand.kernels import kernel, part
from samehand.models.persons.compare import Terms
from samehand.models.persons.grouping import grouped
from samehand.models.persons.join import compacted
from samehand.models.persons.layout import (
    FORM_LENGTH,
    FORM_START,
    LENGTH,
    SIZE,
    START,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.posterior_atoms import (
    atom_nodes,
    inner_doubt,
    number_atoms,
    split_joins,
)
from samehand.models.persons.posterior_exact import FEW, exact_shares, tree_weights
from samehand.models.persons.posterior_forest import (
    NOBODY,
    Forest,
    grow,
    lacks_room,
    make_room,
    plant,
    top,
)
from samehand.models.persons.posterior_moves import rotate, toggle
from samehand.models.persons.posterior_rivals import (
    inside,
    left_out,
    likely_pairs,
    pieces,
)

SURE = 3.0
"""Joins with log-odds from here on stay as they are; what is doubtful about them is added in closed form."""
RAREST = 0.05
"""The likeliest pairs are proposed 1 / RAREST times as often as the unlikeliest."""
ROTATIONS = 4
"""One rotation for so many toggles: most rotations change a tree, few of them whose it is."""
SWEEPS, BURN_IN = 24, 3
LARGE, TOGETHER = 500, 40
"""A piece has at most TOGETHER atoms; in a block of more than LARGE mentions, FEW, so that it is exact."""


@part
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
        if lacks_room(forest, pool, form_pool):
            pool, form_pool = make_room(forest, pool, form_pool)
        place = np.searchsorted(drawn, uniform(random) * drawn[-1], side="right")
        place = min(place, pairs.shape[0] - 1)
        toggle(forest, terms, pool, form_pool, apart, pairs[place, 0], pairs[place, 1], random)
        if below(random, ROTATIONS) == 0:
            if lacks_room(forest, pool, form_pool):
                pool, form_pool = make_room(forest, pool, form_pool)
            rotate(forest, terms, pool, form_pool, atoms + below(random, atoms - 1), random)
    return pool, form_pool


@part
def count_mates(
    forest: Forest, person: Longs, order: Longs, people: Longs, with_it: Longs, shares: Floats
) -> None:
    """Add to shares[0, i] the share of the other mentions of atom i's person that are with it now, and 1 to shares[1, i]
    if it is alone.

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
            alone = forest.parent[i] == NOBODY
            shares[1, i] += alone
            shares[0, i] += (with_it[top(forest, i)] - 1) / (size - 1) if size > 1 else alone
        for i in order[begin:end]:
            with_it[top(forest, i)] = 0
        begin = end


@part
def run_chain(
    nodes: Longs,
    pool: Ints,
    used: int,
    form_pool: Ints,
    form_used: int,
    terms: Terms,
    joined: Ints,
    strengths: Floats,
    apart: Ints,
    pairs: Ints,
    worths: Floats,
    person: Longs,
    people: Longs,
    random: State,
) -> Floats:
    """Two rows for the atoms of a piece: the share of its mates that each has, and the probability that it is alone.

    `joined` are the search's joins over atoms, two atoms across each; `person` is each atom's number among `people`,
    the sizes of the search's persons.
    """
    atoms = person.shape[0]
    forest = plant(nodes, used, form_used, terms.weights.shape[0], random)
    for k in range(joined.shape[0]):
        grow(forest, top(forest, joined[k, 0]), top(forest, joined[k, 1]), strengths[k] / terms.temperature)
    drawn = np.cumsum(np.maximum(RAREST, np.exp(np.minimum(0.0, worths))))
    order, with_it, shares = np.argsort(person), np.zeros(2 * atoms, np.int64), np.zeros((2, atoms))
    for number in range(BURN_IN + SWEEPS):
        pool, form_pool = sweep(forest, terms, pool, form_pool, apart, pairs, drawn, random)
        if number >= BURN_IN:
            count_mates(forest, person, order, people, with_it, shares)
    shares /= SWEEPS
    return shares


@kernel
def renumbered(pairs: Ints, number: Ints) -> Ints:
    """The pairs under other numbers.

    >>> renumbered(np.array([[0, 2], [1, 2]], np.int32), np.array([4, 3, 5], np.int32)).tolist()
    [[4, 5], [3, 5]]
    """
    result = np.empty((pairs.shape[0], 2), np.int32)
    for i in range(pairs.shape[0]):
        result[i, 0], result[i, 1] = number[pairs[i, 0]], number[pairs[i, 1]]
    return result


@part
def piece_shares(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    joined: Ints,
    strengths: Floats,
    apart: Ints,
    pairs: Ints,
    worths: Floats,
    person: Longs,
    people: Longs,
    random: State,
) -> Floats:
    """Two rows for the atoms of a piece, as `run_chain` has them; of FEW atoms they are exact."""
    atoms = np.arange(nodes.shape[0]).astype(np.int32)
    few = atoms.shape[0] <= FEW
    room = 1 << atoms.shape[0] if few else 4
    own, used = compacted(nodes, atoms, atoms.shape[0], START, LENGTH, pool, room * nodes[:, LENGTH].sum())
    own_forms, form_used = compacted(
        nodes, atoms, atoms.shape[0], FORM_START, FORM_LENGTH, form_pool, room * nodes[:, FORM_LENGTH].sum()
    )
    if few:
        trees = tree_weights(nodes, own, used, own_forms, form_used, terms, apart)
        return exact_shares(trees, nodes[:, SIZE].copy(), person, people)
    return run_chain(
        nodes,
        own,
        used,
        own_forms,
        form_used,
        terms,
        joined,
        strengths,
        apart,
        pairs,
        worths,
        person,
        people,
        random,
    )


@part
def atom_shares(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    loose: Ints,
    strengths: Floats,
    apart: Ints,
    person: Longs,
    people: Longs,
    together: int,
    random: State,
) -> Floats:
    """The probability of each atom, piece by piece; where nothing is to be proposed it is 1.

    `loose` are the search's joins over atoms, two atoms across each, and `strengths` their scores.
    """
    atoms, shares = nodes.shape[0], np.ones(nodes.shape[0])
    pairs, worths = likely_pairs(nodes, pool, form_pool, terms, loose)
    piece = pieces(atoms, pairs, worths, together)
    count, elsewhere = piece.max() + 1, left_out(piece, pairs, worths)
    starts, members = grouped(piece, count)
    pair_starts, chosen = grouped(inside(piece, pairs), count)
    loose_starts, joined = grouped(inside(piece, loose), count)
    apart_starts, parted = grouped(inside(piece, apart), count)
    number = np.empty(atoms, np.int32)
    for p in range(count):
        own = members[starts[p] : starts[p + 1]]
        number[own] = np.arange(own.shape[0])
        own_loose = joined[loose_starts[p] : loose_starts[p + 1]]
        own_pairs = chosen[pair_starts[p] : pair_starts[p + 1]]
        own_apart = parted[apart_starts[p] : apart_starts[p + 1]]
        found = piece_shares(
            nodes[own], pool, form_pool, terms, renumbered(loose[own_loose], number), strengths[own_loose],
            renumbered(apart[own_apart], number), renumbered(pairs[own_pairs], number), worths[own_pairs],
            person[own], people, random,
        )  # fmt: skip
        shares[own] = found[0] / (1.0 + found[1] * elsewhere[own])
    return shares


@part
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
    together = TOGETHER if mentions <= LARGE else FEW
    group, firm, loose = split_joins(
        mentions, joins, strengths, made, labels, SURE * temperature, together - 1
    )
    stands, place = number_atoms(group)
    shares, people = np.ones(stands.shape[0]), np.bincount(labels)
    if stands.shape[0] > 1:
        nodes, pool, form_pool = atom_nodes(nodes, pool, form_pool, joins, firm, stands)
        shares = atom_shares(
            nodes, pool, form_pool, terms, renumbered(joins[loose], place), strengths[loose],
            renumbered(apart, place), labels[stands], people, together, random,
        )  # fmt: skip
    lost = inner_doubt(mentions, joins, strengths, firm, temperature)
    for m in range(mentions):
        mates = max(people[labels[m]] - 1, 1)
        probability[m] = shares[place[m]] * max(0.0, 1.0 - lost[m] / mates)
