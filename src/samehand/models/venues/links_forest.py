"""The state of the link model: a forest over items, each linked to the item it is another form of, or to none.

An item is a string with its mentions. Its link i -> j says that i is another form of j; a root, linked to none, is the
first form of a venue; the trees are the venues. (A distance-dependent Chinese restaurant, Blei and Frazier 2011, but
without cycles: two strings that point at each other would count their likeness twice, and want no third.)

    ln P(forest) = sum over links of weight + NEW for each root + sum over trees C of works(C)
    works(C)     = HABIT (P ln P - N ln N) - SHARED P

What appears at C is P works: N mentions in all, each drawn as the venue writes it. A work has one venue: to appear at
one more costs SHARED. So two trees are drawn together by works they share; and they are pushed apart where works come
back under the same forms time and again, never under the other's: if they were one venue, forms would mix.
HABIT is below 1, because people copy each other's references.

Weights are symmetric: a tree may hang from any of its items, at the same probability (`reroot`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from samehand.infer.random import State, uniform
from samehand.kernels import kernel
from samehand.models.venues.links_strings import Floats, Longs

SHARED = 4.5
HABIT = 0.2

MOST_MOVED = 200
"""A link from which more items hang is not drawn anew. What hangs from it does not change when it is, so the chain stays
exact; and a step costs the same in a tree of any size."""

NONE = -1


class Links(NamedTuple):
    """What the sampler is given, about items.

    Item i may be linked to `ends[k]` with `weights[k]`, for k in `starts[i]:starts[i + 1]`, and the other way round.
    It has `mentions[i]` mentions of `own_works[i]` works that no other item has and of the works
    `works[work_starts[i]:work_starts[i + 1]]`, which others have too; `holders` lists the items of each of those.
    `apart` lists the items that a curator keeps apart from each.
    """

    starts: Longs
    ends: Longs
    weights: Floats
    mentions: Floats
    own_works: Floats
    work_starts: Longs
    works: Longs
    holder_starts: Longs
    holders: Longs
    apart_starts: Longs
    apart: Longs


class Forest(NamedTuple):
    """Parents (a root's is itself), children as linked lists, and for each tree its label, mentions and works.

    `free` is a stack of labels not in use, its size in `free_count[0]`.
    """

    parent: Longs
    child: Longs
    right: Longs
    left: Longs
    label: Longs
    tree_mentions: Floats
    tree_works: Floats
    free: Longs
    free_count: Longs


class Notes(NamedTuple):
    """Working space of a step. `clock` counts steps and works, so that marks need no wiping."""

    members: Longs
    shared: Floats
    met: Longs
    work_mark: Longs
    label_mark: Longs
    barred: Longs
    odds: Floats
    clock: Longs


@kernel
def singletons(links: Links) -> Forest:
    """Every item a root."""
    count = links.starts.shape[0] - 1
    own = np.arange(count)
    works = links.own_works + (links.work_starts[1:] - links.work_starts[:-1])
    none = np.full(count, NONE, np.int64)
    free, free_count = np.zeros(count, np.int64), np.zeros(1, np.int64)
    return Forest(
        own, none, none.copy(), none.copy(), own.copy(), links.mentions.copy(), works, free, free_count
    )


@kernel
def blank_notes(links: Links) -> Notes:
    """Working space for any step."""
    count = links.starts.shape[0] - 1
    choices = np.max(links.starts[1:] - links.starts[:-1]) if count else 0
    return Notes(
        np.zeros(count, np.int64),
        np.zeros(count),
        np.zeros(count, np.int64),
        np.zeros(links.holder_starts.shape[0], np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(choices),
        np.zeros(2, np.int64),
    )


@kernel
def cut(forest: Forest, item: int) -> None:
    """Make an item a root, with all that hangs from it; labels and tallies are left to the caller."""
    parent, child, right, left = forest.parent, forest.child, forest.right, forest.left
    if parent[item] == item:
        return
    if left[item] == NONE:
        child[parent[item]] = right[item]
    else:
        right[left[item]] = right[item]
    if right[item] != NONE:
        left[right[item]] = left[item]
    left[item] = right[item] = NONE
    parent[item] = item


@kernel
def hang(forest: Forest, item: int, under: int) -> None:
    """Link a root to an item of another tree; labels and tallies are left to the caller."""
    forest.parent[item] = under
    first = forest.child[under]
    forest.right[item] = first
    if first != NONE:
        forest.left[first] = item
    forest.child[under] = item


@kernel
def reroot(forest: Forest, item: int) -> None:
    """Turn the links on the way from an item to its root, so that the item becomes the root."""
    above, below = forest.parent[item], item
    cut(forest, item)
    while above != below:
        following = forest.parent[above]
        is_root = following == above
        cut(forest, above)
        hang(forest, above, below)
        if is_root:
            return
        above, below = following, above


@kernel
def list_members(forest: Forest, item: int, members: Longs) -> int:
    """The item and all that hangs from it, into `members`; returns how many, at most a little over MOST_MOVED."""
    members[0] = item
    size, place = 1, 0
    while place < size <= MOST_MOVED:
        child = forest.child[members[place]]
        while child != NONE:
            members[size] = child
            size += 1
            child = forest.right[child] if size <= MOST_MOVED else NONE
        place += 1
    return size


@kernel
def scaled_log(x: float) -> float:
    """x ln x, and 0 of nothing."""
    return x * math.log(x) if x > 0.0 else 0.0


@kernel
def works_score(mentions: float, works: float) -> float:
    """`works(C)` of the module's formula, for a tree of so many mentions and works."""
    return HABIT * (scaled_log(works) - scaled_log(mentions)) - SHARED * works


@kernel
def _meet(
    links: Links, forest: Forest, notes: Notes, item: int, size: int, label: int
) -> tuple[float, float, int]:
    """Mentions and works of the items listed in `notes.members`, and how many other trees share works with them.

    Counts shared works by the other tree's label in `notes.shared`, lists those labels in `notes.met`, and bars the
    trees that a curator keeps apart.
    """
    mentions, works, met = 0.0, 0.0, 0
    notes.clock[0] += 1
    for place in range(size):
        member = notes.members[place]
        mentions += links.mentions[member]
        works += links.own_works[member]
        for k in range(links.work_starts[member], links.work_starts[member + 1]):
            work = links.works[k]
            if notes.work_mark[work] == notes.clock[0]:
                continue
            notes.work_mark[work] = notes.clock[0]
            works += 1.0
            met = _meet_holders(links, forest, notes, work, label, met)
        for k in range(links.apart_starts[member], links.apart_starts[member + 1]):
            notes.barred[forest.label[links.apart[k]]] = notes.clock[0]
    return mentions, works, met


@kernel
def _meet_holders(links: Links, forest: Forest, notes: Notes, work: int, label: int, met: int) -> int:
    notes.clock[1] += 1
    for k in range(links.holder_starts[work], links.holder_starts[work + 1]):
        other = forest.label[links.holders[k]]
        if other != label and notes.label_mark[other] != notes.clock[1]:
            notes.label_mark[other] = notes.clock[1]
            if notes.shared[other] == 0.0:
                notes.met[met] = other
                met += 1
            notes.shared[other] += 1.0
    return met


@kernel
def relink(
    links: Links, forest: Forest, notes: Notes, random: State, item: int, new: float, temperature: float
) -> None:
    """One Gibbs step: cut the item's link, with all that hangs from it, and draw it anew, given all other links."""
    size = list_members(forest, item, notes.members)
    if size > MOST_MOVED:
        return
    old = forest.label[item]
    own = old
    if forest.parent[item] != item:
        forest.free_count[0] -= 1
        own = forest.free[forest.free_count[0]]
    cut(forest, item)
    for place in range(size):
        forest.label[notes.members[place]] = own
    mentions, works, met = _meet(links, forest, notes, item, size, own)
    if own != old:
        forest.tree_mentions[old] -= mentions
        forest.tree_works[old] -= works - notes.shared[old]
    forest.tree_mentions[own], forest.tree_works[own] = mentions, works
    chosen = _draw(links, forest, notes, random, item, new, temperature)
    if chosen != item:
        _join(forest, notes, item, chosen, size, own)
    for place in range(met):
        notes.shared[notes.met[place]] = 0.0


@kernel
def _draw(
    links: Links, forest: Forest, notes: Notes, random: State, item: int, new: float, temperature: float
) -> int:
    """What to link a cut item to, itself for none: in proportion to exp(gain / temperature)."""
    start, own = links.starts[item], forest.label[item]
    choices = links.starts[item + 1] - start
    most = new
    for k in range(choices):
        other = forest.label[links.ends[start + k]]
        if other == own or notes.barred[other] == notes.clock[0]:
            notes.odds[k] = -np.inf
            continue
        gain = links.weights[start + k] + _gain_of_works(forest, own, other, notes.shared[other])
        notes.odds[k] = gain
        most = max(most, gain)
    total = math.exp((new - most) / temperature)
    for k in range(choices):
        notes.odds[k] = math.exp((notes.odds[k] - most) / temperature)
        total += notes.odds[k]
    rest = uniform(random) * total
    chosen = item
    for k in range(choices):
        rest -= notes.odds[k]
        if rest < 0.0:
            chosen = links.ends[start + k]
            break
    return chosen


@kernel
def _gain_of_works(forest: Forest, own: int, other: int, shared: float) -> float:
    """The change of the sum of `works` when two trees become one."""
    mentions, works = forest.tree_mentions[own], forest.tree_works[own]
    more_mentions, more_works = forest.tree_mentions[other], forest.tree_works[other]
    together = works_score(mentions + more_mentions, works + more_works - shared)
    return together - works_score(mentions, works) - works_score(more_mentions, more_works)


@kernel
def _join(forest: Forest, notes: Notes, item: int, under: int, size: int, own: int) -> None:
    label = forest.label[under]
    hang(forest, item, under)
    for place in range(size):
        forest.label[notes.members[place]] = label
    forest.tree_mentions[label] += forest.tree_mentions[own]
    forest.tree_works[label] += forest.tree_works[own] - notes.shared[label]
    forest.tree_mentions[own] = forest.tree_works[own] = 0.0
    forest.free[forest.free_count[0]] = own
    forest.free_count[0] += 1
