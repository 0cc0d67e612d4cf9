"""`samehand evaluate` as a person and as a script meet it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

PREDICTED = "id,entity,name\na,1,Ann [red]B\nb,1,Ann B\nc,2,Cy\x1b[31m D\nd,3,Cy D\n"
TRUTH = "id,cluster\na,x\nb,x\nc,y\nd,y\n"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-c",
        "from samehand.cli import main; main()",
        "evaluate",
        *map(str, arguments),
    ]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, env={**os.environ, "COLUMNS": "160"}
    )


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    predicted, truth = tmp_path / "predicted.csv", tmp_path / "truth.csv"
    predicted.write_text(PREDICTED)
    truth.write_text(TRUTH)
    return predicted, truth


def test_a_table_for_people(tables: tuple[Path, Path]) -> None:
    result = run(*tables)
    assert result.returncode == 0, result.stderr
    for text in (
        "b3_precision",
        "1.0000",
        "95% interval",
        "share of true clusters recovered",
        "Worst errors",
    ):
        assert text in result.stdout
    assert "split" in result.stdout
    assert "Cy�[31m D" in result.stdout
    assert "\x1b" not in result.stdout


def test_long_labels_are_cut_and_not_said_twice(tables: tuple[Path, Path]) -> None:
    tables[0].write_text(
        "id,entity,name\na," + "1" * 100 + ",N\nb," + "1" * 100 + ",N\nc,Eve,Eve\nd,Eva,Eva\n"
    )
    tables[1].write_text("id,cluster\na,x\nb,z\nc,y\nd,y\n")
    shown = " ".join(run(*tables).stdout.split())
    assert "1" * 60 + "... (N)" in shown
    assert "Eve: 1; Eva: 1" in shown


def test_json_is_one_object(tables: tuple[Path, Path]) -> None:
    result = run(*tables, "--json", "--seed", 3)
    [line] = result.stdout.splitlines()
    found = orjson.loads(line)
    assert (found["exact_clusters"], found["pairwise_recall"]) == (0.5, 0.5)
    assert found["errors"][0]["cluster"] == "y"
    assert set(found["intervals"]) >= {"b3_f1", "mean_f1"}


def test_intervals_and_errors_can_be_left_out(tables: tuple[Path, Path]) -> None:
    found = orjson.loads(run(*tables, "--json", "--no-intervals", "--errors", 0).stdout)
    assert (found["intervals"], found["errors"]) == ({}, [])


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (
            "id,group\na,x\n",
            2,
            "truth.csv: needs a column 'cluster' or 'entity' or 'label'; it has: id, group",
        ),
        ("id,cluster\nq,x\n", 2, "have no id in common"),
        ("id,cluster\na,x\na,x\n", 2, "truth.csv: 1 ids occur more than once"),
        ("", 1, "truth.csv: not a readable csv table"),
    ],
)
def test_bad_input_is_a_message_and_a_status(
    tables: tuple[Path, Path], content: str, status: int, message: str
) -> None:
    tables[1].write_text(content)
    result = run(*tables)
    assert result.returncode == status
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_missing_file_is_a_message(tables: tuple[Path, Path]) -> None:
    result = run(tables[0], tables[1].with_name("none.csv"))
    assert result.returncode == 1
    assert "none.csv: cannot be read" in result.stderr
