"""What papers are about: titles from topics, and the venues of a field.

A topic is a ranking of the vocabulary: the word of rank r is a hash of (topic, r), drawn by the law of Zipf and
Mandelbrot. A community has a topic, every person has a narrower one (which colours the titles of papers they
lead), and there is one common to all; function words stand between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samehand.evaluate.synthetic.draws import Stream, below, happens, hashed, normal, rank, uniform
from samehand.evaluate.synthetic.laws import Subjects
from samehand.evaluate.synthetic.syllables import ENDINGS, LONG, joined, mixed_lengths, words
from samehand.evaluate.synthetic.teams import Integers
from samehand.kernels import kernel

FUNCTION_WORDS = [
    "of",
    "the",
    "for",
    "in",
    "a",
    "and",
    "with",
    "on",
    "from",
    "using",
    "via",
    "to",
    "by",
    "under",
    "towards",
]
FUNCTION_COUNT = len(FUNCTION_WORDS)
CONTENT_COUNT = 30_000
SHORTEST, LONGEST = 4, 15
COMMON, COMMUNITY, PERSON, VENUE = 0, 1, 2, 3
"""Kinds of topic."""

NO_VENUE = -1
FULL, SHORT, ACRONYM = 0, 1, 2
"""Forms of a venue."""


def vocabulary() -> pa.StringArray:
    """The function words, then the invented words.

    >>> vocabulary()[:2].to_pylist(), len(vocabulary()) - len(FUNCTION_WORDS)
    (['of', 'the'], 30000)
    """
    plain = mixed_lengths(LONG, CONTENT_COUNT // 2)
    endings = pa.array([ENDINGS[i % len(ENDINGS)] for i in range(CONTENT_COUNT // 2)])
    ended = joined([*words(LONG, 2, CONTENT_COUNT // 2), endings])
    return pa.concat_arrays([pa.array(FUNCTION_WORDS), plain, ended])


@kernel
def content_word(kind: int, topic: int, place: int) -> int:
    """The word of rank `place` of a topic, as an index into the vocabulary."""
    return FUNCTION_COUNT + int(hashed(kind, topic, place) % np.uint64(CONTENT_COUNT))


@kernel
def draw_word(random: Stream, laws: Subjects, community: int, person: int) -> int:
    """A content word: common to all, of the first author's subject, or of the community's topic."""
    kind = uniform(random)
    if kind < laws.common_words:
        return content_word(COMMON, 0, rank(random, 400, 3.0, 1.1))
    if kind < laws.common_words + laws.own_words:
        return content_word(PERSON, person, rank(random, 40, 2.0, 1.1))
    return content_word(COMMUNITY, community, rank(random, 300, 4.0, 1.1))


@kernel
def draw_titles(
    random: Stream, records: npt.NDArray[np.void], slots: npt.NDArray[np.void], laws: Subjects, field: int
) -> tuple[Integers, Integers]:
    """The words of the title of every record that states a paper first, and where each record's begin."""
    starts = np.zeros(len(records), np.int32)
    chosen = np.zeros(len(records) * LONGEST, np.int32)
    end = 0
    for record in range(len(records) - 1):
        starts[record] = end
        if records[record]["paper"] != record:
            continue
        community = field * 1000 + records[record]["community"]
        lead = field * 1000000 + slots[records[record]["start"]]["person"]
        count = min(max(SHORTEST, int(laws.words + laws.words_spread * normal(random) + 0.5)), LONGEST)
        between = False
        for place in range(count):
            between = 0 < place < count - 1 and not between and happens(random, laws.function_words)
            if between:
                chosen[end] = below(random, FUNCTION_COUNT)
            else:
                chosen[end] = draw_word(random, laws, community, lead)
            end += 1
    starts[len(records) - 1] = end
    return chosen[:end].copy(), starts


@kernel
def draw_venues(
    random: Stream, records: npt.NDArray[np.void], laws: Subjects
) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """For each record the number of its written venue (venue * 3 + form, or NO_VENUE), and whether it has a year.

    A community has its own order of preference among the venues of the field; a paper has one venue, however
    often and in whatever form it is cited.
    """
    venues = np.zeros(len(records) - 1, np.int32)
    written = np.zeros(len(records) - 1, np.int32)
    dated = np.zeros(len(records) - 1, np.bool_)
    for record in range(len(records) - 1):
        paper = records[record]["paper"]
        if paper == record:
            preferred = 7 * records[record]["community"]
            venues[record] = (preferred + rank(random, laws.venues, 1.0, 1.5)) % laws.venues
        form = uniform(random)
        short = SHORT if form < laws.full_venue + laws.short_venue else ACRONYM
        written[record] = 3 * venues[paper] + (FULL if form < laws.full_venue else short)
        if happens(random, laws.no_venue):
            written[record] = NO_VENUE
        dated[record] = not happens(random, laws.no_year)
    return written, dated


class Pattern(NamedTuple):
    """The full, short and acronym forms of a kind of venue; X and Y are words of the field, x and y cut short."""

    full: str
    short: str
    acronym: str


PATTERNS = (
    Pattern(
        "Proceedings of the International Conference on {X} and {Y}", "Proc. Int. Conf. {X} {Y}", "IC{a}{b}"
    ),
    Pattern("Journal of {X} {Y}", "J. {x}. {y}.", "J{a}{b}"),
    Pattern("Proceedings of the Workshop on {X} {Y}", "{X} {Y} Workshop", "W{a}{b}"),
    Pattern("Transactions on {X} {Y}", "Trans. {x}. {y}.", "T{a}{b}"),
)


def venues_of(field: int, count: int, vocabulary: pa.StringArray) -> pa.StringArray:
    """The written forms of the `count` venues of a field."""
    indices = [content_word(VENUE, field, place) for place in range(2 * count)]
    return pa.array(venue_names(vocabulary.take(pa.array(indices)).to_pylist(), field))


def venue_names(terms: list[str], first: int) -> list[str]:
    """The three forms of each venue, made of two terms each; `first` turns the order of the patterns.

    >>> venue_names(["gramen", "tosal"], 0)[1:]
    ['Proc. Int. Conf. Gramen Tosal', 'ICGRTO']
    """
    written = []
    for venue in range(len(terms) // 2):
        x, y = terms[2 * venue].capitalize(), terms[2 * venue + 1].capitalize()
        parts = {"X": x, "Y": y, "x": x[:4], "y": y[:4], "a": x[:2].upper(), "b": y[:2].upper()}
        written += [form.format(**parts) for form in PATTERNS[(first + venue) % len(PATTERNS)]]
    return written


def titles(chosen: Integers, starts: Integers, vocabulary: pa.StringArray) -> pa.StringArray:
    """The titles as text, one per record; "" where a record repeats a paper.

    >>> words = pa.array(["of", "gramen", "tosal"])
    >>> titles(np.array([1, 0, 2], "i4"), np.array([0, 3], "i4"), words).to_pylist()
    ['Gramen of tosal']
    """
    lists = pa.ListArray.from_arrays(pa.array(starts), vocabulary.take(pa.array(chosen)))
    return pc.utf8_capitalize(pc.binary_join(lists, " "))
