"""`samehand bench authors`: every author model on every labelled author set.

The published models have their printed weights. `samehand` is the default with the weights that ship with it, which were
learned from these sets; `samehand-left-out` is the same model with weights learned from the other sets only: what to
expect of new data.

`seconds` and `mentions_per_second` are those of the resolving step alone, on all cores, bags included; reading,
normalising, blocking, learning and the fitting of topics are not. `peak_mib` is the whole process's, up to the end of
the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.author_lessons import AuthorSet, learned_without, load_sets
from samehand.bench.author_sets import author_sets, first_blocks
from samehand.bench.labelled import SCORES, stopwatch
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.evaluate import evaluate
from samehand.infer.run import Run
from samehand.models import resolver
from samehand.models.persons import resolve_with
from samehand.models.trees import with_topics

LEFT_OUT = "samehand-left-out"

METHODS = {
    "baseline": "baseline",
    "pairwise": "pairwise",
    "trees-2012": "trees-2012",
    "trees-2013": "trees-2013",
    "trees-2013-topics": "trees-2013",
    "samehand": "samehand",
    LEFT_OUT: "samehand",
}
"""Method -> model. Where no topics are fitted, words of titles stand in their place."""

Resolve = Callable[[Blocked, Run], pl.DataFrame]


def run(options: Options) -> Iterator[Row]:
    """One row for each set and method."""
    lessons: dict[str, AuthorSet] = {}
    for name, blocked, truth in author_sets(options):
        for method in METHODS:
            if options.wants(options.set or name, method):
                if method == LEFT_OUT:
                    lessons = lessons or load_sets(options)
                figures = measure(method, _resolve(method, name, lessons), blocked, truth, Run(options.seed))
                yield {"bench": "authors", "set": name, "method": method} | figures


def measure(method: str, resolve: Resolve, blocked: Blocked, truth: pl.DataFrame, run: Run) -> Row:
    """The figures of one method on one set; its kernels are loaded before the clock starts."""
    resolve(first_blocks(blocked, 1), run)
    if method.endswith("-topics"):
        blocked = with_topics(blocked, seed=run.seed)
    with stopwatch() as figures:
        found = resolve(blocked, run)
    figures["mentions_per_second"] = found.height / figures["seconds"]
    result = evaluate(found, truth)
    low, high = result.intervals["b3_f1"]
    return {name: result.figures[name] for name in SCORES} | {"b3_f1_low": low, "b3_f1_high": high} | figures


def _resolve(method: str, name: str, lessons: dict[str, AuthorSet]) -> Resolve:
    if method == LEFT_OUT:
        weights = learned_without(lessons, name.removesuffix("-initials"))
        return lambda blocked, run: resolve_with(weights, blocked, NONE, run)
    model = resolver(METHODS[method], "author")
    return lambda blocked, run: model(blocked, NONE, run)
