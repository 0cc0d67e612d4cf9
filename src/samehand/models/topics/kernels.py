"""The kernels of latent Dirichlet allocation: a sweep of the collapsed Gibbs sampler, and folding in.

With theta and phi integrated out, a token of word w in document d, itself taken out of all counts, has topic
k with probability proportional to (Griffiths and Steyvers 2004, equation 5)

    (n_dk + alpha) (n_wk + beta) / (n_k + V beta)

where n_dk, n_wk and n_k count the tokens of topic k in the document, of the word, and in all, and V is the
number of words. As in SparseLDA (Yao, Mimno and McCallum 2009) the product is drawn from as a sum of parts,

    n_dk (n_wk + beta) / (n_k + V beta)  +  alpha n_wk / (n_k + V beta)  +  alpha beta / (n_k + V beta),

the first over the few topics the document has, the second over the few the word has; the third, over all
topics, is hardly ever drawn, and its sum is kept up to date. A long text costs no more than K a token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, uniform
from samehand.kernels import kernel

Indices = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


class Corpus(NamedTuple):
    """Documents laid end to end: `words[starts[d]:starts[d + 1]]` are the words of document d."""

    starts: Offsets
    words: Indices


class Rows(NamedTuple):
    """Topic counts, one row for each word and a last one for the document at hand, empty between sweeps.

    The topics that row r has are `listed[starts[r]:starts[r] + sizes[r]]`, in no order.
    """

    counts: Indices
    listed: Indices
    starts: Offsets
    sizes: Offsets


class Topics(NamedTuple):
    """For each topic k its count n_k and `inverse`, 1 / (n_k + mass), where mass is V beta; `inverse` has one
    number more, the sum of the others."""

    totals: Offsets
    inverse: Reals
    mass: float


@kernel
def _add(counts: Indices, listed: Indices, starts: Offsets, sizes: Offsets, row: int, topic: int) -> None:
    """One more token of a topic in a row."""
    if counts[row, topic] == 0:
        listed[starts[row] + sizes[row]] = topic
        sizes[row] += 1
    counts[row, topic] += 1


@kernel
def _remove(counts: Indices, listed: Indices, starts: Offsets, sizes: Offsets, row: int, topic: int) -> None:
    """One token less; the last topic listed fills the gap of one that is gone."""
    counts[row, topic] -= 1
    if counts[row, topic] == 0:
        position = starts[row]
        while listed[position] != topic:
            position += 1
        sizes[row] -= 1
        listed[position] = listed[starts[row] + sizes[row]]


@kernel
def _total(totals: Offsets, inverse: Reals, mass: float, topic: int, change: int) -> None:
    """Let n_k and what follows from it change."""
    totals[topic] += change
    fresh = 1.0 / (totals[topic] + mass)
    inverse[-1] += fresh - inverse[topic]
    inverse[topic] = fresh


@kernel
def _draw(state, counts, listed, starts, sizes, inverse, word, alpha: float, beta: float) -> int:
    """A topic for a token of `word` in the document at hand, given all other tokens."""
    document = counts.shape[0] - 1
    first, last = starts[document], starts[document] + sizes[document]
    of_document = 0.0
    for position in range(first, last):
        k = listed[position]
        of_document += counts[document, k] * (counts[word, k] + beta) * inverse[k]
    word_first, word_last = starts[word], starts[word] + sizes[word]
    of_word = 0.0
    for position in range(word_first, word_last):
        k = listed[position]
        of_word += counts[word, k] * inverse[k]
    of_word *= alpha
    topic_count = counts.shape[1]
    rest = uniform(state) * (of_document + of_word + alpha * beta * inverse[topic_count])
    if rest < of_document:
        k = 0
        for position in range(first, last):
            k = listed[position]
            rest -= counts[document, k] * (counts[word, k] + beta) * inverse[k]
            if rest < 0.0:
                break
        return k
    rest = (rest - of_document) / alpha
    for position in range(word_first, word_last):
        k = listed[position]
        rest -= counts[word, k] * inverse[k]
        if rest < 0.0:
            return k
    rest = rest / beta
    for k in range(topic_count):
        rest -= inverse[k]
        if rest < 0.0:
            return k
    return topic_count - 1


@kernel
def sweep(
    state: State, corpus: Corpus, assigned: Indices, rows: Rows, topics: Topics, alpha: float, beta: float
) -> None:
    """Draw the topic of every token once, in order; a token not yet assigned (-1) is in no count."""
    counts, listed, starts, sizes = rows
    totals, inverse, mass = topics
    document = counts.shape[0] - 1
    inverse[:-1] = 1.0 / (totals + mass)
    inverse[-1] = inverse[:-1].sum()
    document_starts, words = corpus
    for d in range(document_starts.shape[0]-1):
        start, end = document_starts[d], document_starts[d+1]
        for i in range(start, end):
            if assigned[i] >= 0:
                _add(counts, listed, starts, sizes, document, assigned[i])
        for i in range(start, end):
            word = words[i]
            if assigned[i] >= 0:
                _remove(counts, listed, starts, sizes, document, assigned[i])
                _remove(counts, listed, starts, sizes, word, assigned[i])
                _total(totals, inverse, mass, assigned[i], -1)
            topic = _draw(state, counts, listed, starts, sizes, inverse, word, alpha, beta)
            assigned[i] = topic
            _add(counts, listed, starts, sizes, document, topic)
            _add(counts, listed, starts, sizes, word, topic)
            _total(totals, inverse, mass, topic, 1)
        for i in range(start, end):
            counts[document, assigned[i]] = 0
        sizes[document] = 0
