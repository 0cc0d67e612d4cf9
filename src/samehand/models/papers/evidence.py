"""What speaks for and against two records being one paper: a row of features for each pair.

    constant          1
    title_best        how much of a title is found, letter by letter, in the other's text, the better of the two
    directions title_worst       the same, the worse of the two; both 0 at a similarity of BARELY and 1 at 1
    title_exact       title_best again, but 0 up to NEARLY
    matched           rarity of the title words found in the other text
    unmatched_best    rarity of the title words not found there, in the direction with less of it, and
    unmatched_worst   in the direction with more
    number_conflict   each title has a number that the other record does not have ("Part 1", "Part 2")
    short_title       a title of fewer than three words, which says little; or none at all
    subtitle          one title is the other without its subtitle (facts.py)
    fragment          one record's whole text is a piece of the other's
                      What a missing subtitle or a fragment lacks does not count as title_worst and unmatched_worst.
    overlap           weighted Jaccard of the whole texts
    type_equal, type_conflict, type_conflict_pages (a conflict without equal pages)
    venue_overlap     share of the smaller venue string's weight that is shared;  venue_disjoint: no word is
    year_equal, year_near (one apart), year_far;  book_year: different, but both are books, which have editions
    pages_equal, page_equal (the first page only), pages_conflict
    volume_equal, volume_conflict
    first_author      the first surnames are equal;  first_lost: neither first surname stands in the other record,
    not even
                      misspelt: 0 at a similarity of SPELT or more, 1 at UNSPELT or less
    authors_found     share of surnames that stand in the other record, in the better direction;  authors_lost: 1 - the
                      share in the worse direction
    identifier_equal, identifier_conflict   DOI, arXiv number, PMID

What a record does not say counts neither for nor against.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from rapidfuzz import fuzz, process

from samehand.block.canopies import Codes, Floats, Ints, overlap
from samehand.kernels import kernel
from samehand.models.papers.candidates import IDENTIFIERS
from samehand.models.papers.layout import Layout
from samehand.models.papers.types import BOOK, REPORT, THESIS

FEATURES = (
    "constant", "title_best", "title_worst", "title_exact", "matched", "unmatched_best", "unmatched_worst",
    "number_conflict", "short_title", "subtitle", "fragment", "overlap", "type_equal", "type_conflict",
    "type_conflict_pages", "venue_overlap", "venue_disjoint", "year_equal", "year_near", "year_far", "book_year",
    "pages_equal", "page_equal", "pages_conflict", "volume_equal", "volume_conflict", "first_author", "first_lost",
    "authors_found", "authors_lost", "identifier_equal", "identifier_conflict",
)  # fmt: skip
VERSION_FEATURES = (
    "constant", "title_worst", "title_exact", "overlap", "type_equal", "type_conflict", "type_conflict_pages",
    "venue_overlap", "venue_disjoint", "year_equal", "year_near", "year_far", "book_year", "pages_equal", "page_equal",
    "pages_conflict", "volume_equal", "volume_conflict", "authors_lost", "identifier_equal", "identifier_conflict",
)  # fmt: skip
"""What tells versions of one work apart."""

_NOT_OF_WORKS = frozenset((
    "type_equal", "type_conflict", "type_conflict_pages", "venue_disjoint", "year_near", "book_year", "pages_conflict",
    "volume_conflict", "identifier_conflict",
))  # fmt: skip
WORK_FEATURES = tuple(name for name in FEATURES if name not in _NOT_OF_WORKS)
"""What tells works apart: equal pages speak for one work, different ones not against it."""

PLACE = {name: place for place, name in enumerate(FEATURES)}
BARELY, NEARLY = 0.7, 0.95
SPELT, UNSPELT = 0.85, 0.6
PIECE = 0.75
"""A fragment is at most this long, relative to what it is a piece of."""


def evidence(layout: Layout, pairs: npt.NDArray[np.int64], threads: int = 1) -> Floats:
    """The features of each pair of records, shape (pairs, FEATURES).

    >>> from samehand.models.papers.facts import facts_of
    >>> from samehand.models.papers.layout import lay_out
    >>> from samehand.records import Reference, references_frame
    >>> papers = [Reference("a.bib", n, title="On Hands and Thumbs", year=1990 + n) for n in range(2)]
    >>> row = evidence(lay_out(facts_of(references_frame(papers))), np.array([[0, 1]]))[0]
    >>> row[[PLACE["title_best"], PLACE["year_near"], PLACE["pages_equal"]]].tolist()
    [1.0, 1.0, 0.0]
    """
    rows = np.zeros((len(pairs), len(FEATURES)))
    rows[:, PLACE["constant"]] = 1.0
    if len(pairs) == 0:
        return rows
    _letters(layout.facts, pairs, rows, threads)
    _said(layout.facts, pairs, rows)
    index = layout.index
    _words(
        pairs,
        rows,
        index.starts,
        index.words,
        index.weights,
        index.totals,
        layout.titles.starts,
        layout.titles.codes,
        layout.rarity,
        layout.numbers,
    )
    _venues(pairs, rows, layout.venues.starts, layout.venues.codes, layout.venue_weights)
    _authors(pairs, rows, index.starts, index.words, layout.surnames.starts, layout.surnames.codes)
    return rows


def _letters(facts: pl.DataFrame, pairs: npt.NDArray[np.int64], rows: Floats, threads: int) -> None:
    """Features of letters: titles within texts, and texts within texts."""
    titles = (
        facts.select(pl.when(pl.col("title") != "").then("title").otherwise("text")).to_series().to_list()
    )
    texts = facts["text"].to_list()
    left, right = pairs[:, 0].tolist(), pairs[:, 1].tolist()

    def similar(those: list[str], places: list[int], these: list[str], others: list[int]) -> Floats:
        found = process.cpdist(
            [those[p] for p in places], [these[p] for p in others], scorer=fuzz.partial_ratio, workers=threads
        )
        return np.asarray(found, np.float64) / 100.0

    surnames = facts["surnames"].list.first().fill_null("").to_list()
    known = np.array([name != "" for name in surnames])
    first = np.maximum(similar(surnames, left, texts, right), similar(surnames, right, texts, left))
    lost = np.clip((SPELT - first) / (SPELT - UNSPELT), 0, 1)
    rows[:, PLACE["first_lost"]] = np.where(known[left] & known[right], lost, 0.0)
    lengths = facts["text"].str.len_bytes().to_numpy()
    one, other = similar(titles, left, texts, right), similar(titles, right, texts, left)
    best, worst = np.maximum(one, other), np.minimum(one, other)
    rows[:, PLACE["title_best"]] = np.clip((best - BARELY) / (1 - BARELY), 0, 1)
    rows[:, PLACE["title_worst"]] = np.clip((worst - BARELY) / (1 - BARELY), 0, 1)
    rows[:, PLACE["title_exact"]] = np.clip((best - NEARLY) / (1 - NEARLY), 0, 1)
    short = np.minimum(lengths[left], lengths[right]) < PIECE * np.maximum(lengths[left], lengths[right])
    places = np.flatnonzero(short)
    if len(places):
        piece = similar(texts, [left[p] for p in places], texts, [right[p] for p in places])
        rows[places, PLACE["fragment"]] = np.clip((piece - NEARLY) / (1 - NEARLY), 0, 1)


def _said(facts: pl.DataFrame, pairs: npt.NDArray[np.int64], rows: Floats) -> None:
    """Features of fields that are equal, different or missing."""
    left, right = pairs[:, 0], pairs[:, 1]

    def both(name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        values = facts[name].to_numpy().astype(np.int64)
        a, b = values[left], values[right]
        return a, b, (a != 0) & (b != 0)

    def put(name: str, truth: npt.NDArray[np.bool_]) -> None:
        rows[:, PLACE[name]] = truth

    pages, other_pages, paged = both("pages")
    first, other_first, _ = both("first_page")
    equal_pages = paged & (pages == other_pages)
    equal_first = paged & ~equal_pages & (first == other_first)
    put("pages_equal", equal_pages)
    put("page_equal", equal_first)
    put("pages_conflict", paged & ~equal_pages & ~equal_first)
    kind, other_kind, typed = both("type")
    shared_kind = (kind & other_kind) != 0
    either = kind | other_kind
    thesis = ((either & THESIS) != 0) & ((either & ~(THESIS | REPORT | BOOK)) == 0)
    put("type_equal", typed & shared_kind)
    put("type_conflict", typed & ~shared_kind & ~thesis)
    put("type_conflict_pages", typed & ~shared_kind & ~thesis & ~equal_pages)
    year, other_year, dated = both("year")
    gap = np.abs(year - other_year)
    put("year_equal", dated & (gap == 0))
    put("year_near", dated & (gap == 1))
    put("year_far", dated & (gap > 1))
    put("book_year", dated & (gap > 0) & ((kind & other_kind & BOOK) != 0))
    volume, other_volume, numbered = both("volume")
    put("volume_equal", numbered & (volume == other_volume))
    put("volume_conflict", numbered & (volume != other_volume))
    for name in IDENTIFIERS:
        codes = facts[name].rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
        given = (codes[left] != 0) & (codes[right] != 0)
        rows[:, PLACE["identifier_equal"]] += given & (codes[left] == codes[right])
        rows[:, PLACE["identifier_conflict"]] += given & (codes[left] != codes[right])
    np.minimum(rows[:, PLACE["identifier_equal"]], 1.0, out=rows[:, PLACE["identifier_equal"]])
    rows[rows[:, PLACE["identifier_equal"]] > 0, PLACE["identifier_conflict"]] = 0.0
    words = np.diff(np.concatenate([[0], np.cumsum(facts["title"].str.split(" ").list.len().to_numpy())]))
    put("short_title", np.minimum(words[left], words[right]) < 3)
    title, main = facts["title"].to_list(), facts["main"].to_list()
    left_out = np.array([title[a] == main[b] or main[a] == title[b] for a, b in pairs.tolist()], np.bool_)
    put("subtitle", left_out)
    rows[left_out, PLACE["title_worst"]] = rows[left_out, PLACE["title_best"]]


@kernel
def _has(words: Codes, start: int, end: int, code: int) -> bool:
    place = start + np.searchsorted(words[start:end], code)
    return bool(place < end and words[place] == code)


@kernel
def _words(
    pairs: Ints,
    rows: Floats,
    starts: Ints,
    words: Codes,
    weights: Floats,
    totals: Floats,
    title_starts: Ints,
    titles: Codes,
    rarity: Floats,
    numbers: npt.NDArray[np.bool_],
) -> None:
    """Features of title words looked for in the other's text, columns from `matched` on, and `overlap`."""
    for pair in range(pairs.shape[0]):
        matched = np.zeros(2)
        unmatched = np.zeros(2)
        conflict = np.zeros(2, np.bool_)
        for side in range(2):
            one, other = pairs[pair, side], pairs[pair, 1 - side]
            for place in range(title_starts[one], title_starts[one + 1]):
                if _has(words, starts[other], starts[other + 1], titles[place]):
                    matched[side] += rarity[titles[place]]
                else:
                    unmatched[side] += rarity[titles[place]]
                    conflict[side] = conflict[side] or numbers[titles[place]]
        least = min(unmatched[0], unmatched[1])
        rows[pair, 4] = min(max(matched[0], matched[1]), 4.0) / 4.0
        rows[pair, 5] = min(least, 2.0)
        most = max(unmatched[0], unmatched[1])
        rows[pair, 6] = min(most + (least - most) * max(rows[pair, 9], rows[pair, 10]), 2.0)
        rows[pair, 7] = 1.0 if conflict[0] and conflict[1] else 0.0
        rows[pair, 11] = overlap(starts, words, weights, totals, pairs[pair, 0], pairs[pair, 1])


