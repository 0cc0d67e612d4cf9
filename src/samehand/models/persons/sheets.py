"""A sheet: author mentions with all that is said of each, in numbers.

It is made of a part of a library, without knowing the rest, in one go over the references: names, titles and venues are
taken apart once for each distinct text, mentions are put together from numbers (gather.py).

| field | tokens |
|---|---|
| coauthors | first initial and last name of each co-author |
| coauthors_full | first and last name of each co-author whose first name is given in full |
| title | words of the title, cut to their stem |
| venue | words of the venue |
| affiliation | words of the affiliation, and keywords |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.models.persons.gather import Names, fuller_names, gather
from samehand.models.persons.layout import (
    AFFILIATION,
    COAUTHORS,
    COAUTHORS_FULL,
    TITLE,
    VENUE,
    Hashes,
    Ints,
    Longs,
)
from samehand.models.persons.people import people_of
from samehand.models.persons.texts import STEM, listed_tokens, text_tokens, tokens_of
from samehand.normalise.coded import coded, first_seen
from samehand.normalise.name_parts import distinct_parts

MENTIONS = pl.Schema(
    {
        "id": pl.String(),
        "block": pl.String(),
        "slot": pl.Int32(),
        "year": pl.Int32(),  # 0 if unknown
        "paper": pl.UInt64(),  # mentions of one paper have the same
        "name": pl.UInt32(),  # row of `names`
    }
)

NAMES = pl.Schema(
    {
        "first": pl.String(),
        "middle": pl.String(),
        "last": pl.String(),
        "initial": pl.String(),
        "literal": pl.Boolean(),
    }
)


@dataclass(frozen=True)
class Sheet:
    """Mention m has the tokens tokens[starts[m] : starts[m + 1]], one for each time a word is said."""

    mentions: pl.DataFrame  # schema MENTIONS, and what was asked for besides
    starts: Longs
    tokens: Hashes
    names: pl.DataFrame  # schema NAMES: every distinct name that a mention has
    people: pl.DataFrame  # schema people.PEOPLE: everybody in the lists of authors


Codes = npt.NDArray[np.uint32]


class Slots(NamedTuple):
    """The names in the lists of authors: list r is code[starts[r] : starts[r + 1]], rows of `names` and `parts`."""

    starts: Longs
    code: Ints
    names: Names
    parts: pl.DataFrame


def make_sheet(mentions: pl.DataFrame, references: pl.DataFrame) -> Sheet:
    """The sheet of author mentions (columns id, reference, slot, block, affiliation), in their order.

    A table of author mentions may list an author among his own co-authors, with more of his name: it is taken from there.
    """
    row = _rows(mentions["reference"], references["id"])
    return _sheet(mentions, row, references, read_slots(references["authors"]))


def read_sheet(references: pl.DataFrame) -> Sheet:
    """The sheet of all author mentions of these references, with columns reference and written besides.

    They are those of normalise.mentions.author_mentions, in its order and with its identifiers and blocks.
    """
    slots = read_slots(references["authors"])
    row, slot = _mention_slots(references, slots)
    own = _own_names(slots, row, slot)
    reference = references["id"].gather(row)
    is_author = (references["scope"] == "author").gather(row)
    table = pl.DataFrame(
        {
            "reference": reference,
            "slot": slot,
            "given": references["block"].gather(row),
            "key": slots.parts["key"].gather(own),
            "written": slots.parts["written"].gather(own),
            "is_author": is_author,
            "affiliation": _beside(references["affiliations"], row, slot),
        }
    )
    slot_id = pl.format("{}/author/{}", "reference", pl.col("slot") + 1)
    key = pl.when(pl.col("written") == "").then(pl.concat_str(pl.lit("= "), "reference")).otherwise("key")
    mentions = table.select(
        "reference", "slot", "affiliation",
        written=pl.col("written").str.replace_all("[{}]", "").str.strip_chars(),
        id=pl.when("is_author").then("reference").otherwise(slot_id),
        block=pl.coalesce("given", key),
    )  # fmt: skip
    return _sheet(mentions, row, references, slots, ["reference", "written"])


def _mention_slots(references: pl.DataFrame, slots: Slots) -> tuple[Longs, Ints]:
    """The reference and the place in its list of every mention."""
    lengths = np.diff(slots.starts)
    row = np.repeat(np.arange(len(lengths)), lengths)
    slot = np.arange(len(row)) - slots.starts[row]
    scope = references["scope"].to_numpy()
    focus = references["focus"].fill_null(0).to_numpy()
    named = ~slots.names.blank[slots.code[:-1]]
    kept = np.where(scope[row] == "author", slot == focus[row], named & (scope[row] == "reference"))
    nameless = np.flatnonzero((scope == "author") & (lengths == 0))
    row, slot = np.append(row[kept], nameless), np.append(slot[kept], np.zeros(len(nameless), np.int64))
    order = np.argsort(row, kind="stable")
    return row[order], slot[order].astype(np.int32)


def _beside(lists: pl.Series, row: Longs, slot: Ints) -> pl.Series:
    """Each mention's own entry of a list that runs beside the authors; null where there is none."""
    if lists.list.len().fill_null(0).max() in (0, None):
        return pl.Series([None], dtype=pl.String).new_from_index(0, len(row))
    return lists.gather(row).list.get(pl.Series(slot), null_on_oob=True)


