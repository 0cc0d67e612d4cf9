"""`samehand bench stream`: tables 2 to 4 and figures 2 to 5 of the stream paper, and the model that goes past it.

Sets `T0=2` and `T0=3`: the 25 names of table 1, whose last two or three years are the stream. A row for each name (`set`
is `T0=2/Kai Zhang`) and one of means over the names; figures of random methods are means over the runs. `mean_f1` is the
strict reading, `mean_f1_lenient` the lenient one (models/stream/score.py); `persons` and `true_persons` are those of the
stream (table 4); `seconds_per_record` is processor time, that of the published model without its coordinates.
`evidence-ask-20` may ask about a fifth of the records: `asked` is the share it did.

`figure-2` to `figure-5`, `asking` and `calibration` give the numbers of figures (bench/stream_figures.py), `speed` the
time of one record. `arnetminer-by-year` and `arnetminer-over-time` fill a library (bench/stream_library.py).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.author_sets import read_authors
from samehand.bench.labelled import Labelled, labelled_sets
from samehand.errors import UsageError
from samehand.infer.random import stream
from samehand.models.stream.background import Background, Counts, count_tokens
from samehand.models.stream.evidence import RECENCY
from samehand.models.stream.features import PUBLISHED, binary_features, stream_records
from samehand.models.stream.mixture import GIBBS, PARTICLES, READINGS, Settings, coordinates, label
from samehand.models.stream.mixture import Ask as AskFilter
from samehand.models.stream.persons import Record, records_of
from samehand.models.stream.replay import Ask, replay
from samehand.models.stream.rivals import khabsa, naive_bayes, qian, rules, svm
from samehand.models.stream.score import mean_f1, mean_f1_lenient
from samehand.models.stream.task import Task, first_labels

Longs = npt.NDArray[np.int64]

NAMES = (
    "Kai Zhang", "Bo Liu", "Jing Zhang", "Yong Chen", "Yu Zhang", "Hao Wang", "Wei Xu", "Lei Wang", "Bin Li",
    "Ning Zhang", "Feng Liu", "Lei Chen", "David Brown", "Yang Wang", "Gang Chen", "X. Zhang", "Yun Wang", "Z. Wang",
    "Bing Liu", "Yang Yu", "Ji Zhang", "Bin Yu", "Lu Liu", "Ke Chen", "Gang Luo",
)  # fmt: skip
"""Table 1 of the paper."""

YEARS = (2, 3)
RUNS, QUICK_RUNS = 30, 1


@dataclass(frozen=True, eq=False)
class Name:
    """The records of one name in time order, the persons they truly belong to, and how many come with theirs."""

    name: str
    table: pl.DataFrame
    labels: Longs
    initial: int
    library: Library

    @property
    def known(self) -> int:
        """How many persons the initial records have."""
        return int(self.labels[: self.initial].max()) + 1

    @property
    def truth(self) -> Longs:
        """The persons of the stream."""
        return self.labels[self.initial :]

    @cached_property
    def records(self) -> list[Record]:
        """The records as `Persons` reads them."""
        return list(records_of(self.table))

    def task(self, columns: tuple[str, ...] = PUBLISHED) -> Task:
        """The problem as the published methods read it."""
        return Task(binary_features(self.table, columns), self.labels[: self.initial])

    def background(self, year: int) -> Background:
        """What the records of all other names say at large when those of a year arrive."""
        return Background(self.library.counts(year), self.library.counts(year, self.name))


class Library:
    """The records of all names with their true persons."""

    def __init__(self, labelled: Labelled) -> None:
        truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
        records = stream_records(read_authors(labelled.records))
        self.records = records.join(truth, on="id", maintain_order="left")
        self._counts: dict[tuple[int, str | None], Counts] = {}

    def counts(self, year: int, name: str | None = None) -> Counts:
        """Token counts of all records up to a year, or of those of one name."""
        if (year, name) not in self._counts:
            wanted = pl.lit(True) if name is None else pl.col("block") == name
            self._counts[year, name] = count_tokens(self.records.filter(wanted & (pl.col("year") <= year)))
        return self._counts[year, name]

    def names(self, years: int, wanted: Sequence[str] = NAMES) -> list[Name]:
        """The problems whose stream is the last so many years: those after the last year less `years`."""
        found = []
        for name in wanted:
            table = self.records.filter(pl.col("block") == name)
            if table.is_empty():
                raise UsageError(
                    f"authors/arnetminer has no records of {name!r}; this benchmark needs the whole set"
                )
            initial = int((table["year"] <= table["year"].max() - years).sum())  # type: ignore[operator]
            found.append(Name(name, table, first_labels(table["cluster"].to_numpy()), initial, self))
        return found


@cache
def load_library(folder: Path) -> Library:
    """The labelled records under a data folder."""
    for labelled in labelled_sets(Options(data=folder, set="arnetminer"), "authors"):
        return Library(labelled)
    raise UsageError(f"{folder}: no authors/arnetminer.truth.csv.gz; this benchmark needs that set")


Method = Callable[[Name, int], Longs]
"""From a name and the seed of a run to the labels of its stream."""


@cache
def points(name: Name, columns: tuple[str, ...], rank: int, seed: int) -> npt.NDArray[np.float64]:
    """Latent coordinates of a name's records, which all readings and inferences of one run share."""
    return coordinates(name.task(columns), rank, stream(seed, f"factors {name.name}"))


