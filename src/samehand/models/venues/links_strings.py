"""The distinct venue strings of some mentions, as the arrays that kernels compare.

Mentions with the same words (normalise.venues.name_words; stop words do not count) are one string. Numbers in a
string name an edition. A record with a title or a year of its own is placed by that, and its numbers are dropped;
where the string is all there is, they are words like others.

The information of a word is that of seeing it in a string, in nats: ln(strings / strings with it) + LEAST.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.normalise.venues import STOP_WORDS, name_words

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

LEAST_INFORMATION = 0.3
"""What a word says that stands in every string."""

MOST_WORDS = 60
"""A string is compared by its first words; whatever is longer is not the name of a venue."""

MOST_LETTERS = 40
"""A word is compared by its first letters."""

Words = tuple[str, ...]


class Strings(NamedTuple):
    """Strings laid end to end: string s has the words `words[starts[s]:starts[s + 1]]`, stop words among them.

    Word w is spelled `letters[word_starts[w]:word_starts[w + 1]]`; a stop word has no information.
    """

    starts: Longs
    words: Longs
    word_starts: Longs
    letters: Bytes
    is_stop: Flags
    information: Floats


def written_words(mentions: pl.DataFrame) -> list[Words]:
    """The words of each mention's string (columns `name`, `title_key`, `year`), worked out once a distinct string.

    >>> table = pl.DataFrame({"name": ["SOH 3", "SOH 3"], "title_key": ["", "thumbs"], "year": [None, 1994]})
    >>> written_words(table)
    [('soh', '#03'), ('soh',)]
    """
    alone = (mentions["title_key"].fill_null("") == "") & mentions["year"].is_null()
    known: dict[tuple[str, bool], Words] = {}
    for pair in zip(mentions["name"].fill_null(""), alone, strict=True):
        if pair not in known:
            known[pair] = _words(*pair)
    return [known[pair] for pair in zip(mentions["name"].fill_null(""), alone, strict=True)]


def _words(name: str, numbers: bool) -> Words:
    words = name_words(name, numbers=numbers)[:MOST_WORDS]
    return tuple(word[:MOST_LETTERS] for word in words)


def telling(words: Iterable[str]) -> Words:
    """The words without stop words; if nothing else is left, they stay.

    >>> telling(["journal", "of", "hands"]), telling(["on"])
    (('journal', 'hands'), ('on',))
    """
    words = tuple(words)
    return tuple(word for word in words if word not in STOP_WORDS) or words


def group_equal(keys: Sequence[Hashable]) -> Longs:
    """The number of each key among the distinct ones, in order of first appearance.

    >>> group_equal(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def lay_out(strings: Sequence[Words]) -> Strings:
    """The strings as arrays.

    >>> lay_out([("journal", "of", "hands"), ("hands",)]).information.round(2).tolist()
    [0.99, 0.0, 0.3]
    """
    vocabulary: dict[str, int] = {}
    words = [vocabulary.setdefault(word, len(vocabulary)) for word in chain.from_iterable(strings)]
    spelled = [word.encode() for word in vocabulary]
    holders = Counter(chain.from_iterable(set(string) for string in strings))
    told = np.array([len(strings) / holders[word] for word in vocabulary], np.float64)
    is_stop = np.array([word in STOP_WORDS for word in vocabulary], np.bool_)
    return Strings(
        _offsets([len(string) for string in strings]),
        np.array(words, np.int64),
        _offsets([len(word) for word in spelled]),
        np.frombuffer(b"".join(spelled), np.uint8).copy(),
        is_stop,
        np.where(is_stop, 0.0, np.log(told) + LEAST_INFORMATION),
    )


def _offsets(lengths: Sequence[int]) -> Longs:
    return np.concatenate([[0], np.cumsum(np.array(lengths, np.int64))]).astype(np.int64)
