"""Input that cannot be resolved in shards gets a clear message, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from samehand.errors import ReadError, UsageError
from samehand.sharded import resolve_sharded


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("empty.parquet", b"", "no references in the input: empty file"),
        ("junk.parquet", b"PAR1 junk\0\xff", "damaged Parquet file"),
        ("empty.csv", b"", "no references in the input: empty file"),
        ("heading.csv", b"id,name\n", "no references in the input"),
    ],
)
def test_nothing_to_resolve_is_said(name: str, content: bytes, complaint: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReadError, match=complaint):
        resolve_sharded(tmp_path / name, tmp_path / "out")
    assert not (tmp_path / "out" / "work").exists()


def test_an_unknown_engine_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,name\n1,Ann Lee\n")
    with pytest.raises(UsageError, match="no engine is called 'spark'"):
        resolve_sharded(tmp_path / "a.csv", tmp_path / "out", engine="spark")
    assert not (tmp_path / "out" / "work").exists()
