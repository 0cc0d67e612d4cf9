"""The intervals: reproducible, distributed as plain resampling, and about as wide as the truth demands."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from samehand.evaluate import evaluate
from samehand.evaluate.bootstrap import FEWEST, resampled_totals, strata


def noisy(cluster_count: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Clusters of 1 to 6 mentions, as many of each; a mention goes off on its own with a chance of 0.2."""
    random = np.random.default_rng(seed)
    true = np.repeat(np.arange(cluster_count), np.arange(cluster_count) % 6 + 1)
    alone = cluster_count + np.arange(len(true))
    predicted = np.where(random.random(len(true)) < 0.2, alone, true)
    ids = np.arange(len(true))
    return pl.DataFrame({"id": ids, "entity": predicted}), pl.DataFrame({"id": ids, "cluster": true})


def test_same_seed_same_intervals_and_another_seed_others() -> None:
    tables = noisy(300, seed=1)
    first, again, other = (evaluate(*tables, seed=seed) for seed in (5, 5, 6))
    assert first.intervals == again.intervals
    assert first.intervals != other.intervals


def test_which_figures_have_intervals() -> None:
    found = evaluate(*noisy(100, seed=2))
    expected = {f"{family}_{part}" for family in ("b3", "pairwise") for part in ("precision", "recall", "f1")}
    assert set(found.intervals) == expected | {"exact_clusters", "mean_f1", "mean_f1_lenient"}
    for name, (low, high) in found.intervals.items():
        assert low <= found.figures[name] <= high
    assert evaluate(*noisy(100, seed=2), intervals=False).intervals == {}


def test_a_perfect_clustering_leaves_no_doubt() -> None:
    truth = noisy(50, seed=3)[1]
    assert set(evaluate(truth, truth).intervals.values()) == {(1.0, 1.0)}


def test_strata_are_size_classes_and_small_ones_join_a_neighbour() -> None:
    sizes = np.array([1] * 20 + [2] * 20 + [3, 4] * 10 + [5, 8] * 10 + [9] * (FEWEST - 1) + [300])
    found = strata(sizes)
    assert found[sizes == 3][0] == found[sizes == 4][0] != found[sizes == 5][0] == found[sizes == 8][0]
    assert found[sizes == 9][0] == found[sizes == 300][0] != found[sizes == 8][0]
    assert sorted(set(found)) == [0, 1, 2, 3, 4]


def test_few_clusters_are_one_stratum() -> None:
    assert set(strata(np.array([1, 2, 50]))) == {0}
    assert set(strata(np.array([1] + [4] * 20))) == {0}


def test_common_and_rare_kinds_together_resample_plainly() -> None:
    """Mean and variance of a total of n draws with replacement: n mean, n variance."""
    random = np.random.default_rng(4)
    values = np.concatenate([np.zeros(100), np.ones(60), random.random(50) * 3])
    totals = resampled_totals(values[:, None], np.ones(len(values), np.int64), replicates=20_000, seed=8)
    assert totals.mean() == pytest.approx(values.sum(), abs=5 * np.sqrt(len(values) * values.var() / 20_000))
    assert totals.var() == pytest.approx(len(values) * values.var(), rel=0.05)


def test_intervals_cover_the_expected_figure() -> None:
    """Of 60 samples from one source, about 95% of the intervals should hold the source's own figure."""
    settled = evaluate(*noisy(60_000, seed=99), intervals=False).figures
    samples = [evaluate(*noisy(252, seed=seed), replicates=400).intervals for seed in range(60)]
    for name in ("b3_recall", "b3_f1", "pairwise_f1", "exact_clusters", "mean_f1"):
        held = sum(sample[name][0] <= settled[name] <= sample[name][1] for sample in samples)
        assert held >= 51, f"{name}: fewer would happen about once in a thousand at 95%"
