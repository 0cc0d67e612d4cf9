"""From a sheet to what is compared: the mentions block after block, with bags of tokens, name forms, years, papers.

A further field marks the paper itself where several authors of it are in one block: they are not one person.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.kernels import kernel
from samehand.models.persons.forms import Forms
from samehand.models.persons.layout import EVIDENCE, PAPER, Hashes, Ints, Longs
from samehand.models.persons.sheets import Sheet
from samehand.models.persons.texts import FIELD_BITS, fields_of
from samehand.normalise.coded import numbered

WORLD = np.array([10_000, 10_000, 0, 0, 0, 0])
"""Tokens of each field; a library that has fewer is taken for a part of one that has so many. People are drawn from a
large world: that two papers of a short list have a co-author in common means no less than in a long one. Words of titles
and venues are those of the library's own subjects."""


@dataclass(frozen=True)
class Bags:
    """Mention m has tokens[starts[m] : starts[m + 1]], ascending, with counts; a token is a place in `vocabulary`."""

    starts: Longs
    tokens: Ints
    counts: Ints
    vocabulary: Hashes  # ascending
    field: Ints  # of each token

    def part(self, begin: int, end: int) -> Bags:
        """The bags of the mentions from `begin` to `end`."""
        places = slice(int(self.starts[begin]), int(self.starts[end]))
        starts = self.starts[begin : end + 1] - self.starts[begin]
        return Bags(starts, self.tokens[places], self.counts[places], self.vocabulary, self.field)


@dataclass(frozen=True)
class Evidence:
    """All mentions, block after block, with bags as in `Bags`.

    The base measure of a token is its share of its field: `frequency` among `totals[field]` tokens, `distinct[field]` of
    them different, in the whole library.
    """

    starts: Longs
    tokens: Ints
    counts: Ints
    vocabulary: Hashes
    field: Ints  # of each token
    frequency: Longs  # of each token
    totals: Longs  # of each field, at least WORLD
    distinct: Longs  # of each field
    year: Ints  # of each mention; 0 if unknown
    paper: Ints  # of each mention, papers numbered from 0
    forms: Forms


def make_bags(sheet: Sheet, order: Longs, block_starts: Longs) -> tuple[Bags, Ints]:
    """The bags of the mentions in an order that puts blocks together, and the numbers of their papers."""
    _, paper = numbered(sheet.mentions["paper"].to_numpy()[order])
    place = pl.Series(sheet.mentions["slot"].to_numpy()[order].astype(np.int64) << 32)
    author = (place + pl.Series(sheet.mentions["name"].to_numpy()[order])).to_numpy()
    shared = shared_papers(block_starts, paper, author)
    begins, tokens = reordered(sheet.starts, sheet.tokens, order, shared, _paper_tokens(sheet, order))
    vocabulary, codes = numbered(tokens)
    starts, distinct, counts = count_tokens(begins, codes)
    return Bags(starts, distinct, counts, vocabulary, fields_of(vocabulary)), paper


def _paper_tokens(sheet: Sheet, order: Longs) -> Hashes:
    papers = sheet.mentions["paper"].to_numpy()[order]
    return np.asarray((papers << FIELD_BITS) | np.uint64(PAPER))


@kernel
def shared_papers(block_starts: Longs, paper: Ints, author: Longs) -> Ints:
    """1 for each mention that stands in its block with others of its paper, if all their places or names differ."""
    shared = np.zeros(paper.shape[0], np.int32)
    for block in range(block_starts.shape[0] - 1):
        begin, end = block_starts[block], block_starts[block + 1]
        if end - begin < 2:
            continue
        order = begin + np.argsort(paper[begin:end], kind="mergesort")
        first = 0
        for last in range(1, end - begin + 1):
            if last < end - begin and paper[order[last]] == paper[order[first]]:
                continue
            if last - first > 1:
                whose = np.sort(author[order[first:last]])
                if np.all(whose[1:] != whose[:-1]):
                    shared[order[first:last]] = 1
            first = last
    return shared


@kernel
def reordered(
    starts: Longs, tokens: Hashes, order: Longs, extra: Ints, extra_token: Hashes
) -> tuple[Longs, Hashes]:
    """The tokens of mentions in another order, with one token more where `extra` says so."""
    begins = np.zeros(order.shape[0] + 1, np.int64)
    for i in range(order.shape[0]):
        begins[i + 1] = begins[i] + starts[order[i] + 1] - starts[order[i]] + extra[i]
    moved = np.empty(begins[-1], np.uint64)
    for i in range(order.shape[0]):
        place = begins[i]
        for old in range(starts[order[i]], starts[order[i] + 1]):
            moved[place] = tokens[old]
            place += 1
        if extra[i]:
            moved[place] = extra_token[i]
    return begins, moved


@kernel
def count_tokens(begins: Longs, tokens: Ints) -> tuple[Longs, Ints, Ints]:
    """Each mention's tokens once, ascending, with their counts; mention m has those from begins[m] to begins[m + 1].

    >>> [each.tolist() for each in count_tokens(np.array([0, 3, 4]), np.array([5, 2, 5, 1], np.int32))]
    [[0, 2, 3], [2, 5, 1], [1, 2, 1]]
    """
    mentions, used = begins.shape[0] - 1, 0
    starts = np.zeros(mentions + 1, np.int64)
    distinct, counts = np.empty_like(tokens), np.empty_like(tokens)
    for mention in range(mentions):
        own = tokens[begins[mention] : begins[mention + 1]].copy()
        _sort(own)
        for token in own:
            if used > starts[mention] and distinct[used - 1] == token:
                counts[used - 1] += 1
            else:
                distinct[used], counts[used] = token, 1
                used += 1
        starts[mention + 1] = used
    return starts, distinct[:used].copy(), counts[:used].copy()


@kernel
def _sort(values: Ints) -> None:
    """Insertion sort: bags are short; a long one is sorted otherwise."""
    if values.shape[0] > 64:
        values.sort()
        return
    for i in range(1, values.shape[0]):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


def field_totals(field: Ints, amount: Longs) -> Longs:
    """The amounts of tokens added up by field, at least WORLD."""
    found = np.bincount(field, weights=amount, minlength=EVIDENCE + 1)
    return np.asarray(np.maximum(found.astype(np.int64), WORLD))
