"""The labelled sets: where they are, what they label, and how a clustering is scored on them."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.evaluate import evaluate
from samehand.records import Kind

SCORES = (
    "b3_precision", "b3_recall", "b3_f1", "pairwise_precision", "pairwise_recall", "pairwise_f1",
    "exact_clusters", "mean_f1", "clusters", "true_clusters", "mentions",
)  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """One labelled set: its name, the kind of mention it labels, its records and its truth."""

    name: str
    kind: Kind
    records: Path
    truth: Path


FOLDERS: dict[str, Kind] = {"authors": "author", "papers": "paper", "venues": "venue", "citations": "paper"}


def labelled_sets(options: Options, *folders: str) -> Iterator[Labelled]:
    """The labelled sets of these folders (all if none is named) that --set leaves in, by name."""
    for folder in folders or FOLDERS:
        for truth in sorted((options.data_folder() / folder).glob("*.truth.csv.gz")):
            name = f"{folder}/{truth.name.removesuffix('.truth.csv.gz')}"
            if options.set in (None, name, name.split("/")[1]):
                records = truth.with_name(truth.name.replace(".truth.csv.gz", ".jsonl.gz"))
                yield Labelled(name, FOLDERS[folder], records, truth)


def scores(predicted: pl.DataFrame, truth: Path) -> Row:
    """The figures of a clustering against a truth file, and the interval of B-cubed F1."""
    result = evaluate(predicted, truth)
    low, high = result.intervals["b3_f1"]
    figures: Row = {name: result.figures[name] for name in SCORES}
    return figures | {"b3_f1_low": low, "b3_f1_high": high}


@contextmanager
def stopwatch() -> Iterator[Row]:
    """Seconds, processor seconds of all threads and the process's peak memory, filled in at the end.

    >>> with stopwatch() as figures:
    ...     pass
    >>> sorted(figures)
    ['cpu_seconds', 'peak_mib', 'seconds']
    """
    figures: Row = {}
    started, worked = time.perf_counter(), time.process_time()
    yield figures
    figures["seconds"] = time.perf_counter() - started
    figures["cpu_seconds"] = time.process_time() - worked
    figures["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
