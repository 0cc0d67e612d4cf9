"""Citations as arrays: words, neighbouring words and gaps by number, laid end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.models.citations.parsing.tokens import Tokens
from samehand.models.citations.parsing.vocabulary import vocabulary

Numbers = npt.NDArray[np.int64]
UNKNOWN = -1
UNKNOWN_GAPS = ("*", "~*")


@dataclass
class Index:
    """Words, pairs of neighbouring words and gaps, numbered in the order they were first met, function words first."""

    words: dict[str, int] = field(
        default_factory=lambda: {w: i for i, w in enumerate(vocabulary()["function"])}
    )
    pairs: dict[tuple[int, int], int] = field(default_factory=dict)
    gaps: dict[str, int] = field(
        default_factory=lambda: {gap: number for number, gap in enumerate(UNKNOWN_GAPS)}
    )

    def add(self, tokens: Tokens) -> None:
        """Number what is new in a citation."""
        numbers = [self.words.setdefault(word, len(self.words)) for word in tokens.words]
        for pair in pairwise(numbers):
            self.pairs.setdefault(pair, len(self.pairs))
        for gap in tokens.gaps:
            self.gaps.setdefault(gap, len(self.gaps))

    def copy(self) -> Index:
        """An index that may grow on its own."""
        return Index(self.words.copy(), self.pairs.copy(), self.gaps.copy())

    def gap(self, gap: str) -> int:
        """The number of a gap; an unknown one is "*", or "~*" after a word that takes a full stop."""
        return self.gaps.get(gap, self.gaps[UNKNOWN_GAPS[gap.startswith("~")]])


class Corpus(NamedTuple):
    """Citations end to end: those of citation i are words begins[i] .. begins[i + 1] - 1; it has one more gap."""

    begins: Numbers
    word: Numbers  # UNKNOWN where the index does not have it
    pair: Numbers  # of the word before and this one; UNKNOWN at the first word, or where the index does not have it
    before: Numbers  # the word before; UNKNOWN at the first
    small: npt.NDArray[np.bool_]  # whether it is a function word
    shape: Numbers
    gap: Numbers


def encode(citations: Sequence[Tokens], index: Index) -> Corpus:
    """The arrays of citations, by the numbers of an index."""
    begins = np.cumsum([0, *(len(tokens.words) for tokens in citations)])
    function = frozenset(vocabulary()["function"])
    word: list[int] = []
    pair: list[int] = []
    before: list[int] = []
    small: list[bool] = []
    shape: list[int] = []
    gap: list[int] = []
    for tokens in citations:
        numbers = [index.words.get(name, UNKNOWN) for name in tokens.words]
        preceding = [UNKNOWN, *numbers[:-1]] if numbers else []
        word.extend(numbers)
        before.extend(preceding)
        pair.extend(index.pairs.get(two, UNKNOWN) for two in zip(preceding, numbers, strict=True))
        small.extend(name in function for name in tokens.words)
        shape.extend(tokens.shapes)
        gap.extend(index.gap(symbol) for symbol in tokens.gaps)
    return Corpus(
        begins.astype(np.int64),
        _numbers(word),
        _numbers(pair),
        _numbers(before),
        np.array(small, dtype=np.bool_),
        _numbers(shape),
        _numbers(gap),
    )


def _numbers(values: Sequence[int]) -> Numbers:
    return np.array(values, dtype=np.int64)
