"""How much two venue strings have in common: the evidence, in nats, that one is another form of the other.

Words are paired off in three passes, and each pair earns what it tells:

1. equal words: the information of the word;
2. one word short for the other (a prefix, "artif" of "artificial"; a contraction, "intl" of "international"; a slip
   of the pen, "datbase"): the information of the one that tells less, at most LETTER nats for each letter in common;
3. a word that spells a run of words of the other string by their beginnings ("popl": Principles Of Programming
   Languages; "coling"; words run together): its information, at most LETTER nats for each of its letters, for the part
   of the run not paired off yet. Stop words in the run may give letters or none.

A string often holds an acronym and what it stands for; then a match of either counts for both ("ACL" says all that
"Association for Computational Linguistics (ACL)" says), unless each says what it stands for, which is then compared.
Every word left over on either side costs LEFT_OVER times its
information. No order of words is assumed, except within runs.

What is earned saturates: g nats count as m (1 - exp(-g / m)), m = SATURATION ln(strings). Two venues of one subject
share its words, so that many rare words in common, one after the other, say less and less about whether the venues are
one: "British" and "International Journal of Oral and Maxillofacial Surgery" are two.
"""

from __future__ import annotations

import math

import numpy as np

from samehand.kernels import kernel
from samehand.models.venues.links_strings import MOST_WORDS, Bytes, Flags, Floats, Longs, Strings

LETTER = 2.0
LEFT_OVER = 0.6
SATURATION = 2.0

LONGEST_RUN = 14
SHORTEST_SLIP = 5
LONG_WORD = 8
SHORTEST_STEM = 6
_NUMBER = ord("#")


@kernel
def letters_in_common(letters: Bytes, start: int, end: int, other_start: int, other_end: int) -> int:
    """How many letters say that two words are one; 0 if they are not. Numbers and words must begin alike."""
    if letters[start] != letters[other_start] or letters[start] == _NUMBER:
        return 0
    if end - start > other_end - other_start:
        start, end, other_start, other_end = other_start, other_end, start, end
    length, longer = end - start, other_end - other_start
    shared = 0
    while shared < length and letters[start + shared] == letters[other_start + shared]:
        shared += 1
    if shared == length:
        return length
    if length >= SHORTEST_SLIP:
        most = 1 if length < LONG_WORD else 2
        slips = _slips(letters, start, end, other_start, other_end, most)
        if slips <= most:
            return length - 2 * slips
    if _is_contraction(letters, start, end, other_start, other_end, shared):
        return length - 1
    if shared >= SHORTEST_STEM and 5 * shared >= 3 * longer:
        return shared - 2
    return 0


@kernel
def _slips(letters: Bytes, start: int, end: int, other_start: int, other_end: int, most: int) -> int:
    """Letters changed, added, lost or swapped with their neighbour (Damerau); `most` + 1 where there are more."""
    columns = other_end - other_start
    if columns - (end - start) > most:
        return most + 1
    rows = np.empty((3, columns + 1), np.int64)
    for column in range(columns + 1):
        rows[0, column] = column
    for row in range(1, end - start + 1):
        here, above, over = row % 3, (row - 1) % 3, (row - 2) % 3
        rows[here, 0] = least = row
        for column in range(1, columns + 1):
            letter, other = letters[start + row - 1], letters[other_start + column - 1]
            cost = min(rows[above, column], rows[here, column - 1]) + 1
            cost = min(cost, rows[above, column - 1] + (letter != other))
            swapped = row > 1 and column > 1 and letter == letters[other_start + column - 2]
            if swapped and letters[start + row - 2] == other:
                cost = min(cost, rows[over, column - 2] + 1)
            rows[here, column] = cost
            least = min(least, cost)
        if least > most:
            return most + 1
    return int(rows[(end - start) % 3, columns])


@kernel
def _is_contraction(
    letters: Bytes, start: int, end: int, other_start: int, other_end: int, shared: int
) -> bool:
    """Whether the first word, of 3 to 6 letters, is the other with letters left out, the last or the first three kept."""
    length = end - start
    if length < 3 or length > 6 or (letters[end - 1] != letters[other_end - 1] and shared < 3):
        return False
    place = start
    for other in range(other_start, other_end):
        if place < end and letters[place] == letters[other]:
            place += 1
    return place == end


@kernel
def run_spelled(strings: Strings, word: int, first: int, end: int) -> int:
    """How many words from place `first` on the word spells by their beginnings; 0 if it spells no run.

    Every word of the run gives at least a letter, a stop word possibly none; at least two are no stop words, the first
    and the last among them.
    """
    start, length = strings.word_starts[word], strings.word_starts[word + 1] - strings.word_starts[word]
    if length < 2 or strings.letters[start] == _NUMBER:
        return 0
    reached = 1  # bit p: the first p letters of the word can be spelled so far
    telling = 0
    for place in range(first, min(end, first + LONGEST_RUN)):
        given = strings.words[place]
        given_start, given_end = strings.word_starts[given], strings.word_starts[given + 1]
        following = reached if strings.is_stop[given] else 0
        for spelled in range(length):
            if reached >> spelled & 1:
                more = 0
                while (
                    spelled + more < length
                    and given_start + more < given_end
                    and strings.letters[start + spelled + more] == strings.letters[given_start + more]
                ):
                    more += 1
                    following |= 1 << (spelled + more)
        if following == 0:
            return 0
        if not strings.is_stop[given]:
            telling += 1
            if telling >= 2 and following >> length & 1:
                return place - first + 1
        reached = following
    return 0


