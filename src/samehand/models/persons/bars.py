"""The factors of a join as bars: grouped, with the names, words and years they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import polars as pl

from samehand.models.persons import factors as say
from samehand.models.persons.explanation import Bar, Word
from samehand.models.persons.factors import Factor, factors
from samehand.models.persons.layout import FIELDS
from samehand.models.persons.stage import Stage
from samehand.models.persons.variant_keys import KINDS

WORDS_SHOWN = 6
NAMES_SHOWN = 4
NOT_GIVEN = "–"

_NAMES = {say.FIRST_NAMES: "first", say.MIDDLE_NAMES: "middle", say.LAST_NAMES: "last"}
_FIELD_GROUPS = {say.group_of(number) for number in range(len(FIELDS))}


def bars(stage: Stage, left: Sequence[int], right: Sequence[int]) -> list[Bar]:
    """What the score of joining two sides is made of: the prior, then the rest, the heaviest first."""
    opened = stage.opened
    grouped: dict[str, list[Factor]] = {}
    for factor in factors(opened.weights.features, stage.features(left, right)):
        grouped.setdefault(factor.group, []).append(factor)
    words = shared_words(stage, left, right)
    sides = stage.described(left), stage.described(right)
    drawn = []
    for group, members in grouped.items():
        shared = words.get(group, [])
        detail = (
            f'"{stage.key}", {_count(opened.size)}' if group == say.PRIOR else _detail(group, shared, *sides)
        )
        drawn.append(Bar(group, sum(f.contribution for f in members), detail, members, shared))
    drawn += _variant(stage, left, right)
    return sorted(drawn, key=lambda bar: (bar.label != say.PRIOR, -abs(bar.contribution)))


def _variant(stage: Stage, left: Sequence[int], right: Sequence[int]) -> list[Bar]:
    """What it costs to call names of different blocks variants of one name, if they are."""
    found = stage.variant(left, right)
    if found is None:
        return []
    kind, cost = KINDS[found[0]], float(stage.opened.weights.variants[found[0]])
    factor = Factor(f"variant_{kind}", f"names that are variants: {kind}", say.VARIANT, 1.0, cost, cost)
    return [Bar(say.VARIANT, cost, kind.replace("_", ", by the "), [factor], [])]


def shared_words(stage: Stage, left: Sequence[int], right: Sequence[int]) -> dict[str, list[Word]]:
    """For each group of fields the words that both sides have, those worth most first."""
    named = stage.words([*left, *right])
    found: dict[str, list[Word]] = {}
    for token, worth in stage.opened.shared(left, right).items():
        found.setdefault(say.group_of(stage.opened.field_of(token)), []).append(Word(named[token], worth))
    return {group: sorted(words, key=lambda w: (-w.worth, w.word)) for group, words in found.items()}


def _detail(group: str, shared: list[Word], left: pl.DataFrame, right: pl.DataFrame) -> str:
    """What a bar is about: words in common, or what stands on either side."""
    if group in _FIELD_GROUPS:
        return ", ".join(_telling([word.word for word in shared])[:WORDS_SHOWN]) or "nothing in common"
    if group in _NAMES:
        return f"{_names(left[_NAMES[group]])} / {_names(right[_NAMES[group]])}"
    if group == say.YEARS:
        return f"{_span(left['year'])} / {_span(right['year'])}"
    return f"{left.height:,} / {_count(right.height)}" if group == say.SIZES else ""


def _telling(words: list[str]) -> list[str]:
    """The words without those that another one says in full: a co-author stands in two fields.

    >>> _telling(["b day", "bo day", "c lee"])
    ['bo day', 'c lee']
    """
    brief = {f"{word[0]} {word.partition(' ')[2]}" for word in words if word[1:2] != " "}
    return [word for word in words if word not in brief]


def _names(names: pl.Series) -> str:
    """The commonest names, as they are compared."""
    common = [name for name, _ in Counter(name or NOT_GIVEN for name in names).most_common()]
    more = [f"{len(common) - NAMES_SHOWN} more"] if len(common) > NAMES_SHOWN else []
    return ", ".join([*common[:NAMES_SHOWN], *more])


def _span(years: pl.Series) -> str:
    """First and last year.

    >>> _span(pl.Series([2001, None, 1999])), _span(pl.Series([2001])), _span(pl.Series([None], dtype=pl.Int32))
    ('1999–2001', '2001', '–')
    """
    known = sorted(set(years.drop_nulls()))
    return "–".join(str(year) for year in dict.fromkeys((known[0], known[-1]))) if known else NOT_GIVEN


def _count(mentions: int) -> str:
    return f"{mentions:,} mention{'s' if mentions != 1 else ''}"
