"""The first pairs: all pairs of mentions of a block whose join scores above 0, found through the tokens they share.

For each mention, the holders of each of its tokens are visited and what the token is worth is added up by
field: two mentions that share nothing cost nothing. Where names alone can carry a join, the mentions that
follow are looked at besides.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.persons.compare import relate_years, shared_token
from samehand.models.persons.forms import CONFLICT, EQUAL, FIRST, LAST, MIDDLE, MISSING, NEAR
from samehand.models.persons.heap import push, roomy
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
    LAST_VARIANT,
    LENGTH,
    MIDDLE_CONFLICT,
    MIDDLE_EQUAL,
    MIDDLE_MISSING,
    RARITY,
    SAME_PAPER,
    START,
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
def holders_of(nodes: Longs, own: Ints, counts: Ints, mentions: int, vocabulary: int) -> tuple[Longs, Ints]:
    """The inverted index: token t is held by holders[0, starts[t] : starts[t + 1]], ascending, so often as
    holders[1] says."""
    starts = np.zeros(vocabulary + 1, np.int64)
    for position in range(own.shape[0]):
        starts[own[position] + 1] += 1
    for token in range(vocabulary):
        starts[token + 1] += starts[token]
    filled = starts[:-1].copy()
    holders = np.empty((2, own.shape[0]), np.int32)
    for m in range(mentions):
        for position in range(nodes[m, START], nodes[m, START] + nodes[m, LENGTH]):
            token = own[position]
            holders[0, filled[token]] = m
            holders[1, filled[token]] = counts[position]
            filled[token] += 1
    return starts, holders


@kernel
def visit_holders(
    nodes: Longs,
    own: Ints,
    counts: Ints,
    field: Ints,
    base: Floats,
    once: Floats,
    starts: Longs,
    holders: Ints,
    a: int,
    sums: Floats,
    reached: Ints,
    seen: npt.NDArray[np.bool_],
) -> int:
    """Add up by field what mention a shares with each later one; returns how many of these were reached."""
    count = 0
    for position in range(nodes[a, START], nodes[a, START] + nodes[a, LENGTH]):
        token = own[position]
        for place in range(starts[token + 1] - 1, starts[token] - 1, -1):
            b = holders[0, place]
            if b <= a:
                break
            if not seen[b]:
                seen[b] = True
                reached[count] = b
                count += 1
            c, d = counts[position], holders[1, place]
            if c == 1 and d == 1:
                sums[b, field[token]] += once[token]
            elif field[token] < EVIDENCE:
                sums[b, field[token]] += shared_token(base[token], max(c, d), min(c, d))
    return count


@kernel
def first_pairs(
    mentions: int,
    nodes: Longs,
    own: Ints,
    counts: Ints,
    field: Ints,
    base: Floats,
    rising: Floats,
    form: Ints,
    relations: Codes,
    rarity: Floats,
    weights: Floats,
    shape: Floats,
    block: Floats,
) -> tuple[Floats, Ints, int]:
    """A heap of the pairs of mentions with a score above 0, and its size."""
    starts, holders = holders_of(nodes, own, counts, mentions, field.shape[0])
    once = np.ones(field.shape[0])
    for token in range(field.shape[0]):
        if field[token] < EVIDENCE:
            once[token] = math.log((base[token] + 1.0) / base[token])
    names = name_scores(relations, rarity, weights, block)
    sums = np.zeros((mentions, EVIDENCE + 1))
    reached, seen = np.empty(mentions, np.int32), np.zeros(mentions, np.bool_)
    years = np.zeros(BLOCK)
    scores, pairs, size = np.empty(256), np.empty((256, 4), np.int32), 0
    for a in range(mentions):
        count = visit_holders(nodes, own, counts, field, base, once, starts, holders, a, sums, reached, seen)
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
