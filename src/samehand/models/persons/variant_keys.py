"""Pairs of persons of different blocks whose names may be one name, written otherwise.

They are found by joins on keys, never by looking at all pairs:

| kind | the names | the key that brings them together |
|---|---|---|
| spelled | Müller / Mueller, van den Berg / Berg, Sanz-Ruiz / Sanz Ruiz | first name, plain last name |
| rearranged | Ana Ruiz Sanz (last name Sanz) / Ana Ruiz Sanz (last name Ruiz Sanz) | first name, all words, sorted |
| reordered | Wei Zhang / Zhang Wei | all words, sorted |
| moved | Ana Ruiz Sanz (last name Sanz) / Ana Ruiz | first name, a last name that is the other's middle name |
| doubled | Sanz Ruiz / Sanz | first name, a word of the last name |
| dropped | H. Cem Aydin / Cem Aydin | first name that is the other's middle name, plain last name |
| nicknamed | Robert Lund / Bob Lund | group of nicknames, plain last name |
| misspelt | Lafferty / Lafrerty | first name, plain last name without one letter |

In the kinds that end in `_initial` the first name is known by its initial only, on one side at least. A key that
more than MOST_PERSONS names have brings no pairs: the work is linear in the number of names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import polars as pl
from rapidfuzz.distance import OSA
from rapidfuzz.process import cpdist

from samehand.models.persons.nicknames import nickname_groups
from samehand.normalise.name_words import PARTICLES, SUFFIXES

KINDS = (
    "spelled", "rearranged", "doubled", "moved", "reordered", "dropped", "nicknamed", "misspelt",
    "spelled_initial", "moved_initial", "doubled_initial", "misspelt_initial",
)  # fmt: skip
"""The kinds of variants; a pair that several bring is of the first of them."""

ALIGNED = np.array([kind in ("reordered", "dropped", "nicknamed") for kind in KINDS]).astype(np.int8)
"""1 for the kinds that say themselves how the first names relate."""

ACROSS = ("reordered", "dropped", "nicknamed")
"""The kinds whose names may begin with different initials."""

MOST_PERSONS = 100
"""A key that more names have is too common to say anything."""

SHORTEST_MISSPELT = 5
"""A shorter last name one letter off is another name."""

SHORTEST_WORD = 3
"""Shorter words of a name are initials, or too common to be looked for elsewhere."""

LONGEST_NAME = 100
"""A longer name is no person's, or not one name."""

_SUFFIXES = {written: shown.lower() for written, shown in SUFFIXES.items()}

_SMALL = sorted(PARTICLES)
_UMLAUTS = {"ae": "a", "oe": "o", "ue": "u", "ss": "s"}


def candidates(names: pl.DataFrame, kinds: Collection[str] = KINDS) -> pl.DataFrame:
    """Columns one, other (persons, one < other), kind (a place in KINDS), form (one with the first name they share).

    `names` has columns person, block, form, first, middle, last: each written name of each person once.

    >>> names = pl.DataFrame({"person": [0, 1, 2], "block": [0, 1, 2], "form": [0, 1, 2], "first": ["ida"] * 3,
    ...     "middle": [""] * 3, "last": ["muller", "mueller", "miller-orr"]})
    >>> candidates(names).rows()
    [(0, 1, 0, 0)]
    """
    table = _described(names)
    return first_kinds(
        _pairs_of(kind, table).select("one", "other", "form", kind=pl.lit(KINDS.index(kind), pl.Int32))
        for kind in KINDS
        if kind in kinds
    )


