"""Calibration: what is right by construction has no error, what is too sure has, and the correction finds
the way back."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from samehand.evaluate.calibration import Squash, calibration_error, fit_squash, reliability, true_shares


def drawn(slope: float, mentions: int = 20_000) -> pl.DataFrame:
    """Shares drawn with their probability, which is told `slope` times too far from even in logits."""
    random = np.random.default_rng(1)
    honest = random.uniform(0.02, 0.98, mentions)
    share = (random.random(mentions) < honest).astype(float)
    return pl.DataFrame({"probability": Squash(0.0, slope)(honest), "share": share})


def test_honest_probabilities_have_no_error_and_boastful_ones_do() -> None:
    assert calibration_error(reliability(drawn(1.0))) < 0.015
    assert calibration_error(reliability(drawn(3.0))) > 0.08


def test_the_correction_undoes_what_was_done() -> None:
    table = drawn(2.0)
    fitted = fit_squash(table["probability"].to_numpy(), table["share"].to_numpy(), np.ones(table.height))
    assert fitted.slope == pytest.approx(0.5, abs=0.03)
    assert fitted.intercept == pytest.approx(0.0, abs=0.05)


def test_every_mention_is_in_one_bin() -> None:
    table = reliability(pl.DataFrame({"probability": [0.0, 0.1, 0.999, 1.0], "share": [0.0, 0.0, 1.0, 1.0]}))
    assert table["bin"].to_list() == [0, 1, 9]
    assert table["mentions"].sum() == 4


def test_only_labelled_mates_count() -> None:
    found = pl.DataFrame(
        {"mention": list("abcde"), "cluster": [0, 0, 0, 1, 2], "probability": [0.9, 0.8, 0.7, 0.6, 0.5]}
    )
    truth = pl.DataFrame({"id": ["e", "a", "c", "d"], "cluster": ["y", "x", "x", "y"]})
    assert true_shares(found, truth).rows() == [(0.5, 0.0), (0.9, 1.0), (0.7, 1.0), (0.6, 0.0)]


def test_a_mention_truly_alone_is_right_to_be_alone() -> None:
    found = pl.DataFrame({"mention": ["a", "b"], "cluster": [0, 1], "probability": [0.9, 0.8]})
    truth = pl.DataFrame({"id": ["a", "b"], "cluster": ["x", "y"]})
    assert true_shares(found, truth)["share"].to_list() == [1.0, 1.0]


def test_a_very_boastful_model_is_corrected_too() -> None:
    table = pl.DataFrame(
        {"probability": [1.0] * 95 + [0.0] * 5, "share": [1.0] * 70 + [0.0] * 25 + [1.0, 0.0] * 2 + [0.0]}
    )
    fitted = fit_squash(table["probability"].to_numpy(), table["share"].to_numpy(), np.ones(table.height))
    assert fitted(np.array([1.0]))[0] == pytest.approx(70 / 95, abs=1e-3)
    assert fitted(np.array([0.0]))[0] == pytest.approx(2 / 5, abs=1e-3)
