"""The readings of a citation in order of probability: list Viterbi over the states that matter.

A reading with posterior probability p passes only through states whose posterior is at least p. So states below the
bound are left out first (exactly: no reading above the bound is lost), and few remain; over these, every state keeps
the best `most` ways to reach it (Seshadri and Sundberg 1994, "List Viterbi decoding algorithms").
"""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import kernel
from samehand.models.citations.parsing.kernels import Floats, Numbers, Tables, backward, forward


@kernel
def insert(scores: Floats, back: Numbers, score: float, node: int, rank: int) -> bool:
    """Puts a way into a node's list, best first; False where it is not among the best."""
    last = scores.shape[0] - 1
    if score <= scores[last]:
        return False
    place = last
    while place > 0 and scores[place - 1] < score:
        scores[place] = scores[place - 1]
        back[place, 0], back[place, 1] = back[place - 1, 0], back[place - 1, 1]
        place -= 1
    scores[place] = score
    back[place, 0], back[place, 1] = node, rank
    return True


@kernel
def active(alpha: Floats, beta: Floats, bound: float, firsts: Numbers) -> Numbers:
    """The (word, style, state) whose posterior is at least the bound, word by word; firsts[t] is where word t begins."""
    words, styles, states = alpha.shape
    nodes = np.empty((words * styles * states, 3), dtype=np.int64)
    count = 0
    for t in range(words):
        firsts[t] = count
        for k in range(styles):
            for j in range(states):
                if alpha[t, k, j] * beta[t, k, j] >= bound:
                    nodes[count, 0], nodes[count, 1], nodes[count, 2] = t, k, j
                    count += 1
    firsts[words] = count
    return nodes[:count].copy()


@kernel
def steps(tables: Tables) -> tuple[Numbers, Numbers]:
    """Tables of moves and of pairs of labels by (from, to), -1 where there is none."""
    states, edge = tables.start.shape[0], tables.first_pair.shape[0] - 2
    move = np.full((states, states), -1, dtype=np.int64)
    pair = np.full((edge + 1, edge + 1), -1, dtype=np.int64)
    for m in range(tables.source.shape[0]):
        move[tables.source[m], tables.target[m]] = m
    for label in range(edge + 1):
        for p in range(tables.first_pair[label], tables.first_pair[label + 1]):
            pair[label, tables.target_label[p]] = p
    return move, pair


@kernel
def reach(
    gap: int, k: int, i: int, j: int, inside: bool, tables: Tables, move: Numbers, pair: Numbers
) -> float:
    """The probability of passing from state i to state j, inside a segment or into a new one."""
    if inside:
        return 0.0 if move[i, j] < 0 else float(tables.moves[gap, move[i, j]])
    joint = pair[tables.label[i], tables.label[j]]
    if joint < 0:
        return 0.0
    return float(tables.stop[i] * tables.joints[gap, k, joint] * tables.start[j])


@kernel
def fill_lists(
    nodes: Numbers,
    firsts: Numbers,
    emission: Floats,
    gap: Numbers,
    tables: Tables,
    scores: Floats,
    back: Numbers,
) -> None:
    """The best ways to reach each node: log scores, and the node and rank before. `back` is 2 * node + (1 inside)."""
    move, pair = steps(tables)
    edge = pair.shape[0] - 1
    for node in range(nodes.shape[0]):
        t, k, j = nodes[node]
        emitted = math.log(emission[t, j])
        if t == 0:
            chance = (
                tables.styles[k] * tables.joints[gap[0], k, pair[edge, tables.label[j]]] * tables.start[j]
            )
            if chance > 0.0:
                insert(scores[node], back[node], math.log(chance) + emitted, -1, 0)
            continue
        for other in range(firsts[t - 1], firsts[t]):
            if nodes[other, 1] != k:
                continue
            for inside in range(2):
                chance = reach(gap[t], k, nodes[other, 2], j, inside == 1, tables, move, pair)
                if chance > 0.0:
                    step = math.log(chance) + emitted
                    for rank in range(scores.shape[1]):
                        if scores[other, rank] == -math.inf:
                            break
                        if not insert(
                            scores[node], back[node], scores[other, rank] + step, 2 * other + inside, rank
                        ):
                            break


@kernel
def readings(
    emission: Floats, gap: Numbers, forced: Numbers, tables: Tables, most: int, bound: float
) -> tuple[Floats, Numbers, Numbers]:
    """The best state sequences: log posterior, label of each word, and whether a segment begins there."""
    words, states = emission.shape
    shape = (words, tables.styles.shape[0], states)
    alpha, beta, scale = np.empty(shape), np.empty(shape), np.empty(words + 1)
    found = forward(emission, gap, forced, tables, alpha, scale)
    if found == -math.inf:
        return np.empty(0), np.empty((0, words), dtype=np.int64), np.empty((0, words), dtype=np.int64)
    backward(emission, gap, forced, tables, alpha, scale, beta)
    firsts = np.empty(words + 1, dtype=np.int64)
    nodes = active(alpha, beta, bound, firsts)
    scores = np.full((nodes.shape[0], most), -math.inf)
    back = np.zeros((nodes.shape[0], most, 2), dtype=np.int64)
    fill_lists(nodes, firsts, emission, gap, tables, scores, back)
    final, ways = np.full(most, -math.inf), np.zeros((most, 2), dtype=np.int64)
    _, pair = steps(tables)
    edge = pair.shape[0] - 1
    for node in range(firsts[words - 1], firsts[words]):
        k, j = nodes[node, 1], nodes[node, 2]
        chance = tables.stop[j] * tables.joints[gap[words], k, pair[tables.label[j], edge]]
        for rank in range(most):
            if chance <= 0.0 or scores[node, rank] == -math.inf:
                break
            if not insert(final, ways, scores[node, rank] + math.log(chance), node, rank):
                break
    return traced(final - found, ways, nodes, back, words, tables.label)


@kernel
def traced(
    scores: Floats, ways: Numbers, nodes: Numbers, back: Numbers, words: int, label: Numbers
) -> tuple[Floats, Numbers, Numbers]:
    """Labels and beginnings along each of the listed ways, from the last word back to the first."""
    count = 0
    while count < scores.shape[0] and scores[count] > -math.inf:
        count += 1
    labels, begins = np.zeros((count, words), dtype=np.int64), np.zeros((count, words), dtype=np.int64)
    for way in range(count):
        node, rank = ways[way]
        for t in range(words - 1, -1, -1):
            labels[way, t] = label[nodes[node, 2]]
            before, before_rank = back[node, rank]
            begins[way, t] = 1 if before < 0 else 1 - before % 2
            node, rank = before // 2, before_rank
    return scores[:count], labels, begins
