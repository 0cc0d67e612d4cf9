"""Two venues under one string: its mentions are divided by the words of their titles.

"ISWC" is spelled by Semantic Web as well as by Wearable Computers. Such a string either holds two venues together that
have no other link worth one (then they are parted), or goes with the one while its best link into the other weighs nearly
as much. Each of its mentions goes where its title fits better, by the titles that both have under other strings:

    fit(title, venue) = sum over words w of ln (n(w) + STRENGTH q(w)) / (n + STRENGTH)

with n(w) the times w occurs there, n all words there, q(w) the share of w among all titles. That is done only where
titles are seen to tell the two venues apart: most that they have under other strings must fit their own venue better,
each left out in its turn. Two venues of one field are not divided.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

from samehand.infer.union import connected
from samehand.models.venues.links_forest import Links
from samehand.models.venues.links_items import Items
from samehand.models.venues.links_strings import Floats, Longs

Title = tuple[str, ...]
Titles = dict[int, list[Title]]
"""Item -> the titles of its mentions."""

NEARLY = 1.0
"""A rival venue's best link weighs at most so much less than that of the string's own venue."""

ENOUGH_TITLES = 5
"""Titles that both venues must have under other strings, and the string itself if it is to part them."""

MOST_KNOWN = 300
"""Titles by which a venue is known; more tell little more."""

TITLES_TRIED = 60
"""Titles of a venue that are left out in their turn."""

MOST_PARTED = 500
"""Clusters of more items are not looked through for strings that hold them together."""

STRENGTH = 300.0

MOST_TITLES = 0.8
"""Share of titles that must fit their own venue better than the rival, the mean of both venues."""


def divide_namesakes(cluster: Longs, items: Items, titles: Sequence[str]) -> tuple[Longs, Floats]:
    """The cluster of each mention once namesakes are divided, and the probability of that where one was in question.

    `cluster[i]` is that of item i. Items that a curator decided about are not divided.
    """
    item, links = items.item, items.links
    words = [tuple(title.split()) for title in titles]
    everywhere = _count(words)
    own_titles = _titles_by_item(item, words)
    cluster = part_bridged(cluster, links, items.new, own_titles, everywhere)
    answer, certainty = cluster[item], np.ones(item.shape[0])
    rivals = rival_clusters(cluster, links)
    sure = {number: _sure_titles(held, rivals, own_titles) for number, held in _members(cluster).items()}
    for ambiguous, rival in sorted(rivals.items()):
        at_home, away = sure[int(cluster[ambiguous])], sure[rival]
        if ambiguous not in own_titles or items.decided[ambiguous]:
            continue
        if not told_apart(at_home, away, everywhere):
            continue
        home_words, away_words = _count(at_home), _count(away)
        for mention in np.flatnonzero(item == ambiguous).tolist():
            better = fit(words[mention], away_words, everywhere) - fit(words[mention], home_words, everywhere)
            answer[mention] = rival if better > 0.0 else answer[mention]
            certainty[mention] = 1.0 / (1.0 + math.exp(-abs(better)))
    return answer, certainty


def part_bridged(cluster: Longs, links: Links, new: float, titles: Titles, everywhere: Counter[str]) -> Longs:
    """The clusters, where the two parts of one that have the most titles, and that only one string holds together, are
    told apart by titles.

    The string stays with the part that it is linked to better, and so does all that is not the other part.
    """
    cluster = cluster.copy()
    unused = int(cluster.max(initial=-1)) + 1
    for items in list(_members(cluster).values()):
        if not 3 <= len(items) <= MOST_PARTED:
            continue
        pairs = _strong_pairs(items, links, new)
        for bridge in (item for item in items if len(titles.get(item, ())) >= ENOUGH_TITLES):
            parts = _parts_without(items.index(bridge), items, pairs)
            if len(parts) < 2:
                continue
            largest = sorted(parts, key=lambda part: -len(_distinct(part, titles)))[:2]
            home, away = sorted(largest, key=lambda part: -_best_link(bridge, part, links))
            if told_apart(_distinct(home, titles), _distinct(away, titles), everywhere):
                cluster[away] = unused
                unused += 1
                break
    return cluster


def _strong_pairs(items: list[int], links: Links, new: float) -> Longs:
    """The links within a cluster that weigh more than a root, as places in the list of its items."""
    ends = [links.ends[links.starts[item] : links.starts[item + 1]] for item in items]
    weights = [links.weights[links.starts[item] : links.starts[item + 1]] for item in items]
    start = np.repeat(np.arange(len(items)), [len(end) for end in ends])
    end = np.concatenate(ends)
    kept = np.isin(end, items) & (np.concatenate(weights) > new)
    return np.stack([start[kept], np.searchsorted(items, end[kept])], axis=1)


def _parts_without(bridge: int, items: list[int], pairs: Longs) -> list[list[int]]:
    """The parts into which a cluster falls without the item at place `bridge`."""
    without = pairs[(pairs != bridge).all(axis=1)]
    parts: dict[int, list[int]] = {}
    for place, part in enumerate(connected(len(items), without).tolist()):
        if place != bridge:
            parts.setdefault(part, []).append(items[place])
    return list(parts.values())


def _best_link(bridge: int, part: list[int], links: Links) -> float:
    """The greatest weight of a link from an item to a part."""
    span = slice(links.starts[bridge], links.starts[bridge + 1])
    weights = links.weights[span][np.isin(links.ends[span], part)]
    return float(weights.max(initial=-np.inf))


def told_apart(titles: Sequence[Title], others: Sequence[Title], everywhere: Counter[str]) -> bool:
    """Whether both have ENOUGH_TITLES, and MOST_TITLES fit their own venue, without themselves, better than the other.

    >>> hands, feet = [("the", "thumb")] * 5, [("the", "toe")] * 5
    >>> told_apart(hands, feet, _count(hands + feet)), told_apart(hands, hands, _count(hands))
    (True, False)
    """
    if min(len(titles), len(others)) < ENOUGH_TITLES:
        return False
    shares = _share_at_home(titles, others, everywhere), _share_at_home(others, titles, everywhere)
    return sum(shares) / 2.0 >= MOST_TITLES


def _share_at_home(titles: Sequence[Title], others: Sequence[Title], everywhere: Counter[str]) -> float:
    own, other = _count(titles), _count(others)
    tried = titles[:TITLES_TRIED]
    right = 0
    for title in tried:
        own.subtract(title)
        right += fit(title, own, everywhere) > fit(title, other, everywhere)
        own.update(title)
    return right / len(tried)


def rival_clusters(cluster: Longs, links: Links) -> dict[int, int]:
    """For each item whose best link into another cluster weighs NEARLY as much as into its own, that other cluster."""
    start = np.repeat(np.arange(cluster.shape[0]), np.diff(links.starts))
    inside = cluster[start] == cluster[links.ends]
    own, other = np.full(cluster.shape[0], np.inf), np.full(cluster.shape[0], -np.inf)
    own[start[inside]] = -np.inf
    np.maximum.at(own, start[inside], links.weights[inside])
    np.maximum.at(other, start[~inside], links.weights[~inside])
    rivals: dict[int, int] = {}
    for item in np.flatnonzero(other >= own - NEARLY).tolist():
        span = slice(links.starts[item], links.starts[item + 1])
        outside = cluster[links.ends[span]] != cluster[item]
        best = int(np.argmax(np.where(outside, links.weights[span], -np.inf)))
        rivals[item] = int(cluster[links.ends[span][best]])
    return rivals


def fit(title: Sequence[str], words: Counter[str], everywhere: Counter[str]) -> float:
    """How well a title fits a venue whose titles have these words.

    >>> hands, feet = Counter(["thumb"] * 9), Counter(["toe"] * 9)
    >>> fit(["thumb"], hands, hands + feet) > fit(["thumb"], feet, hands + feet)
    True
    """
    here, all_words = words.total(), everywhere.total()
    return sum(
        math.log((words[word] + STRENGTH * everywhere[word] / all_words) / (here + STRENGTH))
        for word in title
    )


def _count(titles: Sequence[Title]) -> Counter[str]:
    return Counter(word for title in titles for word in title)


def _titles_by_item(item: Longs, words: list[Title]) -> Titles:
    titles: Titles = {}
    for number, title in zip(item.tolist(), words, strict=True):
        if title:
            titles.setdefault(number, []).append(title)
    return titles


def _members(cluster: Longs) -> dict[int, list[int]]:
    """The items of each cluster."""
    members: dict[int, list[int]] = {}
    for item, number in enumerate(cluster.tolist()):
        members.setdefault(number, []).append(item)
    return members


def _sure_titles(items: list[int], rivals: dict[int, int], titles: Titles) -> list[Title]:
    """The distinct titles of a cluster under strings that are not in question themselves."""
    return _distinct([item for item in items if item not in rivals], titles)


def _distinct(items: list[int], titles: Titles) -> list[Title]:
    """The first MOST_KNOWN distinct titles of some items."""
    return list(islice(dict.fromkeys(title for item in items for title in titles.get(item, [])), MOST_KNOWN))
