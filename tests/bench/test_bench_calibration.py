"""The calibration benchmark on invented shares: what is fitted on the others, what is shown, and the picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from samehand.bench.calibration import METHODS, TEMPERATURES, draw, rows
from samehand.evaluate.calibration import Squash


def invented(boast: float, seed: int) -> dict[float, pl.DataFrame]:
    """Shares of a model whose logits are `boast` times too large, at each temperature."""
    random = np.random.default_rng(seed)
    honest = random.uniform(0.02, 0.98, 4_000)
    share = (random.random(4_000) < honest).astype(float)
    return {
        times: pl.DataFrame({"probability": Squash(0.0, boast / times)(honest), "share": share})
        for times in TEMPERATURES
    }


SHARES = {
    "authors/one": invented(3.0, 1),
    "authors/one-initials": invented(9.0, 2),
    "authors/two": invented(3.0, 3),
}


def figures(name: str, method: str) -> dict:
    return next(rows(SHARES, name, method))


def test_a_boastful_model_is_cooled_and_squashed_by_what_the_others_say() -> None:
    assert figures("authors/one", "shipped")["ece"] > 0.08
    assert figures("authors/one", "temperature")["temperature"] == pytest.approx(3.0, rel=0.5)
    assert figures("authors/one", "temperature")["ece"] < 0.03
    assert figures("authors/one", "squashed")["ece"] < 0.03
    assert figures("authors/one", "squashed")["slope"] == pytest.approx(1 / 3, abs=0.1)


def test_nothing_is_fitted_on_the_set_itself_nor_on_its_other_form() -> None:
    alone = {name: SHARES[name] for name in ("authors/one", "authors/one-initials")}
    found = next(rows(alone, "authors/one", "squashed"))
    assert (found["intercept"], found["slope"]) == (0.0, 1.0)


def test_bins_hold_every_mention_once() -> None:
    head, *bins = rows(SHARES, "authors/two", "shipped")
    assert sum(row["mentions"] for row in bins) == head["mentions"] == 4_000


def test_the_picture_has_a_panel_for_each_set(tmp_path: Path) -> None:
    found = [row for name in SHARES for method in METHODS for row in rows(SHARES, name, method)]
    text = draw(found, tmp_path).read_text("utf-8")
    assert text.startswith("<svg")
    assert all(f"{name.split('/')[1]}: error" in text for name in SHARES)
