"""Opens what the user named: files, folders, standard input; gzip and Zstandard by their first bytes.

A stream that is opened here can be peeked at, counts the bytes taken from the file, and guards against
archives that expand without end. A truncated or damaged archive ends early: what came before is kept, and
`problem` says what is missing. UTF-16 text is turned into UTF-8 on the way.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from samehand.errors import ReadError
from samehand.records import Reject

PEEK = 1 << 18
BOMB_SIZE = 256 << 20
BOMB_RATIO = 200

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_GZIP_CHUNK = 1 << 16
_ZSTD_CHUNK = 1 << 10
"""Zstandard gives all output of its input at once; a kilobyte can become 44 MiB at the very worst."""


@dataclass(frozen=True)
class Place:
    """One file to read; `named` is false for a file found in a folder."""

    path: str
    named: bool = True


def places(paths: str | Path | Sequence[str | Path]) -> Iterator[Place | Reject]:
    """The files to read, in order: folders are walked in sorted order, hidden files become rejects.

    >>> [place.path for place in places(["-"])]
    ['-']
    """
    for path in [paths] if isinstance(paths, (str, Path)) else paths:
        if str(path) != "-" and os.path.isdir(path):
            yield from _folder(Path(path))
        else:
            yield Place(str(path))


def _folder(folder: Path) -> Iterator[Place | Reject]:
    def failed(error: OSError) -> None:
        raise ReadError(f"{error.filename}: {error.strerror}; check the name and your permissions")

    for root, folders, files in os.walk(folder, onerror=failed):
        hidden = [name for name in folders if name.startswith(".")]
        yield from (Reject(str(Path(root, name)), 0, "hidden folder, skipped", "") for name in sorted(hidden))
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            if name.startswith("."):
                yield Reject(str(path), 0, "hidden file, skipped", "")
            elif not path.is_file():
                yield Reject(str(path), 0, "not a regular file, skipped", "")
            else:
                yield Place(str(path), named=False)


def total_size(paths: str | Path | Sequence[str | Path]) -> int:
    """The bytes that all files together have on disk; 0 for what has no size, such as standard input.

    >>> total_size("-")
    0
    """
    found = [place.path for place in places(paths) if isinstance(place, Place)]
    return sum(os.path.getsize(path) for path in found if os.path.isfile(path))


class Stream(io.BufferedReader):
    """A readable stream of the expanded content; see the module's docstring."""

    def __init__(self, raw: io.RawIOBase, counter: _Counter) -> None:
        super().__init__(raw, PEEK)
        self._counter = counter
        self._raw_stream = raw

    @property
    def bytes_done(self) -> int:
        """Bytes taken from the file so far, as stored."""
        return self._counter.count

    def finish(self) -> str | None:
        """What was wrong with the archive, once all of it has been read; None if nothing was."""
        inner: Any = self._raw_stream
        while inner is not None:
            if problem := getattr(inner, "problem", None):
                return str(problem)
            inner = getattr(inner, "source", None)
        return None

    def close(self) -> None:
        """Closes the file as well."""
        super().close()
        self._counter.close()


class _Counter(io.FileIO):
    """A file that counts the bytes read from it."""

    count = 0

    def readinto(self, buffer: Any) -> int | None:
        size = super().readinto(buffer)
        self.count += size or 0
        return size


def open_stream(path: str) -> Stream:
    """Opens one file, or standard input for "-".

    >>> open_stream("/no/file")
    Traceback (most recent call last):
    samehand.errors.ReadError: /no/file: No such file or directory; check the name and your permissions
    """
    try:
        counter = _Counter(sys.stdin.fileno(), closefd=False) if path == "-" else _Counter(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ReadError(f"{path}: {reason}; check the name and your permissions") from None
    stream = Stream(counter, counter)
    magic = _peeked(stream, path)[:4]
    if magic.startswith(_GZIP):
        stream = Stream(_Gunzip(stream, path), counter)
    elif magic == _ZSTD:
        stream = Stream(_Unzstd(stream, path), counter)
    if _peeked(stream, path)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        stream = Stream(_FromUtf16(stream), counter)
    return stream


def _peeked(stream: Stream, path: str) -> bytes:
    try:
        return stream.peek(4)
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror or error}; check the file and the disk") from None


class _Produced(io.RawIOBase):
    """A raw stream whose content is produced piece by piece by `_more`."""

    def __init__(self, source: BinaryIO) -> None:
        self.source = source
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._ready:
            self._ready = self._more(len(buffer))
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _more(self, size: int) -> bytes:
        """The next bytes, b"" at the end only."""
        raise NotImplementedError


class _Archive(_Produced):
    """What the two kinds of archive share: the guard against bombs, and members one after another."""

    kind = ""
    chunk = 0

    def __init__(self, source: BinaryIO, path: str) -> None:
        super().__init__(source)
        self.path = path
        self.problem: str | None = None
        self._taken = self._given = 0
        self._waiting = b""
        self._member: Any = None

    def _more(self, size: int) -> bytes:
        while self.problem is None:
            if not self._waiting:
                self._waiting = self.source.read(self.chunk)
                self._taken += len(self._waiting)
            if not self._waiting and (self._member is None or self._member.eof):
                return b""
            try:
                content = self._expand(size)
            except (zlib.error, zstandard.ZstdError) as error:
                self.problem = f"damaged {self.kind} archive ({error}); the rest of the file was not read"
                return b""
            if content:
                self._guard(len(content))
                return content
        return b""

    def _guard(self, size: int) -> None:
        self._given += size
        if self._given > BOMB_SIZE and self._given > BOMB_RATIO * self._taken:
            raise ReadError(
                f"{self.path}: {self._taken:,} bytes expand to more than {self._given:,}: this looks like a "
                f"{self.kind} bomb; if it is not, expand the file yourself and read the result"
            )

    def _expand(self, size: int) -> bytes:
        raise NotImplementedError

    def _truncated(self) -> None:
        self.problem = f"{self.kind} archive is truncated; its end was not read"


class _Gunzip(_Archive):
    """gzip, all members of it; zeros after the last one are padding."""

    kind = "gzip"
    chunk = _GZIP_CHUNK

    def _expand(self, size: int) -> bytes:
        if self._member is None or self._member.eof:
            self._waiting = self._waiting.lstrip(b"\0") if self._member is not None else self._waiting
            if not self._waiting:
                return b""
            self._member = zlib.decompressobj(wbits=31)
        at_end = not self._waiting
        content: bytes = self._member.decompress(self._waiting, size)
        self._waiting = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        if at_end and not content and not self._member.eof:
            self._truncated()
        return content


class _Unzstd(_Archive):
    """Zstandard, all frames of it; a window over 128 MiB is refused by the library."""

    kind = "Zstandard"
    chunk = _ZSTD_CHUNK

    def _expand(self, size: int) -> bytes:
        if not self._waiting:
            self._truncated()
            return b""
        if self._member is None or self._member.eof:
            self._member = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
        content = cast(bytes, self._member.decompress(self._waiting))
        self._waiting = self._member.unused_data if self._member.eof else b""
        return content


class _FromUtf16(_Produced):
    """UTF-16 with a byte order mark, as UTF-8; what is not valid becomes replacement characters."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__(source)
        self._decoder = codecs.getincrementaldecoder("utf-16")("replace")
        self._ended = False

    def _more(self, size: int) -> bytes:
        while not self._ended:
            chunk = self.source.read(PEEK)
            self._ended = not chunk
            if text := self._decoder.decode(chunk, self._ended):
                return text.encode("utf-8", "replace")
        return b""
