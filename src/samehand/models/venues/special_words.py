"""DPVSW's extra Gibbs block (section 3.3): for each title word, whether it is its venue's own or everybody's.

With phi_c, phi_g and lambda_c integrated out, and the word itself taken out of all counts,

    p(z = 1)  ~  (own_c + 1)     (n_cw + beta / W) / (own_c + beta)
    p(z = 0)  ~  (shared_c + 1)  (n_gw + beta / W) / (n_g + beta)

where n_cw counts word w among the own words of the cluster, n_gw among the shared words of the whole corpus.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State as Random
from samehand.infer.random import uniform
from samehand.kernels import bare, kernel
from samehand.models.venues.items import Data
from samehand.models.venues.state import State, count_word, word_count
from samehand.models.venues.words import Numbers


@kernel
def redraw_special(random: Random, data: Data, state: State, beta: float) -> None:
    """Draw z for every occurrence of every title word; those of one word in one title in random order.

    Their present values must not decide about the order: with those of z = 1 first, the sweep would be biased.
    """
    everywhere = shared_counts(data, state)
    for item in range(data.form.shape[0]):
        slot = state.cluster[item]
        for pair in range(data.starts[item], data.starts[item + 1]):
            ones = state.active[pair]
            for left in range(data.counts[pair], 0, -1):
                is_own = uniform(random) * left < ones
                ones -= is_own
                _redraw(random, data, state, everywhere, pair, slot, beta, is_own)


@bare
def _redraw(
    random: Random,
    data: Data,
    state: State,
    everywhere: Numbers,
    pair: int,
    slot: int,
    beta: float,
    is_own: bool,
) -> None:
    """Draw z for one occurrence."""
    word = data.words[pair]
    _set(state, everywhere, pair, word, slot, is_own, -1)
    share = beta / state.list_sizes.shape[0]
    own = (state.own[slot] + 1) * (word_count(state, word, slot) + share) / (state.own[slot] + beta)
    shared = (state.shared[slot] + 1) * (everywhere[word] + share) / (everywhere[-1] + beta)
    _set(state, everywhere, pair, word, slot, uniform(random) * (own + shared) < own, 1)


@bare
def _set(
    state: State, everywhere: Numbers, pair: int, word: int, slot: int, is_own: bool, change: int
) -> None:
    """Count one occurrence more or less, as the venue's own or as shared."""
    if is_own:
        state.active[pair] += change
        state.own[slot] += change
        count_word(state, word, slot, change)
    else:
        state.shared[slot] += change
        everywhere[word] += change
        everywhere[-1] += change


@kernel
def shared_counts(data: Data, state: State) -> Numbers:
    """How often each word is shared, in the whole corpus; at the end, their sum."""
    found = np.zeros(state.list_sizes.shape[0] + 1, np.int32)
    for pair in range(data.words.shape[0]):
        shared = data.counts[pair] - state.active[pair]
        found[data.words[pair]] += shared
        found[-1] += shared
    return found
