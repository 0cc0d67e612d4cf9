"""Stochastic EM: the rates of the channels from what one state says (section 4: "learnt online").

The E-step is the state itself, with a title and a list of authors drawn for each cluster from their posterior; the
M-step is each event's share of its opportunities, a Beta prior with the weight of PRIOR opportunities at START
included.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, categorical
from samehand.models.citations.published.edits import RATES, START
from samehand.models.citations.published.score import Floats, Longs
from samehand.models.citations.published.world import Channel

PRIOR = 20.0


def maximise(counts: Floats) -> Floats:
    """The rates, given counts of events (first half) and of their complements.

    >>> bool(np.allclose(maximise(np.zeros(2 * len(RATES))), START))
    True
    """
    events, others = counts[: len(RATES)], counts[len(RATES) :]
    rates: Floats = (PRIOR * START + events) / (PRIOR + events + others)
    return rates


def happened(channel: Channel, cited: Longs, label: Longs, rates: Floats, random: State) -> Floats:
    """Counts over all clusters, `cited[i]` being the cited value of citation i in the present state."""
    excess, _, drop = channel.priced(rates)
    total = np.zeros(channel.counts.shape[1])
    for cluster in np.unique(label):
        values = cited[label == cluster]
        places = [np.arange(channel.starts[o], channel.starts[o + 1]) for o in values]
        near, inverse = np.unique(channel.true[np.concatenate(places)], return_inverse=True)
        summed = np.bincount(inverse, excess[np.concatenate(places)], minlength=len(near))
        chance = summed + channel.prior[near] + len(values) * drop[near]
        chance = np.exp(chance - chance.max())
        meant = near[categorical(random, chance, float(chance.sum()))]
        for here in places:
            total += channel.counts[here[channel.true[here] == meant]].sum(axis=0)
    return total
