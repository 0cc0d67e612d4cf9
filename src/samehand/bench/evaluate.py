"""`samehand bench evaluate`: the speed of all figures with intervals, on generated mentions.

True clusters have Zipf sizes. The prediction breaks a tenth of the mentions off their cluster and sends one
in twenty to a cluster drawn at random, so that splits, merges and large connected components all occur.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.evaluate import evaluate

SETS = {"100k": 100_000, "1M": 1_000_000}
METHODS = {"figures": False, "figures-intervals": True}


def run(options: Options) -> Iterator[Row]:
    """One row per size, with and without intervals; kernels are loaded before the clock starts."""
    evaluate(*generate(100, options.seed))
    for set_name, mention_count in SETS.items():
        if not options.wants(set_name) or (options.quick and set_name == "1M"):
            continue
        predicted, truth = generate(mention_count, options.seed)
        for method in METHODS:
            if options.wants(set_name, method):
                yield _measure(predicted, truth, set_name, method)


def _measure(predicted: pl.DataFrame, truth: pl.DataFrame, set_name: str, method: str) -> Row:
    start = time.perf_counter()
    found = evaluate(predicted, truth, intervals=METHODS[method])
    seconds = time.perf_counter() - start
    figures = ("b3_f1", "pairwise_f1", "mean_f1", "clusters", "true_clusters", "mentions")
    return {
        "bench": "evaluate",
        "set": set_name,
        "method": method,
        **{name: found.figures[name] for name in figures},
        "seconds": seconds,
        "mentions_per_second": truth.height / seconds,
    }


def generate(mention_count: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A prediction and its truth: tables of `mention_count` mentions, in different orders.

    >>> predicted, truth = generate(1000, seed=0)
    >>> predicted.height, truth.columns
    (1000, ['id', 'cluster'])
    """
    random = np.random.default_rng(seed)
    sizes = np.minimum(random.zipf(2.0, size=mention_count), 1 + mention_count // 200)
    true = np.repeat(np.arange(mention_count), sizes)[:mention_count]
    broken_off = random.random(mention_count) < 0.1
    predicted = np.where(broken_off, true + mention_count, true)
    strays = random.random(mention_count) < 0.05
    predicted = np.where(strays, random.permutation(predicted), predicted)
    ids = pl.select(pl.format("mention-{}", pl.int_range(mention_count))).to_series().alias("id")
    truth = pl.DataFrame({"id": ids, "cluster": pl.Series(true).cast(pl.String)})
    entities = pl.DataFrame({"id": ids, "entity": pl.Series(predicted).cast(pl.String)})
    return entities[random.permutation(mention_count)], truth
