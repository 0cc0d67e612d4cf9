"""Concentrations drawn with everything else (the paper's future work), so that no labelled set is needed.

alpha ~ Gamma(1, 1), by the auxiliary variable of Escobar and West (1995): with C clusters of M items and
eta ~ Beta(alpha + 1, M), alpha is Gamma(1 + C) or Gamma(C), with odds C : M (1 - ln eta), divided by 1 - ln eta.

beta: ln beta uniform between ln `LEAST` and ln `MOST`, by steps of a random walk in ln beta, accepted with the ratio of

    prod over clusters  Gamma(beta) / Gamma(n + beta)  prod_w Gamma(n_w + beta / W) / Gamma(beta / W)

and in DPVSW of the same for the corpus-wide distribution, which has the same beta.
"""

from __future__ import annotations

import math

from samehand.infer.random import State as Random
from samehand.infer.random import gamma, normal, uniform
from samehand.kernels import kernel
from samehand.models.venues.items import Data
from samehand.models.venues.special_words import shared_counts
from samehand.models.venues.state import State
from samehand.models.venues.words import Numbers

LEAST, MOST = 0.01, 10_000.0
SMALL_STEP, LARGE_STEP = 0.1, 2.0
"""Of the random walk, taken in equal parts: one for a beta that the titles determine, one to find it."""


@kernel
def redraw_alpha(random: Random, alpha: float, clusters: int, items: int) -> float:
    """alpha given the number of clusters.

    >>> from samehand.infer.random import stream
    >>> redraw_alpha(stream(0), 1.0, 5, 10) > 0.0
    True
    """
    left, right = gamma(random, alpha + 1.0), gamma(random, float(items))
    rate = 1.0 - math.log(left / (left + right))
    shape = float(clusters)
    if uniform(random) * (clusters + items * rate) < clusters:
        shape += 1.0
    return gamma(random, shape) / rate


@kernel
def redraw_beta(random: Random, data: Data, state: State, beta: float, special: bool) -> float:
    """beta given all title words and where they sit: one step of the random walk."""
    step = SMALL_STEP if uniform(random) < 0.5 else LARGE_STEP
    proposal = beta * math.exp(step * normal(random))
    if not LEAST <= proposal <= MOST:
        return beta
    gain = log_urns(data, state, proposal, special) - log_urns(data, state, beta, special)
    return proposal if math.log(uniform(random)) < gain else beta


@kernel
def log_urns(data: Data, state: State, beta: float, special: bool) -> float:
    """ln of the product above."""
    words = state.list_sizes.shape[0]
    share = beta / words
    found = 0.0
    for slot in range(state.high[0]):
        if state.size[slot] > 0:
            found += math.lgamma(beta) - math.lgamma(state.own[slot] + beta)
    for word in range(words):
        start = state.list_starts[word]
        for entry in range(start, start + state.list_sizes[word]):
            found += math.lgamma(state.tally[entry] + share) - math.lgamma(share)
    if special:
        found += _log_urn(shared_counts(data, state), beta)
    return found


@kernel
def _log_urn(counts: Numbers, beta: float) -> float:
    """The corpus-wide urn; the last count is the sum of the others."""
    share = beta / (counts.shape[0] - 1)
    found = math.lgamma(beta) - math.lgamma(counts[-1] + beta)
    for count in counts[:-1]:
        if count > 0:
            found += math.lgamma(count + share) - math.lgamma(share)
    return found
