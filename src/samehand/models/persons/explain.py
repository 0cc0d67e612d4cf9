"""Why two authors are one person, or not: what the score of joining them is made of, in words.

A mention stands for itself, an entity for all its mentions. Of two that are apart, the join that was not made is
explained; of one person:

- an entity named twice: the weakest of the joins that made it, which is what to doubt first;
- two of its mentions: the join at which they came together;
- a mention and its own entity: the mention and all the others;
- an entity, or two mentions, whose names stand in different blocks (variants.py): the commonest block and the others, or
  the blocks of the two.

Score and probability are the author model's, with the weights of the last run, the frequencies of the whole library and
the prior of the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import orjson
import polars as pl

from samehand.errors import UsageError
from samehand.models.persons.backdrop import Backdrop
from samehand.models.persons.bars import bars
from samehand.models.persons.explanation import Explanation, Side
from samehand.models.persons.history import Joins, meeting, pieces, sides_at, weakest
from samehand.models.persons.layout import Ints
from samehand.models.persons.stage import Stage
from samehand.models.persons.weights import Weights, default, load

if TYPE_CHECKING:
    from samehand.library import Entity, Library


def explain(library: Library, a: str, b: str, backdrop: Backdrop | None = None) -> Explanation:
    """Why two author mentions or author entities of a library are one person, or not.

    Who asks often makes the `backdrop` of the library once.

    >>> import samehand, tempfile
    >>> from samehand.records import Reference, references_frame
    >>> papers = [
    ...     Reference("a.bib", n, id=f"x{n}", title="On hands", authors=["Ann Lee", "Bo Day"]) for n in (1, 2)
    ... ]
    >>> records = samehand.Records(references_frame(papers), samehand.read([]).rejects)
    >>> with tempfile.TemporaryDirectory() as folder, samehand.Library(f"{folder}/my.library") as library:
    ...     _ = samehand.resolve(records, library=library)
    ...     found = explain(library, "x1/author/1", "x2/author/1")
    >>> [bar.detail for bar in found.bars if bar.label == "co-authors"]
    ['bo day']
    """
    return explain_with(last_weights(library), library, a, b, backdrop)


def last_weights(library: Library) -> Weights:
    """The weights of the library's last run over authors; those that ship with samehand if it named no file."""
    for settings in reversed(library.runs()["settings"].to_list()):
        told = orjson.loads(settings)
        if told.get("only") in (None, "author"):
            return load(told["weights"]) if told.get("weights") else default()
    return default()


def explain_with(
    weights: Weights, library: Library, a: str, b: str, backdrop: Backdrop | None = None
) -> Explanation:
    """The same with any weights."""
    left, right = _named(library, a), _named(library, b)
    if left.entity.id != right.entity.id:
        stage = Stage(library, weights, [*left.ids, *right.ids], backdrop)
        return _explanation(stage, _Chosen(stage.positions(left.ids), stage.positions(right.ids)), None)
    if left.entity.size == 1 or (left.mention is not None and left.mention == right.mention):
        raise UsageError(
            f"{a} and {b} are one mention: there is nothing to explain; name two mentions or entities"
        )
    members = left.entity.mentions["id"].to_list()
    stage = Stage(library, weights, members, backdrop)
    chosen = _of_one_person(stage, stage.positions(members), left.mention, right.mention)
    return _explanation(stage, chosen, left.entity.id)


@dataclass(frozen=True)
class _Named:
    """What the user named: an entity, or one mention of it."""

    entity: Entity
    mention: str | None

    @property
    def ids(self) -> list[str]:
        return [self.mention] if self.mention else self.entity.mentions["id"].to_list()


def _named(library: Library, id: str) -> _Named:
    entity = library.entity(id)
    if entity.kind != "author":
        raise UsageError(
            f"{id} is a {entity.kind}: papers and venues have no explanation yet; name mentions or entities of authors"
        )
    return _Named(entity, id if id in entity.mentions["id"] else None)


