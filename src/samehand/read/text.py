"""Plain text: one citation per line, or per paragraph where blank lines separate paragraphs of several lines.

The layout is decided on the beginning of the file. Text is kept as written; only a label in front, such as
"[12]" or "12.", is taken off and kept as the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO

from samehand.read.lines import Overlong, text_lines
from samehand.read.values import rejected
from samehand.records import Reference, Reject

LONGEST = 100_000
LINES_TO_JUDGE_BY = 2_000
LONGEST_PARAGRAPH = 12
"""Lines; a citation is hardly ever longer, a list of one-line citations usually is."""

_LABEL = re.compile(r"\s*(?:\[([^\]\[]{1,40})\]|\(?(\d{1,4})[.)])\s+(?=\S)")

Line = tuple[int, str | Overlong]


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The citations of a plain text file.

    >>> import io
    >>> [record] = read(io.BytesIO(b"[3] Lee, A. On Hands. 2001.\\n"), "a.txt")
    >>> record.key, record.text
    ('3', 'Lee, A. On Hands. 2001.')
    """
    lines = text_lines(stream, 4 * LONGEST)
    beginning = list(islice(lines, LINES_TO_JUDGE_BY))
    everything = chain(beginning, lines)
    citations = _paragraphs(everything) if _is_in_paragraphs(beginning) else everything
    for line, text in citations:
        if isinstance(text, Overlong):
            yield rejected(source, line, _too_long(), text.beginning)
        elif len(text) > LONGEST:
            yield rejected(source, line, _too_long(), text)
        elif text.strip():
            yield _citation(source, line, text)


def _too_long() -> str:
    return f"citation longer than {LONGEST:,} characters"


def _citation(source: str, line: int, text: str) -> Reference | Reject:
    text = text.replace("\0", "").strip()
    label = _LABEL.match(text)
    key = (label[1] or label[2]).strip() if label else None
    text = text[label.end() :] if label else text
    if not any(character.isalnum() for character in text):
        return rejected(source, line, "no letter or digit in it", text)
    return Reference(source, line, scope="citation", key=key or None, text=text)


def _is_in_paragraphs(lines: list[Line]) -> bool:
    """Blank lines part the text into short paragraphs, some of them with lines that go on."""
    sizes: list[int] = []
    inside = False
    continued = False
    for _, text in lines:
        if isinstance(text, Overlong):
            return False
        blank = not text.strip()
        if not blank and inside:
            sizes[-1] += 1
            continued = continued or not _LABEL.match(text)
        elif not blank:
            sizes.append(1)
        inside = not blank
    return len(sizes) > 1 and continued and 1 < max(sizes) <= LONGEST_PARAGRAPH


def _paragraphs(lines: Iterable[Line]) -> Iterator[Line]:
    """Lines between blank lines, joined by a space; a label begins a new citation as well."""
    start, held, size = 0, [], 0  # type: int, list[str], int
    for number, text in lines:
        over = isinstance(text, Overlong) or size > LONGEST
        if held and (over or not str(text).strip() or _LABEL.match(str(text))):
            yield start, " ".join(held)
            held, size = [], 0
        if isinstance(text, Overlong):
            yield number, text
        elif text.strip():
            start = start if held else number
            held.append(text.strip())
            size += len(text)
    if held:
        yield start, " ".join(held)
