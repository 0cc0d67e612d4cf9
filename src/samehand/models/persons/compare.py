"""What speaks for and against two nodes being one person: the features of a join.

For each field f of evidence, the log Bayes factor of one person against two, when a person draws the tokens
of the field from a Dirichlet-multinomial with base measure b (the library's frequencies without the block's
own) and concentration a:

    LBF_f = ln G(a + n) G(a + m) / (G(a) G(a + n + m)) + sum over shared tokens w of ln G(ab + c + d) G(ab) /
    (G(ab + c) G(ab + d))

with c, d the counts of w and n, m the totals on the two sides (ab stands for a b_w): a shared rare co-author
is worth much, a common word nothing. The feature is max(LBF_f h^-g, -floor), h = 2|A||B| / (|A| + |B|): the
evidence of many mentions is not independent.

| feature | |
|---|---|
| larger_size, smaller_size | ln of the number of mentions of each side, at most MOST_LARGER, MOST_SMALLER |
| first_equal_rarity | -ln p(first name given its initial), over the pairs of mentions with equal full first names |
| first_equal, first_near, first_conflict | shares of the pairs of mentions whose first names say something |
| middle_equal, middle_conflict, middle_missing | likewise; missing: one of the two has a middle name |
| last_variant | share of pairs whose last names differ (as in a block the input gives) |
| same_paper | pairs of different authors of one paper, for each mention of the smaller side |
| gap | ln(1 + years between the end of one and the beginning of the other) |
| career | decades beyond MOST_YEARS from the first to the last year of both |

What speaks against two persons being one is bounded (by the floors), so that what their sizes say for it must be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from samehand.kernels import bare
from samehand.models.persons.forms import (
    CONFLICT,
    EQUAL,
    FIRST,
    LAST,
    MIDDLE,
    MISSING,
    NEAR,
    NOTHING,
)
from samehand.models.persons.layout import (
    BLOCK,
    CAREER,
    EVIDENCE,
    FIRST_CONFLICT,
    FIRST_EQUAL,
    FIRST_NEAR,
    FIRST_YEAR,
    FLOOR,
    FORM_LENGTH,
    FORM_START,
    GAP,
    LARGER,
    LAST_VARIANT,
    LAST_YEAR,
    LENGTH,
    MIDDLE_CONFLICT,
    MIDDLE_EQUAL,
    MIDDLE_MISSING,
    POWER,
    RARITY,
    SAME_PAPER,
    SIZE,
    SMALLER,
    START,
    TOTALS,
    Codes,
    Floats,
    Ints,
    Longs,
)

MOST_YEARS = 30
MOST_LARGER, MOST_SMALLER = 300, 30
_MANY = 20
_WIDE = 6


class Terms(NamedTuple):
    """What scores the joins of a block; scores are divided by the temperature."""

    field: Ints
    base: Floats
    rising: Floats
    relations: Codes
    rarity: Floats
    shape: Floats
    block: Floats
    weights: Floats
    temperature: float


@bare
def shared_token(x: float, many: int, few: int) -> float:
    """ln G(x + c + d) G(x) / (G(x + c) G(x + d)) for counts c >= d >= 1, as a product while d is small.

    >>> round(shared_token(0.5, 2, 1), 6) == round(math.log(2.5 / 0.5), 6)
    True
    """
    if few > _MANY:
        return math.lgamma(x + many + few) + math.lgamma(x) - math.lgamma(x + many) - math.lgamma(x + few)
    product = 1.0
    for i in range(few):
        product *= (x + many + i) / (x + i)
    return math.log(product)


@bare
def first_not_below(pool: Ints, begin: int, end: int, token: int) -> int:
    """The first place from `begin` on whose token is not below `token`."""
    while begin < end:
        middle = (begin + end) >> 1
        if pool[0, middle] < token:
            begin = middle + 1
        else:
            end = middle
    return begin


@bare
def share_tokens(nodes: Longs, pool: Ints, field: Ints, base: Floats, a: int, b: int, out: Floats) -> None:
    """Add up what the shared tokens of two bags are worth: out[field], and out[SAME_PAPER] their papers."""
    if nodes[a, LENGTH] > nodes[b, LENGTH]:
        a, b = b, a
    i, i_end = nodes[a, START], nodes[a, START] + nodes[a, LENGTH]
    j, j_end = nodes[b, START], nodes[b, START] + nodes[b, LENGTH]
    wide = nodes[b, LENGTH] > _WIDE * nodes[a, LENGTH]
    while i < i_end and j < j_end:
        token = pool[0, i]
        if wide:
            j = first_not_below(pool, j, j_end, token)
            if j == j_end:
                break
        if pool[0, j] == token:
            c, d = pool[1, i], pool[1, j]
            if field[token] < EVIDENCE:
                out[field[token]] += shared_token(base[token], max(c, d), min(c, d))
            else:
                out[SAME_PAPER] += c * d
            i += 1
            j += 1
        elif pool[0, j] < token:
            j += 1
        else:
            i += 1


@bare
def relate_names(
    nodes: Longs, form_pool: Ints, relations: Codes, rarity: Floats, a: int, b: int, out: Floats
) -> None:
    """Add up the relations of all pairs of mentions, form by form, and turn them into shares."""
    firsts, middles = 0.0, 0.0
    for p in range(nodes[a, FORM_START], nodes[a, FORM_START] + nodes[a, FORM_LENGTH]):
        for q in range(nodes[b, FORM_START], nodes[b, FORM_START] + nodes[b, FORM_LENGTH]):
            one, other = form_pool[0, p], form_pool[0, q]
            pairs = float(form_pool[1, p]) * float(form_pool[1, q])
            first, middle = relations[FIRST, one, other], relations[MIDDLE, one, other]
            if first != NOTHING:
                firsts += pairs
            if first == EQUAL:
                out[FIRST_EQUAL] += pairs
                out[RARITY] += pairs * rarity[one]
            elif first == NEAR:
                out[FIRST_NEAR] += pairs
            elif first == CONFLICT:
                out[FIRST_CONFLICT] += pairs
            if middle != NOTHING:
                middles += pairs
            if middle == EQUAL:
                out[MIDDLE_EQUAL] += pairs
            elif middle == CONFLICT:
                out[MIDDLE_CONFLICT] += pairs
            elif middle == MISSING:
                out[MIDDLE_MISSING] += pairs
            if relations[LAST, one, other] != EQUAL:
                out[LAST_VARIANT] += pairs
    for feature in (RARITY, FIRST_EQUAL, FIRST_NEAR, FIRST_CONFLICT):
        out[feature] /= max(firsts, 1.0)
    for feature in (MIDDLE_EQUAL, MIDDLE_CONFLICT, MIDDLE_MISSING):
        out[feature] /= max(middles, 1.0)
    out[LAST_VARIANT] /= float(nodes[a, SIZE]) * float(nodes[b, SIZE])


@bare
def may_be_one(nodes: Longs, form_pool: Ints, relations: Codes, a: int, b: int) -> bool:
    """Whether any first names of two nodes do not contradict each other."""
    for p in range(nodes[a, FORM_START], nodes[a, FORM_START] + nodes[a, FORM_LENGTH]):
        for q in range(nodes[b, FORM_START], nodes[b, FORM_START] + nodes[b, FORM_LENGTH]):
            if relations[FIRST, form_pool[0, p], form_pool[0, q]] != CONFLICT:
                return True
    return False


@bare
def relate_years(first_a: int, last_a: int, first_b: int, last_b: int, out: Floats) -> None:
    """The gap between two spans of years and the length of both together; nothing where a year is unknown."""
    if first_a > 0 and first_b > 0:
        out[GAP] = math.log1p(max(0, max(first_a, first_b) - min(last_a, last_b)))
        out[CAREER] = max(0, max(last_a, last_b) - min(first_a, first_b) - MOST_YEARS) / 10.0


@bare
def compare(
    nodes: Longs,
    pool: Ints,
    form_pool: Ints,
    field: Ints,
    base: Floats,
    rising: Floats,
    relations: Codes,
    rarity: Floats,
    shape: Floats,
    block: Floats,
    a: int,
    b: int,
    out: Floats,
) -> None:
    """The features of joining nodes a and b of a block; the block's own features are `block`."""
    for feature in range(BLOCK):
        out[feature] = 0.0
    share_tokens(nodes, pool, field, base, a, b, out)
    complete(nodes, form_pool, rising, relations, rarity, shape, block, a, b, out)


