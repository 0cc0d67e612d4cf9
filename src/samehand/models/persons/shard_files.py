"""Sheets and shards as files: a sheet lies shard after shard, so that a shard is gathered from slices of all sheets.

sheets/00007.mentions.arrow   mentions with their names, shard after shard      sheets/00007.npz    tokens, and where
sheets/00007.tally.npz        how often each token is said, the people          shards begin
shards/00003.mentions.arrow   whole blocks, block after block                   shards/00003.npz    bags
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from samehand.engine.files import read_arrays, read_frame, write_arrays, write_frame
from samehand.models.persons.evidence import Bags, reordered
from samehand.models.persons.layout import Ints, Longs
from samehand.models.persons.people import PEOPLE
from samehand.models.persons.sheets import MENTIONS, NAMES, Sheet, distinct_names
from samehand.models.persons.statistics import Tally, count
from samehand.models.persons.texts import fields_of
from samehand.models.persons.work import Sorted

_SHARD_SEED = 5


def shard_of(blocks: pl.Series, shards: int) -> Ints:
    """The shard of each block: a matter of its key alone.

    >>> shard_of(pl.Series(["a lee", "b day", "a lee"]), 1).tolist()
    [0, 0, 0]
    """
    return np.asarray((blocks.hash(_SHARD_SEED) % shards).to_numpy().astype(np.int32))


def _path(folder: Path, kind: str, number: int, ending: str) -> Path:
    return folder / kind / f"{number:05}.{ending}"


def write_sheet(folder: Path, number: int, sheet: Sheet, shards: int) -> None:
    """Write a sheet, shard after shard, and what the first round of the statistics asks of it."""
    shard = shard_of(sheet.mentions["block"], shards)
    order = np.argsort(shard, kind="stable")
    nothing = np.zeros(len(order), np.int32)
    starts, tokens = reordered(sheet.starts, sheet.tokens, order, nothing, np.empty(0, np.uint64))
    bounds = np.searchsorted(shard[order], np.arange(shards + 1))
    tally = count(sheet)
    write_arrays(
        _path(folder, "sheets", number, "tally.npz"), {"tokens": tally.tokens, "amounts": tally.amounts}
    )
    write_frame(_path(folder, "sheets", number, "people.arrow"), sheet.people)
    write_frame(_path(folder, "sheets", number, "names.arrow"), sheet.names)
    write_frame(_path(folder, "sheets", number, "mentions.arrow"), sheet.mentions[order])
    write_tokens(_path(folder, "sheets", number, "tokens"), tokens)
    write_arrays(_path(folder, "sheets", number, "npz"), {"bounds": bounds, "starts": starts})


def write_tokens(path: Path, tokens: np.ndarray) -> None:
    """Tokens as bare numbers, of which parts can be read."""
    from samehand.engine.files import write_whole

    write_whole(path, lambda file: file.write(tokens.tobytes()))


def read_counts(folder: Path, number: int) -> tuple[Tally, pl.DataFrame]:
    """The tally and the people of a sheet."""
    held = read_arrays(_path(folder, "sheets", number, "tally.npz"))
    people = read_frame(_path(folder, "sheets", number, "people.arrow")).cast(PEOPLE)
    return Tally(held["tokens"], held["amounts"]), people


def read_shard(folder: Path, number: int, sheets: int) -> Sheet:
    """The mentions of a shard, gathered from all sheets, as one sheet (its people are left out)."""
    pieces = [_piece(folder, sheet, number) for sheet in range(sheets)]
    mentions = pl.concat([piece[0] for piece in pieces])
    lengths = np.concatenate([piece[1] for piece in pieces])
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    names = pl.concat([piece[3] for piece in pieces])
    begins = np.concatenate([[0], np.cumsum([piece[3].height for piece in pieces])])
    own = np.concatenate(
        [
            piece[0]["name"].to_numpy().astype(np.int64) + begin
            for piece, begin in zip(pieces, begins[:-1], strict=True)
        ]
    )
    names, name = distinct_names(names, own)
    mentions = mentions.with_columns(name=pl.Series(name))
    return Sheet(mentions, starts, np.concatenate([piece[2] for piece in pieces]), names, PEOPLE.to_frame())


def _piece(folder: Path, sheet: int, shard: int) -> tuple[pl.DataFrame, Longs, np.ndarray, pl.DataFrame]:
    """A shard's part of a sheet: mentions, numbers of their tokens, the tokens, the names (numbered anew)."""
    held = read_arrays(_path(folder, "sheets", sheet, "npz"))
    begin, end = (int(bound) for bound in held["bounds"][shard : shard + 2])
    starts = held["starts"][begin : end + 1]
    mentions = read_frame(_path(folder, "sheets", sheet, "mentions.arrow"), begin, end - begin)
    path = _path(folder, "sheets", sheet, "tokens")
    tokens = np.fromfile(path, np.uint64, int(starts[-1] - starts[0]), offset=8 * int(starts[0]))
    used, name = np.unique(mentions["name"].to_numpy(), return_inverse=True)
    names = read_frame(_path(folder, "sheets", sheet, "names.arrow")).cast(NAMES)[used]
    return mentions.with_columns(name=pl.Series(name.astype(np.uint32))), np.diff(starts), tokens, names


def write_sorted(folder: Path, number: int, laid: Sorted) -> None:
    """Write a shard, block after block."""
    own = laid.sheet.mentions[laid.order]
    write_frame(_path(folder, "shards", number, "names.arrow"), laid.sheet.names)
    write_frame(_path(folder, "shards", number, "mentions.arrow"), own)
    bags = laid.bags
    write_arrays(
        _path(folder, "shards", number, "npz"),
        {
            "blocks": laid.starts, "papers": laid.papers, "starts": bags.starts, "tokens": bags.tokens,
            "counts": bags.counts, "vocabulary": bags.vocabulary,
        },
    )  # fmt: skip


def read_sorted(folder: Path, number: int) -> Sorted:
    """A shard as it was written; its rows are in the order of the blocks, its sheet has no tokens of its own."""
    held = read_arrays(_path(folder, "shards", number, "npz"))
    mentions = read_frame(_path(folder, "shards", number, "mentions.arrow"))
    names = read_frame(_path(folder, "shards", number, "names.arrow")).cast(NAMES)
    vocabulary = held["vocabulary"]
    bags = Bags(held["starts"], held["tokens"], held["counts"], vocabulary, fields_of(vocabulary))
    blocks = held["blocks"]
    nothing = np.zeros(mentions.height + 1, np.int64)
    sheet = Sheet(mentions, nothing, np.empty(0, np.uint64), names, PEOPLE.to_frame())
    keys = mentions["block"].gather(blocks[:-1]).to_list()
    return Sorted(sheet, np.arange(mentions.height), keys, blocks, bags, held["papers"])


__all__ = ["MENTIONS", "read_counts", "read_shard", "read_sorted", "shard_of", "write_sheet", "write_sorted"]
