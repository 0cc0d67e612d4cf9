"""Exports and the folder of results: safe cells, whole files, same bytes, round trips."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import orjson
import polars as pl
import pytest

from samehand.errors import SamehandError, UsageError
from samehand.publish.exports import EXPORTS, FORMATS, export, export_library, write_outputs
from samehand.publish.tables import guarded, whole_file, write_csv
from samehand.read import csl as csl_reader
from samehand.read import ris as ris_reader
from samehand.records import ASSIGNMENTS, Reference, Reject

OUTPUTS = {
    "papers.csv", "authors.csv", "venues.csv", "mentions.parquet", "clean.bib", "keys.csv", "rejects.csv",
    "report.html",
}  # fmt: skip

FULL = Reference(
    "a.ris",
    1,
    id="a.ris:1",
    key="lee01",
    type="article",
    title="On Hands & Feet",
    authors=["Lee, Ann", "van der Berg, Jr, Jan", "{World Health Organization}"],
    editors=["Day, Bo"],
    venue="Journal of Hands",
    year=2001,
    volume="7",
    number="2",
    pages="1-9",
    publisher="Hand Press",
    doi="10.1000/abc",
    arxiv="2101.00001",
    pmid="12345",
    isbn="9780306406157",
    url="https://example.org/hands",
)

SAME = ("key", "type", "title", "editors", "venue", "year", "volume", "number", "pages", "publisher")
SAME += ("doi", "arxiv", "isbn", "url")


def exported(tables: tuple[pl.DataFrame, pl.DataFrame], format: str, kind: str = "papers") -> bytes:
    stream = io.BytesIO()
    export(*tables, format, stream, kind=kind)
    return stream.getvalue()


@pytest.mark.parametrize("beginning", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_begins_like_a_formula(beginning: str) -> None:
    table = pl.DataFrame({"title": [beginning + "cmd"], "authors": [[beginning + "A", "B"]], "year": [-5]})
    title, names, year = guarded(table).row(0)
    assert title == "'" + beginning + "cmd"
    assert names == "'" + beginning + "A; B"
    assert year == -5


def test_csv_reads_back_whatever_the_cells_hold() -> None:
    table = pl.DataFrame(
        {"a": ['say "hi", he said', "two\nlines", "שלום", None], "b": [[], ["x"], ["x", "y"], None]}
    )
    stream = io.BytesIO()
    write_csv(table, stream)
    back = pl.read_csv(stream.getvalue())
    assert back["a"].to_list() == table["a"].to_list()
    assert back["b"].to_list() == [None, "x", "x; y", None]


def test_csl_json_reads_back(resolved: Any) -> None:
    text = exported(resolved([FULL]), "csl-json")
    [back] = csl_reader.read(io.BytesIO(text), "a.json")
    assert isinstance(back, Reference)
    for name in (*SAME, "authors", "pmid"):
        assert getattr(back, name) == getattr(FULL, name), name


def test_ris_reads_back(resolved: Any) -> None:
    text = exported(resolved([FULL]), "ris")
    [back] = ris_reader.read(io.BytesIO(text), "b.ris")
    assert isinstance(back, Reference)
    for name in SAME:
        assert getattr(back, name) == getattr(FULL, name), name
    assert back.authors[0] == "Lee, Ann"
    assert b"AU  - van der Berg, Jan, Jr\nAU  - World Health Organization,\n" in text


def test_ris_values_stay_on_their_line(resolved: Any) -> None:
    sly = Reference("a", 1, id="1", key="k", title="T\nER  - \nTY  - BOOK")
    assert len(list(ris_reader.read(io.BytesIO(exported(resolved([sly]), "ris")), "a"))) == 1


@pytest.mark.parametrize("kind", EXPORTS)
def test_every_kind_is_exported_as_a_table(resolved: Any, kind: str) -> None:
    tables = resolved([FULL])
    expected = EXPORTS[kind](*tables, None)
    assert pl.read_parquet(io.BytesIO(exported(tables, "parquet", kind))).equals(expected)
    lines = exported(tables, "jsonl", kind).splitlines()
    assert [orjson.loads(line) for line in lines] == expected.to_dicts()
    assert len(pl.read_csv(io.BytesIO(exported(tables, "csv", kind)))) == expected.height


@pytest.mark.parametrize(("format", "kind"), [("word", "papers"), ("bibtex", "authors"), ("csv", "feet")])
def test_what_cannot_be_exported_is_said_before_anything_is_written(
    resolved: Any, tmp_path: Path, format: str, kind: str
) -> None:
    with pytest.raises(UsageError, match=r"there are|choose"):
        export(*resolved([FULL]), format, tmp_path / "out", kind=kind)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_holds_what_a_stream_gets(resolved: Any, tmp_path: Path, format: str) -> None:
    tables = resolved([FULL])
    export_library(*tables, kind="papers", format=format, target=tmp_path / "deep" / "file")
    assert (tmp_path / "deep" / "file").read_bytes() == exported(tables, format)


def test_without_a_target_the_library_goes_to_standard_output(
    resolved: Any, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    tables = resolved([FULL])
    export_library(*tables, kind="papers", format="bibtex", target=None)
    assert capfdbinary.readouterr().out.startswith(b"@article{lee01,")


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "a.csv"
    target.write_text("old")
    with pytest.raises(TypeError), whole_file(target) as stream:
        stream.writelines([b"new", None])  # type: ignore[list-item]
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with (
        pytest.raises(SamehandError, match=r"taken/a\.csv: cannot be written"),
        whole_file(tmp_path / "taken" / "a.csv"),
    ):
        pass


def hostile(resolved: Any, resolution: Any) -> SimpleNamespace:
    bad = Reference(
        "=b.bib", 2, id="=1", key="x", title='=HYPERLINK("http://x")', authors=["=cmd|'/C calc'!A0"]
    )
    result: SimpleNamespace = resolution(
        resolved([FULL, bad]), [Reject("a.bib", 3, "entry never closed", "=1+1")]
    )
    return result


def test_the_folder_has_all_files_and_nothing_else(resolved: Any, resolution: Any, tmp_path: Path) -> None:
    paths = write_outputs(hostile(resolved, resolution), tmp_path / "out")
    assert {path.name for path in paths} == OUTPUTS
    assert {path.name for path in (tmp_path / "out").iterdir()} == OUTPUTS
    assert pl.read_parquet(tmp_path / "out" / "mentions.parquet").schema == ASSIGNMENTS


def test_csv_mentions_stand_beside_parquet_ones(resolved: Any, resolution: Any, tmp_path: Path) -> None:
    write_outputs(hostile(resolved, resolution), tmp_path, table_format="csv")
    assert {path.name for path in tmp_path.iterdir()} == OUTPUTS | {"mentions.csv"}
    with pytest.raises(UsageError, match="parquet or csv"):
        write_outputs(hostile(resolved, resolution), tmp_path, table_format="xlsx")


def test_no_table_of_the_folder_holds_a_formula(resolved: Any, resolution: Any, tmp_path: Path) -> None:
    write_outputs(hostile(resolved, resolution), tmp_path, table_format="csv")
    for path in tmp_path.glob("*.csv"):
        table = pl.read_csv(path, infer_schema=False)
        for column in table:
            assert not column.drop_nulls().str.contains(r"^[=+\-@\t\r]").any(), (path.name, column.name)


def test_the_same_resolution_gives_the_same_bytes(resolved: Any, resolution: Any, tmp_path: Path) -> None:
    one, two = hostile(resolved, resolution), hostile(resolved, resolution)
    two.timings = {"read": 99.0}
    write_outputs(one, tmp_path / "one")
    write_outputs(two, tmp_path / "two")
    for name in OUTPUTS:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
