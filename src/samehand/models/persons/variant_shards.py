"""The second stage on a library that does not fit in memory: tasks on names, shards and troupes.

match    the names with one initial, or all of them -> candidates                          (variant_keys.py)
cast     a shard                                    -> the persons of its candidates       (variant_cast.py)
weigh    some candidates                            -> those that are worth joining        (variant_search.py)
recast   a shard                                    -> those of them, troupe by troupe     (variant_cast.py)
join     a troupe                                   -> who is whom                         (variant_search.py)

Nearly all names hang together by candidates, so that these are weighed in parts of any cut; by those that are left, few
persons do: they stand together in one troupe.
"""

from __future__ import annotations

import pickle
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
from samehand.models.persons.variant_keys import ACROSS, KINDS, candidates, candidates_across, first_kinds
from samehand.models.persons.variants import join_cast, worth_joining, written_names
from samehand.models.persons.work import Work

INITIALS = 27
"""Parts of the names: one for each letter that a first name may begin with, and one for all others."""

EVERY, AMONG_ALL = "every", "across"
"""The match among all names, of all kinds, and of those that are across initials."""

MANY = 1_000_000
"""Mentions; the names of fewer are matched all at once."""


def matches(mentions: int) -> tuple[int | str, ...]:
    """The matches there are to make: among the names of one initial, and of some kinds among all, the largest first.

    >>> matches(1000)
    ('every',)
    """
    return (EVERY,) if mentions < MANY else (AMONG_ALL, *range(INITIALS))


PART = 100_000
"""Candidates that are weighed together."""

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
    """Find the candidates among the names with one initial, or of some kinds among all names; how many there are."""
    place = Path(folder)
    done = place / "matches" / f"{which}.arrow"
    if not done.exists():
        names = (_names(place, number, which) for number in range(shards))
        if which == AMONG_ALL:
            found = candidates_across(names)
        else:
            kinds = KINDS if which == EVERY else [kind for kind in KINDS if kind not in ACROSS]
            found = candidates(pl.concat(names), kinds)
        write_frame(done, found)
    return read_frame(done).height


def _names(place: Path, number: int, which: int | str) -> pl.DataFrame:
    path = place / "names" / f"{number:05}.arrow"
    if isinstance(which, str):
        return read_frame(path)
    begin, end = read_arrays(path.with_suffix(".npz"))["bounds"][which : which + 2].tolist()
    return read_frame(path, begin, end - begin)


def divide(folder: str) -> int:
    """Divide the candidates into parts, to be weighed; how many there are."""
    place = Path(folder) / "weighed"
    if not (place / "plan.npz").exists():
        found = first_kinds(read_frame(path) for path in sorted((Path(folder) / "matches").glob("*.arrow")))
        _plan(place, found, np.arange(found.height) // PART)
    return _parts(place)


def divide_again(folder: str, parts: int) -> int:
    """Divide the candidates that are worth joining into troupes; how many there are."""
    place = Path(folder) / "troupes"
    if not (place / "plan.npz").exists():
        weighed = Path(folder) / "weighed"
        found = pl.concat(
            [read_frame(weighed / "candidates.arrow", 0, 0)]
            + [read_frame(weighed / f"{part:05}.arrow") for part in range(parts)]
        )
        persons, codes = np.unique(found.select("one", "other").to_numpy(), return_inverse=True)
        codes = codes.reshape(-1, 2)
        group = connected(len(persons), codes) if len(persons) else np.empty(0, np.int64)
        sizes = np.bincount(group)
        troupe = ((np.cumsum(sizes) - sizes) // TROUPE)[group] if len(persons) else group
        _plan(place, found, troupe[codes[:, 0]])
    return _parts(place)


def _plan(place: Path, found: pl.DataFrame, part: Longs) -> None:
    """Lay down candidates part by part, and which persons have to be where."""
    order = np.argsort(part, kind="stable")
    found, part = found[order], part[order]
    needed = pl.DataFrame(
        {"person": pl.concat([found["one"], found["other"]]), "part": np.concatenate([part, part])}
    )
    needed = needed.unique().sort("person", "part")
    bounds = np.searchsorted(part, np.arange(int(part.max(initial=-1)) + 2))
    write_frame(place / "candidates.arrow", found)
    write_arrays(
        place / "plan.npz",
        {"person": needed["person"].to_numpy(), "part": needed["part"].to_numpy(), "bounds": bounds},
    )


def _parts(place: Path) -> int:
    return len(read_arrays(place / "plan.npz")["bounds"]) - 1


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


def cast(folder: str, stage: str, number: int) -> None:
    """Take a shard's persons out of it, part by part of a stage ("weighed" or "troupes")."""
    place = Path(folder) / stage
    done = place / "casts" / f"{number:05}.done"
    if done.exists():
        return
    plan = read_arrays(place / "plan.npz")
    begin, end = np.searchsorted(plan["person"], [number << SHARD_BITS, (number + 1) << SHARD_BITS])
    persons, row = np.unique(plan["person"][begin:end], return_inverse=True)
    part = plan["part"][begin:end]
    if len(persons):
        taken = _take(Path(folder), number, persons)
        for which in np.unique(part).tolist():
            some = taken.part(row[part == which])
            target = place / "casts" / f"{which:05}-{number:05}.pickle"
            write_whole(target, lambda file, some=some: pickle.dump(some, file, protocol=5))  # type: ignore[misc]
    write_whole(done, lambda file: file.write(b""))


def _cast_of(place: Path, which: int) -> tuple[Cast, pl.DataFrame]:
    """A part's persons, out of all shards, and its candidates."""
    paths = sorted((place / "casts").glob(f"{which:05}-*.pickle"))
    begin, end = read_arrays(place / "plan.npz")["bounds"][which : which + 2].tolist()
    found = read_frame(place / "candidates.arrow", begin, end - begin)
    return Cast.together([pickle.loads(path.read_bytes()) for path in paths]), found


def _take(place: Path, number: int, persons: Longs) -> Cast:
    work = shard_work(place, number, None)
    known = read_arrays(place / "names" / f"{number:05}.npz")["labels"]
    labels = known[read_frame(place / "found" / f"{number:05}.arrow")["person"].to_numpy()]
    chosen = known[persons - (number << SHARD_BITS)]
    taken = take_cast(work, labels, chosen, work.papers)
    return replace(taken, persons=taken.persons.with_columns(person=pl.Series(persons)))


def weigh(folder: str, which: int, weights: str | None) -> None:
    """Find which of a part's candidates are worth joining."""
    place = Path(folder) / "weighed"
    done = place / f"{which:05}.arrow"
    if not done.exists():
        persons, found = _cast_of(place, which)
        words = kept(str(Path(folder) / "words.pickle"))
        write_frame(done, worth_joining(persons, found, words, shared_weights(weights)))


def join(folder: str, which: int, weights: str | None, different: Longs) -> int:
    """Join the persons of a troupe; how many joins there were. `different` are pairs of persons a curator parted."""
    place = Path(folder)
    done = place / "joined" / f"{which:05}.arrow"
    if not done.exists():
        troupe, found = _cast_of(place / "troupes", which)
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