@bare
def complete(
    nodes: Longs,
    form_pool: Ints,
    rising: Floats,
    relations: Codes,
    rarity: Floats,
    shape: Floats,
    block: Floats,
    a: int,
    b: int,
    out: Floats,
) -> None:
    """The features of joining a and b, where `out` has what their shared tokens are worth and is 0 up to BLOCK else."""
    for feature in range(block.shape[0]):
        out[BLOCK + feature] = block[feature]
    few, many = min(nodes[a, SIZE], nodes[b, SIZE]), max(nodes[a, SIZE], nodes[b, SIZE])
    harmonic = 2.0 * few * many / (few + many)
    power, tempered = 0.0, 1.0
    for f in range(EVIDENCE):
        n, m = nodes[a, TOTALS + f], nodes[b, TOTALS + f]
        if n > 0 and m > 0:
            if shape[f, POWER] != power:
                power, tempered = shape[f, POWER], harmonic ** -shape[f, POWER]
            factor = out[f] + rising[f, n] + rising[f, m] - rising[f, n + m]
            out[f] = max(factor * tempered, -shape[f, FLOOR])
    out[LARGER], out[SMALLER] = math.log(min(many, MOST_LARGER)), math.log(min(few, MOST_SMALLER))
    out[SAME_PAPER] /= few
    relate_names(nodes, form_pool, relations, rarity, a, b, out)
    relate_years(nodes[a, FIRST_YEAR], nodes[a, LAST_YEAR], nodes[b, FIRST_YEAR], nodes[b, LAST_YEAR], out)


