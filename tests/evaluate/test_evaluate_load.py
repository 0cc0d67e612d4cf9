"""Tables of every format and compression read alike; what cannot be read says why."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from samehand.errors import ReadError, UnknownFormatError
from samehand.evaluate import evaluate, load
from samehand.evaluate.load import read_table

PACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}
TABLE = pl.DataFrame({"id": ["007", "x, y"], "cluster": ["é", "2"]})


def content(form: str, folder: Path) -> bytes:
    path = folder / f"plain.{form}"
    if form == "parquet":
        TABLE.write_parquet(path)
    elif form == "jsonl":
        TABLE.write_ndjson(path)
    else:
        TABLE.write_csv(path, separator="," if form == "csv" else "\t")
    return path.read_bytes()


@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_and_compression(form: str, packing: str, tmp_path: Path) -> None:
    path = tmp_path / f"labels.v2.{form}{packing}"
    path.write_bytes(PACK[packing](content(form, tmp_path)))
    assert read_table(path).equals(TABLE)


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfid,cluster\r\n1,x\r\n")
    assert read_table(path).rows(named=True) == [{"id": "1", "cluster": "x"}]


def test_zstd_files_of_several_frames(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.zst"
    path.write_bytes(zstandard.compress(b"id,cluster\n1,x\n") + zstandard.compress(b"2,y\n"))
    assert read_table(path).height == 2


@pytest.mark.parametrize("name", ["labels", "labels.txt", "labels.gz", "labels.csv.bz2"])
def test_an_unknown_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=r"does not say the format; give a file that ends in \.csv"):
        read_table(tmp_path / name)


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"none\.csv: cannot be read \(No such file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ReadError, match=r"folder\.csv: cannot be read"):
        read_table(tmp_path / "folder.csv")


PLAIN = b"id,cluster\n" + b"".join(b"%d,%d\n" % (n, n * n) for n in range(200_000))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cut.csv.gz", gzip.compress(PLAIN)[:-900]),
        ("cut.csv.zst", zstandard.compress(PLAIN)[:-900]),
        ("false.csv.gz", b"id,cluster\n"),
        ("false.csv.zst", b"id,cluster\n"),
        ("damaged.csv.gz", gzip.compress(PLAIN)[:200] + b"\0" * 400 + gzip.compress(PLAIN)[600:]),
        ("empty.csv", b""),
        ("ragged.csv", b"id,cluster\n1,2,3\n"),
        ("latin.csv", "id,cluster\nJürgen,1\n".encode("latin-1")),
        ("text.parquet", b"id,cluster\n"),
        ("empty.parquet", b""),
        ("array.jsonl", b"[1, 2]\n"),
    ],
)
def test_unreadable_content_is_an_error_that_names_the_file(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ReadError, match=name):
        read_table(path)


def test_a_bad_json_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": "1", "cluster": "x"}\n\n{"id": \n')
    with pytest.raises(ReadError, match=r"a\.jsonl, line 3: not a readable jsonl table"):
        read_table(path)


@pytest.mark.parametrize("packing", [".gz", ".zst"])
def test_a_bomb_is_refused(packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "LARGEST", 1 << 16)
    path = tmp_path / f"bomb.csv{packing}"
    path.write_bytes(PACK[packing](b"0" * (1 << 20)))
    with pytest.raises(ReadError, match="more than 65,536 bytes when decompressed"):
        read_table(path)


def test_evaluate_takes_paths_and_names_them_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("id,cluster\n1,a\n2,a\n")
    assert evaluate(str(path), path).figures["b3_f1"] == 1.0
    path.write_text("id,group\n1,a\n")
    with pytest.raises(Exception, match=r"truth\.csv: needs a column 'cluster'"):
        evaluate(pl.DataFrame({"id": ["1"], "cluster": ["a"]}), path)
