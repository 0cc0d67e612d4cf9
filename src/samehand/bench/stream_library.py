"""A library filled year by year: `authors/arnetminer` as it would have arrived, with and without questions.

Sets `arnetminer-by-year` (figures at the end) and `arnetminer-over-time` (after every fifth year: `year`, `records`). The
library is empty at first. A year's records arrive together, then the curator is asked about some of them, then the year
is repaired. Methods:

    samehand-ask-0, -5, -10, -20   so many percent of the records so far are asked about, those of largest expected gain
    random-ask-5, -10, -20         as many, chosen at random
    no-repair                      nobody asked, nothing repaired
    samehand-runs                  nobody asked; instead of merges, a full run of the author model every fifth year
    tree-runs                      the same with the tree sampler of the 2013 paper
    one-run                        a full run at the end, of everything at once

The curator answers from the truth, key by key, as in `samehand questions`: is it this person? no? then that one? until
yes, or nobody is left. `asked` is the share of records, `keys` the number of answers.

Set `speed`: processor seconds of a reference of three authors whose name a library has a hundred persons of: looked up
alone (`library-one`), and looked up and kept with 199 others (`library-batch`).
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import SCORES, labelled_sets
from samehand.errors import UsageError
from samehand.evaluate import evaluate
from samehand.infer.random import State, stream, uniform
from samehand.library import Library
from samehand.models.stream.assignment import Assignment
from samehand.pipeline import resolve
from samehand.read import Records, read
from samehand.records import REJECTS, Reference, references_frame

SET, OVER_TIME = "arnetminer-by-year", "arnetminer-over-time"
EVERY = 5
UNLIKELY = 0.01
"""The curator is not asked about candidates less probable than this."""
QUICK_RECORDS = 1_000


@dataclass(frozen=True)
class Method:
    """How a library is kept: the share of records asked about, how they are chosen, how early errors are repaired."""

    share: float = 0.0
    by_gain: bool = True
    repair: str = "merges"  # "merges", "nothing", or the model of full runs


METHODS = {
    "samehand-ask-0": Method(),
    "samehand-ask-5": Method(0.05),
    "samehand-ask-10": Method(0.1),
    "samehand-ask-20": Method(0.2),
    "random-ask-5": Method(0.05, by_gain=False),
    "random-ask-10": Method(0.1, by_gain=False),
    "random-ask-20": Method(0.2, by_gain=False),
    "no-repair": Method(repair="nothing"),
    "samehand-runs": Method(repair="samehand"),
    "tree-runs": Method(repair="trees-2013"),
}
QUICK = ("samehand-ask-0", "samehand-ask-10")
"""What --quick shows where --method names nothing."""


@dataclass
class Curator:
    """Knows the true persons, and answers for a library."""

    library: Library
    truth: dict[str, str]
    asked: int = 0
    keys: int = 0
    members: dict[str, list[str]] = field(default_factory=dict)

    def look(self) -> None:
        """See whose mentions are whose now."""
        self.members = {}
        for mention, entity in self.library.mentions("author").select("id", "entity").iter_rows():
            self.members.setdefault(entity, []).append(mention)

    def answer(self, found: Assignment) -> None:
        """Yes or no to each candidate of a mention, the likeliest first, until yes; what is decided in the end."""
        self.asked += 1
        refused = []
        for candidate in found.candidates:
            if (candidate.probability or 0.0) < UNLIKELY:
                break
            others = [one for one in self.members.get(candidate.entity or "", ()) if one != found.mention]
            if others:
                self.keys += 1
                person, one = self._whose(others)
                if person == self.truth[found.mention]:
                    self.library.decide("same", found.mention, one, by="bench")
                    return
                refused.append(one)
        for one in refused:
            self.library.decide("different", found.mention, one, by="bench")

    def _whose(self, mentions: Sequence[str]) -> tuple[str, str]:
        """The person whom most of an entity's mentions are, and one of these."""
        person = Counter(self.truth[mention] for mention in mentions).most_common(1)[0][0]
        return person, next(mention for mention in mentions if self.truth[mention] == person)


def run(options: Options) -> Iterator[Row]:
    """The rows of both sets, and of `speed`."""
    if options.wants("speed"):
        for row in speed(options):
            if options.wants("speed", row["method"]):
                yield {"bench": "stream", "set": "speed"} | row
    if options.quick and options.set is None:
        return
    for method, how in METHODS.items():
        wanted = options.wants(SET, method) or options.wants(OVER_TIME, method)
        if wanted and not (options.quick and options.method is None and method not in QUICK):
            for row in replayed(how, options):
                set_name = OVER_TIME if "year" in row else SET
                if options.wants(set_name):
                    yield {"bench": "stream", "set": set_name, "method": method} | row
    if options.wants(SET, "one-run") and not options.quick:
        yield {"bench": "stream", "set": SET, "method": "one-run"} | _at_once(options)


