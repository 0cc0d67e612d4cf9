"""Mentions put together from numbers: which of the listed names is an author's own, and the tokens said of him."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from samehand.kernels import bare, kernel
from samehand.models.persons.layout import Bytes, Flags, Hashes, Ints, Longs
from samehand.models.persons.texts import Texts

MOST_COAUTHORS = 50
"""Of a longer list of co-authors, the first so many."""


class Names(NamedTuple):
    """Distinct names: tokens as a co-author (0: none), hashes and lengths of their parts."""

    token: Hashes
    full: Hashes  # with the first name; 0 where only an initial is given
    first: Hashes
    last: Hashes
    initial: Hashes
    first_length: Ints
    middle_length: Ints
    prefixes: tuple[Longs, Bytes]  # see sheets._prefixes
    letters: Hashes  # of the name as written
    blank: Flags


@bare
def _begins(begin: Longs, letters: Bytes, short: int, long: int) -> bool:
    """Whether part `short` of the prefixes is the beginning of part `long`."""
    length = begin[short + 1] - begin[short]
    if begin[long + 1] - begin[long] < length:
        return False
    i = 0
    while i < length and letters[begin[short] + i] == letters[begin[long] + i]:
        i += 1
    return bool(i == length)


@kernel
def fuller_names(starts: Longs, code: Ints, names: Names, row: Longs, own: Ints, alone: Flags) -> Ints:
    """The name of each mention: of a lone author mention, the longest in its list that agrees with what is given."""
    begin, letters = names.prefixes
    found = own.copy()
    for m in range(row.shape[0]):
        mine = own[m]
        if not alone[row[m]] or names.first_length[mine] == 0:
            continue
        longest = names.first_length[mine] + names.middle_length[mine]
        for place in range(starts[row[m]], starts[row[m] + 1]):
            other = code[place]
            length = names.first_length[other] + names.middle_length[other]
            if other == mine or length <= longest or names.last[other] != names.last[mine]:
                continue
            is_initial = names.first_length[mine] == 1 and _begins(begin, letters, 2 * mine, 2 * other)
            agrees = names.first[other] == names.first[mine] or is_initial
            if agrees and _begins(begin, letters, 2 * mine + 1, 2 * other + 1):
                found[m], longest = other, length
    return found


@bare
def _is_himself(names: Names, mine: int, other: int) -> bool:
    """Whether an entry in the list of a lone author mention is the author: his key, and no other first name."""
    is_initial = names.first_length[other] < 2 or names.first_length[mine] < 2
    same = is_initial or names.first[other] == names.first[mine]
    return bool(names.token[other] == names.token[mine] and same)


@bare
def _append(texts: Texts, row: int, tokens: Hashes, used: int) -> int:
    text = texts.of[row]
    for place in range(texts.starts[text], texts.starts[text + 1]):
        tokens[used] = texts.tokens[place]
        used += 1
    return used


@bare
def _length(texts: Texts, row: int) -> int:
    return int(texts.starts[texts.of[row] + 1] - texts.starts[texts.of[row]])


@bare
def _append_coauthors(
    starts: Longs,
    code: Ints,
    names: Names,
    row: int,
    slot: int,
    mine: int,
    alone: bool,
    tokens: Hashes,
    used: int,
) -> int:
    """The tokens of the other authors of a mention's list."""
    few, full = 0, 0
    for place in range(starts[row], starts[row + 1]):
        other = code[place]
        if names.blank[other] or place == starts[row] + slot:
            continue
        if few < MOST_COAUTHORS and not (alone and _is_himself(names, mine, other)):
            few += 1
            if names.token[other] != 0:
                tokens[used] = names.token[other]
                used += 1
        namesake = names.last[other] == names.last[mine] and names.initial[other] == names.initial[mine]
        if full < MOST_COAUTHORS and names.full[other] != 0 and not namesake:
            full += 1
            tokens[used] = names.full[other]
            used += 1
    return used


@kernel
def gather(
    starts: Longs,
    code: Ints,
    names: Names,
    row: Longs,
    slot: Ints,
    own: Ints,
    alone: Flags,
    titles: Texts,
    venues: Texts,
    affiliations: Texts,
    keywords: Texts,
) -> tuple[Longs, Hashes]:
    """The tokens of every mention, and where each begins. Affiliations are of mentions, other texts of references."""
    room = 0
    for m in range(row.shape[0]):
        r = row[m]
        room += 2 * min(starts[r + 1] - starts[r], np.int64(MOST_COAUTHORS))
        room += _length(titles, r) + _length(venues, r) + _length(affiliations, m) + _length(keywords, r)
    begins, tokens, used = np.zeros(row.shape[0] + 1, np.int64), np.empty(room, np.uint64), 0
    for m in range(row.shape[0]):
        r = row[m]
        used = _append_coauthors(starts, code, names, r, slot[m], own[m], alone[r], tokens, used)
        used = _append(titles, r, tokens, used)
        used = _append(venues, r, tokens, used)
        used = _append(affiliations, m, tokens, used)
        used = _append(keywords, r, tokens, used)
        begins[m + 1] = used
    return begins, tokens[:used].copy()
