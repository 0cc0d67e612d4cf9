"""Archives that mean harm."""

from __future__ import annotations

import gzip
import resource
import zlib

import pytest
import zstandard

from samehand.errors import ReadError
from samehand.read import read, read_batches
from samehand.read.open import open_stream


def gzip_bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return b"".join([packer.compress(b"x" * (1 << 20)) for _ in range(megabytes)]) + packer.flush()


def zstd_bomb(megabytes: int) -> bytes:
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([packer.compress(b"\n" * (1 << 20)) for _ in range(megabytes)]) + packer.flush()


def _read_all(stream):
    while stream.read(1 << 20):
        pass


@pytest.mark.parametrize("bomb", [gzip_bomb, zstd_bomb])
def test_a_bomb_is_refused_by_name_with_a_remedy(bomb, tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(bomb(300))
    assert path.stat().st_size < 1 << 20
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open_stream(str(path)) as stream, pytest.raises(ReadError, match=r"bomb\.gz.*expand"):
        _read_all(stream)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150 * 1024


def test_a_bomb_found_in_a_folder_is_a_reject(tmp_path):
    (tmp_path / "bomb.txt.gz").write_bytes(gzip_bomb(300))
    (tmp_path / "good.txt").write_text("Lee. X.\n")
    records = read(tmp_path)
    assert records.references["text"].to_list() == ["Lee. X."]
    assert "bomb" in records.rejects["reason"][0]


def test_much_expansion_below_the_limit_is_no_bomb(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip_bomb(20))
    with open_stream(str(path)) as stream:
        assert sum(len(chunk) for chunk in iter(lambda: stream.read(1 << 20), b"")) == 20 << 20


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("keep", [12, 0.3, 0.7, -1])
def test_cut_anywhere_what_came_before_is_kept_and_the_cut_is_reported(pack, keep, tmp_path):
    import random

    words = random.Random(0)
    rows = b"".join(b"TY  - JOUR\nTI  - %032x\nER  - \n" % words.getrandbits(128) for _ in range(12_000))
    packed = pack(rows)
    path = tmp_path / "a.ris.gz"
    path.write_bytes(packed[: keep if isinstance(keep, int) else int(keep * len(packed))])
    batches = list(read_batches(path))
    assert "truncated" in batches[-1].rejects["reason"][-1]
    if isinstance(keep, float):
        assert 0 < sum(batch.references.height for batch in batches) < 12_000


def test_damage_in_the_middle_keeps_the_beginning(tmp_path):
    rows = b"".join(b"TY  - JOUR\nTI  - %d\nER  - \n" % number for number in range(40_000))
    packed = bytearray(gzip.compress(rows, 1))
    middle = len(packed) // 2
    packed[middle : middle + 50] = b"\xff" * 50
    path = tmp_path / "a.gz"
    path.write_bytes(packed)
    batches = list(read_batches(path))
    assert "damaged" in batches[-1].rejects["reason"][-1]
    assert sum(batch.references.height for batch in batches) > 5_000


def test_an_archive_in_an_archive_is_refused(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(gzip.compress(b"@book{x, title={X}}")))
    with pytest.raises(Exception, match="archive inside an archive"):
        read(path)
