"""The kernels of latent Dirichlet allocation: a sweep of the collapsed Gibbs sampler, and folding in.

With theta and phi integrated out, a token of word w in document d, itself taken out of all counts, has topic
k with probability proportional to (Griffiths and Steyvers 2004, equation 5)

    (n_dk + alpha) (n_wk + beta) / (n_k + V beta)

where n_dk, n_wk and n_k count the tokens of topic k in the document, of the word, and in all, and V is the
number of words. As in SparseLDA (Yao, Mimno and McCallum 2009) the product is drawn from as a sum of parts,

    n_dk (n_wk + beta) / (n_k + V beta)  +  alpha n_wk / (n_k + V beta)  +  alpha beta / (n_k + V beta),

the first over the few topics the document has, the second over the few the word has; the third, over all
topics, is hardly ever drawn, and its sum is kept up to date. No token of however long a text costs more than
about K.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, categorical, next_word, uniform
from samehand.kernels import kernel

Indices = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]


class Corpus(NamedTuple):
    """Documents laid end to end: `words[starts[d]:starts[d + 1]]` are the words of document d."""

    starts: Offsets
    words: Indices


class Tables(NamedTuple):
    """What the sampler counts: n_wk, n_k, 1 / (n_k + V beta), and the topics that each word has, in no order,
    as `listed[list_starts[w]:list_starts[w] + list_sizes[w]]`."""

    word_topic: Indices
    topic_totals: Offsets
    inverse: Reals
    listed: Indices
    list_starts: Offsets
    list_sizes: Offsets


@kernel
def _gain(counts: Indices, row: int, topic: int, listed: Indices, start: int, size: int) -> int:
    """One more token of a topic in a row of counts, whose topics are listed from `start`; how many it has."""
    if counts[row, topic] == 0:
        listed[start + size] = topic
        size += 1
    counts[row, topic] += 1
    return size


@kernel
def _lose(counts: Indices, row: int, topic: int, listed: Indices, start: int, size: int) -> int:
    """One token less; the last topic listed fills the gap of one that is gone. How many the row has."""
    counts[row, topic] -= 1
    if counts[row, topic] == 0:
        size -= 1
        position = start
        while listed[position] != topic:
            position += 1
        listed[position] = listed[start + size]
    return size


@kernel
def _change(totals: Offsets, inverse: Reals, topic: int, change: int, mass: float) -> float:
    """Let n_k change, and 1 / (n_k + mass) with it; by how much the sum of the inverses changes."""
    before = inverse[topic]
    totals[topic] += change
    inverse[topic] = 1.0 / (totals[topic] + mass)
    return inverse[topic] - before


@kernel
def _weigh_document(
    weights: Reals,
    present: Indices,
    size: int,
    tally: Indices,
    word_topic: Indices,
    word: int,
    inverse: Reals,
    beta: float,
) -> float:
    """The weights n_dk (n_wk + beta) / (n_k + V beta) of the topics a document has; their sum."""
    total = 0.0
    for position in range(size):
        k = present[position]
        weights[position] = tally[0, k] * (word_topic[word, k] + beta) * inverse[k]
        total += weights[position]
    return total


@kernel
def _weigh_word(
    weights: Reals, listed: Indices, start: int, size: int, word_topic: Indices, word: int, inverse: Reals
) -> float:
    """The weights n_wk / (n_k + V beta) of the topics a word has; their sum."""
    total = 0.0
    for position in range(size):
        k = listed[start + position]
        weights[position] = word_topic[word, k] * inverse[k]
        total += weights[position]
    return total


@kernel
def _pick(weights: Reals, size: int, rest: float) -> int:
    """Where the running sum of weights passes `rest`: the last position, if rounding keeps it from passing."""
    position = 0
    rest -= weights[0]
    while rest >= 0.0 and position < size - 1:
        position += 1
        rest -= weights[position]
    return position


@kernel
def sweep(state: State, corpus: Corpus, assigned: Indices, tables: Tables, alpha: float, beta: float) -> None:
    """Draw the topic of every token once, in order; a token not yet assigned (-1) is in no count."""
    document_starts, words = corpus
    word_topic, totals, inverse, listed, list_starts, list_sizes = tables
    topic_count, mass = totals.shape[0], beta * word_topic.shape[0]
    inverse_sum = 0.0
    for topic in range(topic_count):
        inverse[topic] = 1.0 / (totals[topic] + mass)
        inverse_sum += inverse[topic]
    tally, present = np.zeros((1, topic_count), np.int32), np.empty(topic_count, np.int32)
    document_weights, word_weights = np.empty(topic_count), np.empty(topic_count)
    for document in range(document_starts.shape[0] - 1):
        first, last = document_starts[document], document_starts[document + 1]
        size = 0
        for token in range(first, last):
            if assigned[token] >= 0:
                size = _gain(tally, 0, assigned[token], present, 0, size)
        for token in range(first, last):
            word = words[token]
            topic = assigned[token]
            start = list_starts[word]
            if topic >= 0:
                size = _lose(tally, 0, topic, present, 0, size)
                list_sizes[word] = _lose(word_topic, word, topic, listed, start, list_sizes[word])
                inverse_sum += _change(totals, inverse, topic, -1, mass)
            of_document = _weigh_document(
                document_weights, present, size, tally, word_topic, word, inverse, beta
            )
            of_word = alpha * _weigh_word(
                word_weights, listed, start, list_sizes[word], word_topic, word, inverse
            )
            rest = uniform(state) * (of_document + of_word + alpha * beta * inverse_sum)
            if rest < of_document:
                topic = present[_pick(document_weights, size, rest)]
            elif rest < of_document + of_word:
                topic = listed[start + _pick(word_weights, list_sizes[word], (rest - of_document) / alpha)]
            else:
                topic = _pick(inverse, topic_count, (rest - of_document - of_word) / (alpha * beta))
            assigned[token] = topic
            size = _gain(tally, 0, topic, present, 0, size)
            list_sizes[word] = _gain(word_topic, word, topic, listed, start, list_sizes[word])
            inverse_sum += _change(totals, inverse, topic, 1, mass)
        tally[:] = 0


@kernel
def _begin(state: State, origin: State, words: Indices) -> None:
    """The stream of one document: that of the model, led elsewhere by the words. No other document matters."""
    state[:] = origin
    for word in words:
        state[0] = next_word(state) ^ np.uint64(word)


@kernel
def fold(
    state: State, words: Indices, phi: Reals, alpha: float, sweeps: int, dropped: int, theta: Reals
) -> None:
    """Write into `theta` the mean of a document's distribution over topics, given phi (words x topics).

    A Gibbs sampler of the document's topics alone, p(k) ~ (n_dk + alpha) phi_wk. Each kept sweep contributes
    the probabilities it drew from rather than the draws (Rao and Blackwell: the same mean, less noise).
    """
    weights = np.empty(theta.shape[0])
    tally = np.zeros(theta.shape[0])
    assigned = np.full(words.shape[0], -1, np.int32)
    theta[:] = (sweeps - dropped) * alpha
    for round_number in range(sweeps):
        for token in range(words.shape[0]):
            if assigned[token] >= 0:
                tally[assigned[token]] -= 1.0
            total = 0.0
            for k in range(theta.shape[0]):
                weights[k] = (tally[k] + alpha) * phi[words[token], k]
                total += weights[k]
            if round_number >= dropped:
                for k in range(theta.shape[0]):
                    theta[k] += weights[k] / total
            assigned[token] = categorical(state, weights, total)
            tally[assigned[token]] += 1.0
    theta /= (sweeps - dropped) * (words.shape[0] + theta.shape[0] * alpha)


@kernel
def fold_all(
    origin: State,
    corpus: Corpus,
    phi: Reals,
    alpha: float,
    sweeps: int,
    dropped: int,
    threshold: float,
    chosen: Indices,
    probabilities: Reals,
    sizes: Offsets,
) -> None:
    """For each document, the topics above the threshold: `sizes[d]` of them, in row d of the two tables."""
    state = origin.copy()
    theta = np.empty(phi.shape[1])
    for document in range(sizes.shape[0]):
        words = corpus.words[corpus.starts[document] : corpus.starts[document + 1]]
        sizes[document] = 0
        if words.shape[0] == 0:
            continue
        _begin(state, origin, words)
        fold(state, words, phi, alpha, sweeps, dropped, theta)
        for k in range(theta.shape[0]):
            if theta[k] > threshold:
                chosen[document, sizes[document]] = k
                probabilities[document, sizes[document]] = theta[k]
                sizes[document] += 1
