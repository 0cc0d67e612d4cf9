"""Letters: bigram models interpolated with unigrams, for names and words no list has (section 4 of the paper).

P(word) = prod over letters x_i, the end mark last, of  SHARE P2(x_i | x_{i-1}) + (1 - SHARE) P1(x_i)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

SHARE = 0.8
MARKS = "abcdefghijklmnopqrstuvwxyz0123456789'-"
END = len(MARKS)
OTHER = END + 1
SYMBOLS = OTHER + 1


@dataclass(frozen=True)
class Letters:
    """Probabilities of a letter (or the end) after a letter (or the beginning, written as the end)."""

    following: npt.NDArray[np.float64]

    def log(self, word: str) -> float:
        """Log-probability of a word.

        >>> letters = learn_letters({"abab": 1.0})
        >>> letters.log("ab") > letters.log("ba")
        True
        """
        codes = _codes(word)
        return sum(math.log(self.following[a, b]) for a, b in pairwise(codes))


def _codes(word: str) -> list[int]:
    """The end mark, the letters, the end mark."""
    return [END, *(MARKS.index(mark) if mark in MARKS else OTHER for mark in word), END]


def learn_letters(words: Mapping[str, float]) -> Letters:
    """Letters from words and how often each is met; every bigram is possible.

    >>> float(learn_letters({"ab": 3.0}).following.sum(axis=1).round(9).max())
    1.0
    """
    pairs = np.full((SYMBOLS, SYMBOLS), 1e-3)
    for word, count in words.items():
        codes = _codes(word)
        for a, b in pairwise(codes):
            pairs[a, b] += count
    singles = pairs.sum(axis=0)
    bigrams = pairs / pairs.sum(axis=1, keepdims=True)
    return Letters(SHARE * bigrams + (1.0 - SHARE) * singles / singles.sum())
