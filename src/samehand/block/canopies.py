"""Overlapping canopies by cheap word overlap, from an inverted index, never from all pairs.

The overlap of two mentions is the weight of the words they share over the weight of all their words
(a weighted Jaccard index), a word's weight being its idf, `ln(1 + M / number of mentions with the word)`.
Mentions become centres in their order; a centre's canopy holds every mention whose overlap with it is at
least `loose`, and those at least `tight` will not become centres themselves (McCallum, Nigam and Ungar
2000; thresholds 0.2 and 0.5 as in section 5.3 of the 2003 citations paper).

Words that stand in more than `common` mentions do not bring candidates to a centre (they count in the overlap
all the same): this bounds the work per centre. A mention with no rarer word is looked up by its rarest one.
`Canopies.cut` lists those words and how many mentions each stands in, so that what was cut can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.kernels import bare, kernel

LOOSE, TIGHT = 0.2, 0.5
COMMON = 2_000

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WordIndex:
    """Each mention's distinct words as sorted codes, rarest first, and for each word the mentions with it."""

    starts: Ints  # words of mention m: words[starts[m] : starts[m + 1]], ascending; a smaller code is rarer
    words: Codes
    lookups: Ints  # how many of a mention's leading words bring candidates
    posting_starts: Ints
    postings: Codes
    weights: Floats  # of each word
    totals: Floats  # weight of all words of a mention
    vocabulary: pl.DataFrame  # word, mentions


@dataclass(frozen=True)
class Canopies:
    """Members of canopy c: `members[starts[c]:starts[c + 1]]`, its centre first."""

    starts: Ints
    members: Ints
    cut: pl.DataFrame  # word, mentions

    @property
    def sizes(self) -> Ints:
        """The number of members of each canopy."""
        return np.diff(self.starts)


def index_words(tokens: pl.Series, common: int = COMMON) -> WordIndex:
    """Build the inverted index of a series of token lists.

    >>> index_words(pl.Series([["a", "b"], ["b"]])).vocabulary["word"].to_list()
    ['a', 'b']
    """
    long = (
        pl.DataFrame({"mention": pl.int_range(tokens.len(), eager=True), "word": tokens})
        .explode("word", empty_as_null=True, keep_nulls=True)
        .drop_nulls()
        .unique()
    )
    vocabulary = long.group_by("word").agg(mentions=pl.len()).sort("mentions", "word")
    codes = vocabulary.select("word", code=pl.int_range(pl.len(), dtype=pl.Int32))
    long = long.join(codes, on="word").sort("mention", "code")
    mention, code = long["mention"].to_numpy(), long["code"].to_numpy()
    frequency = vocabulary["mentions"].to_numpy().astype(np.int64)
    starts = np.searchsorted(mention, np.arange(tokens.len() + 1)).astype(np.int64)
    weights = np.log1p(tokens.len() / np.maximum(frequency, 1))
    rare_words = int(np.searchsorted(frequency, common, side="right"))
    rare = np.concatenate([[0], np.cumsum(code < rare_words)])
    lookups = np.minimum(np.maximum(rare[starts[1:]] - rare[starts[:-1]], 1), np.diff(starts))
    by_word = np.argsort(code, kind="stable")
    totals = np.concatenate([[0.0], np.cumsum(weights[code])])
    return WordIndex(
        starts=starts,
        words=code.astype(np.int32),
        lookups=lookups.astype(np.int64),
        posting_starts=np.concatenate([[0], np.cumsum(frequency)]).astype(np.int64),
        postings=mention[by_word].astype(np.int32),
        weights=weights,
        totals=totals[starts[1:]] - totals[starts[:-1]],
        vocabulary=vocabulary,
    )


@bare
def overlap(starts: Ints, words: Codes, weights: Floats, totals: Floats, a: int, b: int) -> float:
    """Weighted Jaccard index of mentions a and b, by merging their sorted words."""
    shared = 0.0
    i, j = starts[a], starts[b]
    while i < starts[a + 1] and j < starts[b + 1]:
        if words[i] == words[j]:
            shared += weights[words[i]]
            i += 1
            j += 1
        elif words[i] < words[j]:
            i += 1
        else:
            j += 1
    union = totals[a] + totals[b] - shared
    return shared / union if union > 0.0 else 0.0


@bare
def _shared_tail(starts: Ints, words: Codes, weights: Floats, a: int, begin: int, b: int) -> float:
    """Weight of the words of `a` from position `begin` on (its commonest) that `b` has too."""
    shared = 0.0
    i, j = starts[a + 1] - 1, starts[b + 1] - 1
    while i >= begin and j >= starts[b]:
        if words[i] == words[j]:
            shared += weights[words[i]]
            i -= 1
            j -= 1
        elif words[i] > words[j]:
            i -= 1
        else:
            j -= 1
    return shared


