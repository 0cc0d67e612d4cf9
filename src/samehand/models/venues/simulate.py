"""Mentions drawn from the model: what the samplers should recover if the model were true.

Each venue's canonical string is words drawn uniformly from a vocabulary of invented words, their abbreviations and
single letters; its title distribution is a draw from Dirichlet(beta u). A mention takes one of the venues, distorts the
canonical string as edit.py says, and draws the words of its title: each, with probability `special`, from its venue's
distribution, else from one that all venues share.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.models.venues.edit import INSERT, SUBSTITUTE, substitutions
from samehand.models.venues.words import number_words

LONG_WORDS, ABBREVIATED_WORDS = 150, 50
VENUE_WORDS = (3, 7)
TITLE_WORDS = (4, 12)
LETTERS = "abdeghjklmnopqrstvwxyz"


def simulate(
    mentions: int, venues: int, *, beta: float, words: int, special: float = 1.0, seed: int = 0
) -> pl.DataFrame:
    """A table of `id`, `venue`, `title` and the true `cluster`; `words` is the size of the titles' vocabulary.

    >>> drawn = simulate(5, 2, beta=10.0, words=50, seed=1)
    >>> drawn.columns, drawn.height, drawn["cluster"].n_unique()
    (['id', 'venue', 'title', 'cluster'], 5, 2)
    """
    random = np.random.default_rng(seed)
    vocabulary = _vocabulary(random)
    canonical = [random.choice(vocabulary, size=random.integers(*VENUE_WORDS)) for _ in range(venues)]
    edit = Distorter(vocabulary)
    phi = random.dirichlet(np.full(words, beta / words), size=venues + 1)
    cluster = random.integers(venues, size=mentions)
    strings = [_string(edit, canonical[venue].tolist(), random) for venue in cluster]
    titles = [_title(phi[venue], phi[venues], special, random) for venue in cluster]
    return pl.DataFrame(
        {
            "id": [f"drawn-{number}" for number in range(mentions)],
            "venue": strings,
            "title": titles,
            "cluster": cluster,
        }
    )


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Long words, prefixes of some, and letters."""
    long = ["".join(random.choice(list(LETTERS), size=random.integers(5, 10))) for _ in range(LONG_WORDS)]
    short = [word[: random.integers(2, 5)] for word in long[:ABBREVIATED_WORDS]]
    return sorted({*long, *short, *LETTERS})


def _string(edit: Distorter, canonical: list[str], random: np.random.Generator) -> str:
    """A distorted string that is not empty: who names no venue is no mention of one."""
    while True:
        found = edit.distort(canonical, random)
        if found:
            return " ".join(found)


def _title(own: np.ndarray, shared: np.ndarray, special: float, random: np.random.Generator) -> str:
    count = random.integers(*TITLE_WORDS)
    is_own = random.random(count) < special
    drawn = np.where(is_own, random.choice(len(own), count, p=own), random.choice(len(own), count, p=shared))
    return " ".join(f"word{number}" for number in drawn)


class Distorter:
    """Draws from p(v | x) over a vocabulary, as edit.py defines it."""

    def __init__(self, vocabulary: list[str]) -> None:
        self.vocabulary = vocabulary
        self.number = {word: place for place, word in enumerate(vocabulary)}
        self.table = substitutions(number_words([(word,) for word in vocabulary]))

    def distort(self, canonical: list[str], random: np.random.Generator) -> list[str]:
        """One observed string.

        >>> Distorter(["a", "b"]).distort([], np.random.default_rng(0))
        []
        """
        found = []
        place = 0
        while True:
            step = random.random()
            if step < INSERT:
                found.append(self.vocabulary[random.integers(len(self.vocabulary))])
            elif place == len(canonical):
                return found
            else:
                if step < INSERT + SUBSTITUTE:
                    found.append(self._substitute(canonical[place], random))
                place += 1

    def _substitute(self, word: str, random: np.random.Generator) -> str:
        x = self.number[word]
        prefixes = [self.number[word[:end]] for end in range(1, len(word)) if word[:end] in self.number]
        longer = list(range(x + 1, self.table.last[x] + 1))
        choices = [x, *prefixes, *longer]
        weights = [self.table.same[x]] + [self.table.shorter[x]] * len(prefixes)
        weights += [self.table.longer[x]] * len(longer)
        return self.vocabulary[choices[random.choice(len(choices), p=weights)]]
