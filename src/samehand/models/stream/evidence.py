"""How much the words of a record, or of a group of records, speak for each person of a name.

In each field a person is a Dirichlet-multinomial over tokens, with base measure b (how common a token is at large) and
concentration a. For a group with N_q tokens, q_w of them w, and a person with N, c_w of them w, the log Bayes factor of
"one person" against "two" is

    LBF = lnG(a + N) + lnG(a + N_q) - lnG(a) - lnG(a + N + N_q)
          + sum over shared w of [ lnG(a b + c_w + q_w) + lnG(a b) - lnG(a b + c_w) - lnG(a b + q_w) ]

A rare co-author in common says much, a common word nothing; tokens that are not shared cost no time. Tokens are not
independent, so the factor is tempered by the harmonic mean h of the sizes n and n_q, and evidence against is capped:

    score = sum over fields of weight_f max(h^-TEMPER LBF_f, -CAP)
            + LARGER ln max(n, n_q) + SMALLER ln min(n, n_q) - RECENCY min(years since the person's last record, FADE)

and the score of a new person, with P persons so far, is NEW + CROWD ln(P + 1). b_w is the background frequency plus a
tenth of w's share among the *other* persons of this name (100 added to the total, so that few records do not mislead): a
co-author whom several have tells them less apart.

The scores are a conditional logit: exp(score) over the sum of all, the new person's included, is the probability. Weights
were fitted by maximum likelihood, and the other constants chosen by it from a few values, on names of arnetminer that the
stream paper does not use, joined at random into more ambiguous ones; SMALLER by the mean F1 there. See docs/stream.md.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

FIELDS = ("coauthors", "coauthor_names", "title_stems", "venue_words", "affiliation_words")
CONCENTRATION = np.exp([4.5, 5.0, 4.0, 5.0, 3.0])
WEIGHT = np.array([0.39, 0.95, 0.38, 0.71, 0.49])
TEMPER, CAP = 0.4, 3.5
LARGER, SMALLER = 0.8, 0.7
RECENCY, FADE = 0.13, 10.0
NEW, CROWD = 0.37, 1.2
INSIDE, INSIDE_FLOOR = 0.1, 100.0

NO_YEAR = -(10**6)


class Bag(NamedTuple):
    """Tokens of field f with their counts: `tokens[starts[f]:starts[f + 1]]`, `counts` likewise.

    -1 is a token that no person has.
    """

    starts: Longs
    tokens: Longs
    counts: Longs


class Postings(NamedTuple):
    """Which persons have a token: a chain of nodes from `head[token]` on (-1: end), each a person and a count."""

    head: Longs
    next: Longs
    person: Longs
    counts: Longs


class Totals(NamedTuple):
    """Of each person: tokens per field (fields x persons), records (0: merged into another), last year. Of each token:
    background frequency, and count within the name. Of each field: tokens within the name."""

    tokens: Reals
    records: Longs
    last_year: Longs
    background: Reals
    inside: Reals
    inside_total: Reals


@kernel
def weigh(
    postings: Postings,
    totals: Totals,
    persons: int,
    bag: Bag,
    records: int,
    year: int,
    own: bool,
    recency: float,
) -> Reals:
    """The score of each person for a bag of so many records; dead persons have -inf.

    `own` says that the bag's tokens are counted in `inside` already: a group that was learnt, not a new record. A person
    that is the bag itself is for the caller to leave out. Without a year (NO_YEAR) recency says nothing.
    """
    scores = np.empty(persons)
    tempers = np.empty(persons)
    for p in range(persons):
        n = totals.records[p]
        scores[p] = LARGER * math.log(max(n, records)) + SMALLER * math.log(max(1, min(n, records)))
        tempers[p] = math.pow(2.0 * n * records / (n + records), -TEMPER) if n > 0 else 1.0
        if year > NO_YEAR and totals.last_year[p] > NO_YEAR:
            scores[p] -= recency * min(max(year - totals.last_year[p], 0), FADE)
    shared = np.empty(persons)
    for f in range(bag.starts.shape[0] - 1):
        tokens = _shared(postings, totals, bag, f, own, shared)
        if tokens > 0:
            a = CONCENTRATION[f]
            alone = math.lgamma(a + tokens) - math.lgamma(a)
            for p in range(persons):
                n = totals.tokens[f, p]
                if n > 0:
                    factor = shared[p] + alone + math.lgamma(a + n) - math.lgamma(a + n + tokens)
                    scores[p] += WEIGHT[f] * max(tempers[p] * factor, -CAP)
    for p in range(persons):
        if totals.records[p] == 0:
            scores[p] = -np.inf
    return scores


@kernel
def _shared(postings: Postings, totals: Totals, bag: Bag, f: int, own: bool, shared: Reals) -> int:
    """The part of the log Bayes factors that shared tokens make, for all persons; how many tokens the bag has."""
    shared[:] = 0.0
    tokens = 0
    for place in range(bag.starts[f], bag.starts[f + 1]):
        w, q = bag.tokens[place], bag.counts[place]
        tokens += q
        node = postings.head[w] if w >= 0 else -1
        while node >= 0:
            c = postings.counts[node]
            others = max(0.0, totals.inside[w] - c - (q if own else 0))
            ab = CONCENTRATION[f] * (
                totals.background[w] + INSIDE * others / (totals.inside_total[f] + INSIDE_FLOOR)
            )
            if q == 1:
                gain = math.log1p(c / ab)
            else:
                gain = math.lgamma(ab + c + q) + math.lgamma(ab) - math.lgamma(ab + c) - math.lgamma(ab + q)
            shared[postings.person[node]] += gain
            node = postings.next[node]
    return tokens


@kernel
def post(postings: Postings, totals: Totals, nodes: int, person: int, bag: Bag) -> int:
    """Add a bag's tokens to a person; how many nodes there are now. There must be a free node for each token."""
    for f in range(bag.starts.shape[0] - 1):
        for place in range(bag.starts[f], bag.starts[f + 1]):
            w, q = bag.tokens[place], bag.counts[place]
            totals.tokens[f, person] += q
            totals.inside[w] += q
            totals.inside_total[f] += q
            node = postings.head[w]
            while node >= 0 and postings.person[node] != person:
                node = postings.next[node]
            if node < 0:
                node, nodes = nodes, nodes + 1
                postings.next[node] = postings.head[w]
                postings.person[node] = person
                postings.counts[node] = 0
                postings.head[w] = node
            postings.counts[node] += q
    return nodes


@kernel
def unpost(postings: Postings, totals: Totals, person: int, bag: Bag) -> None:
    """Take a bag's tokens from a person; a node that counts nothing leaves its chain and is not used again."""
    for f in range(bag.starts.shape[0] - 1):
        for place in range(bag.starts[f], bag.starts[f + 1]):
            w, q = bag.tokens[place], bag.counts[place]
            totals.tokens[f, person] -= q
            totals.inside[w] -= q
            totals.inside_total[f] -= q
            before, node = -1, postings.head[w]
            while postings.person[node] != person:
                before, node = node, postings.next[node]
            postings.counts[node] -= q
            if postings.counts[node] == 0:
                if before < 0:
                    postings.head[w] = postings.next[node]
                else:
                    postings.next[before] = postings.next[node]
