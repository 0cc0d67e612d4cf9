"""The search for the best forest of a block: from single mentions, the best pair of nodes first, while its
join scores above 0.

A person is a binary tree whose leaves are mentions; the log score of a forest is the sum, over its inner
nodes, of the score of joining the two children (compare.py). A join changes no other node's score, so its
delta is its own score, exactly. The search is greedy:

1. all pairs of mentions with a positive score wait in a heap (pairs.py); the best is joined;
2. a pair that waited while one of its sides grew is scored again when its turn comes, and waits on if it is
   still positive;
3. when none is left, all pairs of the remaining nodes are scored of which one has grown, because what was not alike
   mention by mention may be so as a whole; then 1 and 2 again, until a round joins nothing.

Of more than EVERY mentions or nodes, not all pairs are looked at, but those that share a token which at most HOLDERS
hold and whose first names do not contradict each other: the work is in proportion to the mentions, and two who share
nothing rare are joined only if they become alike as parts of larger nodes. Such a block has at most MOST_ROUNDS.

A curator's "same" is joined before anything else; a pair across which he said "different" is never joined.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, part
from samehand.models.persons.compare import Terms, join_score
from samehand.models.persons.forms import relate_forms
from samehand.models.persons.heap import pop, push, roomy
from samehand.models.persons.join import unite
from samehand.models.persons.layout import (
    FEATURES,
    GROWN,
    SIZE,
    Bytes,
    Codes,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.pairs import first_pairs, grown_first, name_scores, node_pairs, unsure_of_silence
from samehand.models.persons.prepare import (
    base_measure,
    first_pool,
    number,
    rising_factorials,
    single_nodes,
)

MOST_ROUNDS = 6
EVERY, HOLDERS = 1_000, 32
_FEATURES = len(FEATURES)


@bare
def find(parent: Ints, member: int) -> int:
    """The node that a mention or a former node is part of."""
    while parent[member] != member:
        parent[member] = parent[parent[member]]
        member = parent[member]
    return member


@bare
def kept_apart(parent: Ints, apart: Ints, a: int, b: int) -> bool:
    """Whether a curator's "different" lies across nodes a and b."""
    for i in range(apart.shape[0]):
        left, right = find(parent, apart[i, 0]), find(parent, apart[i, 1])
        if (left == a and right == b) or (left == b and right == a):
            return True
    return False


@bare
def power_above(mentions: int) -> int:
    """A power of 2, at least four times as many."""
    power = 64
    while power < 4 * mentions:
        power *= 2
    return power


@bare
def already(scored: Longs, a: int, b: int, grown: int) -> bool:
    """Whether nodes a and b were scored when they had grown `grown` times together; from now on they were.

    One place for each pair, where the latest comer stays: a pair that is forgotten is scored again.
    """
    place = (a * 40_503 + b * 2_654_435_761) & (scored.shape[0] - 1)
    known = scored[place, 0] == a and scored[place, 1] == b and scored[place, 2] == grown
    scored[place, 0], scored[place, 1], scored[place, 2] = a, b, grown
    return bool(known)


@part
def prepare_block(
    starts: Longs,
    all_tokens: Ints,
    all_counts: Ints,
    all_field: Ints,
    frequency: Longs,
    totals: Longs,
    distinct: Longs,
    years: Ints,
    forms: Ints,
    words: Ints,
    letters: Bytes,
    begin: Longs,
    word_rarity: Floats,
    nickname: Ints,
    shape: Floats,
    room: int,
) -> tuple[Longs, Ints, Ints, Ints, Ints, Ints, Ints, Floats, Floats, Codes, Floats]:
    """A block's nodes (with `room` rows), tokens, counts, pool, forms, form pool, field, base, rising,
    relations and rarity."""
    mentions = starts.shape[0] - 1
    counts = all_counts[starts[0] : starts[mentions]]
    vocabulary, own = number(all_tokens[starts[0] : starts[mentions]])
    field = all_field[vocabulary]
    base = base_measure(vocabulary, own, counts, field, frequency, totals, distinct, shape)
    known, form = number(forms)
    relations = relate_forms(words, letters, begin, nickname, known)
    rarity = np.zeros(known.shape[0])
    for i in range(known.shape[0]):
        if words[known[i], 0] >= 0:
            rarity[i] = word_rarity[words[known[i], 0]]
    nodes = single_nodes(starts, own, counts, field, years, room)
    most = np.zeros(distinct.shape[0], np.int64)
    for position in range(own.shape[0]):
        most[field[own[position]]] += counts[position]
    rising = rising_factorials(most, shape)
    ones = np.ones(mentions, np.int32)
    return (
        nodes,
        own,
        counts,
        first_pool(own, counts),
        form,
        first_pool(form, ones),
        field,
        base,
        rising,
        relations,
        rarity,
    )


