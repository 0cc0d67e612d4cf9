"""The command line as a person uses it: real processes, real files, exit statuses and messages."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import orjson
import polars as pl
import pytest

from samehand.library import Library
from samehand.records import ASSIGNMENTS

MESSY = Path(__file__).parents[2] / "examples" / "messy"
OUTPUTS = {
    "authors.csv", "clean.bib", "keys.csv", "mentions.parquet", "papers.csv", "rejects.csv", "report.html",
    "venues.csv",
}  # fmt: skip


def samehand(
    *arguments: object, stdin: str | None = None, status: int = 0
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from samehand.cli import main; main()", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, input=stdin, check=False)
    assert run.returncode == status, run.stderr
    assert "Traceback" not in run.stderr
    return run


@pytest.fixture(scope="module")
def resolved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    samehand("resolve", MESSY, "-o", folder, "--quiet")
    return folder


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def test_the_demonstration_library_resolves(resolved: Path) -> None:
    assert {file.name for file in resolved.iterdir()} == OUTPUTS
    papers = pl.read_csv(resolved / "papers.csv")
    shannon = papers.filter(pl.col("key") == "shannon1948mathematical")
    assert shannon.select("mentions", "year", "pages").rows() == [(4, 1948, "379-423")]


def test_every_reference_is_in_a_paper_or_in_the_rejects(resolved: Path) -> None:
    mentions = pl.read_parquet(resolved / "mentions.parquet")
    assert mentions.schema == ASSIGNMENTS
    assert mentions["entity"].null_count() == 0
    papers = mentions.filter(kind="paper")
    assert papers["reference"].n_unique() == papers.height
    listed = pl.read_csv(resolved / "papers.csv")["references"].str.split("; ").explode()
    assert sorted(listed) == sorted(papers["reference"])


def test_clean_bib_reads_back_with_one_entry_per_paper(resolved: Path, tmp_path: Path) -> None:
    samehand("resolve", resolved / "clean.bib", "-o", tmp_path, "--quiet")
    assert pl.read_csv(tmp_path / "papers.csv").height == pl.read_csv(resolved / "papers.csv").height
    assert pl.read_csv(tmp_path / "rejects.csv").height == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_same_input_and_seed_give_the_same_bytes(resolved: Path, tmp_path: Path, threads: int) -> None:
    samehand("resolve", MESSY, "-o", tmp_path, "--threads", threads, "--seed", 0, "--quiet")
    assert digests(tmp_path) == digests(resolved)


def test_standard_input_and_only(tmp_path: Path) -> None:
    entry = "@article{k, title={On Hands of Scribes}, author={Ada Byron and J. Lee}, year=1999}"
    run = samehand("resolve", "-", "--only", "authors", "--format", "csv", "-o", tmp_path, stdin=entry)
    assert "authors" in run.stdout
    assert pl.read_csv(tmp_path / "mentions.csv")["kind"].to_list() == ["author", "author"]


def test_a_dry_run_shows_the_difference_and_writes_nothing(tmp_path: Path) -> None:
    run = samehand("resolve", MESSY / "thesis.bib", "--dry-run", "--quiet")
    assert "shannon1948mathematical" in run.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["resolve"], 2, "nothing to resolve"),
        (["resolve", "no-such-file.bib"], 1, "no-such-file.bib"),
        (["resolve", MESSY, "--model", "oracle"], 2, "no model named 'oracle'; there are: baseline"),
        (["resolve", MESSY, "--only", "dogs"], 2, "--only takes papers, authors or venues"),
        (["resolve", MESSY, "--format", "xls"], 2, "xls"),
        (["resolve", MESSY, "--from", "runes"], 2, "runes"),
        (["resolve", MESSY, "--dry-run", "--library", "x.library"], 2, "choose one"),
        (["resolve", MESSY, "--threads", "0"], 2, "threads"),
        (["add", "no-such.library", MESSY], 1, "no-such.library"),
        (["bench", "luck"], 2, "no benchmark named 'luck'"),
    ],
)
def test_bad_use_gets_one_clear_line(
    arguments: list[object], status: int, message: str, tmp_path: Path
) -> None:
    run = samehand(*arguments, status=status)
    assert message in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "empty.bib").touch()
    run = samehand("resolve", tmp_path / "empty.bib", status=1)
    assert "empty.bib" in run.stderr
    assert "empty file" in run.stderr


def test_a_living_library(tmp_path: Path) -> None:
    library = tmp_path / "my.library"
    samehand("resolve", MESSY / "thesis.bib", "--library", library, "-o", tmp_path / "one", "-q")
    before = pl.read_csv(tmp_path / "one" / "authors.csv")
    samehand("add", library, MESSY / "colleague.bib", "-o", tmp_path / "two", "-q")
    after = pl.read_csv(tmp_path / "two" / "authors.csv")
    assert set(before["entity"]) <= set(after["entity"])

    knuth = after.filter(pl.col("name") == "Donald E. Knuth")["entity"].item()
    known = orjson.loads(samehand("entity", library, knuth, "--json").stdout)
    first, second = [mention["id"] for mention in known["mentions"]]
    assert "Knuth" in samehand("entity", library, knuth).stdout

    samehand("decide", library, "different", first, second, "--by", "ada", "--note", "two hands")
    assert "two hands" in samehand("decide", library).stdout
    samehand("resolve", "--library", library, "-q")
    assert orjson.loads(samehand("entity", library, first, "--json").stdout)["mentions"] != known["mentions"]
    assert len(orjson.loads(samehand("entity", library, second, "--json").stdout)["mentions"]) == 1

    samehand("undo", library)
    samehand("resolve", "--library", library, "-q")
    again = orjson.loads(samehand("entity", library, knuth, "--json").stdout)
    assert [mention["id"] for mention in again["mentions"]] == [first, second]
    run = samehand("entity", library, "a000000nope", status=2)
    assert "a000000nope" in run.stderr


@pytest.mark.parametrize("format", ["bibtex", "csl-json", "ris", "csv", "parquet", "jsonl"])
def test_exports_read_back(format: str, tmp_path: Path) -> None:
    library, file = tmp_path / "my.library", tmp_path / "exported"
    samehand("resolve", MESSY / "thesis.bib", "--library", library, "-q")
    samehand("export", library, "--format", format, "-o", file)
    samehand("resolve", file, "-o", tmp_path / "again", "-q")
    original = orjson.loads(
        "[" + ",".join(samehand("export", library, "--format", "jsonl").stdout.splitlines()) + "]"
    )
    titles = pl.read_csv(tmp_path / "again" / "papers.csv")["title"].to_list()
    assert sorted(titles) == sorted(paper["title"] for paper in original)


@pytest.mark.parametrize("kind", ["authors", "venues", "mentions"])
def test_tables_of_every_kind_are_exported(kind: str, tmp_path: Path) -> None:
    library = tmp_path / "my.library"
    samehand("resolve", MESSY / "thesis.bib", "--library", library, "-q")
    out = samehand("export", library, "--kind", kind, "--format", "csv").stdout
    assert "Knuth" in out if kind == "authors" else "entity" in out.splitlines()[0]


def test_clean_bib_has_the_fields_that_curators_chose(tmp_path: Path) -> None:
    text = "".join(
        f"@article{{k{year}, title={{On the left hand of man}}, author={{Ann Lee}}, year={year}, doi={{10.1/x}}}}\n"
        for year in (2001, 2002)
    )
    (tmp_path / "my.bib").write_text(text)
    arguments = ("--library", tmp_path / "my.library", "--model", "baseline", "--quiet")
    samehand("resolve", tmp_path / "my.bib", *arguments)
    with Library(tmp_path / "my.library") as library:
        [paper] = library.entities("paper")["id"]
        references = library.references()["id"].to_list()
        for reference, year in zip(references, (2001, 2002), strict=True):
            library.choose(paper, {"year": reference})
            samehand("resolve", *arguments, "-o", tmp_path / "out")
            assert f"year = {{{year}}}" in (tmp_path / "out" / "clean.bib").read_text()
