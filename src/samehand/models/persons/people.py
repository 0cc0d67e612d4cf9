"""Everybody who is named in a library: how many first names an initial and last name may stand for, how rare each is.

All that is wanted of the people are their distinct first and last names, spaces and hyphens left out, as hashes: parts of
a library are put together by taking each once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from samehand.models.persons.layout import COAUTHORS, Hashes
from samehand.models.persons.texts import tokens_of

PEOPLE = pl.Schema(
    {
        "first": pl.UInt64(),  # hash
        "last": pl.UInt64(),  # hash
        "initial": pl.String(),
        "token": pl.UInt64(),  # that of a co-author with this initial and last name
        "spelled": pl.Boolean(),  # whether the first name is more than an initial
        "long": pl.Boolean(),  # whether the last name is long enough to be rare
    }
)

SHORTEST_RARE = 6
"""Letters of a last name; a shorter one is seldom rare."""

RAREST = 6.0
"""No first name counts as rarer than e^-6: smaller shares are mostly misspellings."""

UNSEEN = 20.0
"""So many names of an initial are supposed beside those seen."""


def joined(column: str) -> pl.Expr:
    """A name without its spaces and hyphens: "hai-tao", "hai tao" and "haitao" are one."""
    return pl.col(column).fill_null("").str.replace_all("[ -]", "")


def people_of(names: pl.DataFrame) -> pl.DataFrame:
    """The people with these names (columns first, last), each once; schema PEOPLE."""
    plain = names.select(joined("first"), joined("last")).unique(maintain_order=True)
    initial = pl.col("first").str.head(1)
    key = plain.select(pl.concat_str(initial, pl.lit(" "), "last").str.strip_chars()).to_series()
    return plain.select(
        first=pl.col("first").hash(0),
        last=pl.col("last").hash(0),
        initial=initial,
        token=pl.Series(tokens_of(key, COAUTHORS)),
        spelled=pl.col("first").str.len_chars() > 1,
        long=pl.col("last").str.len_chars() >= SHORTEST_RARE,
    )


def together(parts: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Everybody of several parts, each once, in a fixed order."""
    return pl.concat([PEOPLE.to_frame(), *parts]).unique().sort("last", "first", "initial")


class Census(NamedTuple):
    """What is asked of the people of a library."""

    first_names: pl.DataFrame  # initial, last, first_names: how many full ones
    initials: pl.DataFrame  # last, initials: how many
    shares: pl.DataFrame  # initial, share of the people
    rarity: (
        pl.DataFrame
    )  # first, rarity: -ln of its share among the first names of its initial, at most RAREST
    rare: Hashes  # tokens of co-authors with a long last name that stands with one initial only, ascending


def take_census(people: pl.DataFrame) -> Census:
    """Count the people.

    A first name counts once for every last name it goes with; UNSEEN names of each initial are supposed to exist besides.
    """
    spelled = people.filter("spelled")
    counts = spelled.group_by("first", "initial").len()
    share = pl.col("len") / (pl.col("len").sum().over("initial") + UNSEEN)
    named = people.filter(pl.col("initial") != "")
    lone = named.filter("long").group_by("last").agg(
        initials=pl.col("initial").n_unique(), token=pl.col("token").first()
    )  # fmt: skip
    return Census(
        spelled.group_by("initial", "last").agg(first_names=pl.col("first").n_unique()),
        people.group_by("last").agg(initials=pl.col("initial").n_unique()),
        people.group_by("initial").agg(share=pl.len() / people.height),
        counts.select("first", rarity=(-share.log()).clip(0.0, RAREST)),
        lone.filter(pl.col("initials") == 1)["token"].sort().to_numpy(),
    )