@kernel
def runs_within(strings: Strings) -> Longs:
    """For each place of each string the run, first and end place, that its word spells in the same string, else -1."""
    runs = np.full((strings.words.shape[0], 2), -1, np.int64)
    for string in range(strings.starts.shape[0] - 1):
        start, end = strings.starts[string], strings.starts[string + 1]
        for place in range(start, end):
            word = strings.words[place]
            if strings.is_stop[word]:
                continue
            for first in range(start, end):
                size = _run_at(strings, word, first, end)
                if size > 0 and not first <= place < first + size:
                    runs[place, 0], runs[place, 1] = first, first + size
                    break
    return runs


@kernel
def _run_at(strings: Strings, word: int, first: int, end: int) -> int:
    """`run_spelled`, where the first word is no stop word and begins like the word that spells."""
    given = strings.words[first]
    if strings.is_stop[given]:
        return 0
    if strings.letters[strings.word_starts[word]] != strings.letters[strings.word_starts[given]]:
        return 0
    return run_spelled(strings, word, first, end)


@kernel
def evidence(strings: Strings, runs: Longs, left: int, right: int) -> float:
    """The evidence that string `left` and string `right` name one venue: what they share less what is left over."""
    left_start, left_end = strings.starts[left], strings.starts[left + 1]
    right_start, right_end = strings.starts[right], strings.starts[right + 1]
    left_done = np.zeros(MOST_WORDS, np.bool_)
    right_done = np.zeros(MOST_WORDS, np.bool_)
    gain = _equal_words(strings, left_start, left_end, right_start, right_end, left_done, right_done)
    gain += _short_words(strings, left_start, left_end, right_start, right_end, left_done, right_done)
    gain += _acronyms(strings, left_start, left_end, right_start, right_end, left_done, right_done)
    gain += _acronyms(strings, right_start, right_end, left_start, left_end, right_done, left_done)
    _vouch(strings, runs, left_start, left_end, right_start, right_end, left_done)
    _vouch(strings, runs, right_start, right_end, left_start, left_end, right_done)
    left_over = _left_over(strings, left_start, left_end, left_done)
    right_over = _left_over(strings, right_start, right_end, right_done)
    most = SATURATION * math.log(strings.starts.shape[0])
    return most * (1.0 - math.exp(-gain / most)) - LEFT_OVER * (left_over + right_over)


@kernel
def _equal_words(
    strings: Strings, start: int, end: int, other_start: int, other_end: int, done: Flags, other_done: Flags
) -> float:
    gain = 0.0
    for place in range(start, end):
        for other in range(other_start, other_end):
            if strings.words[place] == strings.words[other] and not other_done[other - other_start]:
                done[place - start] = other_done[other - other_start] = True
                gain += strings.information[strings.words[place]]
                break
    return gain


@kernel
def _short_words(
    strings: Strings, start: int, end: int, other_start: int, other_end: int, done: Flags, other_done: Flags
) -> float:
    gain = 0.0
    for place in range(start, end):
        word = strings.words[place]
        if done[place - start] or strings.is_stop[word]:
            continue
        most, best = 0, -1
        for other in range(other_start, other_end):
            twin = strings.words[other]
            if not other_done[other - other_start] and not strings.is_stop[twin]:
                common = letters_in_common(
                    strings.letters,
                    strings.word_starts[word],
                    strings.word_starts[word + 1],
                    strings.word_starts[twin],
                    strings.word_starts[twin + 1],
                )
                if common > most:
                    most, best = common, other
        if best >= 0:
            done[place - start] = other_done[best - other_start] = True
            told = min(strings.information[word], strings.information[strings.words[best]])
            gain += min(told, LETTER * most)
    return gain


@kernel
def _acronyms(
    strings: Strings, start: int, end: int, other_start: int, other_end: int, done: Flags, other_done: Flags
) -> float:
    """Words of the first string that spell a run of the other; words of the run that are paired off earn nothing."""
    gain = 0.0
    for place in range(start, end):
        word = strings.words[place]
        if done[place - start] or strings.is_stop[word]:
            continue
        for first in range(other_start, other_end):
            size = _run_at(strings, word, first, other_end)
            if size == 0:
                continue
            fresh = 0
            for other in range(first - other_start, first - other_start + size):
                fresh += not other_done[other]
                other_done[other] = True
            done[place - start] = True
            length = strings.word_starts[word + 1] - strings.word_starts[word]
            gain += min(strings.information[word] * fresh / size, LETTER * length)
            break
    return gain


@kernel
def _vouch(
    strings: Strings, runs: Longs, start: int, end: int, other_start: int, other_end: int, done: Flags
) -> None:
    """An acronym paired off vouches for its run, unless the other string says what it stands for there; a run paired
    off vouches for its acronym."""
    for place in range(start, end):
        first, last = runs[place, 0], runs[place, 1]
        if first < 0:
            continue
        if not done[place - start]:
            whole = True
            for given in range(first, last):
                whole = whole and (done[given - start] or strings.is_stop[strings.words[given]])
            done[place - start] = whole
            continue
        explained = False
        for other in range(other_start, other_end):
            explained = explained or (strings.words[other] == strings.words[place] and runs[other, 0] >= 0)
        if not explained:
            done[first - start : last - start] = True


@kernel
def _left_over(strings: Strings, start: int, end: int, done: Flags) -> float:
    """The information of the words not paired off."""
    loss = 0.0
    for place in range(start, end):
        if not done[place - start]:
            loss += strings.information[strings.words[place]]
    return loss


@kernel
def evidence_of_pairs(strings: Strings, runs: Longs, pairs: Longs) -> Floats:
    """`evidence` for each of some pairs of strings, shape (n, 2)."""
    found = np.empty(pairs.shape[0])
    for pair in range(pairs.shape[0]):
        found[pair] = evidence(strings, runs, pairs[pair, 0], pairs[pair, 1])
    return found
