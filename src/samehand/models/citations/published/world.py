"""The citations, their readings and what may have been meant, as arrays.

Citation i has readings `parses[i]:parses[i + 1]`; reading z has a cited title `title[z]`, a cited list of authors
`authors[z]`, a kind of publication `kind[z]` (-1: none shows) and a log-probability. The values that may have been
meant are those that stand in some citation. A `Channel` has, for each cited value o, the true values t near it
(those of citations that share a canopy with one that has o), with counts and fixed part of the alignment; all other
true values are reached by dropping everything and adding everything, so that `log P(o | t) = add[o] + drop[t] +
(excess where near)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.block.canopies import Canopies, canopies, index_words
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.published.edits import (
    RATES,
    Counts,
    Name,
    author_counts,
    log_rates,
    title_counts,
)
from samehand.models.citations.published.priors import Words, learn_words, log_authors, log_title
from samehand.normalise.names import parse_name
from samehand.normalise.tokens import tokens, tokens_series

Longs = npt.NDArray[np.int64]
KINDS = ("article", "conference", "book", "thesis", "report")
MOST_PARSES = 6
LIKELY = 0.1
"""Values of readings at least this probable, and of the best one, may be what was meant."""


@dataclass(frozen=True)
class Channel:
    """Near pairs by cited value, `true[starts[o]:starts[o + 1]]`, and the two sides of far ones, whose counts are of
    one rate each."""

    starts: Longs
    true: Longs
    counts: Counts  # (near pairs, columns)
    fixed: npt.NDArray[np.float64]
    prior: npt.NDArray[np.float64]  # of each true value
    sizes: npt.NDArray[np.float64]  # words or authors of each true value
    cited_sizes: npt.NDArray[np.float64]
    cited_fixed: npt.NDArray[np.float64]  # log-probability of adding all of a cited value
    rates: tuple[int, int]  # which rates drop and add

    def priced(self, rates: Counts) -> tuple[Counts, Counts, Counts]:
        """Excess of each near pair, `add` of each cited and `drop` of each true value, at these rates."""
        logs = log_rates(rates)
        drop, add = self.rates
        added = self.cited_sizes * logs[add] + self.cited_fixed
        dropped = self.sizes * (logs[drop] + logs[len(RATES) + add])
        cited = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return self.counts @ logs + self.fixed - added[cited] - dropped[self.true], added, dropped


@dataclass(frozen=True)
class World:
    """Everything that stays while the sampler runs, but for the rates."""

    parses: Longs
    title: Longs
    authors: Longs
    kind: Longs
    log_parse: npt.NDArray[np.float64]
    titles: Channel
    bylines: Channel
    canopies: Canopies
    mate_starts: Longs  # mates of citation i: those that share a canopy with it
    mates: Longs


def build(texts: Sequence[str], readings: Sequence[Sequence[Parse]]) -> World:
    """The world of some citations, given the readings of each in order of probability."""
    kept = [list(each[:MOST_PARSES]) for each in readings]
    parses = np.concatenate([[0], np.cumsum([len(each) for each in kept])]).astype(np.int64)
    flat = [parse for each in kept for parse in each]
    title_values, title = _numbered([tuple(tokens(parse.title)) for parse in flat])
    byline_values, authors = _numbered([byline(parse.authors) for parse in flat])
    covered = canopies(index_words(tokens_series(pl.Series(texts, dtype=pl.String))))
    mate_starts, mates = _mates(covered, len(texts))
    likely = np.array(
        [
            place == 0 or np.exp(parse.log_probability) >= LIKELY
            for each in kept
            for place, parse in enumerate(each)
        ]
    )
    vocabulary = learn_words(word for each in kept for word in tokens(each[0].title))
    near = (
        _near(parses, title, likely, mate_starts, mates),
        _near(parses, authors, likely, mate_starts, mates),
    )
    return World(
        parses,
        title,
        authors,
        np.array([KINDS.index(parse.type) if parse.type in KINDS else -1 for parse in flat], np.int64),
        np.array([parse.log_probability for parse in flat]),
        _titles(title_values, near[0], vocabulary),
        _bylines(byline_values, near[1]),
        covered,
        mate_starts,
        mates,
    )


def byline(authors: Sequence[str]) -> tuple[Name, ...]:
    """Authors as surnames and first names, folded.

    >>> byline(["Ada B. Lee", "Day, J."])
    (('lee', ('ada', 'b')), ('day', ('j',)))
    """
    result = []
    for written in authors:
        name = parse_name(written)
        surname = "".join(tokens(name.last))
        if surname:
            result.append((surname, tuple(tokens(f"{name.first} {name.middle}"))))
    return tuple(result)


def _numbered(values: list[tuple[object, ...]]) -> tuple[list[tuple[object, ...]], Longs]:
    """The distinct values in order of appearance, and the number of each."""
    number: dict[tuple[object, ...], int] = {}
    places = [number.setdefault(value, len(number)) for value in values]
    return list(number), np.array(places, np.int64)


def _mates(covered: Canopies, count: int) -> tuple[Longs, Longs]:
    """For each citation the others that share a canopy with it, and itself."""
    found: list[set[int]] = [{citation} for citation in range(count)]
    for canopy in range(len(covered.starts) - 1):
        members = covered.members[covered.starts[canopy] : covered.starts[canopy + 1]].tolist()
        for member in members:
            found[member].update(members)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in found])]).astype(np.int64)
    return starts, np.array([mate for each in found for mate in sorted(each)], np.int64)


def _near(
    parses: Longs, value: Longs, likely: npt.NDArray[np.bool_], mate_starts: Longs, mates: Longs
) -> list[set[int]]:
    """For each cited value the true values near it."""
    near: list[set[int]] = [set() for _ in range(int(value.max(initial=-1)) + 1)]
    meant = [
        {int(value[z]) for z in range(parses[i], parses[i + 1]) if likely[z]} for i in range(len(parses) - 1)
    ]
    for citation in range(len(parses) - 1):
        around = set[int]().union(
            *(meant[mate] for mate in mates[mate_starts[citation] : mate_starts[citation + 1]])
        )
        for z in range(parses[citation], parses[citation + 1]):
            near[value[z]] |= around
    return near


def _titles(values: list[tuple[object, ...]], near: list[set[int]], vocabulary: Words) -> Channel:
    words: list[tuple[str, ...]] = values  # type: ignore[assignment]
    rows = [title_counts(words[t], words[o], vocabulary) for o, each in enumerate(near) for t in sorted(each)]
    prior = np.array([log_title(value, vocabulary) for value in words])
    added = np.array([sum(vocabulary.log(word) for word in value) for value in words])
    return _channel(near, rows, prior, words, added, ("word_drop", "word_add"))


def _bylines(values: list[tuple[object, ...]], near: list[set[int]]) -> Channel:
    lists: list[tuple[Name, ...]] = values  # type: ignore[assignment]
    rows = [author_counts(lists[t], lists[o]) for o, each in enumerate(near) for t in sorted(each)]
    prior = np.array([log_authors(value) for value in lists])
    added = np.array([sum(log_authors((name,)) for name in value) for value in lists])
    return _channel(near, rows, prior, lists, added, ("author_drop", "author_add"))


def _channel(
    near: list[set[int]],
    rows: list[tuple[Counts, float]],
    prior: Counts,
    values: Sequence[Sequence[object]],
    added: Counts,
    rates: tuple[str, str],
) -> Channel:
    sizes = np.array([len(value) for value in values], np.float64)
    return Channel(
        np.concatenate([[0], np.cumsum([len(each) for each in near])]).astype(np.int64),
        np.array([t for each in near for t in sorted(each)], np.int64),
        np.array([counts for counts, _ in rows]).reshape(-1, 2 * len(RATES)),
        np.array([fixed for _, fixed in rows]),
        prior,
        sizes,
        sizes,
        added,
        (RATES.index(rates[0]), RATES.index(rates[1])),
    )