@kernel
def _grow(array: Ints, needed: int) -> Ints:
    if needed <= array.shape[0]:
        return array
    larger = np.empty(max(needed, 2 * array.shape[0]), np.int64)
    larger[: array.shape[0]] = array
    return larger


@kernel
def _build(
    starts: Ints,
    words: Codes,
    lookups: Ints,
    posting_starts: Ints,
    postings: Codes,
    weights: Floats,
    totals: Floats,
    loose: float,
    tight: float,
) -> tuple[Ints, Ints]:
    count = starts.shape[0] - 1
    is_centre = np.ones(count, np.bool_)
    shared = np.zeros(count, np.float64)
    touched = np.empty(count, np.int64)
    canopy_starts = np.zeros(count + 1, np.int64)
    members = np.empty(2 * count + 1, np.int64)
    canopies, filled = 0, 0
    for centre in range(count):
        if not is_centre[centre]:
            continue
        members = _grow(members, filled + 1)
        members[filled] = centre
        filled += 1
        reached = 0
        unseen = totals[centre]  # weight of the centre's words that bring no candidates
        for position in range(starts[centre], starts[centre] + lookups[centre]):
            word = words[position]
            weight = weights[word]
            unseen -= weight
            for posting in range(posting_starts[word], posting_starts[word + 1]):
                other = postings[posting]
                if shared[other] == 0.0:
                    touched[reached] = other
                    reached += 1
                shared[other] += weight
        for i in range(reached):
            other = touched[i]
            found = shared[other]
            shared[other] = 0.0
            both = totals[centre] + totals[other]
            if other == centre or found + unseen < loose / (1.0 + loose) * both:
                continue
            found += _shared_tail(starts, words, weights, centre, starts[centre] + lookups[centre], other)
            similarity = found / (both - found)
            if similarity >= loose:
                members = _grow(members, filled + 1)
                members[filled] = other
                filled += 1
                if similarity >= tight:
                    is_centre[other] = False
        canopies += 1
        canopy_starts[canopies] = filled
    return canopy_starts[: canopies + 1], members[:filled]


def canopies(index: WordIndex, loose: float = LOOSE, tight: float = TIGHT) -> Canopies:
    """Cover all mentions of an index with overlapping canopies; every mention is in at least one.

    >>> index = index_words(pl.Series([["red", "fox"], ["red", "fox", "den"], ["oak"]]))
    >>> canopies(index).members.tolist()
    [0, 1, 2]
    """
    starts, members = _build(
        index.starts,
        index.words,
        index.lookups,
        index.posting_starts,
        index.postings,
        index.weights,
        index.totals,
        loose,
        tight,
    )
    looked_up = np.zeros(index.vocabulary.height, np.bool_)
    _mark_lookups(index.starts, index.words, index.lookups, looked_up)
    return Canopies(starts, members, index.vocabulary.filter(pl.Series(~looked_up)))


@bare
def _mark_lookups(starts: Ints, words: Codes, lookups: Ints, looked_up: npt.NDArray[np.bool_]) -> None:
    for mention in range(lookups.shape[0]):
        for position in range(starts[mention], starts[mention] + lookups[mention]):
            looked_up[words[position]] = True


@kernel
def _pairs(
    canopy_starts: Ints,
    members: Ints,
    group: Ints,
    starts: Ints,
    words: Codes,
    weights: Floats,
    totals: Floats,
    at_least: float,
) -> Ints:
    found = np.empty(1024, np.int64)
    filled = 0
    for canopy in range(canopy_starts.shape[0] - 1):
        for i in range(canopy_starts[canopy], canopy_starts[canopy + 1]):
            a = members[i]
            for j in range(i + 1, canopy_starts[canopy + 1]):
                b = members[j]
                if group[a] != group[b] and group[a] >= 0 and group[b] >= 0:
                    continue
                smaller, larger = min(totals[a], totals[b]), max(totals[a], totals[b])
                if smaller < at_least * larger:
                    continue
                if overlap(starts, words, weights, totals, a, b) < at_least:
                    continue
                found = _grow(found, filled + 1)
                found[filled] = (min(a, b) << 32) | max(a, b)
                filled += 1
    return found[:filled]


def pairs_within(canopies: Canopies, index: WordIndex, group: Ints, at_least: float) -> pl.DataFrame:
    """Pairs that share a canopy and overlap by `at_least`, as columns `left` < `right`, each pair once.

    Members whose `group` differs are not paired; a negative group goes with every other.
    """
    packed = np.unique(
        _pairs(
            canopies.starts,
            canopies.members,
            group,
            index.starts,
            index.words,
            index.weights,
            index.totals,
            at_least,
        )
    )
    return pl.DataFrame({"left": packed >> 32, "right": packed & 0xFFFFFFFF})
