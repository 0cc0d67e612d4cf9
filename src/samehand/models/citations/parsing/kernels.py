"""Forward, backward and expected counts over the states of the grammar, in probabilities scaled word by word.

Names in these kernels: `emission[t, j]` is the probability of word t in state j, divided by the greatest of that word;
`gap[t]` the symbol before word t, `gap[T]` the one after the last; `forced[t]` is 1 where a segment must begin at word
t, 2 where none may, else 0; `moves[g, m]` the probability of move m inside a segment with gap g; `joints[g, k, p]` that
of passing from one label to another (pair p) with gap g in style k; `start[j]` that of state j where a segment of
its label begins, `stop[j]` that a segment ends at state j.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import kernel

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[Any]


NEGLIGIBLE = 1e-13
"""Smaller probabilities of a state are taken as 0: it leaves most states out of the sums."""


class Tables(NamedTuple):
    """The probabilities of the model, and the grammar they belong to."""

    styles: Floats
    start: Floats
    stop: Floats
    moves: Floats
    joints: Floats
    label: Numbers
    source: Numbers
    target: Numbers
    first_pair: Numbers  # label -> the first of its pairs, which stand together; one more at the end
    target_label: Numbers


class Expected(NamedTuple):
    """Expected counts, added to by `expect`."""

    styles: Floats
    start: Floats
    stop: Floats
    moves: Floats
    joints: Floats


@kernel
def join(mass: Floats, joints: Floats, first_pair: Numbers, target_label: Numbers, into: Floats) -> None:
    """into[b] = sum over labels a of mass[a] joints[a -> b]."""
    into[:] = 0.0
    for label in range(mass.shape[0]):
        if mass[label] > 0.0:
            for pair in range(first_pair[label], first_pair[label + 1]):
                into[target_label[pair]] += mass[label] * joints[pair]


@kernel
def ending(alpha: Floats, stop: Floats, label: Numbers, mass: Floats) -> None:
    """mass[a] = the probability that a segment labelled a has just ended."""
    mass[:] = 0.0
    for state in range(alpha.shape[0]):
        mass[label[state]] += alpha[state] * stop[state]


@kernel
def forward(
    emission: Floats, gap: Numbers, forced: Numbers, tables: Tables, alpha: Floats, scale: Floats
) -> float:
    """Fills alpha[t, k, j] = P(style k, state j at word t | words up to t); returns log P(words, gaps) up to the
    scales of the emissions."""
    words, styles, states = alpha.shape
    edge = tables.first_pair.shape[0] - 2
    mass, into = np.zeros(edge + 1), np.zeros(edge + 1)
    total = 0.0
    for t in range(words):
        norm = 0.0
        for k in range(styles):
            if t == 0:
                mass[:] = 0.0
                mass[edge] = tables.styles[k]
            else:
                ending(alpha[t - 1, k], tables.stop, tables.label, mass)
            join(mass, tables.joints[gap[t], k], tables.first_pair, tables.target_label, into)
            for j in range(states):
                alpha[t, k, j] = 0.0 if forced[t] == 2 else into[tables.label[j]] * tables.start[j]
            if t > 0 and forced[t] != 1:
                for m in range(tables.source.shape[0]):
                    alpha[t, k, tables.target[m]] += (
                        alpha[t - 1, k, tables.source[m]] * tables.moves[gap[t], m]
                    )
            for j in range(states):
                alpha[t, k, j] *= emission[t, j]
                norm += alpha[t, k, j]
        if norm <= 0.0:
            return -math.inf
        for k in range(styles):
            for j in range(states):
                alpha[t, k, j] /= norm
                if alpha[t, k, j] < NEGLIGIBLE:
                    alpha[t, k, j] = 0.0
        scale[t] = norm
        total += math.log(norm)
    norm = 0.0
    for k in range(styles):
        ending(alpha[words - 1, k], tables.stop, tables.label, mass)
        join(mass, tables.joints[gap[words], k], tables.first_pair, tables.target_label, into)
        norm += into[edge]
    scale[words] = norm
    return total + math.log(norm) if norm > 0.0 else -math.inf


@kernel
def leaving(mass: Floats, after: Floats, joints: Floats, tables: Tables, out: Floats) -> None:
    """out[a] = sum over labels b of joints[a -> b] after[b], for labels that have mass."""
    out[:] = 0.0
    for label in range(mass.shape[0]):
        if mass[label] > 0.0:
            for pair in range(tables.first_pair[label], tables.first_pair[label + 1]):
                out[label] += joints[pair] * after[tables.target_label[pair]]


@kernel
def entered(t: int, k: int, emission: Floats, beta: Floats, tables: Tables, after: Floats) -> None:
    """after[b] = P(word t and all that follows | a segment labelled b begins at word t), scaled; 1 at the end."""
    after[:] = 0.0
    if t == emission.shape[0]:
        after[after.shape[0] - 1] = 1.0
        return
    for j in range(emission.shape[1]):
        after[tables.label[j]] += tables.start[j] * emission[t, j] * beta[t, k, j]


@kernel
def backward(
    emission: Floats,
    gap: Numbers,
    forced: Numbers,
    tables: Tables,
    alpha: Floats,
    scale: Floats,
    beta: Floats,
) -> None:
    """Fills beta[t, k, j] so that alpha * beta is the posterior of (style, state) at word t; 0 where alpha is."""
    words, styles, states = beta.shape
    edge = tables.first_pair.shape[0] - 2
    mass, after, out = np.zeros(edge + 1), np.zeros(edge + 1), np.zeros(edge + 1)
    for t in range(words - 1, -1, -1):
        here = 1 if t + 1 == words else forced[t + 1]
        for k in range(styles):
            beta[t, k] = 0.0
            if here != 2:
                entered(t + 1, k, emission, beta, tables, after)
                ending(alpha[t, k], tables.stop, tables.label, mass)
                leaving(mass, after, tables.joints[gap[t + 1], k], tables, out)
                for j in range(states):
                    if alpha[t, k, j] > 0.0:
                        beta[t, k, j] = tables.stop[j] * out[tables.label[j]] / scale[t + 1]
            if here != 1:
                for m in range(tables.source.shape[0]):
                    i, j = tables.source[m], tables.target[m]
                    if alpha[t, k, i] > 0.0:
                        passed = tables.moves[gap[t + 1], m] * emission[t + 1, j] * beta[t + 1, k, j]
                        beta[t, k, i] += passed / scale[t + 1]


@kernel
def count_moves(
    t: int, k: int, emission: Floats, gap: Numbers, tables: Tables, before: Floats, beta: Floats, scale: Floats,
    counts: Expected,
) -> None:  # fmt: skip
    """Adds the expected moves inside segments from word t - 1 to word t."""
    for m in range(tables.source.shape[0]):
        j = tables.target[m]
        if before[tables.source[m]] == 0.0:
            continue
        weight = before[tables.source[m]] * tables.moves[gap[t], m] * emission[t, j] * beta[t, k, j]
        counts.moves[gap[t], m] += weight / scale[t]


@kernel
def count_joints(
    t: int, k: int, emission: Floats, gap: Numbers, tables: Tables, before: Floats, beta: Floats, scale: Floats,
    counts: Expected,
) -> None:  # fmt: skip
    """Adds the expected passages from segment to segment before word t; t may be 0, and the number of words."""
    edge = tables.first_pair.shape[0] - 2
    mass, after, out = np.zeros(edge + 1), np.zeros(edge + 1), np.zeros(edge + 1)
    entered(t, k, emission, beta, tables, after)
    if t == 0:
        mass[edge] = tables.styles[k]
    else:
        ending(before, tables.stop, tables.label, mass)
        leaving(mass, after, tables.joints[gap[t], k], tables, out)
        for j in range(before.shape[0]):
            counts.stop[j] += before[j] * tables.stop[j] * out[tables.label[j]] / scale[t]
    for label in range(edge + 1):
        if mass[label] > 0.0:
            for pair in range(tables.first_pair[label], tables.first_pair[label + 1]):
                passed = tables.joints[gap[t], k, pair] * after[tables.target_label[pair]]
                counts.joints[gap[t], k, pair] += mass[label] * passed / scale[t]
    if t < emission.shape[0]:
        join(mass, tables.joints[gap[t], k], tables.first_pair, tables.target_label, out)
        for j in range(emission.shape[1]):
            counts.start[j] += (
                out[tables.label[j]] * tables.start[j] * emission[t, j] * beta[t, k, j] / scale[t]
            )


@kernel
def expect(
    emission: Floats, gap: Numbers, forced: Numbers, tables: Tables, counts: Expected, posterior: Floats
) -> float:
    """Adds a citation's expected counts; fills posterior[t, j]; returns its log probability."""
    words, states = emission.shape
    styles = tables.styles.shape[0]
    alpha, beta, scale = (
        np.empty((words, styles, states)),
        np.empty((words, styles, states)),
        np.empty(words + 1),
    )
    found = forward(emission, gap, forced, tables, alpha, scale)
    if found == -math.inf:
        return found
    backward(emission, gap, forced, tables, alpha, scale, beta)
    for k in range(styles):
        for t in range(words + 1):
            before = alpha[t - 1, k] if t > 0 else alpha[0, k]
            here = 1 if t in (0, words) else forced[t]
            if here != 1:
                count_moves(t, k, emission, gap, tables, before, beta, scale, counts)
            if here != 2:
                count_joints(t, k, emission, gap, tables, before, beta, scale, counts)
        counts.styles[k] += (alpha[0, k] * beta[0, k]).sum()
    for t in range(words):
        for j in range(states):
            posterior[t, j] = (alpha[t, :, j] * beta[t, :, j]).sum()
    return found


@kernel
def expect_all(
    begins: Numbers, emission: Floats, gap: Numbers, forced: Numbers, tables: Tables, counts: Expected,
    posterior: Floats, found: Floats,
) -> None:  # fmt: skip
    """`expect` for citations laid end to end: words begins[i] .. begins[i + 1] - 1, with one more gap than words each."""
    for i in range(begins.shape[0] - 1):
        first, last = begins[i], begins[i + 1]
        if first < last:
            found[i] = expect(
                emission[first:last],
                gap[first + i : last + i + 1],
                forced[first:last],
                tables,
                counts,
                posterior[first:last],
            )