@bare
def weigh(weights: Floats, features: Floats) -> float:
    """The score of a join: the weighted sum of its features."""
    score = 0.0
    for feature in range(weights.shape[0]):
        score += weights[feature] * features[feature]
    return score


@bare
def join_score(nodes: Longs, pool: Ints, form_pool: Ints, terms: Terms, a: int, b: int, out: Floats) -> float:
    """The score of joining nodes a and b, over the temperature."""
    compare(
        nodes, pool, form_pool, terms.field, terms.base, terms.rising, terms.relations, terms.rarity,
        terms.shape, terms.block, min(a, b), max(a, b), out,
    )  # fmt: skip
    return weigh(terms.weights, out) / terms.temperature


@bare
def completed_score(nodes: Longs, form_pool: Ints, terms: Terms, a: int, b: int, out: Floats) -> float:
    """The same, where `out` has what their shared tokens are worth and is 0 up to BLOCK else."""
    complete(
        nodes, form_pool, terms.rising, terms.relations, terms.rarity, terms.shape, terms.block, min(a, b), max(a, b),
        out,
    )  # fmt: skip
    return weigh(terms.weights, out) / terms.temperature


@bare
def shared_score(
    nodes: Longs, form_pool: Ints, terms: Terms, a: int, b: int, shared: Floats, row: int, out: Floats
) -> float:
    """`join_score`, where a row of `shared` is what their shared tokens are worth by field, and in the last place their
    papers."""
    for feature in range(BLOCK):
        out[feature] = shared[row, feature] if feature < EVIDENCE else 0.0
    out[SAME_PAPER] = shared[row, EVIDENCE]
    return completed_score(nodes, form_pool, terms, a, b, out)


@bare
def mark(nodes: Longs, pool: Ints, a: int, marks: Ints) -> None:
    """Note how often node a has each of its tokens."""
    for position in range(nodes[a, START], nodes[a, START] + nodes[a, LENGTH]):
        marks[pool[0, position]] = pool[1, position]


@bare
def unmark(nodes: Longs, pool: Ints, a: int, marks: Ints) -> None:
    """The opposite of `mark`."""
    for position in range(nodes[a, START], nodes[a, START] + nodes[a, LENGTH]):
        marks[pool[0, position]] = 0


@bare
def share_marked(
    nodes: Longs, pool: Ints, field: Ints, base: Floats, marks: Ints, b: int, out: Floats
) -> None:
    """`share_tokens` of the marked node and b, token by token of b, without a comparison that may go either way."""
    for position in range(nodes[b, START], nodes[b, START] + nodes[b, LENGTH]):
        token = pool[0, position]
        c = marks[token]
        if c > 0:
            d = pool[1, position]
            if field[token] < EVIDENCE:
                out[field[token]] += shared_token(base[token], max(c, d), min(c, d))
            else:
                out[SAME_PAPER] += c * d


@bare
def marked_score(
    nodes: Longs, pool: Ints, form_pool: Ints, terms: Terms, marks: Ints, a: int, b: int, out: Floats
) -> float:
    """`join_score` of nodes a, whose tokens are marked, and b."""
    if nodes[b, LENGTH] > _WIDE * nodes[a, LENGTH]:
        return join_score(nodes, pool, form_pool, terms, a, b, out)
    for feature in range(BLOCK):
        out[feature] = 0.0
    share_marked(nodes, pool, terms.field, terms.base, marks, b, out)
    return completed_score(nodes, form_pool, terms, a, b, out)
