"""The tree of sub-entities of an entity: which mentions came together first, and how probable each joining is.

Of an author it is the author model's own history: the joins that its search of the block made, each with its probability
1 / (1 + exp(-score / temperature)). What that search alone would not have joined (names of different blocks, a curator's
word, another model) hangs at the top, the likeliest joins first. Papers and venues divide by spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from samehand.models.persons.history import Joins
from samehand.models.persons.stage import Stage
from samehand.publish.vote import spelling_key

MOST_LEAVES = 12
"""So many groups of mentions are shown apart; what is joined more surely stays together."""

SURE = 0.999
"""Joins at least so probable are never shown."""

MOST_PIECES = 40
"""Of more pieces that the search did not join, the smallest are joined without being compared."""


@dataclass(frozen=True)
class Branch:
    """Mentions that are one person up to here: how probable that is (None: not known), and the parts they consist of."""

    mentions: tuple[str, ...]
    probability: float | None = None
    parts: tuple[Branch, ...] = ()

    @property
    def weakest(self) -> float:
        """The least probability of all joins in it; 1 if there are none.

        >>> leaf = Branch(("x",))
        >>> Branch(("x", "y", "z"), 0.9, (Branch(("x", "y"), 0.2, (leaf, Branch(("y",)))), Branch(("z",)))).weakest
        0.2
        """
        least, waiting = 1.0, [self]
        while waiting:
            branch = waiting.pop()
            least = min(least, 1.0 if branch.probability is None else branch.probability)
            waiting.extend(branch.parts)
        return least


def author_branches(stage: Stage, mentions: Sequence[str], most: int = MOST_LEAVES) -> Branch:
    """The tree of an author's mentions, cut so that at most so many groups hang on it."""
    places = dict(zip(stage.positions(mentions), mentions, strict=True))
    temperature = stage.opened.weights.temperature
    joins = stage.opened.search(stage.same, stage.apart)
    pieces = _grown(joins, places, temperature)

    def probability(left: Branch, right: Branch) -> float:
        score = stage.opened.score(stage.positions(left.mentions), stage.positions(right.mentions))
        return _logistic(score / temperature)

    while len(pieces) > MOST_PIECES:
        *pieces, left, right = sorted(pieces, key=lambda piece: -len(piece.mentions))
        pieces.append(_joined(left, right, probability(left, right)))
    return pruned(_topped(pieces, probability), most)


def spelling_branches(names: Mapping[str, str], sure: Mapping[str, float | None]) -> Branch:
    """The mentions of a paper or venue by spelling, the commonest first; `sure` has their probabilities.

    >>> names = {"x": "ICML", "y": "icml", "z": "Machine Learning"}
    >>> [part.mentions for part in spelling_branches(names, dict.fromkeys(names, 0.5)).parts]
    [('x', 'y'), ('z',)]
    """
    keys = spelling_key(pl.Series(list(names.values()), dtype=pl.String)).to_list()
    groups: dict[str, list[str]] = {}
    for mention, key in zip(names, keys, strict=True):
        groups.setdefault(key, []).append(mention)
    if len(groups) == 1:
        return Branch(tuple(names))
    ordered = sorted(groups.values(), key=lambda group: -len(group))
    return Branch(tuple(names), None, tuple(Branch(tuple(group), _mean(group, sure)) for group in ordered))


def pruned(tree: Branch, most: int) -> Branch:
    """The tree with at most so many leaves: divided where it is weakest, and nowhere that is sure.

    >>> pair = Branch(("x", "y"), 0.9, (Branch(("x",)), Branch(("y",))))
    >>> pruned(Branch(("x", "y", "z"), 0.4, (pair, Branch(("z",)))), 2).parts
    (Branch(mentions=('x', 'y'), probability=0.9, parts=()), Branch(mentions=('z',), probability=None, parts=()))
    """
    opened: set[int] = set()
    frontier = [(tree.weakest, tree)] if tree.parts else []
    leaves = 1
    while frontier and leaves < most:
        frontier.sort(key=lambda pair: pair[0])
        weakest, branch = frontier.pop(0)
        if weakest >= SURE and opened:
            break
        opened.add(id(branch))
        leaves += len(branch.parts) - 1
        frontier += [(part.weakest, part) for part in branch.parts if part.parts]
    return _cut(tree, opened)


def _cut(branch: Branch, opened: set[int]) -> Branch:
    """Only as deep as there are open branches: recursion is safe."""
    parts = tuple(_cut(part, opened) for part in branch.parts) if id(branch) in opened else ()
    return Branch(branch.mentions, branch.probability, parts)


def _grown(joins: Joins, places: Mapping[int, str], temperature: float) -> list[Branch]:
    """The pieces that a search made of these mentions (position -> mention)."""
    held = {place: Branch((mention,)) for place, mention in places.items()}
    for (kept, gone), strength in zip(joins.nodes.tolist(), joins.strengths.tolist(), strict=True):
        left, right = held.get(kept), held.pop(gone, None)
        if left is not None and right is not None:
            held[kept] = _joined(left, right, _logistic(strength / temperature))
        elif right is not None:
            held[kept] = right
    return list(held.values())


def _topped(pieces: list[Branch], probability: Callable[[Branch, Branch], float]) -> Branch:
    """One tree of all pieces, the likeliest joined first."""
    known = {(id(left), id(right)): probability(left, right) for left, right in combinations(pieces, 2)}
    while len(pieces) > 1:
        left, right = max(combinations(pieces, 2), key=lambda pair: known[id(pair[0]), id(pair[1])])
        made = _joined(left, right, known[id(left), id(right)])
        pieces = [piece for piece in pieces if piece is not left and piece is not right]
        known |= {(id(piece), id(made)): probability(piece, made) for piece in pieces}
        pieces.append(made)
    return pieces[0]


def _joined(left: Branch, right: Branch, probability: float) -> Branch:
    large, small = sorted((left, right), key=lambda part: -len(part.mentions))
    return Branch(large.mentions + small.mentions, probability, (large, small))


def _logistic(score: float) -> float:
    return float(1.0 / (1.0 + np.exp(-np.clip(score, -500.0, 500.0))))


def _mean(mentions: Sequence[str], sure: Mapping[str, float | None]) -> float | None:
    known = [value for value in (sure[mention] for mention in mentions) if value is not None]
    return sum(known) / len(known) if known else None
