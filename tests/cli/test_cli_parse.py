"""`samehand parse`, as a person types it."""

import json

import pytest
import typer
from typer.testing import CliRunner

from samehand.cli.parse import parse
from samehand.errors import UsageError

LINES = (
    "J. Lee and B. Wu. On the theory of hands. Journal of Hands, 12:3-9, 1991.\n"
    "Lee, J. and Wu, B. (1991). On the theory of hands. Journal of Hands, 12, 3-9.\n"
    "K. Zork. The anatomy of feet. In Proc. Int. Conf. on Feet, pages 1-9, 1993.\n"
)


@pytest.fixture
def citations(tmp_path):
    path = tmp_path / "citations.txt"
    path.write_text(LINES)
    return path


def run(*arguments):
    app = typer.Typer()
    app.command()(parse)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_json_has_fields_and_probabilities_alone_and_together(citations):
    result = run(citations, "--json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["text"] for row in rows] == LINES.splitlines()
    assert rows[0]["alone"]["title"] == rows[0]["together"]["title"] == "On the theory of hands"
    assert rows[1]["together"]["authors"] == ["Lee, J.", "Wu, B."]
    assert 0.5 < rows[2]["alone"]["probability"]["title"] <= 1.0


def test_alone_only(citations):
    row = json.loads(run(citations, "--json", "--alone").stdout.splitlines()[0])
    assert "alone" in row
    assert "together" not in row


def test_a_table_for_people(citations):
    shown = run(citations).stdout
    assert "On the theory of hands" in shown
    assert "J. Lee; B. Wu" in shown


def test_output_to_a_file(citations, tmp_path):
    assert run(citations, "-o", tmp_path / "parsed.jsonl").stdout == ""
    assert len((tmp_path / "parsed.jsonl").read_text().splitlines()) == 3


def test_bad_use_is_told(citations, tmp_path):
    assert isinstance(run(citations, "--alone", "--together").exception, UsageError)
    book = tmp_path / "a.bib"
    book.write_text("@book{a, title={The hand}, author={J. Lee}, year=1990}")
    error = run(book).exception
    assert isinstance(error, UsageError)
    assert "no raw citations" in str(error)


def test_what_could_not_be_read_is_told_on_stderr(tmp_path):
    table = tmp_path / "citations.jsonl"
    rows = [json.dumps({"text": line}) for line in LINES.splitlines()]
    table.write_text("\n".join([rows[0], "{broken", rows[2], "[]"]))
    result = run(table, "--json", "--alone")
    assert len(result.stdout.splitlines()) == 2
    assert "2 records could not be read" in result.stderr
    assert f"{table}:2: " in result.stderr
    assert f"{table}:4: " in result.stderr
