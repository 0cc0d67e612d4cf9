"""The labelled author sets as the author model learns from them, and weights learned without one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from samehand.bench import Options
from samehand.bench.author_sets import author_sets
from samehand.block import Blocked
from samehand.models.persons.learn import Labelled, learn
from samehand.models.persons.train import cut_to_initials, labelled
from samehand.models.persons.weights import Weights, default

MOST_MENTIONS = 15_000
"""Of a larger set, learning sees whole blocks, drawn at random, until there are so many mentions."""


@dataclass(frozen=True)
class AuthorSet:
    """A labelled set: its mentions in blocks, its truth, and what is learned from it: as it is, and cut to initials."""

    blocked: Blocked
    truth: pl.DataFrame
    lessons: tuple[Labelled, ...]


def load_sets(options: Options, most: int = MOST_MENTIONS) -> dict[str, AuthorSet]:
    """Every labelled author set by name, to learn from whole blocks of about `most` mentions.

    Sets cut to initials are lessons of the whole set, not sets of their own.
    """
    found = {}
    for name, blocked, truth in author_sets(replace(options, set=None)):
        if not name.endswith("-initials"):
            part = some_blocks(blocked, most, options.seed)
            lessons = (labelled(part, truth), labelled(cut_to_initials(part), truth))
            found[name] = AuthorSet(blocked, truth, lessons)
    return found


def some_blocks(blocked: Blocked, most: int, seed: int) -> Blocked:
    """Whole blocks in random order until there are `most` mentions; co-authors and counts stay those of the set."""
    sizes = (
        blocked.mentions.group_by("block").len().sort("block").sample(fraction=1.0, shuffle=True, seed=seed)
    )
    kept = sizes.filter(pl.col("len").cum_sum() - pl.col("len") < most)
    return replace(
        blocked, mentions=blocked.mentions.join(kept, on="block", how="semi", maintain_order="left")
    )


def learned_without(sets: Mapping[str, AuthorSet], left_out: str | None) -> Weights:
    """Weights learned from all sets but one (and its variants), starting from the shape of the default ones.

    Learning starts from weights that know no set: all features 0 but the constant and the evidence.
    """
    lessons = [lesson for name, known in sets.items() if name != left_out for lesson in known.lessons]
    return learn(lessons, blank())


def blank() -> Weights:
    """Where learning starts when it must not know the data: shared evidence counts, a little, and nothing else does."""
    from samehand.models.persons.layout import EVIDENCE, FEATURES

    features = default().features * 0.0
    features[:EVIDENCE] = 0.3
    features[FEATURES.index("constant")] = -1.0
    return replace(default(), features=features)
