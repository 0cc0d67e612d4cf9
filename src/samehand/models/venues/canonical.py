"""The canonical string of each cluster, drawn among the cluster's own strings (section 3.1, last part):

    1{x is observed in the cluster}  p(x)  prod over its mentions m  p(v_m | x)

and the sum of this over x, the probability of the cluster's strings whatever the canonical one is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from samehand.infer.random import State as Random
from samehand.kernels import bare, kernel
from samehand.models.venues.edit import Reals
from samehand.models.venues.gibbs import draw
from samehand.models.venues.items import Data
from samehand.models.venues.state import State, compact
from samehand.models.venues.words import Numbers


class Forms(NamedTuple):
    """Room to count the forms of a set of items: `listed[:n]` are the distinct ones, `counts` is zero for all others."""

    listed: Numbers
    counts: Numbers
    scores: Reals


@kernel
def room(forms: int) -> Forms:
    """Room for so many forms."""
    return Forms(np.zeros(forms, np.int32), np.zeros(forms, np.int32), np.empty(forms))


@bare
def add_form(forms: Forms, distinct: int, form: int) -> int:
    """One more item with this form; how many distinct forms there are now."""
    if forms.counts[form] == 0:
        forms.listed[distinct] = form
        distinct += 1
    forms.counts[form] += 1
    return distinct


@bare
def clear(forms: Forms, distinct: int) -> None:
    """Forget the forms that were counted."""
    for place in range(distinct):
        forms.counts[forms.listed[place]] = 0


@bare
def score_forms(data: Data, forms: Forms, distinct: int) -> None:
    """`scores[k]` = log p(x) + sum over the items of log p(v | x), x being the string of the k-th form listed."""
    for k in range(distinct):
        forms.scores[k] = data.prior[forms.listed[k]]
    for place in range(distinct):
        row = data.likeness[forms.listed[place]]
        count = forms.counts[forms.listed[place]]
        for k in range(distinct):
            forms.scores[k] += count * row[forms.listed[k]]


@bare
def log_sum(values: Reals) -> float:
    """ln of the sum of exp(values).

    >>> round(log_sum(np.log(np.array([1.0, 2.0]))), 6)
    1.098612
    """
    largest = -np.inf
    for value in values:
        largest = max(largest, value)
    total = 0.0
    for value in values:
        total += math.exp(value - largest)
    return float(largest + math.log(total))


@bare
def list_members(data: Data, state: State, slot: int, forms: Forms) -> int:
    """Count the forms of a cluster's members; how many are distinct."""
    distinct = 0
    member = state.head[slot]
    while member >= 0:
        distinct = add_form(forms, distinct, data.form[member])
        member = state.following[member]
    return distinct


@kernel
def redraw_canonical(random: Random, data: Data, state: State) -> None:
    """Draw the canonical string of every cluster."""
    compact(state)
    forms = room(data.likeness.shape[0])
    for slot in range(state.high[0]):
        distinct = list_members(data, state, slot, forms)
        choice = 0
        if distinct > 1:
            score_forms(data, forms, distinct)
            choice = draw(random, forms.scores[:distinct])
        state.canonical[slot] = forms.listed[choice]
        clear(forms, distinct)
