"""The string-edit model p(v | x): how a canonical venue string x is distorted into an observed one, v (section 2.1).

Words of x are taken in order. While one is left, a step substitutes it (probability .4, one word of v is
written), deletes it (.3, nothing is written) or inserts (.3, a word of v is written, uniform over the vocabulary of V
words). When none is left, a step inserts (.3) or stops: it takes the .7 of the two operations that have nothing
left to work on, so that the sum over all strings v is one. A word x is substituted by

    itself                                  same
    one of the a(x) words that are proper prefixes of x      abbreviated / a(x)
    one of the l(x) words of which x is a proper prefix      expanded / l(x)

where the weight of an empty class is divided among the others in proportion. The sum over alignments is

    F[i, j] = .3 F[i - 1, j] + .3 / V F[i, j - 1] + .4 s(v_j | x_i) F[i - 1, j - 1],      p(v | x) = .7 F[b, n]

The paper's weights of the three classes are lost; these are ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel
from samehand.models.venues.words import Numbers, Offsets, Strings

Reals = npt.NDArray[np.float64]

SUBSTITUTE, INSERT, DELETE, STOP = 0.4, 0.3, 0.3, 0.7
SAME, ABBREVIATED, EXPANDED = 0.8, 0.1, 0.1


class Substitutions(NamedTuple):
    """For each word x: the probability of x itself, of each of its prefixes, of each word it is a prefix of."""

    last: Numbers
    same: Reals
    shorter: Reals
    longer: Reals


def substitutions(strings: Strings) -> Substitutions:
    """What each word of the vocabulary may be substituted by, and how probably.

    >>> from samehand.models.venues.words import number_words
    >>> found = substitutions(number_words([("conf", "conference")]))
    >>> found.same.round(3).tolist(), found.longer.round(3).tolist()
    ([0.889, 0.889], [0.111, 0.0])
    """
    prefixes = strings.prefixes
    continuations = strings.last - np.arange(len(strings.last))
    abbreviated = np.where(prefixes > 0, ABBREVIATED, 0.0)
    expanded = np.where(continuations > 0, EXPANDED, 0.0)
    total = SAME + abbreviated + expanded
    return Substitutions(
        strings.last,
        SAME / total,
        abbreviated / total / np.maximum(prefixes, 1),
        expanded / total / np.maximum(continuations, 1),
    )


def likeness(strings: Strings) -> Reals:
    """log p(v | x) for every two distinct strings: row v, column x.

    >>> from samehand.models.venues.words import number_words
    >>> found = likeness(number_words([("hands",), ("journal", "hands")]))
    >>> bool(found[0, 1] > found[1, 0]), round(math.exp(found[0, 0]), 4)
    (True, 0.343)
    """
    count = len(strings.starts) - 1
    table = np.empty((count, count))
    _fill(strings.starts, strings.words, substitutions(strings), table)
    return table


def unigram_prior(strings: Strings) -> Reals:
    """log p(x | the empty string): n words, each uniform over the vocabulary, as many as insertions there are.

    >>> from samehand.models.venues.words import number_words
    >>> np.exp(unigram_prior(number_words([("hands",), ("journal", "hands")]))).round(5).tolist()
    [0.105, 0.01575]
    """
    inserted = INSERT / max(len(strings.last), 1)
    return np.asarray(math.log(STOP) + np.diff(strings.starts) * math.log(inserted))


@kernel
def _fill(starts: Offsets, words: Numbers, substitution: Substitutions, table: Reals) -> None:
    for v in range(table.shape[0]):
        for x in range(table.shape[1]):
            table[v, x] = log_edit(
                words[starts[v] : starts[v + 1]], words[starts[x] : starts[x + 1]], substitution
            )


@kernel
def log_edit(v: Numbers, x: Numbers, substitution: Substitutions) -> float:
    """log p(v | x) by the forward algorithm; each column of F is divided by its largest value, which is kept in logs."""
    inserted = INSERT / max(substitution.last.shape[0], 1)
    column = np.empty(x.shape[0] + 1)
    column[0] = 1.0
    for i in range(1, x.shape[0] + 1):
        column[i] = DELETE * column[i - 1]
    scale = 0.0
    for j in range(v.shape[0]):
        diagonal = column[0]
        column[0] *= inserted
        largest = column[0]
        for i in range(1, x.shape[0] + 1):
            before = column[i]
            column[i] = DELETE * column[i - 1] + inserted * before
            column[i] += SUBSTITUTE * _substituted(v[j], x[i - 1], substitution) * diagonal
            diagonal = before
            largest = max(largest, column[i])
        column /= largest
        scale += math.log(largest)
    return scale + math.log(STOP * column[x.shape[0]])


@kernel
def _substituted(v: int, x: int, substitution: Substitutions) -> float:
    """s(v | x)."""
    if v == x:
        return float(substitution.same[x])
    if v < x <= substitution.last[v]:
        return float(substitution.shorter[x])
    if x < v <= substitution.last[x]:
        return float(substitution.longer[x])
    return 0.0
