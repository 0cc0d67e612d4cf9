"""`read` and `read_batches`: nothing vanishes, whatever the input."""

from __future__ import annotations

import pytest
import writers

from samehand.errors import UnknownFormatError, UsageError
from samehand.read import Records, read, read_batches
from samehand.records import REFERENCES, REJECTS

PAPER = {
    "title": "On Hands", "authors": ["Lee, Ann"], "venue": "TODS", "year": 2001, "volume": "3",
    "pages": "1-9", "doi": "10.1000/1",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.ris").write_bytes(writers.ris([PAPER] * 3))
    (tmp_path / "b.json").write_bytes(writers.csl([PAPER] * 2))
    (tmp_path / "c.csv").write_bytes(b"title,authors\nX,A\nragged\n")
    (tmp_path / "d.txt").write_bytes(b"Lee. X.\n")
    (tmp_path / "e.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "f.md").write_bytes(b"Notes to myself\n")
    (tmp_path / "g.csv").write_bytes(b"id,cluster\n1,2\n")
    (tmp_path / "h.bib").write_bytes(b"")
    return tmp_path


def test_a_folder_of_everything(folder):
    records = read(folder)
    assert records.references.schema == REFERENCES
    assert records.rejects.schema == REJECTS
    assert records.references["id"].is_unique().all()
    assert records.references.height == 3 + 2 + 1 + 1
    reasons = {row["source"][-5:]: row["reason"] for row in records.rejects.to_dicts()}
    assert sorted(reasons) == ["c.csv", "e.png", "f.md", "g.csv", "h.bib"] or len(reasons) == 5
    assert "empty file" in reasons["h.bib"]
    assert "picture" in reasons["e.png"]
    assert not reasons["g.csv"].startswith(str(folder))


def test_batches_hold_the_same_records(folder):
    for size in (1, 2, 3, 1000):
        batches = list(read_batches(folder, batch_size=size))
        assert all(batch.references.height + batch.rejects.height <= size for batch in batches)
        assert sum(batch.references.height for batch in batches) == 7
        assert sum(batch.rejects.height for batch in batches) == 5


def test_progress_goes_up_to_all_bytes_and_all_records(folder):
    seen = []
    read(folder, progress=lambda *figures: seen.append(figures))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == sum(path.stat().st_size for path in folder.iterdir())
    assert seen[-1][2] == 12


def test_several_paths_of_any_kind(folder):
    records = read([folder / "a.ris", str(folder / "b.json")])
    assert records.references["source"].n_unique() == 2
    assert read([]).references.schema == REFERENCES


def test_a_named_file_that_is_no_use_is_an_error(folder):
    for name in ("e.png", "g.csv"):
        with pytest.raises(UsageError, match=name):
            read(folder / name)
    with pytest.raises(UnknownFormatError, match="BibTeX"):
        read(folder / "e.png")


def test_an_empty_file_is_one_reject(folder):
    records = read(folder / "h.bib")
    assert (records.references.height, records.rejects["reason"].to_list()) == (0, ["empty file"])


def test_the_format_can_be_told(folder):
    assert read(folder / "f.md", format="text").references["text"].to_list() == ["Notes to myself"]
    with pytest.raises(UsageError, match="there are: bibtex"):
        read(folder / "f.md", format="word")


def test_batch_size_must_make_sense(folder):
    with pytest.raises(UsageError, match="at least 1"):
        read_batches(folder, batch_size=0)


def test_a_parent_gives_its_fields_to_its_children(tmp_path):
    path = tmp_path / "dblp.xml"
    path.write_text(
        "<dblp><inproceedings key='conf/x/L'><title>X.</title>"
        "<crossref>conf/x/2003</crossref></inproceedings>"
        "<proceedings key='conf/x/2003'><title>Proc. Hands</title><year>2003</year></proceedings></dblp>"
    )
    child = read(path).references.row(0, named=True)
    assert (child["id"], child["year"], child["venue"]) == ("conf/x/L", 2003, "Proc. Hands")


def test_records_are_frozen(folder):
    records = read(folder / "a.ris")
    assert isinstance(records, Records)
    with pytest.raises(AttributeError):
        records.references = None
