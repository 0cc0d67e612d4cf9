"""The noisy channels: how a title and a list of authors come to be written as they are cited.

A channel's log-probability is linear in the logs of its parameters, so that each pair of true and cited value is
aligned once and the parameters can be learned while sampling: `counts . log(rates) + fixed`. Fixed is what no
parameter changes: the probability of words and names that were added, and of the letters that took another's place.

Titles:   a word is dropped (rate `word_drop`) or kept; a word is added (`word_add`) by the vocabulary's law; a
letter of a kept
          word is changed, dropped or added (`letter`).
Authors:  an author is dropped (`author_drop`) or kept; one is added (`author_add`) by the law of names; letters of
surnames as in
          titles (`name_letter`); a first name is cut to its initial (`given_cut`), lost (`given_lost`) or replaced
          (`given_add`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from samehand.models.citations.published.priors import Words, log_authors, log_given

RATES = (
    "word_drop", "word_add", "letter", "author_drop", "author_add", "name_letter", "given_cut", "given_lost",
    "given_add",
)  # fmt: skip
START = np.array([0.02, 0.02, 0.005, 0.02, 0.02, 0.005, 0.6, 0.05, 0.01])
LETTERS = 30.0
ALIKE = 0.6
"""Two words are one, misspelt, if at least this share of their letters agree."""

Name = tuple[str, tuple[str, ...]]
Counts = npt.NDArray[np.float64]
COLUMNS = 2 * len(RATES)


def log_rates(rates: Counts) -> Counts:
    """Logs of each rate and of its complement, in the order in which `counts` has them.

    >>> log_rates(START).shape == (COLUMNS,)
    True
    """
    return np.concatenate([np.log(rates), np.log1p(-rates)])


def title_counts(true: Sequence[str], cited: Sequence[str], vocabulary: Words) -> tuple[Counts, float]:
    """What happened to a title, and the fixed part.

    >>> from samehand.models.citations.published.priors import learn_words
    >>> counts, fixed = title_counts(["on", "hands"], ["on", "hnds"], learn_words(["hands"]))
    >>> int(counts[RATES.index("letter")]), int(counts[RATES.index("word_drop")])
    (1, 0)
    """
    return _aligned(true, cited, ("word_drop", "word_add", "letter"), vocabulary.log)[:2]


def author_counts(true: Sequence[Name], cited: Sequence[Name]) -> tuple[Counts, float]:
    """What happened to a list of authors, and the fixed part.

    >>> counts, fixed = author_counts([("lee", ("ada",))], [("lee", ("a",))])
    >>> int(counts[RATES.index("given_cut")]), fixed
    (1, 0.0)
    """
    surnames, written = [name[0] for name in true], [name[0] for name in cited]
    alone = {name[0]: log_authors((name,)) for name in cited}
    counts, fixed, pairs = _aligned(
        surnames, written, ("author_drop", "author_add", "name_letter"), alone.__getitem__
    )
    for one, other in pairs:
        fixed += _given(true[one][1], cited[other][1], counts)
    return counts, fixed


def _aligned(
    true: Sequence[str], cited: Sequence[str], names: tuple[str, str, str], log_added: Callable[[str], float]
) -> tuple[Counts, float, list[tuple[int, int]]]:
    """Counts of dropped, added and misspelt words, the fixed part, and which words are which."""
    drop, add, letter = (RATES.index(name) for name in names)
    counts, fixed, pairs = np.zeros(COLUMNS), 0.0, list[tuple[int, int]]()
    kept = len(RATES)

    def added(word: str) -> float:
        counts[add] += 1
        return log_added(word)

    for step in Levenshtein.opcodes(true, cited):
        tag, a, b, c, d = step.tag, step.src_start, step.src_end, step.dest_start, step.dest_end
        if tag == "insert":
            fixed += sum(added(word) for word in cited[c:d])
            continue
        if tag == "delete":
            counts[drop] += b - a
            continue
        for one, other in zip(range(a, b), range(c, d), strict=True):
            length = max(len(true[one]), len(cited[other]))
            edits = Levenshtein.distance(true[one], cited[other])
            if edits > (1.0 - ALIKE) * length:
                counts[drop] += 1
                fixed += added(cited[other])
                continue
            counts[kept + drop] += 1
            counts[letter] += edits
            counts[kept + letter] += length - edits
            fixed -= edits * math.log(LETTERS)
            pairs.append((one, other))
    counts[kept + add] += len(true)
    return counts, fixed, pairs


def _given(true: Sequence[str], cited: Sequence[str], counts: Counts) -> float:
    """Count what happened to first names, place by place; returns the fixed part."""
    cut, lost, add, kept = (
        *(RATES.index(name) for name in ("given_cut", "given_lost", "given_add")),
        len(RATES),
    )
    fixed = 0.0
    for place, name in enumerate(true):
        if place >= len(cited):
            counts[lost] += 1
            continue
        counts[kept + lost] += 1
        written = cited[place]
        if len(name) > 1:
            counts[cut if len(written) == 1 and written == name[0] else kept + cut] += 1
        if written in (name, name[:1]):
            counts[kept + add] += 1
        else:
            counts[add] += 1
            fixed += log_given(written)
    for written in cited[len(true) :]:
        counts[add] += 1
        fixed += log_given(written)
    return fixed
