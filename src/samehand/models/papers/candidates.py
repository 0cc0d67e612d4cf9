"""Which records to compare: by the rare words of a title, looked up in an inverted index of all texts.

A pair is a candidate if the words of one title that stand in the other record's text make up at least `SHARE` of the
title's weight, or if the whole texts overlap by `OVERLAP` (weighted Jaccard). To reach the share at least one of the
rarest words must be shared, those after which less than the share is left; only these are looked up (prefix filtering).
A record without a title is looked up by its whole text. Equal identifiers make a candidate of any pair.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.block.canopies import Codes, Floats, Ints, overlap
from samehand.kernels import bare, kernel
from samehand.models.baseline import chain
from samehand.models.papers.layout import Layout

SHARE = 0.5
OVERLAP = 0.3
MOST_LOOKUPS = 12
IDENTIFIERS = ("doi", "arxiv", "pmid")


@bare
def _shared(codes: Codes, low: int, high: int, words: Codes, start: int, end: int, weights: Floats) -> float:
    """Weight of codes[low:high] that words[start:end] has too; both ascending."""
    total = 0.0
    i, j = low, start
    while i < high and j < end:
        if codes[i] == words[j]:
            total += weights[codes[i]]
            i += 1
            j += 1
        elif codes[i] < words[j]:
            i += 1
        else:
            j += 1
    return total


@kernel
def _candidates(
    starts: Ints,
    words: Codes,
    weights: Floats,
    totals: Floats,
    posting_starts: Ints,
    postings: Codes,
    query_starts: Ints,
    queries: Codes,
    common: int,
    share: float,
    whole: float,
    most_lookups: int,
) -> Ints:
    """Packed pairs (smaller << 32 | larger); those found from both sides stand twice."""
    count = starts.shape[0] - 1
    seen = np.full(count, -1, np.int64)
    found = np.empty(1024, np.int64)
    filled = 0
    for record in range(count):
        low, high = query_starts[record], query_starts[record + 1]
        weight = 0.0
        for place in range(low, high):
            weight += weights[queries[place]]
        rest = weight
        seen[record] = record
        for place in range(low, min(high, low + most_lookups)):
            word = queries[place]
            if rest < share * weight or (
                place > low and posting_starts[word + 1] - posting_starts[word] > common
            ):
                break
            rest -= weights[word]
            for posting in range(posting_starts[word], posting_starts[word + 1]):
                other = postings[posting]
                if seen[other] == record:
                    continue
                seen[other] = record
                inside = _shared(queries, low, high, words, starts[other], starts[other + 1], weights)
                if inside < share * weight and overlap(starts, words, weights, totals, record, other) < whole:
                    continue
                if filled == found.shape[0]:
                    larger = np.empty(2 * filled, np.int64)
                    larger[:filled] = found
                    found = larger
                found[filled] = (min(record, other) << 32) | max(record, other)
                filled += 1
    return found[:filled]


def candidates(layout: Layout, common: int = 2_000) -> npt.NDArray[np.int64]:
    """Pairs of records to compare, shape (n, 2), left < right, sorted, each once.

    >>> from samehand.models.papers.facts import facts_of
    >>> from samehand.models.papers.layout import lay_out
    >>> from samehand.records import Reference, references_frame
    >>> titles = ["On Hands and Thumbs", "On hands & thumbs", "Feet"]
    >>> papers = [Reference("a.bib", n, title=title) for n, title in enumerate(titles)]
    >>> candidates(lay_out(facts_of(references_frame(papers)))).tolist()
    [[0, 1]]
    """
    index = layout.index
    query_starts, queries = _queries(layout)
    packed = _candidates(
        index.starts,
        index.words,
        index.weights,
        index.totals,
        index.posting_starts,
        index.postings,
        query_starts,
        queries,
        common,
        SHARE,
        OVERLAP,
        MOST_LOOKUPS,
    )
    same = pl.concat([_unordered(chain(layout.facts, [name])) for name in IDENTIFIERS])
    packed = np.unique(np.concatenate([packed, same.to_numpy()]))
    return np.stack([packed >> 32, packed & 0xFFFFFFFF], axis=1)


def _unordered(edges: pl.DataFrame) -> pl.Series:
    return edges.select(
        pl.min_horizontal("left", "right") * 2**32 + pl.max_horizontal("left", "right")
    ).to_series()


def _queries(layout: Layout) -> tuple[Ints, Codes]:
    """The words by which each record is looked up: of its title, else of its whole text."""
    index, titles = layout.index, layout.titles
    lengths = np.diff(titles.starts)
    if (lengths > 0).all():
        return titles.starts, titles.codes
    rows = [
        titles.of(record) if lengths[record] else index.words[index.starts[record] : index.starts[record + 1]]
        for record in range(len(lengths))
    ]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return starts, np.concatenate([*rows, np.empty(0, np.int32)]).astype(np.int32)
