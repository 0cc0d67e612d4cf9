"""Joining persons of different blocks: the best pair of candidates first, while its score is above 0.

The score of a pair is that of any join (compare.py), with the base measure without the blocks of both, the ambiguity of
their largest block, and the weight of the kind of variant: how seldom two persons so named are one. Where the kind itself
says how the first names relate (`reordered` and others), they count as equal, but once only: after such a join all names
of a person are compared as they are written, and may not contradict each other, or Ana Ruiz would be one with Eva Ana
Ruiz, Ida Ana Ruiz, and all others. A pair that waited while one of its sides grew is scored again as a whole. A curator's
"different" forbids a pair, and so does a paper that names both: whoever has two names does not sign with both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.compare import compare, first_not_below, weigh
from samehand.models.persons.forms import EQUAL, LAST, relate_forms
from samehand.models.persons.heap import pop, push
from samehand.models.persons.join import join
from samehand.models.persons.layout import (
    CONCENTRATION,
    EVIDENCE,
    FEATURES,
    FIRST_CONFLICT,
    FIRST_EQUAL,
    FIRST_NEAR,
    FORM_LENGTH,
    FORM_START,
    GROWN,
    LENGTH,
    MIDDLE_CONFLICT,
    MIDDLE_EQUAL,
    MIDDLE_MISSING,
    RARITY,
    SAME_PAPER,
    SIZE,
    START,
    TOTALS,
    Bytes,
    Codes,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.prepare import UNSEEN, number, rising_factorials
from samehand.models.persons.search import find, kept_apart

MOST_CONFLICTS = 0.5
"""Of the pairs of first names of two persons: more, and they contradict each other."""

_FEATURES = len(FEATURES)


class Surroundings(NamedTuple):
    """What the scores of pairs depend on beside their nodes: the library, its blocks and words, and the weights.

    Block b has the tokens block_pool[:, block_starts[b] : block_starts[b + 1]], a size, and its row of ambiguity.
    """

    field: Ints  # of each token, papers included
    frequency: Longs
    totals: Longs
    distinct: Longs
    block_starts: Longs
    block_pool: Ints
    block_sizes: Longs
    ambiguity: Floats
    words: Ints  # of each form
    letters: Bytes
    begin: Longs
    nickname: Ints
    rarity: Floats  # of each word
    features: Floats
    shape: Floats
    kinds: Floats  # the weight of each kind of variant
    aligned: Codes  # 1: the kind itself says that the first names are equal


class Persons(NamedTuple):
    """Where each person is: its block, and the next of those joined with it (a ring); and whether first names that are
    written otherwise have counted as equal in a join (1)."""

    block: Ints
    following: Ints
    turned: Codes


@kernel
def blocks_of(persons: Persons, a: int, b: int) -> Ints:
    """The distinct blocks of all persons joined with a or b."""
    found = np.empty(8, np.int32)
    size = 0
    for start in (a, b):
        person = start
        while True:
            if size == found.shape[0]:
                found = np.concatenate((found, found))
            found[size] = persons.block[person]
            size += 1
            person = persons.following[person]
            if person == start:
                break
    return np.unique(found[:size])


@bare
def held_by(around: Surroundings, blocks: Ints, token: int) -> int:
    """How often the blocks hold a token."""
    held = 0
    for block in blocks:
        end = around.block_starts[block + 1]
        place = first_not_below(around.block_pool, around.block_starts[block], end, token)
        if place < end and around.block_pool[0, place] == token:
            held += around.block_pool[1, place]
    return held


@bare
def measure_shared(
    nodes: Longs, pool: Ints, around: Surroundings, blocks: Ints, a: int, b: int, base: Floats
) -> None:
    """Set base[w] = a_f b_w of the tokens that a and b share, without the blocks' own (as in prepare.base_measure)."""
    if nodes[a, LENGTH] > nodes[b, LENGTH]:
        a, b = b, a
    j, j_end = nodes[b, START], nodes[b, START] + nodes[b, LENGTH]
    for i in range(nodes[a, START], nodes[a, START] + nodes[a, LENGTH]):
        token = pool[0, i]
        j = first_not_below(pool, j, j_end, token)
        if j < j_end and pool[0, j] == token:
            f = around.field[token]
            if f < EVIDENCE:
                elsewhere = around.frequency[token] - held_by(around, blocks, token) + UNSEEN
                share = elsewhere / (around.totals[f] + UNSEEN * around.distinct[f])
                base[token] = around.shape[f, CONCENTRATION] * share


