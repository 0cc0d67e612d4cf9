"""What papers and authors are like before any citation is seen (section 4 of the paper).

Names: 0.9 from the 1990 US census lists by frequency, 0.1 from letter bigrams learned from those lists; an initial
has the probability of all names it may stand for. Titles: words by frequency in the titles at hand, 0.9, backed by a
letter model learned from them, 0.1, with a geometric number of words. Lists of authors and of first names: geometric
too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from samehand.models.citations.published.spelling import Letters, learn_letters

LISTED = 0.9
MORE_WORDS = 0.88
MORE_AUTHORS = 0.6
MORE_GIVEN = 0.4


@dataclass(frozen=True)
class Words:
    """A list of words with probabilities, backed by letters."""

    listed: dict[str, float]
    letters: Letters

    def log(self, word: str) -> float:
        """Log-probability of a word: LISTED by the list, the rest by its letters.

        >>> words = learn_words(["hand", "hand", "foot"])
        >>> words.log("hand") > words.log("foot") > words.log("toes")
        True
        """
        spelt = math.exp(max(self.letters.log(word), -200.0))
        return math.log(LISTED * self.listed.get(word, 0.0) + (1.0 - LISTED) * spelt)


def learn_words(words: Iterable[str]) -> Words:
    """Words by their frequency."""
    counts = Counter(words)
    total = sum(counts.values())
    letters = learn_letters(dict.fromkeys(counts, 1.0))
    return Words({word: count / total for word, count in counts.items()}, letters)


@cache
def census(kind: str) -> Words:
    """The census list `last`, or `first` (of women and men together)."""
    names = ("dist.all.last",) if kind == "last" else ("dist.female.first", "dist.male.first")
    listed: dict[str, float] = {}
    for name in names:
        for line in (files("names") / name).read_text("utf-8").splitlines():
            word, share = line.split()[:2]
            listed[word.lower()] = listed.get(word.lower(), 0.0) + float(share) + 5e-4
    total = sum(listed.values())
    shares = {word: share / total for word, share in listed.items()}
    return Words(shares, learn_letters(shares))


@cache
def initials() -> dict[str, float]:
    """The probability of each first letter of a first name."""
    found: dict[str, float] = {}
    for word, share in census("first").listed.items():
        found[word[0]] = found.get(word[0], 0.0) + share
    return found


def log_given(name: str) -> float:
    """Log-probability of a first name, or of an initial.

    >>> log_given("j") > log_given("james") > log_given("jmaes")
    True
    """
    if len(name) == 1:
        return math.log(LISTED * initials().get(name, 0.0) + (1.0 - LISTED) / 100.0)
    return census("first").log(name)


def log_title(words: tuple[str, ...], vocabulary: Words) -> float:
    """Log-probability of a title."""
    return sum(vocabulary.log(word) + math.log(MORE_WORDS) for word in words) + math.log1p(-MORE_WORDS)


def log_authors(authors: tuple[tuple[str, tuple[str, ...]], ...]) -> float:
    """Log-probability of a list of authors, each a surname and first names.

    >>> log_authors((("smith", ("j",)),)) > log_authors((("smiht", ("j",)),))
    True
    """
    total = math.log1p(-MORE_AUTHORS)
    for surname, given in authors:
        total += math.log(MORE_AUTHORS) + census("last").log(surname) + math.log1p(-MORE_GIVEN)
        total += sum(math.log(MORE_GIVEN) + log_given(name) for name in given)
    return total
