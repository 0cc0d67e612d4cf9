"""The kernels of the particle filter over label histories of a Dirichlet-process mixture (section 5.3).

A particle is one history of labels; its classes have the statistics of student.py. A record x arrives:

    proposal "prior"      label k drawn from the CRP prior,  n_k or alpha over (alpha + n);  weight *= t_k(x)
    proposal "optimal"    label k drawn in proportion to prior_k t_k(x);                     weight *= sum of them

Weights are normalised; when 1 / sum w^2 is at most half the number of particles, they are resampled (stratified).
The distribution of the record's label is the weight of the particles that gave it each label, before resampling;
one particle with the optimal proposal is the one-pass Gibbs sampler of section 5.2.

**Labels across particles.** Known persons are 0 .. K - 1 everywhere. A new class is named after the record that
founded it, K + its number in the stream: the same name in two particles is the same set's earliest record, and no
particle's private numbering ("the third new class") is ever added up with another's.

**Sharing.** Particles mostly agree. Statistics live in one pool of slots, counted by how many particles' classes
refer to them; a record is added to a slot once, however many particles add it, and its density is computed once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, uniform
from samehand.kernels import kernel
from samehand.models.stream.student import Classes, Prior, add, log_predictive

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


EMPTY = 0
"""The slot of the class of no records, which is never given back."""


class Pool(NamedTuple):
    """The slots: statistics, how many classes refer to each, and the free ones, `free[:free_count[0]]`."""

    classes: Classes
    references: Longs
    free: Longs
    free_count: Longs


class Particles(NamedTuple):
    """Particle p has the classes c < class_count[p], each with a slot and a label, and the weight exp(log_weight[p])."""

    class_count: Longs
    slot: Longs
    label: Longs
    log_weight: Reals


class Scratch(NamedTuple):
    """What a step works with: the record's log density in each slot and the slot's child with the record added,
    the class each particle chose, and vectors as long as the classes of a particle and as a record."""

    density: Reals
    child: Longs
    chosen: Longs
    shares: Reals
    record: Reals


@kernel
def choose(
    state: State,
    prior: Prior,
    pool: Pool,
    particles: Particles,
    record: Reals,
    alpha: float,
    optimal: bool,
    scratch: Scratch,
) -> None:
    """Draw each particle's class for a record into `chosen`, and change its weight; its classes stay as they are.

    A class is chosen by its place; the place after the last, of which there must be one, is a new class.
    """
    _read(prior, pool, particles, record, scratch)
    counts, slots, log_weights = particles.class_count, particles.slot, particles.log_weight
    sizes, density, shares = pool.classes.size, scratch.density, scratch.shares
    log_records = math.log(alpha + _records(pool, particles))
    for p in range(counts.shape[0]):
        last = counts[p]
        slots[p, last] = EMPTY
        top = -np.inf
        for c in range(last + 1):
            top = max(top, density[slots[p, c]])
        total = 0.0
        for c in range(last + 1):
            shares[c] = alpha if c == last else float(sizes[slots[p, c]])
            if optimal:
                shares[c] *= math.exp(density[slots[p, c]] - top)
            total += shares[c]
        rest, c = uniform(state) * total, 0
        while c < last and rest >= shares[c]:
            rest -= shares[c]
            c += 1
        scratch.chosen[p] = c
        log_weights[p] += top + math.log(total) - log_records if optimal else density[slots[p, c]]


@kernel
def _read(prior: Prior, pool: Pool, particles: Particles, record: Reals, scratch: Scratch) -> None:
    """The record's log density in every slot that a particle refers to; no slot has a child yet."""
    for slot in range(scratch.density.shape[0]):
        scratch.child[slot] = -1
        if pool.references[slot] > 0:
            scratch.density[slot] = log_predictive(prior, pool.classes, slot, record, scratch.record)


@kernel
def _records(pool: Pool, particles: Particles) -> int:
    """How many records there are so far: as many in each particle."""
    records = 0
    for c in range(particles.class_count[0]):
        records += pool.classes.size[particles.slot[0, c]]
    return records


@kernel
def choose_label(
    prior: Prior,
    pool: Pool,
    particles: Particles,
    record: Reals,
    alpha: float,
    label: int,
    scratch: Scratch,
) -> None:
    """An answer: every particle chooses the class with this label, founding it where there is none.

    The label is then no longer drawn, so that the weight takes the prior and the density of it
    (equation 9 with a proposal that is certain).
    """
    _read(prior, pool, particles, record, scratch)
    log_records = math.log(alpha + _records(pool, particles))
    for p in range(particles.class_count.shape[0]):
        c, last = 0, particles.class_count[p]
        while c < last and particles.label[p, c] != label:
            c += 1
        slot = EMPTY if c == last else particles.slot[p, c]
        mass = alpha if c == last else float(pool.classes.size[slot])
        scratch.chosen[p] = c
        particles.log_weight[p] += math.log(mass) - log_records + scratch.density[slot]


