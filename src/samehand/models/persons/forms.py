"""Name forms: the distinct written names of the mentions, how any two relate, and how rare a first name is.

An initial that fits says nothing; equal full names speak for one person, the more the rarer they are; near
ones (a nickname, a beginning, one letter off) and contradictions speak against, how much is learned
(compare.py, weights.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.kernels import bare, kernel
from samehand.models.persons.layout import Bytes, Codes, Floats, Ints, Longs
from samehand.models.persons.nicknames import nickname_groups
from samehand.models.persons.people import RAREST, joined

NOTHING, EQUAL, NEAR, CONFLICT, MISSING = range(5)

FIRST, MIDDLE, LAST = range(3)
"""The planes of a block's `relations`."""

SHORTEST_NEAR = 4
"""Shorter words one letter apart are different words."""

_SPACE = 32


@dataclass(frozen=True)
class Forms:
    """The form of each mention; the words of each form (-1: none); and the words themselves.

    Word w is `letters[begin[w] : begin[w + 1]]`; `rarity[w]` is -ln p(first name | its initial), at most
    RAREST; words of one `nickname` group (not -1) may be one name.
    """

    of_mention: Ints
    words: Ints  # (forms, 3): first, middle, last
    letters: Bytes
    begin: Longs
    rarity: Floats
    nickname: Ints


def name_forms(names: pl.DataFrame, of_mention: Ints, rarity: pl.DataFrame) -> Forms:
    """The forms of mentions, each of which has a row of `names` (columns first, middle, last).

    `rarity` is that of first names in the whole library (people.Census).
    """
    plain = names.select(
        first=joined("first"),
        middle=pl.col("middle").fill_null("").str.replace_all("-", " "),
        last=joined("last"),
    )
    forms = plain.unique().sort("first", "middle", "last").with_row_index("form")
    of_name = plain.join(forms, on=["first", "middle", "last"], maintain_order="left")["form"].to_numpy()
    words = pl.concat([forms[name] for name in ("first", "middle", "last")]).unique().sort()
    columns = [_numbers(forms[name], words) for name in ("first", "middle", "last")]
    encoded = [word.encode() for word in words]
    return Forms(
        of_mention=of_name[of_mention].astype(np.int32),
        words=np.stack(columns, axis=1),
        letters=np.frombuffer(b"".join(encoded) + b"\0", np.uint8),
        begin=np.concatenate([[0], np.cumsum([len(word) for word in encoded])]).astype(np.int64),
        rarity=rarities(words, rarity),
        nickname=nickname_groups(words),
    )


def _numbers(column: pl.Series, words: pl.Series) -> Ints:
    """Each value's place among the words, -1 for the empty one."""
    table = pl.DataFrame({"word": words, "number": pl.int_range(words.len(), dtype=pl.Int32, eager=True)})
    found = column.to_frame("word").join(table, on="word", maintain_order="left")
    return (
        found.select(pl.when(pl.col("word") == "").then(-1).otherwise("number"))
        .to_series()
        .to_numpy()
        .astype(np.int32)
    )


def rarities(words: pl.Series, rarity: pl.DataFrame) -> Floats:
    """The rarity of each word as a first name; one that is nobody's first name is of the rarest."""
    table = (
        words.hash(0).alias("first").to_frame().join(rarity, on="first", how="left", maintain_order="left")
    )
    return table["rarity"].fill_null(RAREST).to_numpy().astype(np.float64)


@bare
def within_one_edit(letters: Bytes, a: int, a_end: int, b: int, b_end: int) -> bool:
    """Whether one letter inserted, deleted or changed, or two neighbours swapped, makes the words equal."""
    while a < a_end and b < b_end and letters[a] == letters[b]:
        a += 1
        b += 1
    while a_end > a and b_end > b and letters[a_end - 1] == letters[b_end - 1]:
        a_end -= 1
        b_end -= 1
    if a_end - a <= 1 and b_end - b <= 1:
        return True
    return a_end - a == 2 and b_end - b == 2 and letters[a] == letters[b + 1] and letters[a + 1] == letters[b]


@bare
def begins(letters: Bytes, a: int, a_end: int, b: int, b_end: int) -> bool:
    """Whether the shorter of two words is the beginning of the longer."""
    end = min(a_end, a + b_end - b)
    while a < end and letters[a] == letters[b]:
        a += 1
        b += 1
    return a == end


@bare
def near(letters: Bytes, begin: Longs, nickname: Ints, a: int, b: int) -> bool:
    """Whether two different words may be one name: a nickname, a beginning, or one letter off."""
    if nickname[a] >= 0 and nickname[a] == nickname[b]:
        return True
    if begins(letters, begin[a], begin[a + 1], begin[b], begin[b + 1]):
        return True
    shortest = min(begin[a + 1] - begin[a], begin[b + 1] - begin[b])
    return shortest >= SHORTEST_NEAR and within_one_edit(
        letters, begin[a], begin[a + 1], begin[b], begin[b + 1]
    )


@bare
def relate_first(letters: Bytes, begin: Longs, nickname: Ints, a: int, b: int) -> int:
    """How two first names relate: NOTHING where one is missing or only an initial that fits."""
    if a < 0 or b < 0:
        return NOTHING
    if begin[a + 1] - begin[a] == 1 or begin[b + 1] - begin[b] == 1:
        return NOTHING if letters[begin[a]] == letters[begin[b]] else CONFLICT
    if a == b:
        return EQUAL
    return NEAR if near(letters, begin, nickname, a, b) else CONFLICT


@bare
def relate_middle(letters: Bytes, begin: Longs, a: int, b: int) -> int:
    """How two middle names relate: EQUAL if they agree word by word as far as both go, an initial with its word."""
    if a < 0 or b < 0:
        return NOTHING if a == b else MISSING
    i, j = begin[a], begin[b]
    while i < begin[a + 1] and j < begin[b + 1]:
        if letters[i] != letters[j]:
            if letters[i] != _SPACE and letters[j] != _SPACE:
                return CONFLICT
            while i < begin[a + 1] and letters[i] != _SPACE:
                i += 1
            while j < begin[b + 1] and letters[j] != _SPACE:
                j += 1
        i += 1
        j += 1
    return EQUAL


@kernel
def relate_forms(words: Ints, letters: Bytes, begin: Longs, nickname: Ints, forms: Ints) -> Codes:
    """The relations of all pairs of a block's forms: planes FIRST, MIDDLE and LAST (EQUAL or NEAR)."""
    count = forms.shape[0]
    relations = np.empty((3, count, count), np.int8)
    for p in range(count):
        for q in range(count):
            a, b = words[forms[p]], words[forms[q]]
            relations[FIRST, p, q] = relate_first(letters, begin, nickname, a[FIRST], b[FIRST])
            relations[MIDDLE, p, q] = relate_middle(letters, begin, a[MIDDLE], b[MIDDLE])
            relations[LAST, p, q] = EQUAL if a[LAST] == b[LAST] else NEAR
    return relations