@dataclass(frozen=True)
class _Chosen:
    """The two sides to explain, as positions in the block, and what is to be said of the choice."""

    left: list[int]
    right: list[int]
    remarks: tuple[str, ...] = ()


def _of_one_person(stage: Stage, members: list[int], left: str | None, right: str | None) -> _Chosen:
    """Which division of a person to explain; `left` and `right` are mentions, None where the person was named."""
    named = stage.positions([mention for mention in (left, right) if mention is not None])
    if len(named) == 1:
        return _Chosen(
            named, [m for m in members if m not in named], ("The mention, and the rest of the person.",)
        )
    groups = stage.by_block(members)
    apart = not any(set(named) <= set(group) for group in groups) if named else True
    if not stage.compared and apart:
        return _variants(groups, named)
    joins = stage.opened.search(stage.same, stage.apart)
    return _meeting(joins, members, *named) if named else _weakest(stage, joins, members)


def _variants(groups: list[list[int]], named: list[int]) -> _Chosen:
    """Names of different blocks: those of the two mentions named, or the commonest and all others."""
    if named:
        left, right = (next(group for group in groups if one in group) for one in named)
    else:
        left, right = groups[0], [member for group in groups[1:] for member in group]
    return _Chosen(left, right, ("This person's name is written in ways that stand in different blocks.",))


def _meeting(joins: Joins, members: list[int], a: int, b: int) -> _Chosen:
    number = meeting(joins, a, b)
    if number is None:
        left, right = ([m for m in members if joins.labels[m] == joins.labels[one]] for one in (a, b))
        return _Chosen(left, right, ("The author model alone would not have joined these.",))
    left, right = sides_at(joins, number, members)
    if b in left:
        left, right = right, left
    return _Chosen(left, right, ("The join at which the two came together.",))


def _weakest(stage: Stage, joins: Joins, members: list[int]) -> _Chosen:
    largest, *others = pieces(joins, members)
    if others:
        least = min(others, key=lambda piece: stage.opened.score(largest, piece))
        remark = (
            f"The author model alone would make {len(others) + 1} persons of this one; these two agree least."
        )
        return _Chosen(largest, least, (remark,))
    number = weakest(joins, members)
    assert number is not None, "several mentions of one piece have been joined"
    return _Chosen(
        *sides_at(joins, number, members),
        (f"The weakest of the {len(members) - 1:,} joins that made this person.",),
    )


def _explanation(stage: Stage, chosen: _Chosen, entity: str | None) -> Explanation:
    prior, *others = bars(stage, chosen.left, chosen.right)
    score = prior.contribution + sum(bar.contribution for bar in others)
    temperature = stage.opened.weights.temperature
    return Explanation(
        left=_side(stage.described(chosen.left)),
        right=_side(stage.described(chosen.right)),
        entity=entity,
        score=score,
        temperature=temperature,
        probability=float(1.0 / (1.0 + np.exp(-score / temperature))),
        compared=stage.are_compared(chosen.left, chosen.right),
        decided=_decided(stage, chosen),
        remarks=list(chosen.remarks),
        prior=prior,
        bars=others,
    )


def _side(mentions: pl.DataFrame) -> Side:
    names = mentions["name"].value_counts().sort("count", "name", descending=[True, False])
    return Side(mentions["id"].to_list(), names["name"].to_list())


def _decided(stage: Stage, chosen: _Chosen) -> str | None:
    """What a curator said of mentions on both sides."""
    for word, pairs in (("different", stage.apart), ("same", stage.same)):
        if _across(pairs, chosen.left, chosen.right):
            return word
    return None


def _across(pairs: Ints, left: Sequence[int], right: Sequence[int]) -> bool:
    one, other = set(left), set(right)
    return any((a in one and b in other) or (a in other and b in one) for a, b in pairs.tolist())
