"""The pairs whose join scores above 0: first of mentions, later of nodes, found through the tokens they share.

For each node, the holders of each of its tokens are visited and what the token is worth is added up by field
(holders.py). Of mentions, two that share nothing cost nothing; where names alone can carry a join, the mentions
that follow are looked at besides. Later, a pair is worth a look only if one of its nodes has grown since the last.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.persons.compare import (
    Terms,
    mark,
    marked_score,
    may_be_one,
    relate_years,
    shared_score,
    unmark,
)
from samehand.models.persons.forms import (
    CONFLICT,
    EQUAL,
    FIRST,
    LAST,
    MIDDLE,
    MISSING,
    NEAR,
)
from samehand.models.persons.heap import push, roomy
from samehand.models.persons.holders import Bools, holders_of, reach_holders, visit_holders
from samehand.models.persons.layout import (
    BLOCK,
    CAREER,
    EVIDENCE,
    FIRST_CONFLICT,
    FIRST_EQUAL,
    FIRST_NEAR,
    FIRST_YEAR,
    FLOOR,
    GAP,
    GROWN,
    LAST_VARIANT,
    MIDDLE_CONFLICT,
    MIDDLE_EQUAL,
    MIDDLE_MISSING,
    RARITY,
    SAME_PAPER,
    TOTALS,
    Codes,
    Floats,
    Ints,
    Longs,
)

FOLLOWING = 64
"""Where names alone can carry a join, each mention is compared with so many that follow it."""


@kernel
def name_scores(relations: Codes, rarity: Floats, weights: Floats, block: Floats) -> Floats:
    """What the names of two single mentions, form by form, and the block's prior add to the score of their join."""
    prior = 0.0
    for feature in range(block.shape[0]):
        prior += weights[BLOCK + feature] * block[feature]
    forms = rarity.shape[0]
    scores = np.full((forms, forms), prior)
    for p in range(forms):
        for q in range(forms):
            first, middle = relations[FIRST, p, q], relations[MIDDLE, p, q]
            if first == EQUAL:
                scores[p, q] += weights[FIRST_EQUAL] + weights[RARITY] * rarity[p]
            elif first == NEAR:
                scores[p, q] += weights[FIRST_NEAR]
            elif first == CONFLICT:
                scores[p, q] += weights[FIRST_CONFLICT]
            if middle == EQUAL:
                scores[p, q] += weights[MIDDLE_EQUAL]
            elif middle == CONFLICT:
                scores[p, q] += weights[MIDDLE_CONFLICT]
            elif middle == MISSING:
                scores[p, q] += weights[MIDDLE_MISSING]
            if relations[LAST, p, q] != EQUAL:
                scores[p, q] += weights[LAST_VARIANT]
    return scores


@kernel
def first_pairs(
    mentions: int,
    nodes: Longs,
    pool: Ints,
    field: Ints,
    base: Floats,
    rising: Floats,
    form: Ints,
    names: Floats,
    weights: Floats,
    shape: Floats,
) -> tuple[Floats, Ints, int]:
    """A heap of the pairs of mentions with a score above 0, and its size; `names` are those of `name_scores`."""
    starts, holders = holders_of(nodes, pool, np.arange(mentions).astype(np.int32), field.shape[0])
    sums = np.zeros((mentions, EVIDENCE + 1))
    reached, seen = np.empty(mentions, np.int32), np.zeros(mentions, np.bool_)
    years = np.zeros(BLOCK)
    scores, pairs, size = np.empty(256), np.empty((256, 4), np.int32), 0
    for a in range(mentions):
        count = visit_holders(nodes, pool, field, base, starts, holders, a, a, mentions, sums, reached, seen)
        if np.max(names[form[a]]) > 0.0:
            for b in range(a + 1, min(mentions, a + 1 + FOLLOWING)):
                if not seen[b]:
                    reached[count] = b
                    count += 1
        scores, pairs = roomy(scores, pairs, size + count)
        for i in range(count):
            b = reached[i]
            score = names[form[a], form[b]] + weights[SAME_PAPER] * sums[b, EVIDENCE]
            for f in range(EVIDENCE):
                n, m = nodes[a, TOTALS + f], nodes[b, TOTALS + f]
                if n > 0 and m > 0:
                    factor = sums[b, f] + rising[f, n] + rising[f, m] - rising[f, n + m]
                    score += weights[f] * max(factor, -shape[f, FLOOR])
            seen[b] = False
            sums[b] = 0.0
            years[GAP] = years[CAREER] = 0.0
            relate_years(
                nodes[a, FIRST_YEAR], nodes[a, FIRST_YEAR], nodes[b, FIRST_YEAR], nodes[b, FIRST_YEAR], years
            )
            score += weights[GAP] * years[GAP] + weights[CAREER] * years[CAREER]
            if score > 0.0:
                size = push(scores, pairs, size, score, a, b, 0, 0)
    return scores, pairs, size


