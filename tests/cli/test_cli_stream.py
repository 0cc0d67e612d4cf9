"""`samehand stream` and `samehand questions` as people and scripts use them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

import samehand
from samehand.cli.questions import questions
from samehand.cli.stream import stream
from samehand.errors import SamehandError, UsageError
from samehand.library import Library

MESSY = Path(__file__).parents[2] / "examples" / "messy"

app = typer.Typer()
app.command()(stream)
app.command()(questions)

HOARE = (
    '{"title": "The emperor\'s old clothes", "authors": ["C. A. R. Hoare"], "year": 1981, "venue": "CACM"}'
)
TURING = "@article{t, title={Computing Machinery and Intelligence}, author={Turing, A. M.}, year=1950}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("stream") / "my.library"
    with Library(place) as library:
        samehand.resolve(MESSY, library=library, threads=1)
    return place


@pytest.fixture
def library(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made, tmp_path / "my.library"))


def called(*arguments: object, lines: str = "") -> Result:
    return CliRunner().invoke(
        app, [str(argument) for argument in arguments], input=lines, env={"COLUMNS": "160"}
    )


def test_lines_are_assigned_one_by_one_and_kept(library: Path) -> None:
    run = called("stream", library, "-", "--json", lines=f"{HOARE}\n\n{TURING}\n")
    assert run.exit_code == 0, run.output
    hoare, turing = (json.loads(line) for line in run.stdout.splitlines())
    kinds = [one["kind"] for one in hoare["assignments"]]
    assert kinds == ["paper", "author", "venue"]
    person = hoare["assignments"][1]
    assert person["candidates"][0]["name"].endswith("Hoare, C. A. R.")
    assert sum(one["probability"] for one in person["candidates"]) == pytest.approx(1.0, abs=0.01)
    with Library(library) as opened:
        assert opened.resolve_id(person["mention"]) == person["entity"]
        known = {one["entity"] for one in turing["assignments"] if one["kind"] != "venue"}
        assert known <= set(opened.entities().filter(size=1).get_column("id")) ^ set(opened.entities()["id"])


def test_files_are_shown_for_people(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.bib"
    file.write_text(
        f"{TURING}\n@article{{u, title={{On new things}}, author={{Nobody Known}}, year=2001}}\n@broken{{"
    )
    run = called("stream", library, file)
    assert run.exit_code == 0, run.output
    for part in ("Nobody Known", "new 1.00", "Turing", "2 references", "could not be read"):
        assert part in run.output
    again = called("stream", library, file)
    assert (
        again.output.count("in the library already") == 2
    )  # once for each reference, not once for each kind


def test_raw_citations_are_parsed_and_known_again(library: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.txt"
    file.write_text(
        "A. M. Turing. On computable numbers. Proc. London Mathematical Society, 42:230-265, 1936.\n"
        "Lee, J. and Wu, B. (1991). On the theory of hands. Journal of Hands, 12, 3-9.\n"
    )
    first = [json.loads(line) for line in called("stream", library, file, "--json").stdout.splitlines()]
    kinds = [[one["kind"] for one in reference["assignments"]] for reference in first]
    assert kinds == [["paper", "author", "venue"], ["paper", "author", "author", "venue"]]
    with Library(library) as opened:
        before = opened.references()
        assert before["title"].to_list()[-2:] == ["On computable numbers", "On the theory of hands"]
    again = [json.loads(line) for line in called("stream", library, file, "--json").stdout.splitlines()]
    mentions = [[one["mention"] for one in reference["assignments"]] for reference in first]
    assert [[one["mention"] for one in reference["assignments"]] for reference in again] == mentions
    with Library(library) as opened:
        assert opened.references().equals(before)


def test_questions_follow_what_was_streamed(library: Path) -> None:
    called("stream", library, "-", "--ask", "1", lines=HOARE)
    listed = [json.loads(line) for line in called("questions", library, "--json").stdout.splitlines()]
    [question] = [one for one in listed if one["origin"] == "arrival"]
    assert question["left_name"] == "C. A. R. Hoare"
    assert listed == sorted(listed, key=lambda one: -one["gain"])
    asked = called("questions", library, "--by", "eve", lines="yznq")
    assert asked.exit_code == 0, asked.output
    assert "1 answer;" in asked.output
    with Library(library) as opened:
        assert opened.decisions()["by"].to_list() == ["eve"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["stream", "{library}"], "nothing to assign"),
        (["stream", "{library}", "x.bib", "--ask", "2"], "probability from 0 to 1"),
        (["stream", "no.library", "-"], "no such library"),
        (["stream", "{library}", "no-such.bib"], "no-such.bib"),
        (["questions", "no.library"], "no such library"),
    ],
)
def test_bad_use_gets_a_clear_message(library: Path, arguments: list[str], error: str) -> None:
    run = called(*(argument.format(library=library) for argument in arguments))
    assert isinstance(run.exception, SamehandError)
    assert error in str(run.exception)


@pytest.mark.parametrize("line", ["\0\0", "[" * 3_000, '{"title": ', "\ufeff", "@article{", "}" * 100])
def test_hostile_lines_do_no_harm(library: Path, line: str) -> None:
    run = called("stream", library, "-", "--json", lines=f"{line}\n{TURING}\n")
    assert run.exception is None or isinstance(run.exception, UsageError)
    assert "assignments" in run.output