def _sheet(
    mentions: pl.DataFrame, row: Longs, references: pl.DataFrame, slots: Slots, besides: Sequence[str] = ()
) -> Sheet:
    alone = (references["scope"] == "author").to_numpy()
    slot = mentions["slot"].to_numpy().astype(np.int32)
    own = _own_names(slots, row, slot)
    fuller = fuller_names(slots.starts, slots.code, slots.names, row, own, alone)
    starts, tokens = gather(
        slots.starts, slots.code, slots.names, row, slot, own, alone,
        text_tokens(references["title"], TITLE, STEM), text_tokens(references["venue"], VENUE),
        text_tokens(mentions["affiliation"], AFFILIATION), listed_tokens(references["keywords"], AFFILIATION),
    )  # fmt: skip
    names, name = distinct_names(slots.parts.select(NAMES.names()), fuller)
    table = mentions.select("id", "block", "slot", *besides).with_columns(
        year=pl.Series(references["year"].fill_null(0).to_numpy()[row]),
        paper=pl.Series(_papers(references, slots, alone)[row]),
        name=pl.Series(name),
    )
    return Sheet(_typed(table, besides), starts, tokens, names, people_of(slots.parts))


def distinct_names(names: pl.DataFrame, of_mention: Longs | Ints) -> tuple[pl.DataFrame, Codes]:
    """The names that mentions have, each once, and the row of each mention's name among them."""
    used, place = np.unique(of_mention, return_inverse=True)
    codes, firsts = first_seen(names[used].hash_rows(7).to_numpy())
    return names[used[firsts]], codes[place].astype(np.uint32)


def _typed(table: pl.DataFrame, besides: Sequence[str]) -> pl.DataFrame:
    typed = (pl.col(name).cast(dtype) for name, dtype in MENTIONS.items())
    return table.select(*typed, *besides)


def _rows(wanted: pl.Series, ids: pl.Series) -> Longs:
    """The row of each reference that is wanted."""
    table = ids.alias("reference").to_frame().with_row_index("row")
    found = (
        wanted.alias("reference").to_frame().join(table, on="reference", how="left", maintain_order="left")
    )
    return found["row"].to_numpy().astype(np.int64)


def read_slots(authors: pl.Series) -> Slots:
    """The names in a column of lists of authors. The last of `parts` is no name: it is that of a list without names."""
    lists = authors.fill_null([])
    written = lists.explode(empty_as_null=False, keep_nulls=False).fill_null("").str.strip_chars()
    code, distinct = coded(pl.concat([written, pl.Series([""])]))
    places, parts = distinct_parts(distinct)
    parts = parts[places].with_columns(written=distinct)
    starts = np.concatenate([[0], np.cumsum(lists.list.len().to_numpy())]).astype(np.int64)
    return Slots(starts, code, _names(parts), parts)


def _own_names(slots: Slots, row: Longs, slot: Ints) -> Ints:
    """The name of each mention; of one whose list is empty, no name."""
    place = np.where(slots.starts[row + 1] > slots.starts[row], slots.starts[row] + slot, len(slots.code) - 1)
    return slots.code[place]


def _names(parts: pl.DataFrame) -> Names:
    """What is compared of each distinct name, in numbers."""
    full = pl.concat_str("first", "last", separator=" ")
    found = parts.select(
        "key", "first", "middle",
        full=full,
        first_hash=pl.col("first").hash(0), last_hash=pl.col("last").hash(0),
        initial=pl.col("initial").hash(0),
        first_length=pl.col("first").str.len_chars().cast(pl.Int32),
        middle_length=pl.col("middle").str.len_chars().cast(pl.Int32),
        letters=pl.col("written").str.to_lowercase().str.replace_all("[^a-z]", "").hash(0),
        blank=pl.col("written") == "",
    )  # fmt: skip
    is_full = (found["first_length"] > 1).to_numpy()
    return Names(
        token=np.where((found["key"] != "").to_numpy(), tokens_of(found["key"], COAUTHORS), np.uint64(0)),
        full=np.where(is_full, tokens_of(found["full"], COAUTHORS_FULL), np.uint64(0)),
        first=found["first_hash"].to_numpy(),
        last=found["last_hash"].to_numpy(),
        initial=found["initial"].to_numpy(),
        first_length=found["first_length"].to_numpy(),
        middle_length=found["middle_length"].to_numpy(),
        prefixes=_prefixes(found["first"], found["middle"]),
        letters=found["letters"].to_numpy(),
        blank=found["blank"].to_numpy(),
    )


def _prefixes(first: pl.Series, middle: pl.Series) -> tuple[Longs, np.ndarray]:
    """First and middle names as bytes: those of name n begin at begin[2 n] and begin[2 n + 1]."""
    both = pl.DataFrame([first, middle]).select(pl.concat_list("first", "middle").explode()).to_series()
    data = both.cast(pl.Binary)
    begin = np.concatenate([[0], np.cumsum(data.bin.size().to_numpy())]).astype(np.int64)
    return begin, np.frombuffer(b"".join(data.to_list()) + b"\0", np.uint8)


def _papers(references: pl.DataFrame, slots: Slots, alone: np.ndarray) -> Hashes:
    """Each reference's paper: itself; of lone author mentions it is known by the title and the set of authors."""
    each = slots.names.letters[slots.code[:-1]]
    total = np.concatenate([[np.uint64(0)], np.cumsum(each, dtype=np.uint64)])
    authors = total[slots.starts[1:]] - total[slots.starts[:-1]]
    titles = references["title"].fill_null("").str.to_lowercase().hash(1).to_numpy()
    known = titles ^ (authors * np.uint64(0x9E3779B97F4A7C15))
    return np.where(alone, known, references["id"].hash(1).to_numpy())
