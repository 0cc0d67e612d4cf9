"""The parser's probabilities, made of counts.

Words of the distribution c: p(w | c) = (n(w, c) + a_c s_c(w)) / (n(c) + a_c), with s_c its spelling model (or the
distribution behind it) and a_c the number of different words seen there (Witten and Bell); a closed list has a fixed
share of unseen words instead. Where words are chained, p(w | v, c) = (n(v, w, c) + 3 p(w | c)) / (n(v, c) + 3). Shapes of
words (lower case, capital, capitals) have a distribution each, one for function words and one for the others. A gap
is drawn given the labels (or the move) it stands between and whether the word before it takes a full stop, smoothed by
the distribution over all labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.models.citations.parsing.corpus import UNKNOWN, Corpus, Index
from samehand.models.citations.parsing.grammar import (
    EDGE,
    LABELS,
    SHAPES,
    STATES,
    STYLES,
    TITLES,
    WORD_NUMBER,
    WORDS,
    grammar,
    skips_title,
)
from samehand.models.citations.parsing.kernels import Expected, Tables
from samehand.models.citations.parsing.spelling import SPELLINGS, spellings
from samehand.models.citations.parsing.tokens import SPECIAL, Shape
from samehand.models.citations.parsing.vocabulary import vocabulary

Floats = npt.NDArray[np.float64]

CHAIN = 3.0
"""How many observations of the word before it takes to trust a pair of words half."""
GAP_SMOOTHING = 0.3
"""How many observations the distribution of gaps that stands behind another is worth."""
NO_TITLE = 1e-4
"""The weight of passing on to what follows a title without one; it is not learned."""
UNUSUAL, SELDOM = 0.001, 0.005
"""Weights of what punctuation does by mistake only, and of a title that ends with no mark."""
SHAPE_PRIOR = np.array([0.5, 0.1, 0.05])
SMALL = frozenset(vocabulary()["function"])
SPECIAL_SHARE = 0.02
"""The share of numbers, initials and other special symbols among unseen words."""


@dataclass
class Counts:
    """What was counted, or expected: of words, and of the grammar."""

    words: Floats  # word x distribution
    pairs: Floats  # pair of words x distribution
    shapes: Floats  # distribution of shapes x function word x shape
    grammar: Expected

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.words + other.words, self.pairs + other.pairs, self.shapes + other.shapes,
            Expected(*(one + two for one, two in zip(self.grammar, other.grammar, strict=True))),
        )  # fmt: skip

    def __mul__(self, weight: float) -> Counts:
        return Counts(
            self.words * weight, self.pairs * weight, self.shapes * weight,
            Expected(*(one * weight for one in self.grammar)),
        )  # fmt: skip


def no_counts(index: Index) -> Counts:
    """Counts of nothing, of the right sizes."""
    net = grammar()
    gaps, states, pairs = len(index.gaps), len(STATES), len(net.source_label)
    return Counts(
        np.zeros((len(index.words), len(WORDS))), np.zeros((len(index.pairs), len(WORDS))), np.zeros((len(SHAPES), 2, 3)),
        Expected(
            np.zeros(len(STYLES)), np.zeros(states), np.zeros(states), np.zeros((gaps, len(net.source))),
            np.zeros((gaps, len(STYLES), pairs)),
        ),
    )  # fmt: skip


def enlarged(counts: Counts, index: Index) -> Counts:
    """The counts of an index that has grown: nothing is counted yet of what is new."""
    found = no_counts(index)
    for old, new in zip(
        (counts.words, counts.pairs, counts.shapes, *counts.grammar),
        (found.words, found.pairs, found.shapes, *found.grammar),
        strict=True,
    ):
        new[: len(old)] = old
    return found


class Model(NamedTuple):
    """All probabilities."""

    known: Index
    words: Floats  # word x distribution
    pairs: Floats  # pair x distribution
    follows: Floats  # word x distribution: how much is known of what follows it, n(v, c)
    unseen: Floats  # distribution -> the share of words that are spelt letter by letter
    shapes: Floats  # distribution of shapes x function word x shape
    tables: Tables


def spelt(words: list[str]) -> Floats:
    """s_c(w) for each word and distribution.

    >>> spelt(["johnson"]).shape[1] == len(WORDS)
    True
    """
    shares = np.zeros((len(SPELLINGS), len(WORDS)))
    for column, distribution in enumerate(WORDS):
        for spelling, share in distribution.spellings:
            shares[SPELLINGS.index(spelling), column] = share
    found = (1.0 - SPECIAL_SHARE) * (spellings(words) @ shares)
    special = _special_shares()
    for row, word in enumerate(words):
        if word in special:
            found[row] = special[word]
    return found


def _special_shares() -> dict[str, Floats]:
    """The share of each special symbol among unseen words: alike, but initials hardly stand in titles."""
    titles = np.array([words.name.startswith("title") for words in WORDS])
    weight = {symbol: np.where(titles & (symbol == "#i"), UNUSUAL, 1.0) for symbol in sorted(SPECIAL)}
    whole = sum(weight.values())
    return {symbol: SPECIAL_SHARE * share / whole for symbol, share in weight.items()}


def learnable(index: Index) -> npt.NDArray[np.bool_]:
    """Which words of which distributions are learned from the user's strings: not those of closed lists, no initials in
    titles, and neither initials nor function words as names (or one wrong reading would teach the next)."""
    found = np.repeat([[words.novelty is None for words in WORDS]], len(index.words), axis=0)
    titles = [words.name.startswith("title") for words in WORDS]
    surname, given = WORD_NUMBER["surname"], [WORD_NUMBER["given"], WORD_NUMBER["packed given"]]
    for word, number in index.words.items():
        if word == "#i":
            found[number, titles] = False
        if word.startswith("#") or word in SMALL:
            found[number, surname] = False
        if word in SMALL:
            found[number, given] = False
    return found


def make_model(index: Index, counts: Counts, spelling: Floats) -> Model:
    """The probabilities that counts give; `spelling` is `spelt` of the index's words."""
    small = np.array([word in SMALL for word in index.words], dtype=np.bool_)
    words, novelty, unseen = np.empty_like(spelling), np.empty(len(WORDS)), np.empty(len(WORDS))
    for column, distribution in enumerate(WORDS):
        counted = counts.words[:, column]
        novelty[column] = unseen[column] = _novelty(counted, distribution.novelty)
        base = spelling[:, column]
        if distribution.parent is not None:
            parent = WORD_NUMBER[distribution.parent]
            leaning = _leaning(counted, words[:, parent], small)
            base = words[:, parent] * np.where(small, leaning[0], leaning[1])
            unseen[column] *= unseen[parent] * leaning[1]
        share = counted / max(counted.sum(), 1e-300)
        words[:, column] = (1.0 - novelty[column]) * share + novelty[column] * base
    two = np.array(list(index.pairs), dtype=np.int64).reshape(-1, 2)
    follows = np.zeros_like(words)
    np.add.at(follows, two[:, 0], counts.pairs)
    pairs = (counts.pairs + CHAIN * words[two[:, 1]]) / (follows[two[:, 0]] + CHAIN)
    shapes = counts.shapes + SHAPE_PRIOR
    return Model(
        index, words, pairs, follows, unseen,
        shapes / shapes.sum(axis=2, keepdims=True), _tables(index, counts.grammar),
    )  # fmt: skip


