"""Sampling the link model: a cooled chain for one answer, a chain at temperature 1 for how sure it is.

A step of the chain at temperature 1 draws an item at random and its link anew; then it makes an item drawn at random the
root of its tree. To do so leaves the distribution alone, because all items of a tree are equally likely to be its root.

The cooled chain also draws the link of the item it has just made a root. That finds links between trees sooner, and is
no sampler: the choice of the item and the state are no longer independent. It is used to search only.
"""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, below
from samehand.kernels import kernel
from samehand.models.venues.links_forest import Forest, Links, Notes, blank_notes, relink, reroot, singletons
from samehand.models.venues.links_strings import Floats, Longs

COOLING_SWEEPS = 30
COLDEST = 0.05
SAMPLES = 40
SETTLING_SWEEPS = 5


def cooling() -> Floats:
    """Temperatures from 1 down to COLDEST, in equal ratios.

    >>> cooling()[[0, -1]].round(3).tolist()
    [1.0, 0.05]
    """
    return np.exp(np.linspace(0.0, np.log(COLDEST), COOLING_SWEEPS))


def search_and_sample(links: Links, new: float, random: State) -> tuple[Longs, Longs]:
    """The answer: a label for each item; and labels of SAMPLES states, shape (SAMPLES, items), drawn after it."""
    forest, notes = singletons(links), blank_notes(links)
    cool(links, forest, notes, random, new, cooling())
    answer = forest.label.copy()
    sweep(links, forest, notes, random, new, SETTLING_SWEEPS)
    samples = np.empty((SAMPLES, answer.shape[0]), np.int64)
    for sample in samples:
        sweep(links, forest, notes, random, new, 1)
        sample[:] = forest.label
    return answer, samples


@kernel
def cool(links: Links, forest: Forest, notes: Notes, random: State, new: float, temperatures: Floats) -> None:
    """Search: as many steps as there are items, at each of the temperatures in turn; `new` is the weight of a root."""
    count = forest.parent.shape[0]
    for temperature in temperatures:
        for _ in range(count):
            relink(links, forest, notes, random, below(random, count), new, temperature)
            item = below(random, count)
            reroot(forest, item)
            relink(links, forest, notes, random, item, new, temperature)


@kernel
def sweep(links: Links, forest: Forest, notes: Notes, random: State, new: float, sweeps: int) -> None:
    """Sample: as many steps as there are items, so many times, at temperature 1."""
    count = forest.parent.shape[0]
    for _ in range(sweeps * count):
        relink(links, forest, notes, random, below(random, count), new, 1.0)
        reroot(forest, below(random, count))
