"""Geweke's test of the whole of DPVSW: clusters, canonical strings, z, alpha and beta.

The model, drawn from the front: alpha, beta, a partition, canonical strings, z, strings and titles; kept if every
canonical string is observed in its cluster, which is what the samplers take for granted. The same distribution must
come out when sweeps of a sampler take turns with fresh strings and titles, drawn given everything else.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from venues_world import make_data

from samehand.infer.random import stream
from samehand.models.venues.chain import Chain, Settings
from samehand.models.venues.hyper import LEAST, MOST
from samehand.models.venues.state import arrange, labels_of, nobody

EDIT = np.array([[0.6, 0.2, 0.3], [0.3, 0.7, 0.1], [0.1, 0.1, 0.6]])
"""p(v | x) of three strings; columns sum to one."""
ITEMS, LENGTH, WORDS = 4, 3, 4
DRAWS, TURNS, BATCHES = 3_000, 4_000, 20


def draw_world(random):
    """One draw of (alpha, beta, labels, canonical, z, forms, titles) that has its canonical strings observed."""
    while True:
        alpha = random.gamma(1.0)
        labels = draw_partition(random, alpha)
        canonical = random.integers(3, size=max(labels) + 1)
        forms = draw_forms(random, labels, canonical)
        if forms is not None:
            beta = math.exp(random.uniform(math.log(LEAST), math.log(MOST)))
            z = draw_z(random, labels)
            return alpha, beta, labels, canonical, z, forms, draw_titles(random, labels, z, beta)


def draw_partition(random, alpha):
    labels = []
    for _ in range(ITEMS):
        weights = np.array([*np.bincount(labels), alpha]) if labels else np.ones(1)
        labels.append(int(random.choice(len(weights), p=weights / weights.sum())))
    return labels


def draw_forms(random, labels, canonical):
    forms = [int(random.choice(3, p=EDIT[:, canonical[label]])) for label in labels]
    seen = {(label, form) for label, form in zip(labels, forms, strict=True)}
    return forms if all((label, x) in seen for label, x in enumerate(canonical.tolist())) else None


def draw_z(random, labels):
    share = random.random(max(labels) + 1)
    return [(random.random(LENGTH) < share[label]).astype(int).tolist() for label in labels]


def draw_titles(random, labels, z, beta):
    urns: dict[int, Counter] = {}
    titles = []
    for label, own in zip(labels, z, strict=True):
        title = []
        for is_own in own:
            urn = urns.setdefault(label if is_own else -1, Counter())
            weights = np.array([urn[word] + beta / WORDS for word in range(WORDS)])
            word = int(random.choice(WORDS, p=weights / weights.sum()))
            urn[word] += 1
            title.append(word)
        titles.append(title)
    return titles


def statistics(alpha, beta, labels, z, forms, titles):
    together = [(i, j) for i in range(ITEMS) for j in range(i) if labels[i] == labels[j]]
    return (
        len(set(labels)),
        alpha,
        math.log(beta),
        sum(map(sum, z)),
        len(together),
        sum(forms[i] == forms[j] for i, j in together),
        sum(len(set(titles[i]) & set(titles[j])) for i, j in together),
    )


class Turns:
    """Sweeps of a sampler in turn with fresh strings and titles."""

    def __init__(self, sampler, prior):
        self.random = np.random.default_rng(5)
        self.settings = Settings("dpvsw", sampler, learn=True)
        self.prior = np.full(3, prior)
        self.stream = stream(6)
        self.world = draw_world(self.random)

    def turn(self):
        alpha, beta, labels, canonical, z, forms, titles = self.world
        data = make_data(forms, np.log(EDIT), titles, prior=self.prior)
        chain = Chain(data, WORDS, self.settings, self.stream)
        state = nobody(data, WORDS)
        state.active[:] = active_of(titles, z)
        arrange(data, state, np.array(labels))
        state.canonical[: len(canonical)] = canonical
        chain.state, chain.alpha, chain.beta = state, alpha, beta
        chain.retabulate()
        chain.sweep()
        self.take(chain, titles)
        return statistics(*(self.world[part] for part in (0, 1, 2, 4, 5, 6)))

    def take(self, chain, titles):
        """Fresh strings and titles given all else."""
        labels = labels_of(chain.state).tolist()
        slots = [int(chain.state.cluster[labels.index(label)]) for label in range(max(labels) + 1)]
        canonical = chain.state.canonical[slots]
        z = z_of(titles, chain.state.active)
        forms = None
        while forms is None:
            forms = draw_forms(self.random, labels, canonical)
        fresh = draw_titles(self.random, labels, z, chain.beta)
        self.world = chain.alpha, chain.beta, labels, canonical, z, forms, fresh


def pairs_of(title):
    return sorted(Counter(title).items())


def active_of(titles, z):
    """For each word of each title, how many of its occurrences have z = 1."""
    found = []
    for title, own in zip(titles, z, strict=True):
        found += [sum(o for w, o in zip(title, own, strict=True) if w == word) for word, _ in pairs_of(title)]
    return found


def z_of(titles, active):
    """z of each title in some order: the first occurrences have it."""
    place, found = 0, []
    for title in titles:
        own = []
        for _, count in pairs_of(title):
            own += [1] * int(active[place]) + [0] * (count - int(active[place]))
            place += 1
        found.append(own)
    return found


@pytest.fixture(scope="module")
def forward():
    random = np.random.default_rng(2)
    worlds = (draw_world(random) for _ in range(DRAWS))
    return np.array([statistics(*(w[part] for part in (0, 1, 2, 4, 5, 6))) for w in worlds])


def z_scores(forward, turns):
    """The difference of means in standard errors; turns are correlated, so theirs is that of batch means."""
    batches = turns.reshape(BATCHES, -1, turns.shape[1]).mean(axis=1)
    variance = forward.var(axis=0) / len(forward) + batches.var(axis=0, ddof=1) / BATCHES
    return (forward.mean(axis=0) - turns.mean(axis=0)) / np.sqrt(variance)


@pytest.mark.parametrize("sampler", ["gibbs", "split-merge-alone"])
def test_turns_of_sampler_and_model_agree_with_the_model(sampler, forward):
    world = Turns(sampler, prior=-math.log(3))
    turns = np.array([world.turn() for _ in range(TURNS)])
    assert np.abs(z_scores(forward, turns)).max() < 4


def test_a_wrong_prior_of_strings_is_noticed(forward):
    world = Turns("gibbs", prior=0.0)
    turns = np.array([world.turn() for _ in range(TURNS // 2)])
    assert np.abs(z_scores(forward, turns)).max() > 6
