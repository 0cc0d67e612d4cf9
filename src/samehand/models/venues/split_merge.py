"""Sequentially allocated split-merge proposals (Dahl 2005; section 3.1 of the paper), canonical strings summed out.

Two mentions i and j are drawn. If they sit together, their cluster is split: i and j found the two sides, the other
mentions follow in random order, each to side s with probability proportional to

    N_s  p(v_k | string of the founder of s)  p(t_k | titles on side s so far)

If they sit apart, their clusters are merged. With q the product of the probabilities of the sides taken, or, for a
merge, of the sides that a split would have to take to lead back, the acceptance ratio is

    split:  pi(split) / pi(merged) * 1 / q          merge:  pi(merged) / pi(split) * q

    pi(cluster) = alpha Gamma(N) p(titles) sum over x observed in it of p(x) prod_m p(v_m | x)

The strings being summed out, they must be drawn (canonical.py) before anything else looks at them.
As q <= 1, a merge is often refused by pi alone, and as every p is at most 1, before all of pi is computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State as Random
from samehand.infer.random import below, shuffle, uniform
from samehand.kernels import bare, kernel
from samehand.models.venues.canonical import (
    Forms,
    add_form,
    clear,
    list_members,
    log_sum,
    room,
    score_forms,
)
from samehand.models.venues.edit import Reals
from samehand.models.venues.items import Data
from samehand.models.venues.state import State, compact, open_cluster, seat, unseat
from samehand.models.venues.titles import Tables, urn
from samehand.models.venues.words import Numbers

NOWHERE = -1


class Sides(NamedTuple):
    """The two sides of a split as they grow.

    `side[item]` is 0, 1 or NOWHERE; `counts[s, w]` how often side s has title word w, of which `touched` lists
    those that may not be zero; `numbers[s]` = items, own words, shared words, and `numbers[2, 0]` words touched.
    """

    side: npt.NDArray[np.int8]
    counts: Numbers
    touched: Numbers
    numbers: Numbers


@kernel
def split_merge_sweep(random: Random, data: Data, state: State, tables: Tables, alpha: float) -> int:
    """So many proposals that each item is drawn once on average; how many were accepted."""
    items = data.form.shape[0]
    words = state.list_sizes.shape[0]
    sides = Sides(
        np.full(items, NOWHERE, np.int8),
        np.zeros((2, words), np.int32),
        np.empty(words, np.int32),
        np.zeros((3, 3), np.int32),
    )
    compact(state)
    forms, others = room(data.likeness.shape[0]), room(data.likeness.shape[0])
    strings = _string_scores(data, state, forms)
    members = np.empty(items, np.int32)
    accepted = 0
    for _ in range((items + 1) // 2 if items > 1 else 0):
        first = below(random, items)
        second = (first + 1 + below(random, items - 1)) % items
        if state.cluster[first] == state.cluster[second]:
            accepted += _split(
                random, data, state, tables, alpha, first, second, sides, forms, strings, members
            )
        else:
            accepted += _merge(
                random, data, state, tables, alpha, first, second, sides, forms, others, strings, members
            )
    return accepted


@kernel
def _string_scores(data: Data, state: State, forms: Forms) -> Reals:
    """By slot: ln of the sum over x of p(x) prod p(v | x)."""
    scores = np.zeros(state.size.shape[0])
    for slot in range(state.high[0]):
        distinct = list_members(data, state, slot, forms)
        scores[slot] = string_score(data, forms, distinct)
        clear(forms, distinct)
    return scores


@bare
def string_score(data: Data, forms: Forms, distinct: int) -> float:
    """ln of the sum over x of p(x) prod p(v | x) for the forms listed."""
    score_forms(data, forms, distinct)
    return log_sum(forms.scores[:distinct])


@bare
def _split(
    random: Random,
    data: Data,
    state: State,
    tables: Tables,
    alpha: float,
    first: int,
    second: int,
    sides: Sides,
    forms: Forms,
    strings: Reals,
    members: Numbers,
) -> bool:
    """Propose to split the cluster of two items."""
    slot = state.cluster[first]
    count = _others(state, slot, first, second, members, 0)
    shuffle(random, members[:count])
    _found(data, state, sides, first, second)
    log_q = _allocate(random, data, state, tables, first, second, members[:count], sides, False)
    gain = log_q + math.log(uniform(random))  # what ln pi(split) / pi(merged) must exceed
    gain += _log_merged(tables, alpha, sides) + strings[slot]
    left = _side_score(data, state, slot, sides, 0, forms)
    right = _side_score(data, state, slot, sides, 1, forms)
    accepted = bool(log_q > -np.inf and left + right > gain)
    if accepted:
        new = open_cluster(state, data.form[second])
        _move(data, state, second, new)
        for item in members[:count]:
            if sides.side[item] == 1:
                _move(data, state, item, new)
        strings[slot], strings[new] = left, right
    _empty(sides, first, second, members[:count])
    return accepted


@bare
def _merge(
    random: Random,
    data: Data,
    state: State,
    tables: Tables,
    alpha: float,
    first: int,
    second: int,
    sides: Sides,
    forms: Forms,
    others: Forms,
    strings: Reals,
    members: Numbers,
) -> bool:
    """Propose to merge the clusters of two items."""
    kept, lost = state.cluster[first], state.cluster[second]
    count = _others(state, kept, first, second, members, 0)
    count = _others(state, lost, first, second, members, count)
    if _forbidden(data, state, first, second, members[:count]):
        return False
    _found(data, state, sides, first, second)
    for item in members[:count]:
        _join(data, state, sides, item, 0 if state.cluster[item] == kept else 1)
    needed = math.log(uniform(random)) - _log_merged(tables, alpha, sides)
    needed += strings[kept] + strings[lost]
    merged = _merged_score(data, state, kept, lost, forms, others, strings, needed)
    accepted = bool(merged > needed)
    if accepted:
        _empty(sides, first, second, members[:count])
        shuffle(random, members[:count])
        _found(data, state, sides, first, second)
        log_q = _allocate(random, data, state, tables, first, second, members[:count], sides, True)
        accepted = bool(merged + log_q > needed)
    _empty(sides, first, second, members[:count])
    if accepted:
        _move(data, state, second, kept)
        for item in members[:count]:
            if state.cluster[item] == lost:
                _move(data, state, item, kept)
        strings[kept] = merged
    return accepted


@bare
def _allocate(
    random: Random,
    data: Data,
    state: State,
    tables: Tables,
    first: int,
    second: int,
    members: Numbers,
    sides: Sides,
    known: bool,
) -> float:
    """Let the members follow to the two sides in their order: ln q, or -inf if a curator's word leaves one no side.

    With `known` the sides are those on which the members sit already, and q is the probability to take just these.
    """
    log_q = 0.0
    for item in members:
        form = data.form[item]
        left = _weight(data, state, tables, sides, item, 0, data.likeness[form, data.form[first]])
        right = _weight(data, state, tables, sides, item, 1, data.likeness[form, data.form[second]])
        if max(left, right) == -np.inf:
            return -np.inf
        odds = math.exp(left - right)  # against side 1
        if known:
            side = 0 if state.cluster[item] == state.cluster[first] else 1
        else:
            side = 1 if uniform(random) * (1.0 + odds) < 1.0 else 0
        log_q -= math.log1p(odds) if side == 1 else math.log1p(1.0 / odds)
        _join(data, state, sides, item, side)
    return log_q


@bare
def _weight(
    data: Data, state: State, tables: Tables, sides: Sides, item: int, side: int, log_edit: float
) -> float:
    """ln of N_s p(v | founder) p(t | side s); -inf where a curator keeps the item from someone there."""
    for enemy in data.apart[data.apart_starts[item] : data.apart_starts[item + 1]]:
        if sides.side[enemy] == side:
            return -np.inf
    own = shared = 0
    found = tables.size[sides.numbers[side, 0]] + log_edit
    for pair in range(data.starts[item], data.starts[item + 1]):
        k, n = state.active[pair], sides.counts[side, data.words[pair]]
        found += tables.word[n + k] - tables.word[n]
        own += k
        shared += data.counts[pair] - k
    return float(found + urn(tables, sides.numbers[side, 1], sides.numbers[side, 2], own, shared))


@bare
def _log_merged(tables: Tables, alpha: float, sides: Sides) -> float:
    """ln pi(merged) / pi(split) of the two sides, without their strings."""
    numbers = sides.numbers
    left, right = numbers[0, 0], numbers[1, 0]
    found = -math.log(alpha)
    found += tables.factorial[left + right - 1] - tables.factorial[left - 1] - tables.factorial[right - 1]
    found += urn(tables, 0, 0, numbers[0, 1] + numbers[1, 1], numbers[0, 2] + numbers[1, 2])
    found -= urn(tables, 0, 0, numbers[0, 1], numbers[0, 2]) + urn(tables, 0, 0, numbers[1, 1], numbers[1, 2])
    for word in sides.touched[: numbers[2, 0]]:
        n, m = sides.counts[0, word], sides.counts[1, word]
        found += tables.word[n + m] + tables.word[0] - tables.word[n] - tables.word[m]
    return float(found)


@bare
def _side_score(data: Data, state: State, slot: int, sides: Sides, side: int, forms: Forms) -> float:
    """`string_score` of the items of a cluster that are on one side."""
    distinct = 0
    member = state.head[slot]
    while member >= 0:
        if sides.side[member] == side:
            distinct = add_form(forms, distinct, data.form[member])
        member = state.following[member]
    found = string_score(data, forms, distinct)
    clear(forms, distinct)
    return found


@bare
def _merged_score(
    data: Data, state: State, kept: int, lost: int, forms: Forms, others: Forms, strings: Reals, floor: float
) -> float:
    """`string_score` of two clusters together; -inf if that is certainly below `floor`."""
    distinct = list_members(data, state, kept, forms)
    more = list_members(data, state, lost, others)
    enough = floor - math.log(distinct + more)
    found = -np.inf
    if _within_reach(data, forms, distinct, others, more, strings[kept], enough) or _within_reach(
        data, others, more, forms, distinct, strings[lost], enough
    ):
        member = state.head[lost]
        while member >= 0:
            distinct = add_form(forms, distinct, data.form[member])
            member = state.following[member]
        found = string_score(data, forms, distinct)
    clear(forms, distinct)
    clear(others, more)
    return found


@bare
def _within_reach(
    data: Data, forms: Forms, distinct: int, others: Forms, more: int, score: float, enough: float
) -> bool:
    """Whether a canonical string of one cluster might explain both with at least `enough`.

    Its own cluster it explains with at most that cluster's score, the other one with the product that is added here.
    """
    for x in forms.listed[:distinct]:
        bound = score
        for form in others.listed[:more]:
            bound += others.counts[form] * data.likeness[form, x]
            if bound < enough:
                break
        if bound >= enough:
            return True
    return False


@bare
def _others(state: State, slot: int, first: int, second: int, members: Numbers, count: int) -> int:
    """Write the members of a cluster but the two founders behind the `count` that are there; how many there are now."""
    member = state.head[slot]
    while member >= 0:
        if member not in (first, second):
            members[count] = member
            count += 1
        member = state.following[member]
    return count


@bare
def _forbidden(data: Data, state: State, first: int, second: int, members: Numbers) -> bool:
    """Whether a curator keeps someone in the cluster of `first` from someone in the cluster of `second`."""
    lost = state.cluster[second]
    for place in range(-1, members.shape[0]):
        item = first if place < 0 else members[place]
        if state.cluster[item] != lost:
            for enemy in data.apart[data.apart_starts[item] : data.apart_starts[item + 1]]:
                if state.cluster[enemy] == lost:
                    return True
    return False


@bare
def _found(data: Data, state: State, sides: Sides, first: int, second: int) -> None:
    """Begin the two sides."""
    _join(data, state, sides, first, 0)
    _join(data, state, sides, second, 1)


@bare
def _join(data: Data, state: State, sides: Sides, item: int, side: int) -> None:
    """Put an item on a side."""
    sides.side[item] = side
    sides.numbers[side, 0] += 1
    for pair in range(data.starts[item], data.starts[item + 1]):
        word, k = data.words[pair], state.active[pair]
        if k > 0:
            if sides.counts[0, word] + sides.counts[1, word] == 0:
                sides.touched[sides.numbers[2, 0]] = word
                sides.numbers[2, 0] += 1
            sides.counts[side, word] += k
            sides.numbers[side, 1] += k
        sides.numbers[side, 2] += data.counts[pair] - k


@bare
def _empty(sides: Sides, first: int, second: int, members: Numbers) -> None:
    """Leave the sides as they were before anybody joined."""
    for word in sides.touched[: sides.numbers[2, 0]]:
        sides.counts[0, word] = sides.counts[1, word] = 0
    sides.side[first] = sides.side[second] = NOWHERE
    for item in members:
        sides.side[item] = NOWHERE
    sides.numbers[:] = 0


@bare
def _move(data: Data, state: State, item: int, slot: int) -> None:
    unseat(data, state, item)
    seat(data, state, item, slot)