def candidates_across(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """`candidates` of the kinds ACROSS among the names of all parts, of which only the keys are held."""
    held: dict[str, list[tuple[pl.DataFrame, pl.DataFrame | None]]] = {kind: [] for kind in ACROSS}
    for names in parts:
        table = _described(names)
        for kind, keys in held.items():
            left, right = _keys_of(kind, table)
            keys.append((_hashed(left), None if right is None else _hashed(right)))
    return first_kinds(
        _pairs(pl.concat(left for left, _ in keys), _concat_some(right for _, right in keys)).with_columns(
            kind=pl.lit(KINDS.index(kind), pl.Int32)
        )
        for kind, keys in held.items()
    )


def _hashed(keyed: pl.DataFrame) -> pl.DataFrame:
    return keyed.select("person", "block", "form", key=pl.col("key").hash(0))


def _concat_some(frames: Iterable[pl.DataFrame | None]) -> pl.DataFrame | None:
    known = [frame for frame in frames if frame is not None]
    return pl.concat(known) if known else None


def first_kinds(found: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Candidates of several kinds as one table, each pair once, of the first kind that brings it."""
    return (
        pl.concat(found)
        .select("one", "other", "kind", "form")
        .sort("one", "other", "kind", "form")
        .unique(["one", "other"], keep="first", maintain_order=True)
    )


def _described(names: pl.DataFrame) -> pl.DataFrame:
    """The names with their given words after the first, the plain words of their last names, and these in one."""
    given = _plain(pl.concat_str("first", "middle", separator=" ").str.strip_chars())
    last = _plain(pl.col("last"))
    bare = last.list.eval(
        pl.element().filter(~pl.element().is_in(_SMALL) & (pl.element().str.len_bytes() > 1))
    )
    words = pl.when(bare.list.len() > 0).then(bare).otherwise(last)
    described = names.select(
        "person", "block", "form",
        first=_plain(pl.col("first")).list.join(""),
        given=given.list.slice(1),
        words=words,
        every=pl.concat_list(given, words).list.sort().list.join(" "),
        whole=last.list.join(""),
    )  # fmt: skip
    named = described.filter(
        (pl.col("first") != "") & (pl.col("whole") != "") & (pl.col("every").str.len_bytes() <= LONGEST_NAME)
    )
    return named.with_columns(plain=pl.col("words").list.join(""))


def _plain(part: pl.Expr) -> pl.Expr:
    """The words of a part of a name, umlauts folded and suffixes written in one way."""
    words = part.str.replace_all("-", " ").str.replace_many(_UMLAUTS).str.split(" ")
    return words.list.eval(pl.element().replace(_SUFFIXES))


def _pairs_of(kind: str, table: pl.DataFrame) -> pl.DataFrame:
    """The pairs of one kind."""
    full, short, initials = _full(table), _short(table), _initials(table)
    if kind == "doubled":
        return _doubled(_several(full), full)
    if kind == "doubled_initial":
        return pl.concat([_doubled(_several(short), initials), _doubled(_several(initials), short)])
    if kind == "misspelt":
        return _misspelt(full, full)
    if kind == "misspelt_initial":
        return _begun_alike(_misspelt(short, initials))
    return _pairs(*_keys_of(kind, table))


def _keys_of(kind: str, table: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Names with the keys under which a kind looks for them among other names; if there are none, among themselves."""
    full, first = _full(table), pl.col("first")
    if kind == "moved":
        return _keyed(_lasts(full), first, "word"), _keyed(_givens(full), first, "word")
    if kind == "dropped":
        return _keyed(full, first, "plain"), _keyed(_givens(table), "word", "plain")
    if kind == "spelled_initial":
        return _spelled(_short(table)), _spelled(_initials(table))
    if kind == "moved_initial":
        return _keyed(_lasts(_short(table)), first, "word"), _keyed(_givens(_initials(table)), first, "word")
    if kind == "spelled":
        return _spelled(full), None
    if kind == "nicknamed":
        return _nicknamed(full), None
    return _keyed(full, first if kind == "rearranged" else pl.lit(""), "every"), None


def _full(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(pl.col("first").str.len_bytes() > 1)


def _short(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(pl.col("first").str.len_bytes() == 1)


def _initials(table: pl.DataFrame) -> pl.DataFrame:
    return table.with_columns(pl.col("first").str.head(1))


def _keyed(table: pl.DataFrame, one: str | pl.Expr, other: str | pl.Expr) -> pl.DataFrame:
    return table.with_columns(key=pl.concat_str(one, other, separator="|"))


def _spelled(table: pl.DataFrame) -> pl.DataFrame:
    """By the plain last name, and by the whole one where that is longer: "Ben Hamad" is "Hamad" and "Benhamad"."""
    longer = table.filter(pl.col("whole") != pl.col("plain"))
    return pl.concat([_keyed(table, "first", "plain"), _keyed(longer, "first", "whole")])


def _nicknamed(full: pl.DataFrame) -> pl.DataFrame:
    known = full.with_columns(group=pl.Series(nickname_groups(full["first"]))).filter(pl.col("group") >= 0)
    return _keyed(known, "group", "plain").drop("group")


def _several(table: pl.DataFrame) -> pl.DataFrame:
    return table.filter(pl.col("words").list.len() > 1)


def _lasts(table: pl.DataFrame) -> pl.DataFrame:
    return _exploded(table, "words")


def _givens(table: pl.DataFrame) -> pl.DataFrame:
    return _exploded(table, "given")


def _exploded(table: pl.DataFrame, column: str) -> pl.DataFrame:
    """A row for each long enough word of a list, as column word."""
    long = table.filter(pl.col(column).list.len() > 0).with_columns(word=column)
    return long.explode("word").filter(pl.col("word").str.len_bytes() >= SHORTEST_WORD)


def _doubled(several: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """Last names of several words with those that have nothing but some of these words; a suffix may not be left out."""
    pairs = _pairs(_keyed(_lasts(several), "first", "word"), _keyed(_lasts(table), "first", "word"), "words")
    left_out = pl.col("words").list.set_difference("words_other")
    suffixes = left_out.list.set_intersection(pl.lit(sorted(set(_SUFFIXES.values()))))
    beside = pl.col("words_other").list.set_difference("words")
    return pairs.filter((beside.list.len() == 0) & (suffixes.list.len() == 0))


def _misspelt(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Long last names one edit apart."""
    pairs = _pairs(_shortened(one), _shortened(other), "plain")
    far = cpdist(
        pairs["plain"].to_list(), pairs["plain_other"].to_list(), scorer=OSA.distance, score_cutoff=1
    )
    return pairs.filter(pl.Series(far) == 1) if pairs.height else pairs


def _begun_alike(pairs: pl.DataFrame) -> pl.DataFrame:
    """Slips of the pen seldom hit the first letter: with only an initial before it, such names are different."""
    return pairs.filter(pl.col("plain").str.head(1) == pl.col("plain_other").str.head(1))


def _shortened(table: pl.DataFrame) -> pl.DataFrame:
    """A key for each letter left out of the plain last name, and one for the whole."""
    long = table.filter(pl.col("plain").str.len_bytes() >= SHORTEST_MISSPELT)
    names = long.select(
        "person", "block", "form", "first", "plain", place=pl.int_ranges(pl.col("plain").str.len_bytes() + 1)
    )
    shorter = pl.concat_str(pl.col("plain").str.head("place"), pl.col("plain").str.slice(pl.col("place") + 1))
    keyed = names.explode("place").select(
        "person", "block", "form", "plain", key=pl.concat_str("first", shorter, separator="|").hash(0)
    )
    return keyed.unique(["person", "form", "key"], maintain_order=True)


def _pairs(left: pl.DataFrame, right: pl.DataFrame | None = None, beside: str | None = None) -> pl.DataFrame:
    """The pairs of persons of different blocks with a common key, and what both have in the column `beside`."""
    kept = ["person", "block", "form", "key", *([beside] if beside else [])]
    left, right = left.select(kept), None if right is None else right.select(kept)
    both = left if right is None else pl.concat([left, right])
    useful = both.group_by("key").agg(
        names=pl.len(), lowest=pl.col("block").min(), highest=pl.col("block").max()
    ).filter((pl.col("names") <= MOST_PERSONS) & (pl.col("lowest") < pl.col("highest")))  # fmt: skip
    held = left.join(useful, on="key", how="semi")
    pairs = held.join(left if right is None else right, on="key", suffix="_other")
    return pairs.filter(pl.col("block") != pl.col("block_other")).select(
        "form", *([beside, f"{beside}_other"] if beside else []),
        one=pl.min_horizontal("person", "person_other"),
        other=pl.max_horizontal("person", "person_other"),
    )  # fmt: skip
