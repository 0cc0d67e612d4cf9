"""The second stage on a library that does not fit in memory: tasks on names, shards and troupes.

match    the names with one initial, or all of them -> candidates                          (variant_keys.py)
divide   all candidates                             -> troupes: persons joined by candidates stand together
cast     a shard                                    -> its candidates, troupe by troupe    (variant_cast.py)
join     a troupe                                   -> who is whom                         (variant_search.py)
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from samehand.curate.constraints import positions
from samehand.engine.files import read_arrays, read_frame, write_arrays, write_frame, write_whole
from samehand.infer.union import connected
from samehand.models.persons.layout import Longs
from samehand.models.persons.shards import kept, shard_work, shared_weights
from samehand.models.persons.variant_cast import Cast, take_cast
from samehand.models.persons.variant_keys import ACROSS, KINDS, candidates, first_kinds
from samehand.models.persons.variants import join_cast, written_names
from samehand.models.persons.work import Work

INITIALS = 27
"""Parts of the names: one for each letter that a first name may begin with, and one for all others."""

EVERY = "every"
"""The match among all names, of all kinds."""

MANY = 1_000_000
"""Mentions; the names of fewer are matched all at once."""


def matches(mentions: int) -> tuple[int | str, ...]:
    """The matches there are to make: among the names of one initial, and of some kinds among all names.

    >>> matches(1000)
    ('every',)
    """
    return (EVERY,) if mentions < MANY else (*range(INITIALS), *ACROSS)


TROUPE = 100_000
"""Persons in a troupe, or more where more hang together."""

SHARD_BITS = 32
"""A person is known by the number of its shard above its number in the shard."""


def write_names(place: Path, number: int, work: Work, labels: Longs) -> None:
    """Leave the written names of a shard's persons for `match`, initial after initial."""
    known, person = np.unique(labels, return_inverse=True)
    names = written_names(work, (person + (number << SHARD_BITS)).astype(np.int64))
    letter = names["first"].str.head(1).str.to_lowercase()
    code = letter.replace_strict(
        {chr(97 + i): i for i in range(26)}, default=26, return_dtype=pl.Int32
    ).to_numpy()
    order = np.argsort(code, kind="stable")
    write_frame(place / "names" / f"{number:05}.arrow", names[order])
    bounds = np.searchsorted(code[order], np.arange(INITIALS + 1))
    write_arrays(place / "names" / f"{number:05}.npz", {"bounds": bounds, "labels": known})


def match(folder: str, which: int | str, shards: int) -> int:
    """Find the candidates among the names with one initial, or those of one kind among all names; how many there are."""
    place = Path(folder)
    done = place / "matches" / f"{which}.arrow"
    if not done.exists():
        names = pl.concat([_names(place, number, which) for number in range(shards)])
        write_frame(done, candidates(names, _kinds(which)))
    return read_frame(done).height


def _kinds(which: int | str) -> Sequence[str]:
    if which == EVERY:
        return KINDS
    return (which,) if isinstance(which, str) else [kind for kind in KINDS if kind not in ACROSS]


def _names(place: Path, number: int, which: int | str) -> pl.DataFrame:
    path = place / "names" / f"{number:05}.arrow"
    if isinstance(which, str):
        return read_frame(path)
    begin, end = read_arrays(path.with_suffix(".npz"))["bounds"][which : which + 2].tolist()
    return read_frame(path, begin, end - begin)


def divide(folder: str) -> int:
    """Divide the candidates into troupes; how many there are."""
    place = Path(folder)
    done = place / "troupes.npz"
    if not done.exists():
        found = first_kinds(read_frame(path) for path in sorted((place / "matches").glob("*.arrow")))
        persons, codes = np.unique(found.select("one", "other").to_numpy(), return_inverse=True)
        codes = codes.reshape(-1, 2)
        group = connected(len(persons), codes) if len(persons) else np.empty(0, np.int64)
        sizes = np.bincount(group)
        troupe = ((np.cumsum(sizes) - sizes) // TROUPE)[group] if len(persons) else group
        own = troupe[codes[:, 0]]
        order = np.argsort(own, kind="stable")
        count = int(own.max(initial=-1)) + 1
        write_frame(place / "candidates.arrow", found[order])
        bounds = np.searchsorted(own[order], np.arange(count + 1))
        write_arrays(done, {"persons": persons, "troupe": troupe, "bounds": bounds})
    return len(read_arrays(done)["bounds"]) - 1


def parted(folder: str, shards: int, decisions: pl.DataFrame) -> Longs:
    """The pairs of persons whom a curator has parted."""
    named = pl.concat([decisions["left"], decisions["right"]]).unique().implode()
    found = []
    for number in range(shards):
        own = read_frame(Path(folder) / "found" / f"{number:05}.arrow", columns=["id", "person"])
        own = own.filter(pl.col("id").is_in(named))
        found.append(own.with_columns(pl.col("person").cast(pl.Int64) + (number << SHARD_BITS)))
    known = pl.concat(found)
    return known["person"].to_numpy()[positions(decisions, known["id"]).different].reshape(-1, 2)


def cast(folder: str, number: int, weights: str | None) -> None:
    """Take a shard's candidates out of it, troupe by troupe."""
    place = Path(folder)
    done = place / "casts" / f"{number:05}.done"
    if done.exists():
        return
    held = read_arrays(place / "troupes.npz")
    begin, end = np.searchsorted(held["persons"], [number << SHARD_BITS, (number + 1) << SHARD_BITS])
    persons, troupe = held["persons"][begin:end], held["troupe"][begin:end]
    if len(persons):
        taken = _take(place, number, persons)
        for which in np.unique(troupe).tolist():
            part = taken.part(np.flatnonzero(troupe == which))
            target = place / "casts" / f"{which:05}-{number:05}.pickle"
            write_whole(target, lambda file, part=part: pickle.dump(part, file, protocol=5))  # type: ignore[misc]
    write_whole(done, lambda file: file.write(b""))


def _take(place: Path, number: int, persons: Longs) -> Cast:
    work = shard_work(place, number, None)
    known = read_arrays(place / "names" / f"{number:05}.npz")["labels"]
    labels = known[read_frame(place / "found" / f"{number:05}.arrow")["person"].to_numpy()]
    chosen = known[persons - (number << SHARD_BITS)]
    taken = take_cast(work, labels, chosen, work.papers)
    return replace(taken, persons=taken.persons.with_columns(person=pl.Series(persons)))


def join(folder: str, which: int, weights: str | None, different: Longs) -> int:
    """Join the persons of a troupe; how many joins there were. `different` are pairs of persons a curator parted."""
    place = Path(folder)
    done = place / "joined" / f"{which:05}.arrow"
    if not done.exists():
        parts = sorted((place / "casts").glob(f"{which:05}-*.pickle"))
        troupe = Cast.together([pickle.loads(part.read_bytes()) for part in parts])
        begin, end = read_arrays(place / "troupes.npz")["bounds"][which : which + 2].tolist()
        found = read_frame(place / "candidates.arrow", begin, end - begin)
        words = kept(str(place / "words.pickle"))
        joined = join_cast(troupe, found, different, words, shared_weights(weights))
        table = pl.DataFrame(
            {"person": joined.known, "root": joined.roots, "factor": joined.factors, "size": joined.sizes,
             "first": troupe.persons["first"]}
        )  # fmt: skip
        together = table.filter(pl.len().over("root") > 1)
        write_frame(done, together.with_columns(first=pl.col("first").min().over("root")))
    found = read_frame(done)
    return found.height - found["root"].n_unique()
