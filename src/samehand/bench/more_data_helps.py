"""`samehand bench more-data-helps`: figure 4 of the 2013 paper. New mentions improve what was decided before.

Half of the labelled mentions, drawn at random, are resolved from singletons, long past the usual schedule. Then the other
half enters in batches, each mention as a tree of its own beside the trees that stand, and the search goes on, cold.
Rows give the pairwise F1 of the first half after every sweep (`arrivals`: `batches`), and of a twin to which nothing is
added (`none`); `gain` rows say how far each went, as means over random halves. A sweep is a step for each mention of
the whole set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.author_sets import author_sets, first_blocks
from samehand.bench.rounds import Rounds, temperature, true_clusters
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.models.trees import Work, lay_out, with_topics
from samehand.models.trees.layout import Longs
from samehand.models.trees.settings import published

SETS = ("rexa", "acl-a-initials")
METHODS = ("trees-2013-topics", "trees-2013", "trees-2012")
ARRIVALS = ("batches", "none")
MOST_MENTIONS = 5_000
BATCHES = 8


@dataclass(frozen=True)
class Plan:
    """How many random halves are tried, and the sweeps of the first half alone and of each batch."""

    halves: int
    alone: int
    per_batch: int


FULL = Plan(halves=5, alone=120, per_batch=15)
QUICK = Plan(halves=1, alone=40, per_batch=8)


def run(options: Options) -> Iterator[Row]:
    """Rows of every sweep, and a `gain` row for each set, method and kind of arrival."""
    for name in SETS:
        if options.wants(name):
            _, blocked, truth = next(author_sets(replace(options, set=name)))
            known = blocked.mentions.join(truth, on="id", how="semi", maintain_order="left")
            labelled = first_blocks(replace(blocked, mentions=known), MOST_MENTIONS)
            for method in METHODS:
                if options.wants(name, method):
                    about = (
                        with_topics(labelled, seed=options.seed) if method.endswith("-topics") else labelled
                    )
                    for row in study(method, about, truth, options):
                        yield {"bench": "more-data-helps", "set": name, "method": method} | row


def study(method: str, labelled: Blocked, truth: pl.DataFrame, options: Options) -> Iterator[Row]:
    """Every sweep of every half with and without arrivals, then what was gained."""
    plan = QUICK if options.quick else FULL
    for arrivals in ARRIVALS:
        ends: list[tuple[float, float]] = []
        for half in range(plan.halves):
            rows = list(grow(method, labelled, truth, arrivals, plan, options.seed + half))
            yield from ({"arrivals": arrivals, "half": half} | row for row in rows)
            alone = [row["pairwise_f1"] for row in rows if row["batch"] == 0]
            ends.append((alone[-1], rows[-1]["pairwise_f1"]))
        before, after = np.mean(ends, axis=0).tolist()
        yield {"arrivals": arrivals, "figure": "gain", "halves": len(ends), "before": before, "after": after}


def grow(
    method: str, labelled: Blocked, truth: pl.DataFrame, arrivals: str, plan: Plan, seed: int
) -> Iterator[Row]:
    """One row a sweep: first half alone, then with a batch more every few sweeps."""
    settings = published(method.removesuffix("-topics"))
    mentions = labelled.mentions.sample(fraction=1.0, shuffle=True, seed=seed)
    work = lay_out(replace(labelled, mentions=mentions), NONE, settings)
    first = mentions.height // 2
    true = np.where(np.arange(mentions.height) < first, true_clusters(work, truth), -1)
    rounds = Rounds("trees", work, settings, seed, present_in_blocks(work, first))
    for sweep in range(plan.alone + BATCHES * plan.per_batch):
        batch = max(0, (sweep - plan.alone) // plan.per_batch + 1)
        there = first + (mentions.height - first) * batch // BATCHES if arrivals == "batches" else first
        if there > rounds.present.sum():
            rounds.add(present_in_blocks(work, there))
        rounds.sweep(temperature(settings, sweep))
        yield {
            "sweep": sweep + 1, "batch": batch, "mentions": there, "samples": rounds.samples,
            "pairwise_f1": rounds.pairwise_f1(true),
        }  # fmt: skip


def present_in_blocks(work: Work, rows: int) -> Longs:
    """How many of the first `rows` mentions are in each block."""
    block = np.searchsorted(work.block_starts, work.leaf[:rows], side="right") - 1
    return np.bincount(block, minlength=len(work.keys)).astype(np.int64)


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw the mean curves of each set and method: `trees-more-data-SET.svg`."""
    from samehand.bench.curves import curve, marks, write_svg

    table = pl.DataFrame([row for row in rows if "sweep" in row])
    by = ["set", "method", "arrivals", "sweep", "batch"]
    mean = table.group_by(by, maintain_order=True).agg(pl.col("samples", "pairwise_f1").mean())
    for name in mean["set"].unique(maintain_order=True):
        charts = []
        for method in mean.filter(set=name)["method"].unique(maintain_order=True):
            points = mean.filter(set=name, method=method)
            batches = points.filter(pl.col("batch") > 0, arrivals="batches").unique("batch", keep="first")
            lines = curve(points.to_dicts(), "samples", "pairwise_f1", "arrivals").properties(title=method)
            charts.append(lines + marks(batches.to_dicts(), "samples"))
        write_svg(charts, f"{name}: mentions that arrive later", folder / f"trees-more-data-{name}.svg")