@kernel
def commit(
    prior: Prior, pool: Pool, particles: Particles, record: Reals, new_label: int, scratch: Scratch
) -> None:
    """Add the record to each particle's chosen class; a class that is founded is called `new_label`.

    Afterwards `chosen` holds labels instead of places. The pool must have a free slot for every particle.
    """
    count = particles.class_count.shape[0]
    parents = np.empty(count, np.int64)
    for p in range(count):
        c = scratch.chosen[p]
        if c == particles.class_count[p]:
            particles.class_count[p] += 1
            particles.label[p, c] = new_label
            particles.slot[p, c] = EMPTY
            pool.references[EMPTY] += 1
        parent = particles.slot[p, c]
        if scratch.child[parent] < 0:
            scratch.child[parent] = _beget(prior, pool, parent, record, scratch.record)
        pool.references[scratch.child[parent]] += 1
        pool.references[parent] -= 1
        particles.slot[p, c] = scratch.child[parent]
        parents[p] = parent
        scratch.chosen[p] = particles.label[p, c]
    # Only now: a slot given back earlier could be handed out again while others still ask for its child.
    _give_back(pool, parents)


@kernel
def _beget(prior: Prior, pool: Pool, parent: int, record: Reals, work: Reals) -> int:
    """A free slot made the parent's class with the record added; nothing refers to it yet."""
    pool.free_count[0] -= 1
    child = pool.free[pool.free_count[0]]
    pool.references[child] = 0
    pool.classes.size[child] = pool.classes.size[parent]
    pool.classes.mean[child] = pool.classes.mean[parent]
    pool.classes.factor[child] = pool.classes.factor[parent]
    add(prior, pool.classes, child, record, work)
    return int(child)


@kernel
def _give_back(pool: Pool, slots: Longs) -> None:
    """Free those of the slots that nothing refers to; a slot may be named more than once."""
    for slot in slots:
        if pool.references[slot] == 0:
            pool.references[slot] = -1
            pool.free[pool.free_count[0]] = slot
            pool.free_count[0] += 1


@kernel
def stratified(state: State, weights: Reals) -> Longs:
    """Which particle each of M places gets: place j that of the point (j + u_j) / M of the summed weights.

    Each particle is expected M w times, and gets no fewer than M w - 2 and no more than M w + 2 places.

    >>> from samehand.infer.random import stream
    >>> stratified(stream(0), np.array([0.5, 0.0, 0.5, 0.0])).tolist()
    [0, 0, 2, 2]
    """
    count = weights.shape[0]
    ancestors = np.empty(count, np.int64)
    p, passed = 0, weights[0]
    for place in range(count):
        point = (place + uniform(state)) / count
        while p < count - 1 and point >= passed:
            p += 1
            passed += weights[p]
        ancestors[place] = p
    return ancestors


@kernel
def follow(pool: Pool, particles: Particles, ancestors: Longs) -> None:
    """Replace the particles by copies of these ancestors (ascending), with equal weights."""
    count = particles.class_count.shape[0]
    slots, labels, counts = particles.slot.copy(), particles.label.copy(), particles.class_count.copy()
    for place in range(count):
        for c in range(counts[ancestors[place]]):
            pool.references[slots[ancestors[place], c]] += 1
    for p in range(count):
        for c in range(counts[p]):
            pool.references[slots[p, c]] -= 1
    for p in range(count):
        _give_back(pool, slots[p, : counts[p]])
    for place in range(count):
        particles.class_count[place] = counts[ancestors[place]]
        particles.slot[place] = slots[ancestors[place]]
        particles.label[place] = labels[ancestors[place]]
        particles.log_weight[place] = -math.log(count)


@kernel
def normalise(log_weights: Reals) -> Reals:
    """Make the weights sum to one, in place; the weights.

    >>> normalise(np.log(np.array([1.0, 3.0]))).tolist()
    [0.25, 0.75]
    """
    top = log_weights.max()
    weights: Reals = np.exp(log_weights - top)
    total = weights.sum()
    for p in range(weights.shape[0]):
        weights[p] /= total
        log_weights[p] -= top + math.log(total)
    return weights