@kernel
def unsure_of_silence(names: Floats, weights: Floats) -> Bools:
    """Of each form, whether two mentions may be worth joining that share no token at all: `first_pairs` may have passed
    them by."""
    trusted = weights[GAP] <= 0.0 and weights[CAREER] <= 0.0 and np.min(weights[:EVIDENCE]) >= 0.0
    unsure = np.ones(names.shape[0], np.bool_)
    for form in range(names.shape[0]):
        unsure[form] = not trusted or np.max(names[form]) > 0.0
    return unsure


@kernel
def grown_first(nodes: Longs, alive: Ints, before: Longs, form: Ints, unsure: Bools) -> tuple[Ints, int]:
    """The living nodes, and how many of the first of them have grown since they had grown `before`, or are single
    mentions whose form is `unsure`."""
    listed, count = np.empty_like(alive), 0
    for grown in (True, False):
        for node in alive:
            changed = nodes[node, GROWN] != before[node] or (nodes[node, GROWN] == 0 and unsure[form[node]])
            if changed == grown:
                listed[count] = node
                count += 1
        if grown:
            changes = count
    return listed, changes


@kernel
def node_pairs(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    listed: Ints,
    changes: int,
    most: int,
    least: float,
) -> tuple[Floats, Ints, int]:
    """A heap of the pairs of nodes with a score above `least` of which one at least is among the first `changes` listed,
    and its size.

    If not more than `most` are listed, all pairs are scored; else those that share a token which at most `most` hold,
    and whose first names do not contradict each other.
    """
    if listed.shape[0] > most:
        return sharing_pairs(nodes, pool, form_pool, terms, listed, changes, most, least)
    living = listed.shape[0]
    starts, holders = holders_of(nodes, pool, listed, terms.field.shape[0])
    sums, out = np.zeros((living, EVIDENCE + 1)), np.zeros(terms.weights.shape[0])
    reached, seen = np.empty(living, np.int32), np.zeros(living, np.bool_)
    scores, pairs, size = np.empty(256), np.empty((256, 4), np.int32), 0
    for i in range(changes):
        count = visit_holders(
            nodes, pool, terms.field, terms.base, starts, holders, listed[i], i, most, sums, reached, seen
        )
        scores, pairs = roomy(scores, pairs, size + living - i - 1)
        for j in range(i + 1, living):
            a, b = min(listed[i], listed[j]), max(listed[i], listed[j])
            score = shared_score(nodes, form_pool, terms, a, b, sums, j, out)
            if score > least:
                size = push(scores, pairs, size, score, a, b, nodes[a, GROWN], nodes[b, GROWN])
        for k in range(count):
            seen[reached[k]] = False
            for f in range(EVIDENCE + 1):
                sums[reached[k], f] = 0.0
    return scores, pairs, size


@kernel
def sharing_pairs(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    terms: Terms,
    listed: Ints,
    changes: int,
    most: int,
    least: float,
) -> tuple[Floats, Ints, int]:
    """The same of the pairs that share a token which at most `most` hold, and whose first names do not contradict each
    other."""
    starts, holders = holders_of(nodes, pool, listed, terms.field.shape[0])
    marks, out = np.zeros(terms.field.shape[0], np.int32), np.zeros(terms.weights.shape[0])
    reached, seen = np.empty(listed.shape[0], np.int32), np.zeros(listed.shape[0], np.bool_)
    scores, pairs, size = np.empty(256), np.empty((256, 4), np.int32), 0
    for i in range(changes):
        count = reach_holders(nodes, pool, starts, holders, listed[i], i, most, reached, seen)
        scores, pairs = roomy(scores, pairs, size + count)
        mark(nodes, pool, listed[i], marks)
        for k in range(count):
            j = reached[k]
            seen[j] = False
            if may_be_one(nodes, form_pool, terms.relations, listed[i], listed[j]):
                score = marked_score(nodes, pool, form_pool, terms, marks, listed[i], listed[j], out)
                if score > least:
                    a, b = min(listed[i], listed[j]), max(listed[i], listed[j])
                    size = push(scores, pairs, size, score, a, b, nodes[a, GROWN], nodes[b, GROWN])
        unmark(nodes, pool, listed[i], marks)
    return scores, pairs, size
