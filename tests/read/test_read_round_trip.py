"""Whatever a format's writer wrote, its reader gives back; through the front door, detection included."""

from __future__ import annotations

import gzip
import io

import pytest
import writers
import zstandard
from hypothesis import HealthCheck, given, settings

from samehand.read import read_batches
from samehand.read.detect import detect

FORMATS = {
    "ris": writers.ris,
    "csl": writers.csl,
    "crossref": writers.crossref,
    "openalex": writers.openalex,
    "dblp": writers.dblp,
    "medline": writers.medline,
    "jsonl": writers.jsonl,
    "csv": writers.csv_table,
    "parquet": writers.parquet,
}
FIELDS = ("title", "authors", "venue", "year", "volume", "pages", "doi")


@pytest.mark.parametrize("name", FORMATS)
@given(papers=writers.PAPERS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_written_is_read_back(name, papers, tmp_path):
    path = tmp_path / "input"
    path.write_bytes(FORMATS[name](papers))
    [records] = read_batches(path)
    assert records.rejects.height == 0
    assert records.references.select(FIELDS).to_dicts() == [
        {field: paper[field] for field in FIELDS} for paper in papers
    ]


@pytest.mark.parametrize("name", FORMATS)
@given(papers=writers.PAPERS)
@settings(max_examples=10, deadline=None)
def test_the_format_is_told_by_content_alone(name, papers):
    assert detect(FORMATS[name](papers)[: 1 << 18], "input") == name


PAPER = {
    "title": "On Hands", "authors": ["Lee, Ann"], "venue": "TODS", "year": 2001, "volume": "3",
    "pages": "1-9", "doi": "10.1000/1",
}  # fmt: skip


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("name", FORMATS)
def test_archives_are_told_by_content_too(name, pack, tmp_path):
    path = tmp_path / "input.dat"
    path.write_bytes(pack(FORMATS[name]([PAPER])))
    [records] = read_batches(path)
    assert records.references["title"].to_list() == ["On Hands"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_takes_its_input_in_any_pieces(name):
    """A stream that gives one byte at a time must give the same records."""
    from samehand.read import _reader

    class Dribble(io.BytesIO):
        def seekable(self):
            return False

        def read(self, size=-1):
            return super().read(min(size, 7) if size and size > 0 else size)

    content = FORMATS[name]([PAPER] * 3)
    whole = writers.expanded(_reader(name)(io.BytesIO(content), "x"))
    assert writers.expanded(_reader(name)(Dribble(content), "x")) == whole
    assert len(whole) == 3
