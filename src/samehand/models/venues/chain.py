"""One Markov chain over clusterings of items: which moves make up a sweep of each model with each sampler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samehand.infer.random import State as Random
from samehand.models.venues.canonical import redraw_canonical
from samehand.models.venues.gibbs import gibbs_sweep
from samehand.models.venues.hyper import redraw_alpha, redraw_beta
from samehand.models.venues.items import Data
from samehand.models.venues.special_words import redraw_special
from samehand.models.venues.split_merge import split_merge_sweep
from samehand.models.venues.state import Labels, cluster_count, labels_of, singletons
from samehand.models.venues.titles import tables

Model = Literal["dpv", "dpvt", "dpvsw"]
Sampler = Literal["almost-gibbs", "gibbs", "split-merge", "split-merge-alone"]


ALPHA, BETA = 0.1, 0.6
"""The concentrations of the paper. Its formula of the Polya urn is lost; this beta is read as that of each word of the
vocabulary, W beta in all, because read as the sum over all words it made titles do harm (docs/venues.md)."""


@dataclass(frozen=True)
class Settings:
    """A model, a sampler, and the concentrations, beta for all words together; with `learn`, where the chain begins.

    `dpv` is `dpvt` over items without title words. `almost-gibbs` is the paper's, `gibbs` is exact. `split-merge` goes
    on with an exact Gibbs sweep after the proposals, as Dahl advises: they move many mentions at once, and are poor
    at moving one.
    """

    model: Model = "dpvt"
    sampler: Sampler = "split-merge"
    alpha: float = ALPHA
    beta: float = 100.0
    learn: bool = False


def as_published(model: Model, sampler: Sampler, words: int) -> Settings:
    """The paper's concentrations for a vocabulary of so many title words.

    >>> as_published("dpvt", "almost-gibbs", 1000).beta
    600.0
    """
    return Settings(model, sampler, ALPHA, BETA * max(words, 1))


class Chain:
    """A chain that begins with every item alone; `sweep` advances it, `labels` says where it is."""

    def __init__(self, data: Data, words: int, settings: Settings, random: Random) -> None:
        self.data, self.settings, self.random = data, settings, random
        self.words = max(words, 1)
        self.state = singletons(data, self.words)
        self.alpha, self.beta = settings.alpha, settings.beta
        self.sweeps = 0
        self.retabulate()

    def retabulate(self) -> None:
        """Bring the tables up to date with beta."""
        self.tables = tables(self.data, self.words, self.beta, special=self.settings.model == "dpvsw")

    def sweep(self) -> None:
        """Every part of the state is drawn once."""
        sampler = self.settings.sampler
        if sampler in ("split-merge", "split-merge-alone"):
            split_merge_sweep(self.random, self.data, self.state, self.tables, self.alpha)
            redraw_canonical(self.random, self.data, self.state)
        if sampler != "split-merge-alone":
            exact = sampler != "almost-gibbs"
            gibbs_sweep(self.random, self.data, self.state, self.tables, self.alpha, exact)
            redraw_canonical(self.random, self.data, self.state)
        if self.settings.model == "dpvsw":
            redraw_special(self.random, self.data, self.state, self.beta)
        if self.settings.learn:
            self._redraw_concentrations()
        self.sweeps += 1

    def _redraw_concentrations(self) -> None:
        clusters, items = cluster_count(self.state), len(self.data.form)
        self.alpha = redraw_alpha(self.random, self.alpha, clusters, items)
        special = self.settings.model == "dpvsw"
        self.beta = redraw_beta(self.random, self.data, self.state, self.beta, special)
        self.retabulate()

    def labels(self) -> Labels:
        """The cluster of each item, numbered from 0 in order of first item."""
        return labels_of(self.state)
