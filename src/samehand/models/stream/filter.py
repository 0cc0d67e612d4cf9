"""The particle filter, record by record: predict, then accept the prediction or take an answer.

One particle with the optimal proposal is the one-pass Gibbs sampler (section 5.2): the label is drawn from
n_k / (alpha + n) t_k(x), and what was drawn is believed from then on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State
from samehand.models.stream import particles as kernels
from samehand.models.stream.particles import EMPTY, Particles, Pool, Scratch
from samehand.models.stream.student import Classes, Prior, add, begin, make_classes

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

ROOM = 8
"""Places for classes are added so many at a time."""


class Filter:
    """Particles over the labels of a stream that follows initial records with known labels 0 .. K - 1.

    A class founded by the i-th record of the stream has the label K + i. `predict` gives the distribution of a
    record's label; then `accept` or `answer` moves on.

    >>> from samehand.infer.random import stream
    >>> from samehand.models.stream.student import make_prior
    >>> prior = make_prior(np.zeros(1), np.eye(1), kappa=0.1, freedom=3.0)
    >>> filter = Filter(prior, np.array([[0.0], [0.1], [9.0]]), np.array([0, 0, 1]), stream(0), optimal=True)
    >>> distribution = filter.predict(np.array([9.2]))
    >>> filter.accept()
    >>> round(sum(distribution.values()), 9), filter.known, filter.seen
    (1.0, 2, 1)
    """

    def __init__(
        self,
        prior: Prior,
        records: Reals,
        labels: Longs,
        state: State,
        *,
        particles: int = 100,
        optimal: bool = False,
        alpha: float = 100.0,
    ) -> None:
        self.prior, self.state, self.alpha, self.optimal = prior, state, alpha, optimal
        self.known = int(labels.max()) + 1 if len(labels) else 0
        self.seen = 0
        self._steps: list[tuple[Longs, Longs]] = []
        slots = 1 + self.known + 2 * particles
        self._pool = Pool(
            make_classes(slots, len(prior.mean)),
            np.full(slots, -1),
            np.arange(slots - 1, 0, -1),
            np.array([slots - 1]),
        )
        begin(prior, self._pool.classes, EMPTY)
        self._pool.references[EMPTY] = 1
        self._particles = Particles(
            np.full(particles, self.known),
            np.tile(self._known_slots(records, labels, particles), (particles, 1)),
            np.tile(np.arange(self.known + ROOM), (particles, 1)),
            np.full(particles, -math.log(particles)),
        )
        self._start_step()

    @property
    def new_label(self) -> int:
        """What a class founded by the next record is called."""
        return self.known + self.seen

    @property
    def weights(self) -> Reals:
        """The weights of the particles."""
        return np.exp(self._particles.log_weight)

    def predict(self, record: Reals) -> dict[int, float]:
        """The weight of each label that a particle gives the record, ascending by label."""
        self._record = np.ascontiguousarray(record, np.float64)
        kernels.choose(
            self.state, self.prior, self._pool, self._particles, self._record, self.alpha, self.optimal,
            self._scratch,
        )  # fmt: skip
        weights = kernels.normalise(self._particles.log_weight)
        chosen = self._scratch.chosen
        labels = self._particles.label[np.arange(len(chosen)), chosen]
        labels = np.where(chosen == self._particles.class_count, self.new_label, labels)
        names, places = np.unique(labels, return_inverse=True)
        return dict(zip(names.tolist(), np.bincount(places, weights).tolist(), strict=True))

    def accept(self) -> None:
        """Let every particle keep the label it drew in `predict`."""
        self._move_on(self.new_label)

    def answer(self, label: int) -> None:
        """Give the record of `predict` this label in every particle, and weigh them by how well it fits."""
        self._particles.log_weight[:] = self._before
        kernels.choose_label(
            self.prior, self._pool, self._particles, self._record, self.alpha, label, self._scratch
        )
        kernels.normalise(self._particles.log_weight)
        self._move_on(label)

    def histories(self) -> Longs:
        """The labels of all records of the stream in each particle, particles x records."""
        count = len(self._particles.class_count)
        found = np.empty((count, len(self._steps)), np.int64)
        line = np.arange(count)
        for step in range(len(self._steps) - 1, -1, -1):
            labels, ancestors = self._steps[step]
            line = ancestors[line]
            found[:, step] = labels[line]
        return found

    def _move_on(self, new_label: int) -> None:
        kernels.commit(self.prior, self._pool, self._particles, self._record, new_label, self._scratch)
        labels = self._scratch.chosen.copy()
        weights = self.weights
        ancestors = np.arange(len(weights))
        if len(weights) > 1 and 1.0 / float(weights @ weights) <= len(weights) / 2:
            ancestors = kernels.stratified(self.state, weights)
            kernels.follow(self._pool, self._particles, ancestors)
        self._steps.append((labels, ancestors))
        self.seen += 1
        self._start_step()

    def _start_step(self) -> None:
        """Room for what the next record may need, and the weights from before it."""
        count = len(self._particles.class_count)
        if self._pool.free_count[0] < count:
            self._pool = _larger(self._pool)
        if self._particles.class_count.max() >= self._particles.slot.shape[1]:
            wider = ((0, 0), (0, ROOM))
            self._particles = self._particles._replace(
                slot=np.pad(self._particles.slot, wider), label=np.pad(self._particles.label, wider)
            )
        slots, width = self._pool.classes.mean.shape
        self._scratch = Scratch(
            np.empty(slots),
            np.empty(slots, np.int64),
            np.empty(count, np.int64),
            np.empty(self._particles.slot.shape[1] + 1),
            np.empty(width),
        )
        self._before = self._particles.log_weight.copy()

    def _known_slots(self, records: Reals, labels: Longs, particles: int) -> Longs:
        """A slot for each known person with his records, to which every particle refers."""
        taken = np.zeros(self.known + ROOM, np.int64)
        taken[: self.known] = np.arange(1, self.known + 1)
        self._pool.free_count[0] -= self.known
        self._pool.references[1 : self.known + 1] = particles
        work = np.empty(len(self.prior.mean))
        for label in range(self.known):
            begin(self.prior, self._pool.classes, taken[label])
        for record, label in zip(np.ascontiguousarray(records, np.float64), labels, strict=True):
            add(self.prior, self._pool.classes, taken[label], record, work)
        return taken


def _larger(pool: Pool) -> Pool:
    """A pool of twice as many slots."""
    slots = len(pool.references)
    classes = Classes(*(np.concatenate([array, np.zeros_like(array)]) for array in pool.classes))
    free = np.zeros(2 * slots - 1, np.int64)
    count = int(pool.free_count[0])
    free[:count] = pool.free[:count]
    free[count : count + slots] = np.arange(2 * slots - 1, slots - 1, -1)
    return Pool(
        classes, np.concatenate([pool.references, np.full(slots, -1)]), free, np.array([count + slots])
    )


def best(distribution: Mapping[int, float]) -> int:
    """The label with the greatest weight; of equals the smallest, so that a known person comes first.

    >>> best({0: 0.2, 3: 0.4, 4: 0.4})
    3
    """
    return max(distribution, key=lambda label: (distribution[label], -label))


def entropy(distribution: Mapping[int, float]) -> float:
    """- sum p ln p.

    >>> entropy({0: 0.5, 1: 0.5}) == math.log(2)
    True
    """
    return -sum(p * math.log(p) for p in distribution.values() if p > 0.0)


def is_uncertain(distribution: Mapping[int, float], tau: float) -> bool:
    """Whether the entropy is above tau ln |J|, J being the labels that some particle gives (section 6).

    >>> is_uncertain({0: 0.5, 1: 0.5}, tau=0.9), is_uncertain({0: 1.0}, tau=0.0)
    (True, False)
    """
    return entropy(distribution) > tau * math.log(len(distribution))
