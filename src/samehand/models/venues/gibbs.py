"""Almost-Gibbs (section 3.1): every mention in turn leaves its cluster and takes a seat anew.

    an existing cluster c      N_c p(v_m | x_c) p(t_m | titles of c)
    a new one                  alpha p(x = v_m) p(v_m | v_m) p(t_m)

This is not quite Gibbs sampling of

    pi(c, x)  ~  prod over clusters  alpha Gamma(N_c)  1{x_c is observed in c} p(x_c)  prod_m p(v_m | x_c)  p(titles of c)

because a mention that alone bears its cluster's canonical string must not leave before another string is chosen:
pi has no state without it. With `exact` it stays, which is all it takes: what remains is the full conditional.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.infer.random import State as Random
from samehand.infer.random import uniform
from samehand.kernels import bare, kernel
from samehand.models.venues.edit import Reals
from samehand.models.venues.items import Data
from samehand.models.venues.state import State, compact, open_cluster, seat, unseat
from samehand.models.venues.titles import Tables, weigh_titles

NEGLIGIBLE = -50.0
"""A choice e^50 times less probable than the best is never taken; its exponential is not computed."""


@kernel
def gibbs_sweep(random: Random, data: Data, state: State, tables: Tables, alpha: float, exact: bool) -> None:
    """Every item takes a seat once, in order."""
    compact(state)
    weights = np.empty(data.form.shape[0] + 1)
    for item in range(data.form.shape[0]):
        if exact and _bears_alone(data, state, item):
            continue
        unseat(data, state, item)
        _weigh(data, state, tables, alpha, item, weights)
        choice = draw(random, weights[: state.high[0] + 1])
        if choice == state.high[0]:
            choice = open_cluster(state, data.form[item])
        seat(data, state, item, choice)


@bare
def _weigh(data: Data, state: State, tables: Tables, alpha: float, item: int, weights: Reals) -> None:
    """The logs of the weights above, by slot (-inf for a free one), and last, at the mark, for a new cluster."""
    form = data.form[item]
    likeness = data.likeness[form]
    for slot in range(state.high[0]):
        weights[slot] = tables.size[state.size[slot]] + likeness[state.canonical[slot]]
    weights[state.high[0]] = math.log(alpha) + data.prior[form] + likeness[form]
    if data.starts[item + 1] > data.starts[item]:
        weigh_titles(data, state, tables, item, weights)
    for enemy in data.apart[data.apart_starts[item] : data.apart_starts[item + 1]]:
        weights[state.cluster[enemy]] = -np.inf


@bare
def _bears_alone(data: Data, state: State, item: int) -> bool:
    """Whether the item has company, and none that has the string which is its cluster's canonical one and its own."""
    slot, form = state.cluster[item], data.form[item]
    if state.canonical[slot] != form or state.size[slot] == 1:
        return False
    member = state.head[slot]
    while member >= 0:
        if member != item and data.form[member] == form:
            return False
        member = state.following[member]
    return True


@bare
def draw(random: Random, weights: Reals) -> int:
    """An index with probability proportional to exp(weights), which are overwritten by running totals.

    >>> from samehand.infer.random import stream
    >>> draw(stream(0), np.array([-900.0, -1000.0]))
    0
    """
    largest = -np.inf
    for weight in weights:
        largest = max(largest, weight)
    total = 0.0
    for index in range(weights.shape[0]):
        difference = weights[index] - largest
        if difference > NEGLIGIBLE:
            total += math.exp(difference)
        weights[index] = total
    rest = uniform(random) * total
    low, high = 0, weights.shape[0] - 1
    while low < high:  # the first running total above the rest
        middle = (low + high) // 2
        if weights[middle] > rest:
            high = middle
        else:
            low = middle + 1
    return low