@kernel
def pair_names(
    nodes: Longs, form_pool: Ints, around: Surroundings, a: int, b: int
) -> tuple[Longs, Ints, Codes, Floats]:
    """Two nodes as rows 0 and 1, their forms numbered from 0, how these relate (last names as equal), and rarity."""
    pair = np.empty((2, nodes.shape[1]), np.int64)
    pair[0], pair[1] = nodes[a], nodes[b]
    one = form_pool[:, pair[0, FORM_START] : pair[0, FORM_START] + pair[0, FORM_LENGTH]]
    other = form_pool[:, pair[1, FORM_START] : pair[1, FORM_START] + pair[1, FORM_LENGTH]]
    both = np.concatenate((one, other), axis=1)
    known, own = number(both[0])
    both[0] = own
    pair[0, FORM_START], pair[1, FORM_START] = 0, one.shape[1]
    relations = relate_forms(around.words, around.letters, around.begin, around.nickname, known)
    relations[LAST] = EQUAL
    rarity = np.zeros(known.shape[0])
    for i in range(known.shape[0]):
        if around.words[known[i], 0] >= 0:
            rarity[i] = around.rarity[around.words[known[i], 0]]
    return pair, both, relations, rarity


@bare
def align_names(out: Floats, rarity: float) -> None:
    """Count the first names as equal, and so rare, and the middle names as saying nothing."""
    for feature in (FIRST_NEAR, FIRST_CONFLICT, MIDDLE_EQUAL, MIDDLE_CONFLICT, MIDDLE_MISSING):
        out[feature] = 0.0
    out[FIRST_EQUAL] = 1.0
    out[RARITY] = rarity


@kernel
def score_pair(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    persons: Persons,
    around: Surroundings,
    rising: Floats,
    base: Floats,
    a: int,
    b: int,
    kind: int,
    form: int,
    out: Floats,
) -> float:
    """The log-odds that persons a and b are one, -inf if they cannot be; `out` becomes the features."""
    blocks = blocks_of(persons, a, b)
    largest = blocks[np.argmax(around.block_sizes[blocks])]
    measure_shared(nodes, pool, around, blocks, a, b, base)
    pair, forms, relations, rarity = pair_names(nodes, form_pool, around, a, b)
    prior = around.ambiguity[largest]
    compare(pair, pool, forms, around.field, base, rising, relations, rarity, around.shape, prior, 0, 1, out)
    if out[SAME_PAPER] > 0.0:
        return -np.inf
    if around.aligned[kind] == 1:
        if persons.turned[a] == 0 and persons.turned[b] == 0:
            first = around.words[form, 0]
            align_names(out, around.rarity[first] if first >= 0 else 0.0)
        elif out[FIRST_CONFLICT] > MOST_CONFLICTS:
            return -np.inf
    return weigh(around.features, out) + float(around.kinds[kind])


@kernel
def high_enough(rising: Floats, nodes: Longs, a: int, b: int, shape: Floats) -> Floats:
    """The table of rising factorials, or a larger one if joining a and b needs more."""
    needed = 0
    for f in range(EVIDENCE):
        needed = max(needed, nodes[a, TOTALS + f] + nodes[b, TOTALS + f])
    if needed < rising.shape[1]:
        return rising
    return rising_factorials(np.full(EVIDENCE, 2 * needed), shape)


@kernel
def widened(pool: Ints, used: int, needed: int) -> Ints:
    """The pool, or a larger copy if it has no room for `needed` more."""
    if used + needed <= pool.shape[1]:
        return pool
    fresh = np.empty((2, 2 * (used + needed)), np.int32)
    fresh[:, :used] = pool[:, :used]
    return fresh


