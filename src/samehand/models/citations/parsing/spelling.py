"""How likely a word is that was never seen: letter models of given names, surnames and English words.

A letter depends on the two before it; trigrams are interpolated with bigrams, bigrams with unigrams (Witten and Bell):

    p(c | ab) = (n(abc) + t(ab) p(c | b)) / (n(ab) + t(ab)),      t(ab) the number of different letters seen after ab

and likewise below. A word ends with a sign of its own, so that the probabilities of all words sum to one. Names are
0.9 of the census lists, by frequency, and 0.1 of the letter model learned from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from samehand.models.citations.parsing.vocabulary import Census, given_names, surnames, vocabulary

Floats = npt.NDArray[np.float64]
Spelling = Literal["given", "surname", "word", "capitals", "initials"]
SPELLINGS: tuple[Spelling, ...] = ("given", "surname", "word", "capitals", "initials")

ALPHABET = "abcdefghijklmnopqrstuvwxyz-'/&+#?"
_END = len(ALPHABET)
_BEGIN = _END + 1


def _codes() -> npt.NDArray[np.int64]:
    """The number of each sign: of a letter its place in the alphabet, of others that of "?"; 0 begins, 1 ends a word."""
    codes = np.full(256, ALPHABET.index("?"))
    codes[[ord(letter) for letter in ALPHABET]] = np.arange(_END)
    codes[0], codes[1] = _BEGIN, _END
    return codes


_CODES = _codes()
LISTED = 0.9
NEVER = 1e-100


class Letters:
    """A letter model learned from words with weights."""

    def __init__(self, words: Sequence[str], weights: Floats) -> None:
        rows, places, letters = _spelt_out(words)
        threes = np.zeros((_BEGIN + 1,) * 2 + (_END + 1,))
        np.add.at(threes, (places[:, 0], places[:, 1], letters), weights[rows])
        even = np.full(_END + 1, 1.0 / (_END + 1))
        ones = _interpolated(threes.sum(axis=(0, 1)), even)
        twos = _interpolated(threes.sum(axis=0), ones)
        self._log = np.log(_interpolated(threes, twos))

    def log_probability(self, words: Sequence[str]) -> Floats:
        """Of each word and its end.

        >>> better, worse = Letters(["ab"], np.ones(1)).log_probability(["ab", "ba"])
        >>> bool(better > worse)
        True
        """
        rows, places, letters = _spelt_out(words)
        found = np.zeros(len(words))
        np.add.at(found, rows, self._log[places[:, 0], places[:, 1], letters])
        return found


def _spelt_out(
    words: Sequence[str],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each letter of each word, and its end: the word, the two letters before it, and the letter."""
    written = "".join(f"\0\0{word}\1" for word in words).encode("ascii", "replace")
    row = np.repeat(np.arange(len(words)), [len(word) + 3 for word in words])
    code = _CODES[np.frombuffer(written, dtype=np.uint8)]
    here = np.flatnonzero(code != _BEGIN)
    return row[here], np.stack([code[here - 2], code[here - 1]], axis=1), code[here]


def _interpolated(counts: Floats, below: Floats) -> Floats:
    kinds = np.maximum((counts > 0).sum(axis=-1, keepdims=True), 1)
    found: Floats = (counts + kinds * below) / (counts.sum(axis=-1, keepdims=True) + kinds)
    return found


class Names:
    """Names of a census list, or else by their letters."""

    def __init__(self, lists: Census) -> None:
        self._shares = dict(zip(lists.names, lists.shares.tolist(), strict=True))
        self._letters = Letters(lists.names, np.sqrt(lists.shares * len(lists.shares)))

    def log_probability(self, words: Sequence[str]) -> Floats:
        """0.9 of its share in the list, and 0.1 of its letters."""
        listed = np.array([self._shares.get(word, 0.0) for word in words])
        # A word of some hundred letters has a probability that is no number any more: 0, whose logarithm is -inf.
        with np.errstate(divide="ignore"):
            return np.log(LISTED * listed + (1.0 - LISTED) * np.exp(self._letters.log_probability(words)))


class Initials:
    """One to four letters, each count a quarter as likely as the one before, all letters alike."""

    def log_probability(self, words: Sequence[str]) -> Floats:
        """Of each word; what has other signs than letters, or more, is as good as impossible."""
        return np.log([self._probability(word) for word in words])

    def _probability(self, word: str) -> float:
        if not 1 <= len(word) <= 4 or not word.isalpha():
            return NEVER
        return float(26.0 ** -len(word) * 0.25 ** (len(word) - 1) * 0.75 / (1.0 - 0.25**4))


@cache
def models() -> tuple[Letters | Names | Initials, ...]:
    """The ways of spelling, in the order of `SPELLINGS`."""
    lists = vocabulary()
    titles = {word.lower() for name in ("noun", "adjective", "verb", "function") for word in lists[name]}
    topics = {word for line in lists["topic"] for word in line.lower().replace(",", "").split()}
    words = sorted(titles | topics)
    capitals = [word.lower() for name in ("acronym", "acronym_venue", "society") for word in lists[name]]
    plain, short = (Letters(known, np.ones(len(known))) for known in (words, capitals))
    return Names(given_names()), Names(surnames()), plain, short, Initials()


def spellings(words: Sequence[str]) -> Floats:
    """The probability of each word (in lower case) under each way of spelling.

    >>> name, noun = spellings(["johnson", "computation"])
    >>> surname, word = SPELLINGS.index("surname"), SPELLINGS.index("word")
    >>> bool(name[surname] > name[word]), bool(noun[word] > noun[surname])
    (True, True)
    """
    found = np.stack([model.log_probability(words) for model in models()], axis=1)
    return np.maximum(np.exp(found), NEVER)
