"""From venue mentions to the items of the link model and their possible links.

Mentions with one string are one item. A mention that a curator decided about is an item of its own, together with those
decided to be the same: it is linked to the item of its string by their likeness, not bound to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from math import log
from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.curate.constraints import Constraints
from samehand.infer.union import connected
from samehand.models.venues.links_candidates import candidate_pairs
from samehand.models.venues.links_forest import Links
from samehand.models.venues.links_match import evidence_of_pairs, runs_within
from samehand.models.venues.links_strings import (
    Flags,
    Floats,
    Longs,
    Words,
    group_equal,
    lay_out,
    telling,
    written_words,
)
from samehand.models.venues.links_works import editions_of, lay_out_works, sharing_pairs, titles_of

NEW_VENUE = -3.5
"""A root weighs this more than ln(strings), which would make it as likely as a link to a string chosen blindly."""

WORST_LINK = -8.0
"""No link weighs less than this below a root: one that would is left out, or raised if the strings share a work."""


class Items(NamedTuple):
    """The item of each mention, the links between items, the weight of a root, the titles that name works, and which
    items a curator decided about."""

    item: Longs
    links: Links
    new: float
    titles: pl.DataFrame
    decided: Flags


def make_items(mentions: pl.DataFrame, constraints: Constraints) -> Items:
    """The items of venue mentions (schema `normalise.mentions.VENUES`)."""
    written = written_words(mentions)
    keys = [telling(words) or (name,) for words, name in zip(written, mentions["name"], strict=True)]
    string = group_equal(keys)
    item, decided, apart = _bind(string, constraints)
    count = int(item.max(initial=-1)) + 1
    titles = titles_of(mentions, string)
    spelled = _spelled_out(string, [words or key for words, key in zip(written, keys, strict=True)])
    new = log(max(len(spelled), 1)) + NEW_VENUE
    pairs, weights = _weigh(spelled, sharing_pairs(titles), new + WORST_LINK)
    starts, ends, weights = _between_items(pairs, weights, string, item, count)
    works = lay_out_works(pl.concat([titles.select("mention", "work"), editions_of(written)]), item, count)
    return Items(item, Links(starts, ends, weights, *works, *_listed(apart, count)), new, titles, decided)


def _bind(string: Longs, constraints: Constraints) -> tuple[Longs, Flags, Longs]:
    """The item of each mention, which items a curator decided about, and the pairs of them to be kept apart."""
    group = connected(string.shape[0], (), constraints.same)
    decided = np.zeros(string.shape[0], np.bool_)
    decided[constraints.same.ravel()] = True
    decided[constraints.different.ravel()] = True
    keys: list[Hashable] = list(string.tolist())
    for mention in np.flatnonzero(decided).tolist():
        keys[mention] = ("decided", int(group[mention]))
    item = group_equal(keys)
    decided_items = np.zeros(int(item.max(initial=-1)) + 1, np.bool_)
    decided_items[item[decided]] = True
    return item, decided_items, item[constraints.different]


def _spelled_out(string: Longs, written: list[Words]) -> list[Words]:
    """For each string the most frequent way to write it, stop words included; of several, the first."""
    ways: list[Counter[Words]] = [Counter() for _ in range(int(string.max(initial=-1)) + 1)]
    for number, words in zip(string.tolist(), written, strict=True):
        ways[number][words] += 1
    return [way.most_common(1)[0][0] for way in ways]


def _weigh(spelled: list[Words], sharing: Longs, least: float) -> tuple[Longs, Floats]:
    """Pairs of strings that may be linked, each string with itself among them, and the weights of the links."""
    strings = lay_out(spelled)
    themselves = np.repeat(np.arange(len(spelled), dtype=np.int64)[:, None], 2, axis=1)
    near = np.concatenate([candidate_pairs(strings), themselves])
    runs = runs_within(strings)
    weights = evidence_of_pairs(strings, runs, near)
    near, weights = near[weights > least], weights[weights > least]
    shared = np.maximum(evidence_of_pairs(strings, runs, sharing), least)
    return np.concatenate([near, sharing]), np.concatenate([weights, shared])


def _between_items(
    pairs: Longs, weights: Floats, string: Longs, item: Longs, count: int
) -> tuple[Longs, Longs, Floats]:
    """Links between items, both ways, of the best of their strings' weights, as `Links` lists them."""
    members = pl.DataFrame({"item": item, "string": string}).unique()
    table = pl.DataFrame({"left": pairs[:, 0], "right": pairs[:, 1], "weight": weights})
    there = (
        table.join(members.rename({"item": "start"}), left_on="left", right_on="string")
        .join(members.rename({"item": "end"}), left_on="right", right_on="string")
        .filter(pl.col("start") != pl.col("end"))
        .select("start", "end", "weight")
    )
    back = there.select(start="end", end="start", weight="weight")
    best = pl.concat([there, back]).group_by("start", "end").agg(pl.col("weight").max()).sort("start", "end")
    starts = np.searchsorted(best["start"].to_numpy(), np.arange(count + 1)).astype(np.int64)
    return starts, best["end"].to_numpy().astype(np.int64), best["weight"].to_numpy().astype(np.float64)


def _listed(pairs: Longs, count: int) -> tuple[Longs, Longs]:
    """Pairs as a list for each of `count` items: starts and ends."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    both = both[np.lexsort((both[:, 1], both[:, 0]))]
    return np.searchsorted(both[:, 0], np.arange(count + 1)).astype(np.int64), both[:, 1].copy()