@kernel
def _venues(pairs: Ints, rows: Floats, starts: Ints, codes: Codes, weights: Floats) -> None:
    """`venue_overlap` and `venue_disjoint`."""
    for pair in range(pairs.shape[0]):
        totals = np.zeros(2)
        for side in range(2):
            record = pairs[pair, side]
            for place in range(starts[record], starts[record + 1]):
                totals[side] += weights[codes[place]]
        if min(totals[0], totals[1]) <= 0.0:
            continue
        shared = 0.0
        other = pairs[pair, 1]
        for place in range(starts[pairs[pair, 0]], starts[pairs[pair, 0] + 1]):
            if _has(codes, starts[other], starts[other + 1], codes[place]):
                shared += weights[codes[place]]
        rows[pair, 15] = shared / (totals[0] + totals[1] - shared) * (1.0 - rows[pair, 13])
        rows[pair, 16] = 1.0 if shared == 0.0 else 0.0


@kernel
def _authors(pairs: Ints, rows: Floats, starts: Ints, words: Codes, name_starts: Ints, names: Codes) -> None:
    """`first_author`, `authors_found`, `authors_lost`; nothing where a record names nobody."""
    for pair in range(pairs.shape[0]):
        share = np.zeros(2)
        first = np.zeros(2, np.int64)
        named = True
        for side in range(2):
            one, other = pairs[pair, side], pairs[pair, 1 - side]
            low, high = name_starts[one], name_starts[one + 1]
            if low == high:
                named = False
                break
            first[side] = names[low]
            for place in range(low, high):
                share[side] += _has(words, starts[other], starts[other + 1], names[place])
            share[side] /= high - low
        if named:
            rows[pair, 26] = 1.0 if first[0] == first[1] else 0.0
            rows[pair, 28] = max(share[0], share[1])
            rows[pair, 29] = 1.0 - min(share[0], share[1])
