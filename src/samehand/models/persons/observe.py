"""What a search did, seen with the truth beside it: the features of its joins, and whether each was right.

Every join of the search is observed before it is made, and so are, in the end, the pairs of persons that
came near to being joined. A join is right if it raises B-cubed precision and recall together, and it matters
by how much it changes them: the sampler's own proposals with an objective that ranks them, as in SampleRank
(Wick et al. 2011).
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.compare import compare, weigh
from samehand.models.persons.join import compacted, join
from samehand.models.persons.layout import (
    FEATURES,
    FORM_LENGTH,
    FORM_START,
    LENGTH,
    START,
    Bytes,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.search import find, prepare_block, search
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work

NEARLY = -4.0
"""Pairs of persons that score above this in the end are observed though they were not joined."""

_FEATURES = len(FEATURES)


@bare
def true_gain(parent: Ints, truth: Longs, true_size: Longs, tally: Longs, a: int, b: int) -> float:
    """How much joining nodes a and b changes the sum over mentions of B-cubed precision and recall; 0 if a
    side is unlabelled.

    With a_t, b_t their labelled mentions of true person t: recall gains 2 a_t b_t / size of t; precision changes by
    (a_t + b_t)^2 / (|A| + |B|) - a_t^2 / |A| - b_t^2 / |B|.
    """
    labelled_a, labelled_b = 0, 0
    for m in range(truth.shape[0]):
        if truth[m] >= 0:
            node = find(parent, m)
            if node == a:
                tally[truth[m], 0] += 1
                labelled_a += 1
            elif node == b:
                tally[truth[m], 1] += 1
                labelled_b += 1
    gain = 0.0
    for m in range(truth.shape[0]):
        t = truth[m]
        if t >= 0 and (tally[t, 0] > 0 or tally[t, 1] > 0):
            in_a, in_b = float(tally[t, 0]), float(tally[t, 1])
            tally[t] = 0
            if labelled_a > 0 and labelled_b > 0:
                gain += 2.0 * in_a * in_b / true_size[t]
                gain += (
                    (in_a + in_b) ** 2 / (labelled_a + labelled_b)
                    - in_a**2 / labelled_a
                    - in_b**2 / labelled_b
                )
    return gain


@bare
def decided_gain(parent: Ints, same: Ints, apart: Ints, a: int, b: int) -> float:
    """How many decisions joining nodes a and b would obey, less those it would break."""
    gain = 0.0
    for i in range(same.shape[0]):
        left, right = find(parent, same[i, 0]), find(parent, same[i, 1])
        if (left == a and right == b) or (left == b and right == a):
            gain += 1.0
    for i in range(apart.shape[0]):
        left, right = find(parent, apart[i, 0]), find(parent, apart[i, 1])
        if (left == a and right == b) or (left == b and right == a):
            gain -= 1.0
    return gain


@kernel
def observe_block(
    starts: Longs,
    tokens: Ints,
    counts: Ints,
    field: Ints,
    frequency: Longs,
    totals: Longs,
    distinct: Longs,
    years: Ints,
    forms: Ints,
    words: Ints,
    letters: Bytes,
    begin: Longs,
    rarity: Floats,
    nickname: Ints,
    weights: Floats,
    shape: Floats,
    block: Floats,
    truth: Longs,
    true_size: Longs,
    same: Ints,
    apart: Ints,
    most: int,
) -> tuple[Floats, Floats, Longs]:
    """Search a block, then go through its joins again: features and gains of what was observed, and the clustering."""
    mentions = starts.shape[0] - 1
    joins, strengths = np.empty((mentions, 2), np.int32), np.empty(mentions)
    nodes, own, own_counts, pool, form, form_pool, own_field, base, rising, relations, own_rarity = prepare_block(
        starts, tokens, counts, field, frequency, totals, distinct, years, forms, words, letters, begin,
        rarity, nickname, shape, mentions,
    )  # fmt: skip
    labels = np.empty(mentions, np.int64)
    nobody = np.empty((0, 2), np.int32)
    made = search(
        mentions, nodes.copy(), own, own_counts, pool.copy(), form, form_pool.copy(), own_field, base, rising, relations,
        own_rarity, weights, shape, block, nobody, nobody, nobody, np.empty(0), joins, strengths, labels,
    )  # fmt: skip
    parent = np.arange(mentions).astype(np.int32)
    tally = np.zeros((true_size.shape[0], 2), np.int64)
    rows, gains, seen = np.empty((made + most, _FEATURES)), np.empty(made + most), 0
    used, form_used = own.shape[0], mentions
    for k in range(made):
        a, b = joins[k]
        gain = true_gain(parent, truth, true_size, tally, a, b) + decided_gain(parent, same, apart, a, b)
        if gain != 0.0:
            compare(
                nodes,
                pool,
                form_pool,
                own_field,
                base,
                rising,
                relations,
                own_rarity,
                shape,
                block,
                a,
                b,
                rows[seen],
            )
            gains[seen] = gain
            seen += 1
        alive = np.nonzero(parent == np.arange(mentions))[0].astype(np.int32)
        needed = nodes[a, LENGTH] + nodes[b, LENGTH]
        if used + needed > pool.shape[1]:
            pool, used = compacted(nodes, alive, alive.shape[0], START, LENGTH, pool, needed)
        needed = nodes[a, FORM_LENGTH] + nodes[b, FORM_LENGTH]
        if form_used + needed > form_pool.shape[1]:
            form_pool, form_used = compacted(
                nodes, alive, alive.shape[0], FORM_START, FORM_LENGTH, form_pool, needed
            )
        used, form_used = join(nodes, pool, used, form_pool, form_used, a, b, a)
        parent[b] = a
    alive = np.nonzero(parent == np.arange(mentions))[0].astype(np.int32)
    out = np.empty(_FEATURES)
    for i in range(alive.shape[0]):
        for j in range(i + 1, alive.shape[0]):
            if seen == rows.shape[0]:
                break
            compare(
                nodes, pool, form_pool, own_field, base, rising, relations, own_rarity, shape, block,
                alive[i], alive[j], out,
            )  # fmt: skip
            if weigh(weights, out) > NEARLY:
                gain = true_gain(parent, truth, true_size, tally, alive[i], alive[j])
                gain += decided_gain(parent, same, apart, alive[i], alive[j])
                if gain != 0.0:
                    rows[seen], gains[seen] = out, gain
                    seen += 1
    return rows[:seen], gains[:seen], labels


def observe(
    work: Work, truth: Longs, weights: Weights, number: int, most: int
) -> tuple[Floats, Floats, Longs]:
    """What a search of block `number` shows: features and gains of joins and of at most `most` near misses;
    the clustering.

    `truth` is each mention's true person, -1 where it is unknown; the curators' decisions in the work are truth too. The
    search does not know either.
    """
    found, forms, part = work.evidence, work.evidence.forms, work.block(number)
    persons, own = np.unique(truth[part], return_inverse=True)
    sizes = np.bincount(truth[truth >= 0])
    unknown = int(len(persons) > 0 and persons[0] < 0)
    rows, gains, labels = observe_block(
        found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
        found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
        forms.begin, forms.rarity, forms.nickname, weights.features, weights.shape, work.ambiguity[number],
        own.astype(np.int64) - unknown, sizes[persons[unknown:]].astype(np.int64), work.same[number],
        work.apart[number], most,
    )  # fmt: skip
    return rows, gains, labels + part.start
