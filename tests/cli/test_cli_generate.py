"""`samehand generate`: what the command writes, says and refuses, and that `samehand resolve` takes it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from samehand.cli.generate import generate
from samehand.errors import UsageError
from samehand.evaluate import evaluate
from samehand.pipeline import resolve

app = typer.Typer()
app.command()(generate)


def run(*arguments: object) -> None:
    CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def test_mentions_and_truth_are_written(tmp_path: Path) -> None:
    run("--mentions", 500, "--seed", 3, "-o", tmp_path / "a.parquet", "--quiet")
    mentions, truth = pl.read_parquet(tmp_path / "a.parquet"), pl.read_parquet(tmp_path / "a.truth.parquet")
    assert mentions["id"].to_list() == truth["id"].to_list()
    assert mentions.height == 500


def test_like_and_truth_are_heard(tmp_path: Path) -> None:
    run(
        "-n", 500, "--like", "rexa", "-o", tmp_path / "a.parquet", "--truth", tmp_path / "t.csv.gz", "--quiet"
    )
    initials = pl.read_parquet(tmp_path / "a.parquet")["first"].str.len_chars() == 1
    assert initials.mean() > 0.5
    assert pl.read_csv(tmp_path / "t.csv.gz").columns == ["id", "cluster"]


def test_bad_use_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="acl-a, rexa"):
        run("-n", 10, "--like", "dblp", "-o", tmp_path / "a.parquet")


@pytest.mark.parametrize("like", ["acl-a", "rexa"])
def test_resolve_takes_every_row(tmp_path: Path, like: str) -> None:
    run("-n", 2_000, "--like", like, "-o", tmp_path / "a.parquet", "--quiet")
    resolution = resolve(tmp_path / "a.parquet", only="author")
    assert resolution.rejects.height == 0
    assert set(resolution.mentions["id"]) == set(pl.read_parquet(tmp_path / "a.parquet")["id"])
    found = evaluate(resolution.mentions, tmp_path / "a.truth.parquet", intervals=False)
    assert found.figures["b3_f1"] > 0.5
