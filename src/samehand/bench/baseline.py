"""The baseline's figures on every labelled set: the floor for every model."""

from __future__ import annotations

from collections.abc import Iterator

from samehand.bench import Options, Row
from samehand.bench.labelled import labelled_sets, scores, stopwatch
from samehand.pipeline import resolve


def run(options: Options) -> Iterator[Row]:
    """One row a set; `seconds` is the whole way from file to entities."""
    for labelled in labelled_sets(options):
        with stopwatch() as figures:
            result = resolve(labelled.records, only=labelled.kind, seed=options.seed)
        mentions = result.mentions.filter(kind=labelled.kind)
        figures["mentions_per_second"] = mentions.height / figures["seconds"]
        yield (
            {"bench": "baseline", "set": labelled.name, "method": "baseline"}
            | scores(mentions, labelled.truth)
            | figures
        )
