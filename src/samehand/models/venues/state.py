"""The state of a sampler: who sits where, the canonical strings, and how often each cluster has each title word.

Clusters live in slots 0 .. `high[0]` - 1; a slot of size 0 is free, and listed in `free`. Samplers look at all slots
below the mark, so `compact` closes the gaps before each sweep. The members of a cluster form a doubly linked list.
Counts of title words are sparse: word w stands in the clusters `listed[e]`, `tally[e]` times, for e in
`list_starts[w] : list_starts[w] + list_sizes[w]`. Only words that a cluster claims as its own are counted: all in DPVT,
those with z = 1 in DPVSW. `active[p]` is how many of the `counts[p]` occurrences of a word in a title have z = 1; the
occurrences are exchangeable, so their number says all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.kernels import bare, kernel
from samehand.models.venues.items import Data
from samehand.models.venues.words import Numbers, Offsets

Labels = npt.NDArray[np.int64]


class State(NamedTuple):
    """See the head of this file; `head`, `size`, `canonical`, `own` and `shared` are by slot."""

    cluster: Numbers  # of each item
    following: Numbers  # the next member of its cluster, or -1
    previous: Numbers
    head: Numbers  # the first member
    size: Numbers
    canonical: Numbers  # a form
    own: Numbers  # title words with z = 1
    shared: Numbers  # title words with z = 0
    free: Numbers
    high: Numbers  # two numbers: the mark, and how many slots below it are free
    active: Numbers
    listed: Numbers
    tally: Numbers
    list_starts: Offsets
    list_sizes: Numbers


def singletons(data: Data, words: int) -> State:
    """Every item in a cluster of its own, every title word its cluster's own: where all chains begin."""
    state = nobody(data, words)
    arrange(data, state, np.arange(len(data.form)))
    return state


def nobody(data: Data, words: int) -> State:
    """A state in which no item sits anywhere."""
    count = len(data.form)
    pairs = len(data.words)
    capacity = np.bincount(data.words, minlength=words)
    return State(
        cluster=np.full(count, -1, np.int32),
        following=np.full(count, -1, np.int32),
        previous=np.full(count, -1, np.int32),
        head=np.full(count, -1, np.int32),
        size=np.zeros(count, np.int32),
        canonical=np.full(count, -1, np.int32),
        own=np.zeros(count, np.int32),
        shared=np.zeros(count, np.int32),
        free=np.zeros(count, np.int32),
        high=np.zeros(2, np.int32),
        active=data.counts.copy(),
        listed=np.zeros(pairs, np.int32),
        tally=np.zeros(pairs, np.int32),
        list_starts=np.concatenate([[0], np.cumsum(capacity)]).astype(np.int64),
        list_sizes=np.zeros(words, np.int32),
    )


def arrange(data: Data, state: State, labels: Labels) -> None:
    """Seat items that sit nowhere yet by their labels; the first of each cluster gives it its canonical string."""
    slots: dict[int, int] = {}
    for item, label in enumerate(labels.tolist()):
        if label not in slots:
            slots[label] = open_cluster(state, data.form[item])
        seat(data, state, item, slots[label])


def labels_of(state: State) -> Labels:
    """The cluster of each item, numbered from 0 in order of first item."""
    _, first, inverse = np.unique(state.cluster, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


@bare
def open_cluster(state: State, form: int) -> int:
    """A free slot becomes an empty cluster whose canonical string is that of `form`."""
    if state.high[1] > 0:
        state.high[1] -= 1
        slot = state.free[state.high[1]]
    else:
        slot = state.high[0]
        state.high[0] += 1
    state.canonical[slot] = form
    return int(slot)


@kernel
def compact(state: State) -> None:
    """Renumber the clusters so that no slot below the mark is free."""
    new = np.empty(state.high[0], np.int32)
    taken = 0
    for slot in range(state.high[0]):
        if state.size[slot] > 0:
            new[slot] = taken
            for column in (state.head, state.size, state.canonical, state.own, state.shared):
                column[taken] = column[slot]
            taken += 1
    for slot in range(taken, state.high[0]):
        state.head[slot] = -1
        state.size[slot] = state.own[slot] = state.shared[slot] = 0
    for item in range(state.cluster.shape[0]):
        state.cluster[item] = new[state.cluster[item]]
    for word in range(state.list_sizes.shape[0]):
        start = state.list_starts[word]
        for entry in range(start, start + state.list_sizes[word]):
            state.listed[entry] = new[state.listed[entry]]
    state.high[0], state.high[1] = taken, 0


@kernel
def cluster_count(state: State) -> int:
    """How many clusters there are."""
    return int(state.high[0] - state.high[1])


@bare
def seat(data: Data, state: State, item: int, slot: int) -> None:
    """Put an item that sits nowhere into a cluster."""
    first = state.head[slot]
    state.following[item], state.previous[item] = first, -1
    if first >= 0:
        state.previous[first] = item
    state.head[slot] = item
    state.cluster[item] = slot
    state.size[slot] += 1
    for pair in range(data.starts[item], data.starts[item + 1]):
        count_word(state, data.words[pair], slot, state.active[pair])
        state.own[slot] += state.active[pair]
        state.shared[slot] += data.counts[pair] - state.active[pair]


@bare
def unseat(data: Data, state: State, item: int) -> None:
    """Take an item out of its cluster; a cluster left empty is closed."""
    slot = state.cluster[item]
    before, after = state.previous[item], state.following[item]
    if before >= 0:
        state.following[before] = after
    else:
        state.head[slot] = after
    if after >= 0:
        state.previous[after] = before
    state.cluster[item] = -1
    state.size[slot] -= 1
    for pair in range(data.starts[item], data.starts[item + 1]):
        count_word(state, data.words[pair], slot, -state.active[pair])
        state.own[slot] -= state.active[pair]
        state.shared[slot] -= data.counts[pair] - state.active[pair]
    if state.size[slot] == 0:
        state.free[state.high[1]] = slot
        state.high[1] += 1


@bare
def count_word(state: State, word: int, slot: int, change: int) -> None:
    """Let the count of a word in a cluster change; a count of zero is not listed."""
    if change == 0:
        return
    start = state.list_starts[word]
    end = start + state.list_sizes[word]
    entry = start
    while entry < end and state.listed[entry] != slot:
        entry += 1
    if entry == end:
        state.listed[entry], state.tally[entry] = slot, 0
        state.list_sizes[word] += 1
        end += 1
    state.tally[entry] += change
    if state.tally[entry] == 0:
        state.listed[entry], state.tally[entry] = state.listed[end - 1], state.tally[end - 1]
        state.list_sizes[word] -= 1


@bare
def word_count(state: State, word: int, slot: int) -> int:
    """How often a cluster has a word."""
    start = state.list_starts[word]
    for entry in range(start, start + state.list_sizes[word]):
        if state.listed[entry] == slot:
            return int(state.tally[entry])
    return 0
