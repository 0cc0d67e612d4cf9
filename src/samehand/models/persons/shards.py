"""The author model on a library that does not fit in memory: tasks on sheets and shards, each a pure function of files.

    make     a batch of references    -> a sheet                                     (sheets.py)
    sort     the slices of all sheets -> a shard, block after block                  (work.py)
    portray  a shard                  -> how alike the pairs of its blocks are       (likeness.py)
    resolve  a shard, the statistics  -> its persons, and the probability of each mention

Between them the driver adds up what the parts say of the whole (statistics.py). A task whose result is there already
does nothing: that is how a run goes on after it was killed.
"""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from samehand.curate.constraints import NONE, positions
from samehand.engine.files import read_arrays, read_frame, write_arrays, write_frame, write_whole
from samehand.infer.run import Run
from samehand.models.persons.blocks import resolve_work
from samehand.models.persons.known_pairs import Sample
from samehand.models.persons.layout import Longs
from samehand.models.persons.shard_files import (
    read_counts,
    read_shard,
    read_sorted,
    write_sheet,
    write_sorted,
)
from samehand.models.persons.sheets import read_sheet
from samehand.models.persons.statistics import (
    Manner,
    Statistics,
    Tally,
    Vocabulary,
    add_up,
    manner,
    spread,
    statistics,
    vocabulary,
)
from samehand.models.persons.weights import Weights, default, load
from samehand.models.persons.work import Work, joined_blocks, sort_sheet, work_of
from samehand.read.batches import Batch, read_batch

FOUND = pl.Schema(
    {
        "id": pl.String(),
        "reference": pl.String(),
        "written": pl.String(),
        "person": pl.UInt32(),  # of the shard, numbered from 0
        "probability": pl.Float64(),
    }
)


def blocks_together(references: pl.DataFrame, decisions: pl.DataFrame) -> pl.DataFrame:
    """Which blocks a curator has put together: columns block and target."""
    named = pl.concat([decisions["left"], decisions["right"]]).unique()
    wanted = pl.concat([named, named.str.replace("/author/[0-9]+$", "")]).unique()
    mentions = read_sheet(references.filter(pl.col("id").is_in(wanted.implode()))).mentions
    target = joined_blocks(mentions["block"], positions(decisions, mentions["id"]))
    table = pl.DataFrame({"block": mentions["block"], "target": target})
    return table.filter(pl.col("block") != pl.col("target")).unique(maintain_order=True)


def make(folder: str, number: int, batch: Batch, shards: int, together: pl.DataFrame | None = None) -> int:
    """Make the sheet of a batch; how many mentions it has. Blocks may be put `together` (`blocks_together`)."""
    place = Path(folder)
    done = place / "sheets" / f"{number:05}.count"
    if not done.exists():
        records = read_batch(batch)
        sheet = read_sheet(records.references)
        if together is not None:
            block = sheet.mentions["block"].replace(together["block"], together["target"])
            sheet = replace(sheet, mentions=sheet.mentions.with_columns(block=block))
        write_sheet(place, number, sheet, shards)
        write_frame(place / "rejects" / f"{number:05}.arrow", records.rejects)
        write_whole(done, lambda file: file.write(str(sheet.mentions.height).encode()))
    return int(done.read_text())


def count_words(folder: str, sheets: int, mentions: int) -> None:
    """The first round of the statistics."""
    place = Path(folder)
    if not (place / "words.pickle").exists():
        counted = [read_counts(place, number) for number in range(sheets)]
        total = add_up([tally for tally, _ in counted])
        _keep(place / "words.pickle", vocabulary(total, [people for _, people in counted], mentions))


def sort(folder: str, number: int, sheets: int) -> int:
    """Gather a shard; how many mentions it has."""
    place = Path(folder)
    done = place / "shards" / f"{number:05}.sample.pickle"
    if not done.exists():
        words: Vocabulary = kept(str(place / "words.pickle"))
        laid = sort_sheet(read_shard(place, number, sheets))
        write_sorted(place, number, laid)
        tally = spread(laid.bags, laid.starts)
        write_arrays(_spread(place, number), {"tokens": tally.tokens, "amounts": tally.amounts})
        _keep(done, laid.sample(words))
    return read_frame(place / "shards" / f"{number:05}.mentions.arrow").height