@bare
def share_doubt(nodes: Longs, persons: Persons, factors: Floats, a: int, b: int, sure: float) -> None:
    """Before a and b are joined: a's mentions are with b's only if the join is right, with probability `sure`."""
    few, more = nodes[a, SIZE], nodes[b, SIZE]
    factor = (few - 1 + more * sure) / (few + more - 1)
    person = a
    while True:
        factors[person] *= factor
        person = persons.following[person]
        if person == a:
            break


@kernel
def score_pairs(
    nodes: Longs, pool: Ints, form_pool: Ints, persons: Persons, around: Surroundings, edges: Ints
) -> Floats:
    """The score of each of `edges` (rows one, other, kind, form) before any is joined."""
    base, out = np.ones(around.field.shape[0]), np.empty(_FEATURES)
    rising = rising_factorials(np.ones(EVIDENCE, np.int64), around.shape)
    scores = np.empty(edges.shape[0])
    for e in range(edges.shape[0]):
        a, b, kind, form = edges[e, 0], edges[e, 1], edges[e, 2], edges[e, 3]
        rising = high_enough(rising, nodes, a, b, around.shape)
        scores[e] = score_pair(nodes, pool, form_pool, persons, around, rising, base, a, b, kind, form, out)
    return scores


@kernel
def join_persons(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    persons: Persons,
    around: Surroundings,
    edges: Ints,
    apart: Ints,
    temperature: float,
    roots: Ints,
    factors: Floats,
) -> None:
    """Join persons along `edges` (rows one, other, kind, form); roots[p] becomes the one that stands for p.

    factors[p] becomes what the probabilities of p's mentions are to be multiplied by. Every edge waits at first with an
    infinite score, as one whose sides have grown: so all are scored before any is joined.
    """
    base, out = np.ones(around.field.shape[0]), np.empty(_FEATURES)
    rising = rising_factorials(np.ones(EVIDENCE, np.int64), around.shape)
    scores, pairs, waiting = np.empty(edges.shape[0]), np.empty((edges.shape[0], 4), np.int32), 0
    used, form_used = pool.shape[1], form_pool.shape[1]
    for e in range(edges.shape[0]):
        waiting = push(scores, pairs, waiting, np.inf, e, e, -1, -1)
    while waiting > 0:
        score, e, grown_a, grown_b = scores[0], pairs[0, 0], pairs[0, 2], pairs[0, 3]
        waiting = pop(scores, pairs, waiting)
        a, b = find(roots, edges[e, 0]), find(roots, edges[e, 1])
        if a == b or kept_apart(roots, apart, a, b):
            continue
        if nodes[a, GROWN] != grown_a or nodes[b, GROWN] != grown_b:
            rising = high_enough(rising, nodes, a, b, around.shape)
            kind, form = edges[e, 2], edges[e, 3]
            score = score_pair(nodes, pool, form_pool, persons, around, rising, base, a, b, kind, form, out)
            if score > 0.0:
                waiting = push(scores, pairs, waiting, score, e, e, nodes[a, GROWN], nodes[b, GROWN])
            continue
        sure = 1.0 / (1.0 + np.exp(-score / temperature))
        share_doubt(nodes, persons, factors, a, b, sure)
        share_doubt(nodes, persons, factors, b, a, sure)
        pool = widened(pool, used, nodes[a, LENGTH] + nodes[b, LENGTH])
        form_pool = widened(form_pool, form_used, nodes[a, FORM_LENGTH] + nodes[b, FORM_LENGTH])
        used, form_used = join(nodes, pool, used, form_pool, form_used, a, b, a)
        persons.following[a], persons.following[b] = persons.following[b], persons.following[a]
        persons.turned[a] = max(persons.turned[a], persons.turned[b], around.aligned[edges[e, 2]])
        roots[b] = a
    for person in range(roots.shape[0]):
        roots[person] = find(roots, person)