def _load(options: Options) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The references in order of year, and the truth."""
    for labelled in labelled_sets(Options(data=options.data_folder(), set="arnetminer"), "authors"):
        references = read(labelled.records).references.sort("year", maintain_order=True, nulls_last=False)
        truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
        return (references.head(QUICK_RECORDS) if options.quick else references), truth
    raise UsageError(f"{options.data}: no authors/arnetminer.truth.csv.gz; this benchmark needs that set")


def replayed(how: Method, options: Options) -> Iterator[Row]:
    """One library, year by year: a row after every fifth year, and the last one."""
    references, truth = _load(options)
    chance = stream(options.seed, "questions")
    with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "stream.library") as library:
        curator = Curator(library, dict(truth.select("id", "cluster").iter_rows()))
        seen, spent, last = 0, 0.0, references["year"].max()
        for (year,), part in references.group_by("year", maintain_order=True):
            started = time.process_time()
            found = library.assign(Records(part, REJECTS.to_frame()), keep=True)
            seen += part.height
            spent += time.process_time() - started
            _ask(curator, found, int(how.share * seen) - curator.asked, how.by_gain, chance)
            started = time.process_time()
            is_fifth = year is not None and year % EVERY == 0
            _repair(library, how.repair, is_fifth or year == last, options.seed)
            spent += time.process_time() - started
            if is_fifth or year == last:
                yield {"year": year, "records": seen} | _figures(library, truth)
        told = {"asked": curator.asked / seen, "keys": curator.keys, "seconds_per_record": spent / seen}
        yield _figures(library, truth) | told


def _ask(curator: Curator, found: Sequence[Assignment], most: int, by_gain: bool, chance: State) -> None:
    """Ask about at most so many of a year's mentions; what an earlier answer has settled meanwhile is not asked."""
    if most <= 0:
        return
    curator.look()
    doubts = {one.mention: 1.0 - (one.probability or 0.0) if by_gain else uniform(chance) for one in found}
    for one in sorted(found, key=lambda one: (-doubts[one.mention], one.mention))[:most]:
        curator.answer(one)


def _repair(library: Library, repair: str, is_time_for_a_run: bool, seed: int) -> None:
    if repair == "merges":
        library.repair()
    elif repair != "nothing" and is_time_for_a_run:
        resolve([], library=library, model=repair, only="author", seed=seed, threads=1)


def _figures(library: Library, truth: pl.DataFrame) -> Row:
    mentions = library.mentions("author")
    result = evaluate(mentions, truth.filter(pl.col("id").is_in(mentions["id"].implode())), intervals=False)
    return {name: result.figures[name] for name in SCORES}


def _at_once(options: Options) -> Row:
    references, truth = _load(options)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "stream.library") as library:
        records = Records(references, REJECTS.to_frame())
        resolve(records, library=library, only="author", seed=options.seed, threads=1)
        spent = time.process_time() - started
        return _figures(library, truth) | {"asked": 0.0, "seconds_per_record": spent / references.height}


PERSONS, PAPERS_EACH, ALONE = 100, 5, 20


def speed(options: Options) -> Iterator[Row]:
    """Processor seconds of a reference, in a library of references drawn at random."""
    chance = stream(options.seed, "speed")
    with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "speed.library") as library:
        library.assign(_drawn(chance, PERSONS * PAPERS_EACH, "old"), keep=True)
        resolve([], library=library, model="baseline", threads=1)
        library.assign(_drawn(chance, 1, "first"))
        started = time.process_time()
        for number in range(ALONE):
            library.assign(_drawn(chance, 1, f"one{number}"))
        yield {"method": "library-one", "seconds_per_record": (time.process_time() - started) / ALONE}
        batch = _drawn(chance, 200, "batch")
        started = time.process_time()
        library.assign(batch, keep=True)
        yield {"method": "library-batch", "seconds_per_record": (time.process_time() - started) / 200}


def _drawn(chance: State, count: int, key: str) -> Records:
    """References by one of a hundred J. Smiths with two co-authors of his own, and words of his own and of all."""
    found = []
    for number in range(count):
        person = int(uniform(chance) * PERSONS)
        friends = [f"Friend{int(uniform(chance) * 4)} Of{person:03}" for _ in range(2)]
        own = [f"topic{person}n{int(uniform(chance) * 20)}" for _ in range(3)]
        title = " ".join([*own, *(f"word{int(uniform(chance) * 500)}" for _ in range(4))])
        found.append(
            Reference(
                key, number, id=f"{key}{number}", title=title, authors=[friends[0], "J. Smith", friends[1]],
                venue=f"Journal {person % 30}", year=2000,
            )
        )  # fmt: skip
    return Records(references_frame(found), REJECTS.to_frame())