@part
def take_waiting(
    nodes: Longs,
    pool: Ints,
    used: int,
    form_pool: Ints,
    form_used: int,
    terms: Terms,
    parent: Ints,
    alive: Ints,
    place: Ints,
    apart: Ints,
    scored: Longs,
    scores: Floats,
    pairs: Ints,
    waiting: int,
    joins: Ints,
    strengths: Floats,
    made: int,
) -> tuple[Ints, int, Ints, int, int]:
    """Join the best waiting pair, and so on until none waits; returns the pools, how far they are used, and the number
    of joins made. The living nodes are those of `alive` but the last `made`."""
    out = np.empty(_FEATURES)
    while waiting > 0:
        score, was_a, was_b, grown_a, grown_b = scores[0], pairs[0, 0], pairs[0, 1], pairs[0, 2], pairs[0, 3]
        a, b = find(parent, was_a), find(parent, was_b)
        fresh = a == was_a and b == was_b and nodes[a, GROWN] == grown_a and nodes[b, GROWN] == grown_b
        waiting = pop(scores, pairs, waiting)
        if a == b or (apart.shape[0] > 0 and kept_apart(parent, apart, a, b)):
            continue
        if not fresh and score < np.inf:
            a, b = min(a, b), max(a, b)
            if already(scored, a, b, nodes[a, GROWN] + nodes[b, GROWN]):
                continue
            score = join_score(nodes, pool, form_pool, terms, a, b, out)
            if score > 0.0:
                waiting = push(scores, pairs, waiting, score, a, b, nodes[a, GROWN], nodes[b, GROWN])
            continue
        if nodes[a, SIZE] < nodes[b, SIZE]:
            a, b = b, a
        pool, used, form_pool, form_used = unite(
            nodes, pool, used, form_pool, form_used, alive, place, alive.shape[0] - made, a, b
        )
        parent[b] = a
        joins[made, 0], joins[made, 1], strengths[made] = a, b, score
        made += 1
    return pool, used, form_pool, form_used, made


@part
def search(
    mentions: int,
    nodes: Longs,
    own: Ints,
    counts: Ints,
    pool: Ints,
    form: Ints,
    form_pool: Ints,
    field: Ints,
    base: Floats,
    rising: Floats,
    relations: Codes,
    rarity: Floats,
    weights: Floats,
    shape: Floats,
    block: Floats,
    same: Ints,
    apart: Ints,
    first: Ints,
    first_strengths: Floats,
    joins: Ints,
    strengths: Floats,
    labels: Longs,
) -> int:
    """Join the nodes of a block; labels[m] becomes the mention that stands for its person.

    `first` are joins that were found before (nested.py), and made first; joins[k] are the two nodes of the k-th join, of
    which the first lives on, and strengths[k] its score (infinite where a curator joined them). Returns their number.
    """
    terms = Terms(field, base, rising, relations, rarity, shape, block, weights, 1.0)
    parent = np.arange(mentions).astype(np.int32)
    alive, place, used, form_used, made = parent.copy(), parent.copy(), own.shape[0], mentions, 0
    grown, scored = np.zeros(mentions, np.int64), np.full((power_above(mentions), 3), -1, np.int64)
    unsure = np.zeros(rarity.shape[0], np.bool_)
    for k in range(first.shape[0]):
        a, b = first[k, 0], first[k, 1]
        pool, used, form_pool, form_used = unite(
            nodes, pool, used, form_pool, form_used, alive, place, mentions - made, a, b
        )
        parent[b] = a
        joins[made, 0], joins[made, 1], strengths[made] = a, b, first_strengths[k]
        made += 1
    if mentions <= EVERY and made == 0:
        names = name_scores(relations, rarity, weights, block)
        unsure = unsure_of_silence(names, weights)
        scores, pairs, waiting = first_pairs(
            mentions, nodes, pool, field, base, rising, form, names, weights, shape
        )
    else:
        listed = alive[: mentions - made].copy()
        grown = nodes[:mentions, GROWN].copy()
        scores, pairs, waiting = node_pairs(
            nodes, pool, form_pool, terms, listed, mentions - made, HOLDERS, 0.0
        )
    scores, pairs = roomy(scores, pairs, waiting + same.shape[0])
    for i in range(same.shape[0]):
        waiting = push(scores, pairs, waiting, np.inf, same[i, 0], same[i, 1], 0, 0)
    for turn in range(MOST_ROUNDS if mentions > EVERY else mentions + 1):
        before = made
        if turn > 0:
            listed, changes = grown_first(nodes, alive[: mentions - made], grown, form, unsure)
            grown, most = nodes[:mentions, GROWN].copy(), EVERY if listed.shape[0] <= EVERY else HOLDERS
            unsure[:] = False
            scores, pairs, waiting = node_pairs(nodes, pool, form_pool, terms, listed, changes, most, 0.0)
        pool, used, form_pool, form_used, made = take_waiting(
            nodes, pool, used, form_pool, form_used, terms, parent, alive, place, apart, scored, scores, pairs,
            waiting, joins, strengths, made,
        )  # fmt: skip
        if made == before and turn > 0:
            break
    for m in range(mentions):
        labels[m] = find(parent, m)
    return made