def drop_sheets(folder: str) -> None:
    """Remove what only `sort` needs, when all shards are sorted."""
    for path in (Path(folder) / "sheets").iterdir():
        if path.suffix != ".count":
            path.unlink()


def _spread(place: Path, number: int) -> Path:
    return place / "shards" / f"{number:05}.spread.npz"


def compare_manners(folder: str, shards: int) -> None:
    """The second round of the statistics."""
    place = Path(folder)
    if (place / "manner.pickle").exists():
        return
    tallies = [Tally(**read_arrays(_spread(place, number))) for number in range(shards)]
    samples: list[Sample] = [
        pickle.loads((place / "shards" / f"{number:05}.sample.pickle").read_bytes())
        for number in range(shards)
    ]
    _keep(place / "manner.pickle", manner(kept(str(place / "words.pickle")), add_up(tallies), samples))


def portray(folder: str, number: int) -> None:
    """How alike the pairs of each block of a shard are."""
    place = Path(folder)
    done = place / "shards" / f"{number:05}.portraits.npz"
    if not done.exists():
        words: Vocabulary = kept(str(place / "words.pickle"))
        found: Manner = kept(str(place / "manner.pickle"))
        write_arrays(done, {"portraits": read_sorted(place, number).portraits(words, found)})


def _portraits(place: Path, number: int) -> Longs:
    portraits: Longs = read_arrays(place / "shards" / f"{number:05}.portraits.npz")["portraits"]
    return portraits


def survey(folder: str, shards: int) -> None:
    """The third round of the statistics."""
    place = Path(folder)
    if not (place / "statistics.pickle").exists():
        every = np.concatenate([_portraits(place, number) for number in range(shards)])
        words, found = kept(str(place / "words.pickle")), kept(str(place / "manner.pickle"))
        _keep(place / "statistics.pickle", statistics(words, found, every))


def resolve(
    folder: str, number: int, seed: int, weights: str | None, decisions: pl.DataFrame | None
) -> tuple[int, int]:
    """Resolve a shard; how many mentions and persons it has."""
    place = Path(folder)
    done = place / "found" / f"{number:05}.arrow"
    if not done.exists():
        from samehand.models.persons.variant_shards import write_names

        work = shard_work(place, number, decisions)
        labels, probability = resolve_work(work, shared_weights(weights), Run(seed, 1))
        write_names(place, number, work, labels)
        _, person = np.unique(labels, return_inverse=True)
        own = read_frame(
            place / "shards" / f"{number:05}.mentions.arrow", columns=["id", "reference", "written"]
        )
        persons = pl.Series(person.astype(np.uint32))
        write_frame(done, own.with_columns(person=persons, probability=pl.Series(probability)))
    found = read_frame(done)
    return found.height, found["person"].n_unique()


def shard_work(place: Path, number: int, decisions: pl.DataFrame | None) -> Work:
    """The work of a shard under a curator's decisions."""
    whole: Statistics = kept(str(place / "statistics.pickle"))
    laid = read_sorted(place, number)
    constraints = NONE if decisions is None else positions(decisions, laid.sheet.mentions["id"])
    return work_of(laid, _portraits(place, number), whole, constraints)


@lru_cache(maxsize=1)
def shared_weights(path: str | None) -> Weights:
    """A user's weights, or the default ones; read once in a process."""
    return default() if path is None else load(Path(path))


def _keep(path: Path, value: object) -> None:
    write_whole(path, lambda file: pickle.dump(value, file, protocol=5))


@lru_cache(maxsize=4)
def kept(path: str) -> Any:
    """What a driver left for all tasks; read once in a process."""
    return pickle.loads(Path(path).read_bytes())