def published(
    settings: Settings, columns: tuple[str, ...] = PUBLISHED, ask: AskFilter | None = None
) -> Method:
    """The published model with these settings and features."""

    def method(name: Name, seed: int) -> Longs:
        records = points(name, columns, settings.rank, seed)
        return label(records, name.labels[: name.initial], settings, stream(seed, f"stream {name.name}"), ask)

    return method


PUBLISHED_METHODS: dict[str, Method] = {
    f"{method}{reading}": published(replace(settings, **more))
    for reading, more in READINGS.items()
    for method, settings in {
        "gibbs": GIBBS,
        "particles": PARTICLES,
        "particles-optimal": replace(PARTICLES, optimal=True),
    }.items()
}
"""The methods that are run several times. (NNMF-SVM-HAC is random in its start only, and slow.)"""

METHODS: dict[str, Method] = PUBLISHED_METHODS | {
    "bernounaive-hac": lambda name, seed: naive_bayes.predict(name.task()),
    "nnmf-svm-hac": lambda name, seed: svm.predict(name.task(), stream(seed, name.name)),
    "qian": lambda name, seed: qian.predict(name.task()),
    "khabsa": lambda name, seed: khabsa.predict(name.task()),
    "all-new": lambda name, seed: rules.all_new(name.labels[: name.initial], len(name.truth)),
    "most-coauthors": lambda name, seed: rules.most_coauthors(
        name.labels[: name.initial], name.table["coauthor_names"].to_list()
    ),
    "evidence": lambda name, seed: evidence(name),
    "evidence-no-recency": lambda name, seed: evidence(name, recency=0.0),
    "evidence-no-repair": lambda name, seed: evidence(name, repair=False),
    "evidence-earlier-years": lambda name, seed: evidence(
        name, background=lambda year: name.background(year - 1)
    ),
}


def evidence(
    name: Name,
    *,
    recency: float = RECENCY,
    repair: bool = True,
    ask: Ask | None = None,
    background: Callable[[int], Background] | None = None,
) -> Longs:
    """The labels of a name's stream by the model of models/stream/evidence.py."""
    initial = name.labels[: name.initial]
    at_large = background or name.background
    return replay(name.records, initial, at_large, recency=recency, repair=repair, ask=ask)


SLOW = (
    "particles-optimal", "-expected", "nnmf-svm-hac", "evidence-ask-5", "evidence-ask-10", "evidence-no-recency",
    "evidence-earlier-years",
)  # fmt: skip
"""What --quick leaves out where --method does not name it: the slowest, and what others of the same kind show too."""


