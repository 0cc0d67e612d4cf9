"""Learning many records of known persons at once: what persons.py would have after learning them one by one."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from samehand.models.stream.evidence import FIELDS, NO_YEAR, Postings, Totals
from samehand.models.stream.neighbours import Words
from samehand.models.stream.packing import WORD_BITS

Longs = npt.NDArray[np.int64]
Person = TypeVar("Person", bound=Hashable)


@dataclass(frozen=True)
class Many(Generic[Person]):
    """Records of persons: record `records[i]` of `words` is that of `persons[whose[i]]`; each person has at least one."""

    persons: Sequence[Person]
    whose: Longs
    records: Longs
    years: Longs
    given_names: Sequence[str]
    words: Words

    def state(self) -> tuple[Postings, Totals]:
        """The words of each person, and who has each word; frequencies at large are not known yet (NaN)."""
        persons, size = len(self.persons), len(self.words.codes)
        lengths = np.diff(self.words.starts)[self.records]
        owner = np.repeat(self.whose, lengths)
        # Each word of each person once, with its count: sorted by word, so that chains are stretches.
        pairs, counts = np.unique(self._numbers(lengths) * persons + owner, return_counts=True)
        word, person = pairs // persons, pairs % persons
        follows = np.append(word[1:] == word[:-1], False)[: len(word)]
        following = np.where(follows, np.arange(1, len(word) + 1), -1)
        head = np.full(size, -1, np.int64)
        head[word[::-1]] = np.arange(len(word))[::-1]
        fields = self.words.codes >> WORD_BITS
        inside = np.bincount(word, counts, size).astype(np.float64)
        tokens = np.bincount(fields[word] * persons + person, counts, len(FIELDS) * persons)
        last_year = np.full(persons, NO_YEAR, np.int64)
        np.maximum.at(last_year, self.whose, self.years)
        totals = Totals(
            tokens.reshape(len(FIELDS), persons).astype(np.float64),
            np.bincount(self.whose, minlength=persons).astype(np.int64),
            last_year,
            np.full(size, np.nan),
            inside,
            np.bincount(fields, inside, len(FIELDS)).astype(np.float64),
        )
        return Postings(head, following, person, counts.astype(np.int64)), totals

    def _numbers(self, lengths: Longs) -> Longs:
        """The words of the records, one record after the other."""
        ends = np.cumsum(lengths)
        offsets = np.repeat(self.words.starts[self.records] - (ends - lengths), lengths)
        return self.words.numbers[offsets + np.arange(len(offsets))]
