"""`samehand runs` and `samehand diff` as people and scripts use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

import samehand
from samehand.cli.runs import diff, runs
from samehand.errors import SamehandError
from samehand.library import Library

BOOK = "@book{{a, title={{The Art of War}}, author={{{}}}, year=1910}} @book{{b, title={{Letters}}, author={{Sun Tzu}}}}"

app = typer.Typer()
app.command()(runs)
app.command()(diff)


def called(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "80"})


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    place, file = folder / "my.library", folder / "my.bib"
    with Library(place) as opened:
        for author in ("Sun Tzu", "Guy Monk"):
            file.write_text(BOOK.format(author))
            samehand.resolve(file, library=opened, model="baseline", seed=4, threads=1)
    return place


def test_runs_are_listed(library: Path) -> None:
    shown = called("runs", library).stdout
    for part in ("baseline", "merged", "versions separate"):
        assert part in shown
    first, second = (json.loads(line) for line in called("runs", library, "--json").stdout.splitlines())
    assert (first["run"], first["mentions"], first["entities"], first["seed"]) == (1, 4, 3, 4)
    assert (second["merged"], second["split"], second["version"]) == (0, 1, samehand.__version__)
    assert {"read", "normalise", "resolve"} <= set(second["steps"])


def test_a_library_without_runs(tmp_path: Path) -> None:
    Library(tmp_path / "new.library").close()
    assert called("runs", tmp_path / "new.library").stdout == "no runs yet\n"


def test_a_run_in_shards_that_is_not_finished_is_told(tmp_path: Path) -> None:
    with Library(tmp_path / "new.library") as library:
        for step, number in (("make", 0), ("make", 1), ("resolve", 0)):
            library.record_task("plan", step, number)
    shown = called("runs", tmp_path / "new.library").stdout
    assert "not finished: tasks done: 2 of make, 1 of resolve" in shown
    told = json.loads(called("runs", tmp_path / "new.library", "--json").stdout)
    assert (told["run"], told["tasks"]) == (None, {"make": 2, "resolve": 1})


def test_a_diff_for_people_and_for_programs(library: Path) -> None:
    shown = called("diff", library, 1, 2).stdout
    assert "run 1 -> 2: 1 split" in shown
    assert "Guy Monk" in shown
    assert "1 reference changed" in shown
    told = json.loads(called("diff", library, 1, 2, "--json").stdout)
    assert told["counts"] == {"split": 1}
    assert told["changes"][0]["why"][0]["cause"] == "references"
    assert called("diff", library, 1, 2, "--kind", "venues").stdout == "run 1 -> 2: nothing changed\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["diff", "{library}", "2", "1"], "name the earlier run first"),
        (["diff", "{library}", "1", "7"], "there is no run 7; the library has runs 1 to 2"),
        (["diff", "{library}", "1", "2", "--kind", "dogs"], "--kind takes papers, authors or venues"),
        (["diff", "no.library", "1", "2"], "no such library"),
        (["runs", "no.library"], "no such library"),
    ],
)
def test_bad_use_gets_a_clear_message(library: Path, arguments: list[str], error: str) -> None:
    run = called(*(argument.format(library=library) for argument in arguments))
    assert isinstance(run.exception, SamehandError)
    assert error in str(run.exception)