def _wants(options: Options, set_name: str, method: str) -> bool:
    is_left_out = options.quick and options.method is None and any(part in method for part in SLOW)
    return options.wants(set_name, method) and not is_left_out


def run(options: Options) -> Iterator[Row]:
    """Rows of the tables, then those of the figures, which --quick leaves out (not `speed`) unless --set names one."""
    from samehand.bench import stream_figures, stream_library

    for years in YEARS:
        set_name = f"T0={years}"
        if options.wants(set_name):
            names = load_library(options.data_folder()).names(years)
            for method in METHODS:
                if _wants(options, set_name, method):
                    yield from _titled(set_name, method, table_rows(method, names, options))
            for share in stream_figures.SHARES:
                method = f"evidence-ask-{round(100 * share)}"
                if _wants(options, set_name, method):
                    row = stream_figures.asked_row(names, share, options)
                    yield {"bench": "stream", "set": set_name, "method": method} | row
    for set_name, figure in stream_figures.FIGURES.items():
        is_left_out = options.quick and options.set is None and set_name != "speed"
        if options.wants(set_name) and not is_left_out:
            for row in figure(options):
                yield {"bench": "stream", "set": set_name} | row
    yield from stream_library.run(options)


def _titled(set_name: str, method: str, rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        name = row.pop("name")
        yield {"bench": "stream", "set": f"{set_name}/{name}" if name else set_name, "method": method} | row


def table_rows(method: str, names: Sequence[Name], options: Options) -> Iterator[Row]:
    """A row for each name, then their means; kernels and coordinates are ready before the clock starts."""
    runs = (QUICK_RUNS if options.quick else RUNS) if method in PUBLISHED_METHODS else 1
    METHODS[method](min(names, key=lambda name: name.table.height), options.seed)
    if method in PUBLISHED_METHODS:
        for name in names:
            for number in range(runs):
                points(name, PUBLISHED, PARTICLES.rank, options.seed + number)
    rows = []
    for name in names:
        rows.append(measure(METHODS[method], name, runs, options.seed))
        yield {"name": name.name} | rows[-1]
    yield {"name": ""} | means(rows)


def measure(method: Method, name: Name, runs: int, seed: int) -> Row:
    """The figures of one name: means over the runs, and deviations between them."""
    scores, persons = [], []
    started = time.process_time()
    for number in range(runs):
        labels = method(name, seed + number)
        scores.append(figures(name, labels))
        persons.append(len(np.unique(labels)))
    seconds = time.process_time() - started
    strict, lenient = np.transpose(scores)
    return {
        "mean_f1": float(strict.mean()),
        "mean_f1_deviation": float(strict.std()),
        "mean_f1_lenient": float(lenient.mean()),
        "persons": float(np.mean(persons)),
        "persons_deviation": float(np.std(persons)),
        "true_persons": len(np.unique(name.truth)),
        "records": len(name.truth),
        "runs": runs,
        "seconds_per_record": seconds / (runs * len(name.truth)),
    }


def figures(name: Name, labels: Longs) -> tuple[float, float]:
    """Mean F1, strict and lenient."""
    return mean_f1(name.truth, labels, name.known), mean_f1_lenient(name.truth, labels)


def means(rows: Sequence[Row]) -> Row:
    """Means over the names; records are added up, and seconds are weighed by them.

    >>> rows = [{"mean_f1": 0.5, "records": 1, "seconds_per_record": 1.0},
    ...     {"mean_f1": 0.7, "records": 3, "seconds_per_record": 2.0}]
    >>> means(rows)
    {'mean_f1': 0.6, 'records': 4, 'seconds_per_record': 1.75}
    """
    counts = [row["records"] for row in rows]
    mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
    spent = float(np.average([row["seconds_per_record"] for row in rows], weights=counts))
    whole = {"records": sum(counts)} | ({"runs": rows[0]["runs"]} if "runs" in rows[0] else {})
    return mean | whole | {"seconds_per_record": spent}
