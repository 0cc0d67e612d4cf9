"""Which strings are worth comparing: a canopy around each, through an inverted index.

A string is listed under its words, under the first letters of its words (so that abbreviations meet what they stand
for) and under the words of other strings that spell a run of its own (so that acronyms do). Keys count by the
information of being listed under them, the common ones last; the MOST strings with the most in common are candidates.
"""

from __future__ import annotations

import numpy as np

from samehand.kernels import kernel
from samehand.models.venues.links_match import run_spelled
from samehand.models.venues.links_strings import Longs, Strings

MOST = 40
"""Candidates of one string; a pair is compared if either is a candidate of the other."""

MOST_VISITS = 4_000
"""Strings looked at for one string; the rarest keys come first."""

BEGINNING = 3
"""Letters of a beginning; also of what a run and the word that spells it are looked up by."""

_BITS = 8


def candidate_pairs(strings: Strings) -> Longs:
    """Pairs of strings worth comparing, the lower number first, in order; shape (n, 2).

    >>> from samehand.models.venues.links_strings import lay_out
    >>> names = [("mind",), ("soh",), ("j", "artif", "hands"), ("society", "of", "hands"), ("artificial", "minds")]
    >>> candidate_pairs(lay_out(names)).tolist()
    [[0, 4], [1, 3], [2, 3], [2, 4]]
    """
    keys, holders = _listing(strings)
    order = np.lexsort((holders, keys))
    keys, holders = keys[order], holders[order]
    new = np.ones(keys.shape[0], np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (holders[1:] != holders[:-1])
    keys, holders = keys[new], holders[new]
    _, key_starts, key_numbers = np.unique(keys, return_index=True, return_inverse=True)
    key_starts = np.append(key_starts, keys.shape[0]).astype(np.int64)
    by_holder = np.lexsort((np.diff(key_starts)[key_numbers], holders))
    own_starts = np.searchsorted(holders[by_holder], np.arange(strings.starts.shape[0])).astype(np.int64)
    own_keys = key_numbers[by_holder].astype(np.int64)
    found = _nearest(own_starts, own_keys, key_starts, holders)
    return np.unique(found, axis=0)


def _listing(strings: Strings) -> tuple[Longs, Longs]:
    """Keys and the strings listed under them: words as they are numbered, beginnings as negative numbers."""
    count = strings.starts.shape[0] - 1
    holder = np.repeat(np.arange(count), np.diff(strings.starts))
    telling = ~strings.is_stop[strings.words]
    beginnings = _beginnings(strings)[strings.words]
    spelling = _spelled_runs(strings, *_runs_by_beginning(strings))
    keys = [strings.words[telling], -1 - beginnings[telling], spelling[:, 0]]
    return np.concatenate(keys), np.concatenate([holder[telling], holder[telling], spelling[:, 1]])


@kernel
def _packed(strings: Strings, word: int, letters: int) -> int:
    """The first letters of a word as one number."""
    start, end = strings.word_starts[word], strings.word_starts[word + 1]
    packed = 0
    for place in range(start, min(start + letters, end)):
        packed = packed << _BITS | strings.letters[place]
    return packed


@kernel
def _beginnings(strings: Strings) -> Longs:
    found = np.empty(strings.word_starts.shape[0] - 1, np.int64)
    for word in range(found.shape[0]):
        found[word] = _packed(strings, word, BEGINNING)
    return found


def _runs_by_beginning(strings: Strings) -> tuple[Longs, Longs]:
    """The letters that a run may begin to be spelled with, in order, and the place where it starts."""
    letters, places = _run_beginnings(strings)
    order = np.lexsort((places, letters))
    return letters[order], places[order]


@kernel
def _run_beginnings(strings: Strings) -> tuple[Longs, Longs]:
    """Each way to take two or three letters from the beginnings of the words at a place: 2 + 0, 1 + 1, 2 + 1, ..."""
    letters = [np.int64(0) for _ in range(0)]
    places = [np.int64(0) for _ in range(0)]
    for string in range(strings.starts.shape[0] - 1):
        end = strings.starts[string + 1]
        for place in range(strings.starts[string], end):
            if strings.is_stop[strings.words[place]]:
                continue
            known = len(letters)
            for taken in range(1, BEGINNING + 1):
                _extend(
                    strings, _packed(strings, strings.words[place], taken), taken, place + 1, end, letters
                )
            for _ in range(known, len(letters)):
                places.append(np.int64(place))
    return np.array(letters), np.array(places)


@kernel
def _extend(strings: Strings, packed: int, taken: int, place: int, end: int, letters: list[np.int64]) -> None:
    """Note the letters taken so far, then take more from the next word; stop words may be passed over."""
    if taken >= 2:
        letters.append(np.int64(packed))
    if taken >= BEGINNING:
        return
    while place < end:
        word = strings.words[place]
        for more in range(1, BEGINNING - taken + 1):
            _extend(
                strings,
                packed << _BITS * more | _packed(strings, word, more),
                taken + more,
                place + 1,
                end,
                letters,
            )
        if not strings.is_stop[word]:
            return
        place += 1


@kernel
def _spelled_runs(strings: Strings, letters: Longs, places: Longs) -> Longs:
    """Pairs of a word and a string that has a run which the word spells."""
    found = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for word in range(strings.word_starts.shape[0] - 1):
        if strings.is_stop[word]:
            continue
        wanted = _packed(strings, word, BEGINNING)
        at = np.searchsorted(letters, wanted)
        previous = np.int64(-1)
        while at < letters.shape[0] and letters[at] == wanted:
            place = places[at]
            string = np.searchsorted(strings.starts, place, side="right") - 1
            if string != previous and run_spelled(strings, word, place, strings.starts[string + 1]) > 0:
                found.append((np.int64(word), np.int64(string)))
                previous = string
            at += 1
    pairs = np.empty((len(found), 2), np.int64)
    for row in range(len(found)):
        pairs[row, 0], pairs[row, 1] = found[row]
    return pairs


@kernel
def _nearest(own_starts: Longs, own_keys: Longs, key_starts: Longs, holders: Longs) -> Longs:
    """For each string the MOST others with the most shared information, as pairs, the lower number first."""
    count = own_starts.shape[0] - 1
    shared = np.zeros(count)
    seen = np.empty(count, np.int64)
    pairs = np.empty((count * MOST, 2), np.int64)
    size = 0
    for string in range(count):
        visits, found = 0, 0
        for own in range(own_starts[string], own_starts[string + 1]):
            start, end = key_starts[own_keys[own]], key_starts[own_keys[own] + 1]
            visits += end - start
            if visits > MOST_VISITS and found >= MOST:
                break
            told = np.log(count / (end - start)) + 0.01
            for place in range(start, end):
                other = holders[place]
                if other == string:
                    continue
                if shared[other] == 0.0:
                    seen[found] = other
                    found += 1
                shared[other] += told
        order = np.argsort(-shared[seen[:found]], kind="mergesort")
        for rank in range(min(found, MOST)):
            other = seen[order[rank]]
            pairs[size, 0], pairs[size, 1] = min(string, other), max(string, other)
            size += 1
        for place in range(found):
            shared[seen[place]] = 0.0
    return pairs[:size]
