"""The search for the best forest of a block: from single mentions, the best pair of nodes first, while its
join scores above 0.

A person is a binary tree whose leaves are mentions; the log score of a forest is the sum, over its inner
nodes, of the score of joining the two children (compare.py). A join changes no other node's score, so its
delta is its own score, exactly. The search is greedy:

1. all pairs of mentions with a positive score wait in a heap (pairs.py); the best is joined;
2. a pair that waited while one of its sides grew is scored again when its turn comes, and waits on if it is
   still positive;
3. when none is left, all pairs of the remaining nodes are scored, because what was not alike mention by
   mention may be so as a whole; then 1 and 2 again, until a round joins nothing, or after MOST_ROUNDS of them.

A curator's "same" is joined before anything else; a pair across which he said "different" is never joined.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.compare import compare, weigh
from samehand.models.persons.forms import relate_forms
from samehand.models.persons.heap import pop, push, roomy
from samehand.models.persons.join import compacted, join
from samehand.models.persons.layout import (
    FEATURES,
    FORM_LENGTH,
    FORM_START,
    GROWN,
    LENGTH,
    SIZE,
    START,
    Bytes,
    Codes,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.pairs import first_pairs
from samehand.models.persons.prepare import base_measure, first_pool, number, rising_factorials, single_nodes

MOST_ROUNDS = 6
_FEATURES = len(FEATURES)


@kernel
def find(parent: Ints, member: int) -> int:
    """The node that a mention or a former node is part of."""
    while parent[member] != member:
        parent[member] = parent[parent[member]]
        member = parent[member]
    return member


@kernel
def kept_apart(parent: Ints, apart: Ints, a: int, b: int) -> bool:
    """Whether a curator's "different" lies across nodes a and b."""
    for i in range(apart.shape[0]):
        left, right = find(parent, apart[i, 0]), find(parent, apart[i, 1])
        if (left == a and right == b) or (left == b and right == a):
            return True
    return False


@kernel
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


@kernel
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
    joins: Ints,
    strengths: Floats,
    labels: Longs,
) -> int:
    """Join the nodes of a block; labels[m] becomes the mention that stands for its person.

    joins[k] are the two nodes of the k-th join, of which the first lives on, and strengths[k] its score
    (infinite where a curator joined them). Returns the number of joins.
    """
    parent = np.arange(mentions).astype(np.int32)
    alive, place = parent.copy(), parent.copy()
    living, used, form_used = mentions, own.shape[0], mentions
    made = 0
    out = np.empty(_FEATURES)
    scores, pairs, waiting = first_pairs(
        mentions, nodes, own, counts, field, base, rising, form, relations, rarity, weights, shape, block
    )
    scores, pairs = roomy(scores, pairs, waiting + same.shape[0])
    for i in range(same.shape[0]):
        waiting = push(scores, pairs, waiting, np.inf, same[i, 0], same[i, 1], 0, 0)
    for turn in range(MOST_ROUNDS):
        if turn > 0:
            for i in range(living):
                scores, pairs = roomy(scores, pairs, waiting + living)
                for j in range(i + 1, living):
                    a, b = min(alive[i], alive[j]), max(alive[i], alive[j])
                    compare(
                        nodes,
                        pool,
                        form_pool,
                        field,
                        base,
                        rising,
                        relations,
                        rarity,
                        shape,
                        block,
                        a,
                        b,
                        out,
                    )
                    score = weigh(weights, out)
                    if score > 0.0:
                        waiting = push(scores, pairs, waiting, score, a, b, nodes[a, GROWN], nodes[b, GROWN])
        before = made
        while waiting > 0:
            score = scores[0]
            grown_a, grown_b = pairs[0, 2], pairs[0, 3]
            a, b = find(parent, pairs[0, 0]), find(parent, pairs[0, 1])
            fresh = (
                a == pairs[0, 0]
                and b == pairs[0, 1]
                and nodes[a, GROWN] == grown_a
                and nodes[b, GROWN] == grown_b
            )
            waiting = pop(scores, pairs, waiting)
            if a == b or (apart.shape[0] > 0 and kept_apart(parent, apart, a, b)):
                continue
            if not fresh and score < np.inf:
                a, b = min(a, b), max(a, b)
                compare(
                    nodes, pool, form_pool, field, base, rising, relations, rarity, shape, block, a, b, out
                )
                score = weigh(weights, out)
                if score > 0.0:
                    waiting = push(scores, pairs, waiting, score, a, b, nodes[a, GROWN], nodes[b, GROWN])
                continue
            if nodes[a, SIZE] < nodes[b, SIZE]:
                a, b = b, a
            needed = nodes[a, LENGTH] + nodes[b, LENGTH]
            if used + needed > pool.shape[1]:
                pool, used = compacted(nodes, alive, living, START, LENGTH, pool, needed)
            needed = nodes[a, FORM_LENGTH] + nodes[b, FORM_LENGTH]
            if form_used + needed > form_pool.shape[1]:
                form_pool, form_used = compacted(
                    nodes, alive, living, FORM_START, FORM_LENGTH, form_pool, needed
                )
            used, form_used = join(nodes, pool, used, form_pool, form_used, a, b, a)
            parent[b] = a
            living -= 1
            alive[place[b]] = alive[living]
            place[alive[living]] = place[b]
            joins[made, 0], joins[made, 1] = a, b
            strengths[made] = score
            made += 1
        if made == before and turn > 0:
            break
    for m in range(mentions):
        labels[m] = find(parent, m)
    return made