def _novelty(counted: Floats, fixed: float | None) -> float:
    """The share of words that come from the spelling model: fixed, or by the number of different words seen."""
    if not counted.any():
        return 1.0
    kinds = np.minimum(counted, 1.0).sum() + 1.0
    return float(kinds / (counted.sum() + kinds)) if fixed is None else fixed


def _leaning(counted: Floats, parent: Floats, small: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """How much more often than its parent a distribution has function words, and others: a title seldom ends in "for"."""
    share = float(parent[small].sum())
    own = float(counted[small].sum() + 2.0 * share) / float(counted.sum() + 2.0)
    return own / share, (1.0 - own) / (1.0 - share)


def _tables(index: Index, counts: Expected) -> Tables:
    """The probabilities of the grammar."""
    net = grammar()
    stopped = np.array([gap.startswith("~") for gap in index.gaps])
    leaving = np.zeros(len(STATES))
    np.add.at(leaving, net.source, counts.moves.sum(axis=0) + 0.1)
    stop = np.where(net.last, counts.stop + 0.1, 0.0)
    move = (counts.moves.sum(axis=0) + 0.1) / (leaving + stop)[net.source]
    start = np.where(net.first, counts.start + 0.05, 0.0)
    starting = np.bincount(net.label, start, minlength=EDGE)
    return Tables(
        (counts.styles + 1.0) / (counts.styles + 1.0).sum(),
        start / starting[net.label],
        stop / (leaving + stop),
        move * _move_gaps(counts.moves, stopped),
        _joints(counts.joints, stopped, _punctuating(index)),
        net.label, net.source, net.target, net.first_pair, net.target_label,
    )  # fmt: skip


def _move_gaps(counts: Floats, stopped: npt.NDArray[np.bool_]) -> Floats:
    """p(gap | move, whether the word before takes a full stop), smoothed by all moves."""
    common = _shares(counts.sum(axis=1, keepdims=True) + 0.1, stopped)
    return _shares(counts + GAP_SMOOTHING * common, stopped)


def _punctuating(index: Index) -> Floats:
    """gap x pair of labels: what punctuation hardly ever does, which is not to be learned from wrong readings.

    A quoted title stands between quotes, and no other title does; a title does not end with a colon or a dash and seldom
    with nothing, and a slash never ends a segment.
    """
    net, quoted = grammar(), LABELS.index("quoted title")
    quotes, bare = (np.array([test(gap) for gap in index.gaps])[:, None] for test in (_has_quote, _is_bare))
    joining = np.array(
        [gap.strip("~.")[:1] in (":", "-", "/") if gap.strip("~.") else False for gap in index.gaps]
    )[:, None]
    slash = np.array(["/" in gap for gap in index.gaps])[:, None]
    titles = [LABELS.index(title) for title in TITLES]
    opens = (net.target_label == quoted) | ((net.source_label == quoted) & (net.target_label != EDGE))
    plain = np.isin(net.target_label, titles) & (net.target_label != quoted)
    leaves = np.isin(net.source_label, titles) & (net.target_label != EDGE)
    found = np.where((opens & ~quotes) | (plain & quotes) | (leaves & joining) | slash, UNUSUAL, 1.0)
    return np.where(leaves & bare, found * SELDOM, found)


def _has_quote(gap: str) -> bool:
    return '"' in gap


def _is_bare(gap: str) -> bool:
    return gap in ("", "~")


def _joints(counts: Floats, stopped: npt.NDArray[np.bool_], punctuating: Floats) -> Floats:
    """p(next label | label, style) p(gap | both labels, style), for all pairs of labels."""
    net = grammar()
    pairs = zip(net.source_label.tolist(), net.target_label.tolist(), strict=True)
    skipping = np.array([skips_title(one, other) for one, other in pairs])
    passing = np.where(skipping, NO_TITLE, counts.sum(axis=0) + 0.02)
    whole = np.stack([np.bincount(net.source_label, row, minlength=EDGE + 1) for row in passing])
    chance = passing / whole[:, net.source_label]
    common = _shares(counts.sum(axis=(1, 2), keepdims=True) + 0.1, stopped)
    by_source = np.zeros((counts.shape[0], len(STYLES), EDGE + 1))
    for pair, label in enumerate(net.source_label):
        by_source[:, :, label] += counts[:, :, pair]
    source = _shares(by_source + GAP_SMOOTHING * common, stopped)
    gaps = _shares(
        (counts + GAP_SMOOTHING * source[:, :, net.source_label]) * punctuating[:, None, :], stopped
    )
    return chance * gaps


def _shares(weights: Floats, stopped: npt.NDArray[np.bool_]) -> Floats:
    """Weights of gaps (first axis), each kind of gap made to sum to one."""
    found = np.empty_like(weights)
    for kind in (stopped, ~stopped):
        found[kind] = weights[kind] / weights[kind].sum(axis=0)
    return found


def emissions(model: Model, corpus: Corpus, unknown: Floats) -> tuple[Floats, Floats]:
    """emission[t, state] over its greatest, and the logarithm of the greatest; `unknown` has a row of spellings for
    each word that the index does not have, in order."""
    net = grammar()
    words = model.words[corpus.word]
    missing = corpus.word == UNKNOWN
    words[missing] = model.unseen * unknown
    follows = np.where(corpus.before[:, None] == UNKNOWN, 0.0, model.follows[corpus.before])
    chained = CHAIN * words / (follows + CHAIN)
    known = corpus.pair != UNKNOWN
    chained[known] = model.pairs[corpus.pair[known]]
    shaped = np.ones((len(corpus.word), len(SHAPES)))
    lettered = corpus.shape != Shape.OTHER
    shaped[lettered] = model.shapes[:, corpus.small[lettered].astype(int), corpus.shape[lettered]].T
    found = np.where(net.chained, chained[:, net.words], words[:, net.words]) * shaped[:, net.shapes]
    greatest = found.max(axis=1, initial=1e-300)
    return found / greatest[:, None], np.log(greatest)
