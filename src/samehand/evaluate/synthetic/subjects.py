"""What papers are about: titles from topics, and the venues of a field.

A topic is a ranking of the vocabulary, whose ranks are drawn by the law of Zipf and Mandelbrot: it begins at
a random word and goes on in strides. A community has a topic, every person has a narrower one (which colours
the titles of papers they lead), and one is common to all; function words stand between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samehand.evaluate.synthetic.draws import happens, rank
from samehand.evaluate.synthetic.laws import Subjects
from samehand.evaluate.synthetic.syllables import ENDINGS, LONG, joined, mixed_lengths, words
from samehand.evaluate.synthetic.teams import Integers
from samehand.infer.random import State, below, normal, uniform
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
STRIDE = 7_919
"""From one word of a topic to the next; it has no factor in common with the number of words."""

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
def draw_topics(random: State, count: int) -> Integers:
    """So many topics: where each begins in the vocabulary."""
    topics = np.zeros(count, np.int32)
    for topic in range(count):
        topics[topic] = below(random, CONTENT_COUNT)
    return topics


@kernel
def word_of(topic: int, place: int) -> int:
    """The word of rank `place` of a topic, as an index into the vocabulary."""
    return FUNCTION_COUNT + (topic + place * STRIDE) % CONTENT_COUNT


@kernel
def draw_word(random: State, laws: Subjects, community: int, person: int) -> int:
    """A content word: of the topic common to all, of the first author's, or of the community's."""
    kind = uniform(random)
    if kind < laws.common_words:
        return word_of(0, rank(random, 400, 3.0, 1.1))
    if kind < laws.common_words + laws.own_words:
        return word_of(person, rank(random, 40, 2.0, 1.1))
    return word_of(community, rank(random, 300, 4.0, 1.1))


@kernel
def draw_title(random: State, laws: Subjects, community: int, person: int, words: Integers) -> int:
    """Write one title into `words`; how many they are. No two function words meet, none begins or ends it."""
    count = min(max(SHORTEST, int(laws.words + laws.words_spread * normal(random) + 0.5)), LONGEST)
    function = True
    for place in range(count):
        function = not function and place < count - 1 and happens(random, laws.function_words)
        if function:
            words[place] = below(random, FUNCTION_COUNT)
        else:
            words[place] = draw_word(random, laws, community, person)
    return count


@kernel
def draw_titles(
    random: State,
    records: npt.NDArray[np.void],
    slots: npt.NDArray[np.void],
    laws: Subjects,
    communities: Integers,
    persons: Integers,
) -> tuple[Integers, Integers]:
    """The words of the title of every record that states a paper first, and where each record's begin.

    `communities` and `persons` are their topics.
    """
    starts = np.zeros(len(records), np.int32)
    words = np.zeros(len(records) * LONGEST, np.int32)
    end = 0
    for record in range(len(records) - 1):
        starts[record] = end
        if records[record]["paper"] == record:
            lead = slots[records[record]["start"]]["person"]
            community = communities[records[record]["community"]]
            end += draw_title(random, laws, community, persons[lead], words[end:])
    starts[len(records) - 1] = end
    return words[:end].copy(), starts


@kernel
def draw_venues(
    random: State, records: npt.NDArray[np.void], laws: Subjects
) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """For each record its written venue (venue * 3 + form, or NO_VENUE), and whether it has a year.

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
    """The forms of a kind of venue; X and Y are words, x and y their first four letters, a and b two."""

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


def venues_of(random: State, count: int, vocabulary: pa.StringArray) -> pa.StringArray:
    """The written forms of the `count` venues of a field."""
    terms = vocabulary.take(pa.array(FUNCTION_COUNT + draw_topics(random, 2 * count)))
    return pa.array(venue_names(terms.to_pylist()))


def venue_names(terms: list[str]) -> list[str]:
    """The three forms of each venue, made of two terms each.

    >>> venue_names(["gramen", "tosal"])[1:]
    ['Proc. Int. Conf. Gramen Tosal', 'ICGRTO']
    """
    written = []
    for venue in range(len(terms) // 2):
        x, y = terms[2 * venue].capitalize(), terms[2 * venue + 1].capitalize()
        parts = {"X": x, "Y": y, "x": x[:4], "y": y[:4], "a": x[:2].upper(), "b": y[:2].upper()}
        written += [form.format(**parts) for form in PATTERNS[venue % len(PATTERNS)]]
    return written


def titles(chosen: Integers, starts: Integers, vocabulary: pa.StringArray) -> pa.StringArray:
    """The titles as text, one per record; "" where a record repeats a paper.

    >>> words = pa.array(["of", "gramen", "tosal"])
    >>> titles(np.array([1, 0, 2], "i4"), np.array([0, 3], "i4"), words).to_pylist()
    ['Gramen of tosal']
    """
    lists = pa.ListArray.from_arrays(pa.array(starts), vocabulary.take(pa.array(chosen)))
    return pc.utf8_capitalize(pc.binary_join(lists, " "))
