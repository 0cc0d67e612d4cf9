"""Opening: folders, archives, standard input, and what is wrong with them."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys

import pytest
import zstandard

from samehand.errors import ReadError
from samehand.read.open import Place, open_stream, places
from samehand.records import Reject

CONTENT = b"TY  - JOUR\nTI  - X\nER  - \n" * 5000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_content_is_expanded_by_its_first_bytes(pack, tmp_path):
    path = tmp_path / "misleading.name"
    path.write_bytes(pack(CONTENT))
    with open_stream(str(path)) as stream:
        assert stream.peek(2)[:2] == b"TY"
        assert stream.read() == CONTENT
        assert stream.finish() is None
        assert stream.bytes_done == path.stat().st_size


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_members_one_after_another_are_one_file(pack, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(pack(CONTENT) + pack(b"more"))
    with open_stream(str(path)) as stream:
        assert stream.read() == CONTENT + b"more"
        assert stream.finish() is None


def test_zeros_after_gzip_are_padding(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(CONTENT) + bytes(100_000))
    with open_stream(str(path)) as stream:
        assert stream.read() == CONTENT
        assert stream.finish() is None


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_a_truncated_archive_gives_its_beginning_and_says_so(pack, tmp_path):
    packed = pack(bytes(range(256)) * 100 + CONTENT)
    path = tmp_path / "a"
    path.write_bytes(packed[: len(packed) - 6])
    with open_stream(str(path)) as stream:
        stream.read()
        assert "truncated" in stream.finish()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_garbage_after_an_archive_is_reported(pack, tmp_path):
    path = tmp_path / "a"
    path.write_bytes(pack(CONTENT) + b"garbage and more of it")
    with open_stream(str(path)) as stream:
        assert stream.read() == CONTENT
        assert "damaged" in stream.finish()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
def test_utf_16_becomes_utf_8(encoding, tmp_path):
    path = tmp_path / "a"
    mark = "" if encoding == "utf-16" else "\ufeff"
    path.write_bytes((mark + "Zürich 😀" * 1000).encode(encoding))
    with open_stream(str(path)) as stream:
        assert stream.read().decode() == "Zürich 😀" * 1000


@pytest.mark.parametrize("name", ["missing.bib", "nul\0name", "folder"])
def test_what_cannot_be_opened_is_named_with_a_remedy(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ReadError, match="check"):
        open_stream(str(tmp_path / name))


def test_folders_are_walked_in_order_and_hidden_files_are_rejects(tmp_path):
    for name in ("b.bib", "a/z.bib", "a/.hidden", ".git/config", "a.bib"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    found = list(places(tmp_path))
    assert [place.path[len(str(tmp_path)) + 1 :] for place in found if isinstance(place, Place)] == [
        "a.bib",
        "b.bib",
        "a/z.bib",
    ]
    assert sorted(place.source[len(str(tmp_path)) + 1 :] for place in found if isinstance(place, Reject)) == [
        ".git",
        "a/.hidden",
    ]


def test_links_that_lead_nowhere_or_back_are_no_trap(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    [found] = places(tmp_path)
    assert isinstance(found, Reject)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack):
    code = (
        "from samehand.read import read; r = read('-').references; print(r['id'].to_list(), r['source'][0])"
    )
    text = b"TY  - BOOK\nID  - k\nTI  - X\nER  - \n"
    done = subprocess.run([sys.executable, "-c", code], input=pack(text), capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['-:k'] -"


def test_a_named_pipe_can_be_read(tmp_path):
    import os
    import threading

    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(CONTENT,))
    writer.start()
    with open_stream(str(path)) as stream:
        assert io.BytesIO(stream.read()).getvalue() == CONTENT
    writer.join()
