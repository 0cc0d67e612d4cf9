"""The title words of a cluster: a Polya urn (section 3.2), and in DPVSW a coin for each word (section 2.4).

With phi_c ~ Dirichlet(beta u) integrated out, u uniform over the W words of the vocabulary, a title with L words,
k_w times word w, has in a cluster that holds n words, n_w times word w, the probability

    prod_w Gamma(n_w + k_w + beta / W) / Gamma(n_w + beta / W)   *   Gamma(n + beta) / Gamma(n + L + beta)

which is the paper's product over positions, in the order-free form. In DPVSW only the words with z = 1 count, and
z ~ Bernoulli(lambda_c), lambda_c ~ Beta(1, 1) integrated out, adds the same kind of urn for the two values of z;
words with z = 0 come from the corpus-wide phi_g and say nothing of the cluster. Gamma functions are tabulated.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.venues.edit import Reals
from samehand.models.venues.items import Data
from samehand.models.venues.state import State


class Tables(NamedTuple):
    """ln Gamma(n + b) for n = 0, 1, ...: b = beta / W in `word`, beta in `total`, 1 in `factorial`; and `special`:
    whether titles have shared words (DPVSW). `size[n]` = ln n, and `size[0]` = -inf."""

    word: Reals
    total: Reals
    factorial: Reals
    size: Reals
    special: bool


def tables(data: Data, words: int, beta: float, *, special: bool) -> Tables:
    """The tables for a concentration beta."""
    tokens = int(data.counts.sum())
    length = max(tokens, len(data.form)) + 2
    with np.errstate(divide="ignore"):
        size = np.log(np.arange(length))
    share = beta / max(words, 1)
    return Tables(log_gammas(tokens, share), log_gammas(tokens, beta), log_gammas(length, 1.0), size, special)


@kernel
def log_gammas(last: int, shift: float) -> Reals:
    """ln Gamma(n + shift) for n = 0 .. last.

    >>> np.exp(log_gammas(3, 1.0)).round(6).tolist()
    [1.0, 1.0, 2.0, 6.0]
    """
    found = np.empty(last + 1)
    for n in range(last + 1):
        found[n] = math.lgamma(n + shift)
    return found


@bare
def urn(tables: Tables, own: int, shared: int, more_own: int, more_shared: int) -> float:
    """The factors of a title that depend on numbers of words only, in a cluster with `own` and `shared` words."""
    found = tables.total[own] - tables.total[own + more_own]
    if tables.special:
        found += tables.factorial[own + more_own] - tables.factorial[own]
        found += tables.factorial[shared + more_shared] - tables.factorial[shared]
        found -= tables.factorial[own + shared + more_own + more_shared + 1]
        found += tables.factorial[own + shared + 1]
    return float(found)


@bare
def weigh_titles(data: Data, state: State, tables: Tables, item: int, weights: Reals) -> None:
    """Add to `weights[slot]` the log probability of an item's title in each cluster, and at the mark, in a new one.

    A word that a cluster lacks has the same factor everywhere, so only the clusters that have it are visited.
    """
    own = shared = 0
    everywhere = 0.0
    for pair in range(data.starts[item], data.starts[item + 1]):
        k = state.active[pair]
        own += k
        shared += data.counts[pair] - k
        absent = tables.word[k] - tables.word[0]
        everywhere += absent
        start = state.list_starts[data.words[pair]]
        for entry in range(start, start + state.list_sizes[data.words[pair]]):
            n = state.tally[entry]
            weights[state.listed[entry]] += tables.word[n + k] - tables.word[n] - absent
    for slot in range(state.high[0]):
        weights[slot] += everywhere + urn(tables, state.own[slot], state.shared[slot], own, shared)
    weights[state.high[0]] += everywhere + urn(tables, 0, 0, own, shared)
