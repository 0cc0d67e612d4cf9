"""The words of venue strings, as the 2008 paper prepares them (section 5), and which of them abbreviate which.

Lower case, no punctuation, no stop words, of which "proceedings" is one there; a string of which one word in capitals
is left ("AAAI") becomes a word for each letter, so that it can be aligned with its full name.

A word abbreviates another if it is a proper prefix of it. Words are numbered in alphabetical order, in which
those that begin with word w stand right after it, as w + 1 .. `last[w]`: to see whether one word is a
prefix of another takes two comparisons of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from anyascii import anyascii

from samehand.normalise.venues import venue_tokens

Numbers = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int64]

PROCEEDINGS = frozenset(("proc", "proceedings"))
MOST_WORDS = 100
"""A venue string is compared by its first hundred words; whatever is longer is not the name of a venue."""

_WORD = re.compile("[A-Za-z0-9]+")


class Strings(NamedTuple):
    """Distinct strings laid end to end: the words of string s are `words[starts[s]:starts[s + 1]]`.

    `last[w]` is the last word that begins with word w, `prefixes[w]` how many words are proper prefixes of w.
    """

    starts: Offsets
    words: Numbers
    last: Numbers
    prefixes: Numbers


def venue_words(text: str) -> tuple[str, ...]:
    """The words of one venue string.

    >>> venue_words("In Proceedings of the 5th Conference on A.I."), venue_words("Proc. of AAAI")
    (('5th', 'conference', 'a', 'i'), ('a', 'a', 'a', 'i'))
    """
    kept = venue_tokens(text)
    kept = [word for word in kept if word not in PROCEEDINGS] or kept
    if len(kept) == 1 and kept[0].upper() in _WORD.findall(anyascii(text)) and kept[0].isalpha():
        kept = list(kept[0])
    return tuple(kept[:MOST_WORDS])


def number_words(strings: Sequence[tuple[str, ...]]) -> Strings:
    """The strings with their words numbered.

    >>> strings = number_words([("conference",), ("c", "conf")])
    >>> strings.words.tolist(), strings.last.tolist(), strings.prefixes.tolist()
    ([2, 0, 1], [2, 2, 2], [0, 1, 2])
    """
    vocabulary = sorted(set(chain.from_iterable(strings)))
    number = {word: place for place, word in enumerate(vocabulary)}
    last = np.arange(len(vocabulary), dtype=np.int32)
    prefixes = np.zeros(len(vocabulary), np.int32)
    for place, word in enumerate(vocabulary):
        for shorter in _known_prefixes(word, number):
            last[shorter] = place
            prefixes[place] += 1
    lengths = [0, *(len(words) for words in strings)]
    flat = [number[word] for word in chain.from_iterable(strings)]
    return Strings(np.cumsum(lengths, dtype=np.int64), np.array(flat, np.int32), last, prefixes)


def _known_prefixes(word: str, number: dict[str, int]) -> list[int]:
    return [number[word[:end]] for end in range(1, len(word)) if word[:end] in number]
