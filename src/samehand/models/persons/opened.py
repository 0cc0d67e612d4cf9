"""A block opened for looking: any two sets of its mentions compared, and the joins that its search made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samehand.models.persons.compare import compare, shared_token, weigh
from samehand.models.persons.history import Joins
from samehand.models.persons.join import join
from samehand.models.persons.layout import (
    EVIDENCE,
    FEATURES,
    FORM_LENGTH,
    LENGTH,
    POWER,
    Floats,
    Ints,
    Longs,
)
from samehand.models.persons.nested import begun
from samehand.models.persons.search import prepare_block, search
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work


class OpenBlock:
    """Block `number` of a work under some weights; mentions are named by their positions in the block."""

    def __init__(self, work: Work, number: int, weights: Weights) -> None:
        found, forms, part = work.evidence, work.evidence.forms, work.block(number)
        self.work, self.number, self.part, self.weights = work, number, part, weights
        self.size = part.stop - part.start
        self.prior = work.ambiguity[number]
        (
            self._nodes, self._own, self._counts, self._pool, self._form, self._form_pool, self._field, self._base,
            self._rising, self._relations, self._rarity,
        ) = prepare_block(
            found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
            found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
            forms.begin, forms.rarity, forms.nickname, weights.shape, self.size,
        )  # fmt: skip

    def features(self, left: Sequence[int], right: Sequence[int]) -> Floats:
        """The features of joining two sets of mentions, each taken as one node."""
        folded = _Folded(self._nodes.copy(), self._pool, len(self._own), self._form_pool, self.size)
        a, b = sorted((folded.fold(left), folded.fold(right)))
        out = np.empty(len(FEATURES))
        compare(
            folded.nodes, folded.pool, folded.form_pool, self._field, self._base, self._rising, self._relations,
            self._rarity, self.weights.shape, self.prior, a, b, out,
        )  # fmt: skip
        return out

    def score(self, left: Sequence[int], right: Sequence[int]) -> float:
        """The score of joining two sets of mentions."""
        return float(weigh(self.weights.features, self.features(left, right)))

    def search(self, same: Ints, apart: Ints) -> Joins:
        """Every join of the search, under pairs of mentions that a curator decided."""
        nodes, strengths = np.empty((self.size, 2), np.int32), np.empty(self.size)
        labels = np.empty(self.size, np.int64)
        first = begun(self.work, self.number, self.weights, same, apart)
        made = search(
            self.size, self._nodes.copy(), self._own, self._counts, self._pool.copy(), self._form,
            self._form_pool.copy(), self._field, self._base, self._rising, self._relations, self._rarity,
            self.weights.features, self.weights.shape, self.prior, same, apart, *first, nodes, strengths,
            labels,
        )  # fmt: skip
        return Joins(nodes[:made], strengths[:made], labels)

    def shared(self, left: Sequence[int], right: Sequence[int]) -> dict[int, float]:
        """What each token of both sides adds to the score: its term of its field's Bayes factor, tempered and weighed."""
        one, other = self._bag(left), self._bag(right)
        harmonic = 2.0 * len(left) * len(right) / (len(left) + len(right))
        found = self.work.evidence
        vocabulary = np.unique(found.tokens[found.starts[self.part.start] : found.starts[self.part.stop]])
        worth = {}
        for token in sorted(one.keys() & other.keys()):
            field = self.field_of(token)
            if field < EVIDENCE:
                few, many = sorted((one[token], other[token]))
                term = shared_token(self._base[np.searchsorted(vocabulary, token)], many, few)
                tempered = term * harmonic ** -self.weights.shape[field, POWER]
                worth[token] = float(tempered * self.weights.features[field])
        return worth

    def field_of(self, token: int) -> int:
        """The number of a token's field, which is that of its feature."""
        return int(self.work.evidence.field[token])

    def _bag(self, members: Sequence[int]) -> dict[int, int]:
        """Tokens, numbered as in the evidence, with their counts."""
        found = self.work.evidence
        bag: dict[int, int] = {}
        for member in members:
            begin, end = found.starts[self.part.start + member], found.starts[self.part.start + member + 1]
            for token, count in zip(
                found.tokens[begin:end].tolist(), found.counts[begin:end].tolist(), strict=True
            ):
                bag[token] = bag.get(token, 0) + count
        return bag


@dataclass
class _Folded:
    """Nodes that are joined as sets, in pools that grow as needed."""

    nodes: Longs
    pool: Ints
    used: int
    form_pool: Ints
    form_used: int

    def fold(self, members: Sequence[int]) -> int:
        """Join all members, neighbours first, so that the pools grow by a logarithm only; returns their node."""
        rest = list(members)
        while len(rest) > 1:
            pairs = list(zip(rest[::2], rest[1::2], strict=False))
            for a, b in pairs:
                self._join(a, b)
            rest = rest[::2]
        return rest[0]

    def _join(self, a: int, b: int) -> None:
        self.pool = _roomy(self.pool, self.used + self.nodes[a, LENGTH] + self.nodes[b, LENGTH])
        self.form_pool = _roomy(
            self.form_pool, self.form_used + self.nodes[a, FORM_LENGTH] + self.nodes[b, FORM_LENGTH]
        )
        self.used, self.form_used = join(
            self.nodes, self.pool, self.used, self.form_pool, self.form_used, a, b, a
        )


def _roomy(pool: Ints, needed: int) -> Ints:
    """The pool, or a copy of at least twice what is needed; what lies beyond `used` is scratch."""
    if needed <= pool.shape[1]:
        return pool
    larger = np.empty((2, 2 * needed), np.int32)
    larger[:, : pool.shape[1]] = pool
    return larger
