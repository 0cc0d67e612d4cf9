"""From mentions to what the samplers seat: items.

An item is one mention, or several that nothing may part: identical in venue string and in title (the paper collapses
those; a missing title is identical to none), or joined by a curator. It counts once. Its `form` is its string; of
several strings joined by a curator, the form is their set, and speaks through the one that explains them best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.errors import UsageError
from samehand.infer.union import connected
from samehand.models.baseline import chain as neighbours
from samehand.models.venues.edit import Reals, likeness, unigram_prior
from samehand.models.venues.words import Numbers, Offsets, number_words, venue_words

MOST_STRINGS = 12_000
"""The edit model compares every two distinct strings: this many take a gigabyte, and minutes."""


class Data(NamedTuple):
    """What the kernels see of items.

    `likeness[f, g]` is the log probability of form f given that the canonical string is that of form g, and `prior[g]`
    that of its being one. The title
    words of item i are `words[p]`, each `counts[p]` times, for p in `starts[i]:starts[i + 1]`; the items that a
    curator keeps apart from item i are `apart[apart_starts[i]:apart_starts[i + 1]]`.
    """

    form: Numbers
    likeness: Reals
    prior: Reals
    starts: Offsets
    words: Numbers
    counts: Numbers
    apart_starts: Offsets
    apart: Numbers


@dataclass(frozen=True)
class Items:
    """The items of some mentions: `item[m]` is that of mention m; `vocabulary` are the title words."""

    item: Offsets
    data: Data
    vocabulary: list[str]


def make_items(blocked: Blocked, constraints: Constraints, *, titles: bool, unigram: bool = False) -> Items:
    """The items of venue mentions (schema `normalise.mentions.VENUES`), with their titles' words or without.

    Canonical strings are uniform over all strings, which is improper (p(x) = 1), as the paper's samplers have it; or,
    with `unigram`, as its section 2.1 has it, words drawn uniformly: p(x) = p(x | the empty string) of the edit model.
    """
    mentions = blocked.mentions
    string, strings = _strings(mentions["name"].to_list())
    known = pl.DataFrame({"string": string, "title": mentions["title_key"].replace("", None)})
    equal = neighbours(known, ["string", "title"]).to_numpy()
    item = connected(mentions.height, equal, constraints.same, constraints.different)
    count = int(item.max(initial=-1)) + 1
    numbered = number_words(strings)
    form, table, speakers = join_forms(_strings_of(string, item, count), likeness(numbered))
    prior = unigram_prior(numbered)[speakers] if unigram else np.zeros(len(speakers))
    keys = mentions["title_key"] if titles else pl.repeat("", mentions.height, eager=True)
    vocabulary, starts, words, counts = _title_words(keys, item, count)
    data = Data(form, table, prior, starts, words, counts, *_kept_apart(item[constraints.different], count))
    return Items(item, data, vocabulary)


def _strings(names: list[str]) -> tuple[list[int], list[tuple[str, ...]]]:
    """The number of each mention's string, and the distinct strings."""
    words = {name: venue_words(name) for name in dict.fromkeys(names)}
    number = {string: place for place, string in enumerate(dict.fromkeys(words.values()))}
    if len(number) > MOST_STRINGS:
        raise UsageError(
            f"{len(number):,} distinct venue strings: the published venue models compare every two of them and take"
            f" at most {MOST_STRINGS:,}; use the default model"
        )
    return [number[words[name]] for name in names], list(number)


def _strings_of(string: list[int], item: Offsets, count: int) -> list[tuple[int, ...]]:
    """The distinct strings of each item."""
    found: list[set[int]] = [set() for _ in range(count)]
    for place, number in zip(item.tolist(), string, strict=True):
        found[place].add(number)
    return [tuple(sorted(strings)) for strings in found]


def join_forms(strings_of: Sequence[tuple[int, ...]], table: Reals) -> tuple[Numbers, Reals, list[int]]:
    """The form of each item from the strings it has, the table of forms from that of strings, and each form's own string.

    >>> form, table, own = join_forms([(0,), (0, 1), (0,)], np.log(np.array([[0.5, 0.2], [0.1, 0.6]])))
    >>> form.tolist(), np.exp(table).round(3).tolist(), own
    ([0, 1, 0], [[0.5, 0.2], [0.05, 0.12]], [0, 1])
    """
    sets = list(dict.fromkeys(strings_of))
    number = {strings: place for place, strings in enumerate(sets)}
    rows = np.array([table[list(strings)].sum(axis=0) for strings in sets]).reshape(len(sets), len(table))
    speaker = [max(strings, key=row.__getitem__) for strings, row in zip(sets, rows, strict=True)]
    form = np.array([number[strings] for strings in strings_of], np.int32)
    return form, np.ascontiguousarray(rows[:, speaker]), speaker


def _title_words(keys: pl.Series, item: Offsets, count: int) -> tuple[list[str], Offsets, Numbers, Numbers]:
    """The vocabulary, and the words of each item's distinct titles."""
    words = (
        pl.DataFrame({"item": item, "title": keys})
        .filter(pl.col("title") != "")
        .unique(maintain_order=True)
        .select("item", word=pl.col("title").str.split(" "))
        .explode("word")
    )
    vocabulary = words["word"].unique().sort()
    counted = (
        words.select("item", word=pl.col("word").cast(pl.Enum(vocabulary)).to_physical())
        .group_by("item", "word")
        .len("count")
        .sort("item", "word")
    )
    sizes = np.bincount(counted["item"].to_numpy(), minlength=count)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    numbers, counts = (counted[column].to_numpy().astype(np.int32) for column in ("word", "count"))
    return vocabulary.to_list(), starts, numbers, counts


def _kept_apart(pairs: Offsets, count: int) -> tuple[Offsets, Numbers]:
    """For each item, the items that must not share its cluster."""
    enemies: list[set[int]] = [set() for _ in range(count)]
    for left, right in pairs.tolist():
        enemies[left].add(right)
        enemies[right].add(left)
    starts = np.cumsum([0, *(len(found) for found in enemies)], dtype=np.int64)
    return starts, np.array(list(chain.from_iterable(map(sorted, enemies))), np.int32)
