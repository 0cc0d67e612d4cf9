"""What a part of a library must know of the whole: how common each token is, who is named in it, how alike pairs are.

The statistics are gathered in three rounds, each of which adds up what the parts say, so that no part needs another:

1. `count`      of every sheet: how often each token is said, and the people (people.py);
2. `spread`     of every shard, whose blocks are whole: in how many blocks each token is; a sample of mentions;
3. `portraits`  of every shard: how alike pairs of each block are (likeness.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.models.persons.evidence import Bags, field_totals
from samehand.models.persons.known_pairs import Sample, acquainted_tokens, known_pairs
from samehand.models.persons.layout import EVIDENCE, Floats, Hashes, Longs
from samehand.models.persons.likeness import block_frequencies, mean_share, ratio_of
from samehand.models.persons.people import Census, take_census, together
from samehand.models.persons.sheets import Sheet
from samehand.models.persons.texts import fields_of
from samehand.normalise.coded import numbered


@dataclass(frozen=True)
class Tally:
    """Tokens, ascending, with an amount of each."""

    tokens: Hashes
    amounts: Longs

    def of(self, tokens: Hashes) -> Longs:
        """The amount of each of these tokens; 0 where there is none."""
        if len(self.tokens) == 0:
            return np.zeros(len(tokens), np.int64)
        place = np.minimum(np.searchsorted(self.tokens, tokens), len(self.tokens) - 1)
        return np.where(self.tokens[place] == tokens, self.amounts[place], 0)


def add_up(tallies: Sequence[Tally]) -> Tally:
    """The sum of several tallies.

    >>> one = Tally(np.array([8, 16], np.uint64), np.array([1, 2]))
    >>> add_up([one, one]).amounts.tolist()
    [2, 4]
    """
    tokens, codes = numbered(np.concatenate([tally.tokens for tally in tallies]))
    amounts = np.concatenate([tally.amounts for tally in tallies])
    return Tally(tokens, np.bincount(codes, weights=amounts, minlength=len(tokens)).astype(np.int64))


def count(sheet: Sheet) -> Tally:
    """How often each token is said on a sheet."""
    tokens, codes = numbered(sheet.tokens)
    return Tally(tokens, np.bincount(codes, minlength=len(tokens)).astype(np.int64))


@dataclass(frozen=True)
class Vocabulary:
    """After the first round: how often each token is said in the library, and what is asked of its people."""

    frequency: Tally
    totals: Longs  # of each field, at least WORLD
    distinct: Longs  # of each field
    census: Census
    mentions: int

    def acquaintances(self) -> Hashes:
        """The rare co-authors by whom pairs of one person are known."""
        return acquainted_tokens(self.census.rare, self.frequency.of(self.census.rare))


def vocabulary(tally: Tally, people: Iterable[pl.DataFrame], mentions: int) -> Vocabulary:
    """What the first round found."""
    field = fields_of(tally.tokens)
    distinct = np.bincount(field, minlength=EVIDENCE + 1)
    census = take_census(together(people))
    return Vocabulary(tally, field_totals(field, tally.amounts), distinct, census, mentions)


def spread(bags: Bags, block_starts: Longs) -> Tally:
    """In how many blocks each token of a shard is; papers are left out."""
    blocks = np.repeat(np.arange(len(block_starts) - 1), np.diff(block_starts))
    amounts = block_frequencies(bags.starts, bags.tokens, blocks, len(bags.vocabulary))
    said = bags.field < EVIDENCE
    return Tally(bags.vocabulary[said], amounts[said])


@dataclass(frozen=True)
class Manner:
    """After the second round: in how many blocks each token is, and by how much each likeness speaks for one person."""

    spread: Tally
    totals: Longs
    ratio: Floats


def manner(words: Vocabulary, tally: Tally, samples: Sequence[Sample]) -> Manner:
    """What the second round found."""
    totals = field_totals(fields_of(tally.tokens), tally.amounts)
    sample = Sample.together(samples)
    same, different = known_pairs(sample, words.acquaintances())
    bags = sample.bags
    ratio = ratio_of(bags, tally.of(bags.vocabulary), totals, words.distinct, sample.blocks, same, different)
    return Manner(tally, totals, ratio)


@dataclass(frozen=True)
class Statistics:
    """All that a shard must know of the library."""

    words: Vocabulary
    manner: Manner
    mean: float  # the mean share of a block's pairs that are one person's


def statistics(words: Vocabulary, found: Manner, portraits: Longs) -> Statistics:
    """What the third round found; `portraits` are those of all blocks."""
    return Statistics(words, found, mean_share(portraits, found.ratio))
