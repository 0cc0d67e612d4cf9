"""From author mentions and their references to bags: which tokens each mention has in each field.

| field | tokens |
|---|---|
| title | words of the title, without stop words |
| topics | topics of title and venue with probability above 0.1, where topics are fitted; else as `title` |
| coauthors | first initial and last name of each co-author |
| coauthor_last_names | last name of each co-author |
| venue | words of the venue, without stop words |
| keywords | keywords, and words of the affiliation |
| first_names, middle_names | written in full: an initial is not a second name |
| first_initials, middle_initials | the initials of all that are given |
| last_names | the last name |

Leaves are mentions, or, where a curator said "same", groups of mentions: their bags are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.models.trees.layout import Ints, Longs
from samehand.normalise.tokens import tokens_series
from samehand.normalise.venues import STOP_WORDS


@dataclass(frozen=True)
class Bags:
    """The bags of all leaves, block after block, as sparse rows.

    Leaf m of the whole has `tokens[starts[m] : starts[m + 1]]`, ascending, with `counts`; token t is of the field
    `field[t]`. `names[m]` are its canonical names and `initial[value]` the initial of each.
    """

    starts: Longs
    tokens: Ints
    counts: Ints
    field: Ints
    names: Ints
    initial: Ints

    @property
    def bytes_per_leaf(self) -> float:
        """What the bags cost at rest."""
        arrays = (self.starts, self.tokens, self.counts, self.names)
        return sum(array.nbytes for array in arrays) / max(1, len(self.names))


Extract = Callable[[pl.DataFrame], pl.Series]


def _words(column: str) -> Extract:
    def extract(authors: pl.DataFrame) -> pl.Series:
        words = tokens_series(authors[column])
        kept = pl.element().filter(~pl.element().is_in(STOP_WORDS) & (pl.element().str.len_bytes() > 1))
        return words.list.eval(kept)

    return extract


def _topics(authors: pl.DataFrame) -> pl.Series:
    return authors["topics"] if "topics" in authors.columns else _words("title")(authors)


def _coauthors(authors: pl.DataFrame) -> pl.Series:
    return authors["coauthors"]


def _coauthor_last_names(authors: pl.DataFrame) -> pl.Series:
    return authors["coauthors"].list.eval(pl.element().str.replace(r"^\S ", ""))


def _keywords(authors: pl.DataFrame) -> pl.Series:
    words = _words("affiliation")(authors)
    return pl.select(pl.concat_list(authors["keywords"].fill_null([]), words.fill_null([]))).to_series()


def _full(column: str) -> Extract:
    def extract(authors: pl.DataFrame) -> pl.Series:
        words = authors[column].str.replace_all("-", " ").str.split(" ")
        return words.list.eval(pl.element().filter(pl.element().str.len_bytes() > 1)).list.head(1)

    return extract


def _initials(column: str) -> Extract:
    def extract(authors: pl.DataFrame) -> pl.Series:
        initial = authors[column].str.slice(0, 1)
        return pl.select(pl.concat_list(initial.replace("", None)).list.drop_nulls()).to_series()

    return extract


def _last(authors: pl.DataFrame) -> pl.Series:
    return pl.select(pl.concat_list(authors["last"].replace("", None)).list.drop_nulls()).to_series()


FIELDS: dict[str, Extract] = {
    "title": _words("title"),
    "topics": _topics,
    "coauthors": _coauthors,
    "coauthor_last_names": _coauthor_last_names,
    "venue": _words("venue"),
    "keywords": _keywords,
    "first_names": _full("first"),
    "first_initials": _initials("first"),
    "middle_names": _full("middle"),
    "middle_initials": _initials("middle"),
    "last_names": _last,
}


def bags(authors: pl.DataFrame, leaf: Longs, leaves: int, fields: Sequence[str]) -> Bags:
    """The bags of `leaves` leaves, mention row r belonging to leaf[r], in the named fields.

    `authors` has the columns of `normalise.mentions.AUTHORS` and title, venue and keywords of the reference.
    """
    parts = []
    for number, name in enumerate(fields):
        tokens = FIELDS[name](authors)
        table = pl.DataFrame({"leaf": pl.Series(leaf), "word": tokens.cast(pl.List(pl.String))})
        part = table.explode("word", empty_as_null=True, keep_nulls=True).drop_nulls()
        parts.append(part.with_columns(word=pl.col("word").hash(number), field=pl.lit(number, pl.Int32)))
    long = (
        pl.concat(parts)
        if parts
        else pl.DataFrame(schema={"leaf": pl.Int64, "word": pl.UInt64, "field": pl.Int32})
    )
    words = long.group_by("word").agg(pl.col("field").first()).sort("word").with_row_index("token")
    counted = (
        long.group_by("leaf", "word")
        .agg(count=pl.len())
        .join(words.select("word", "token"), on="word")
        .sort("leaf", "token")
    )
    names, initial = _canonical_names(authors, leaf, leaves)
    return Bags(
        starts=np.searchsorted(counted["leaf"].to_numpy(), np.arange(leaves + 1)).astype(np.int64),
        tokens=counted["token"].to_numpy().astype(np.int32),
        counts=counted["count"].to_numpy().astype(np.int32),
        field=words["field"].to_numpy().astype(np.int32),
        names=names,
        initial=initial,
    )


def _canonical_names(authors: pl.DataFrame, leaf: Longs, leaves: int) -> tuple[Ints, Ints]:
    """Each leaf's first, middle and last name as numbers of values (-1: none), and each value's initial.

    A leaf of several mentions has the longest of their names. An initial is a value of its own, and its own initial.
    """
    table = authors.select("first", "middle", "last").with_columns(leaf=pl.Series(leaf))
    longest = [
        pl.col(name).sort_by(pl.col(name).str.len_bytes(), pl.col(name), descending=True).first()
        for name in ("first", "middle", "last")
    ]
    fullest = table.group_by("leaf").agg(longest).sort("leaf").drop("leaf")
    written = pl.concat([fullest[name] for name in fullest.columns]).replace("", None).drop_nulls().unique()
    every = pl.concat([written, written.str.slice(0, 1)]).unique().sort()
    number = pl.DataFrame({"value": every, "number": pl.int_range(every.len(), dtype=pl.Int32, eager=True)})
    initial = number.join(
        number.rename({"value": "short", "number": "initial"}),
        left_on=pl.col("value").str.slice(0, 1),
        right_on="short",
        maintain_order="left",
    )["initial"]
    values = np.full((leaves, 3), -1, np.int32)
    for column, name in enumerate(("first", "middle", "last")):
        found = fullest.select(value=name).join(number, on="value", how="left", maintain_order="left")
        values[:, column] = found["number"].fill_null(-1).to_numpy()
    return values, initial.to_numpy().astype(np.int32)
