"""Does any entry of a BibTeX collection vanish? Entries counted independently against what the reader gives.

The counter here shares nothing with the reader and is deliberately simple: a line whose first character
other than white space, "%", a byte order mark or "}" is an "@", followed by a word that is no @string,
@preamble or @comment and by an opening delimiter, begins an entry. It can be wrong in both directions (an
"@" after other text on its line, an entry quoted inside a field), so shortfalls (`missing`) and surpluses
(`extra`) are summed over files apart: one cannot hide the other.
"""

from __future__ import annotations

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from samehand.bench import Options, Row
from samehand.errors import UsageError
from samehand.read import bibtex
from samehand.records import Reject

_ENTRY_LINE = re.compile(rb"^(?:\xef\xbb\xbf|[ \t%}])*@[ \t]*([A-Za-z]\w*)\s*[{(]", re.MULTILINE)
Outcome = tuple[int, Counter[str]]
"""How many entries of a file were kept, and how many were not, by reason."""

_NO_ENTRY = {b"string", b"preamble", b"comment"}


def run(options: Options) -> Iterator[Row]:
    """One row for the reader, and one for bibtexparser's blocks where that is installed."""
    folder = options.data_folder() / "bibtex"
    files = sorted(folder.glob("*.bib"))
    if not files:
        raise UsageError(f"{folder}: no .bib files; give a folder with a bibtex/ subfolder by --data DIR")
    if options.quick:
        files = files[::8]
    counted = [count_entries(path.read_bytes()) for path in files]
    if options.wants("bibtex", "samehand"):
        yield _row("samehand", files, counted, _read)
    if options.wants("bibtex", "bibtexparser") and find_spec("bibtexparser"):
        yield _row("bibtexparser", files, counted, _split)


def count_entries(data: bytes) -> int:
    """How many lines begin an entry.

    >>> count_entries(b"@article{a,\\n}\\n% @book{b}\\n@string{s = 1}\\n}@misc(c)\\nme@example.org")
    3
    """
    lines = data.replace(b"\r", b"\n")
    return sum(match[1].lower() not in _NO_ENTRY for match in _ENTRY_LINE.finditer(lines))


def _row(method: str, files: list[Path], counted: list[int], read: Callable[[Path], Outcome]) -> Row:
    started = time.process_time()
    outcomes = [read(path) for path in files]
    seconds = time.process_time() - started
    references = sum(kept for kept, _ in outcomes)
    reasons = sum((rejected for _, rejected in outcomes), Counter[str]())
    surplus = [
        kept + rejected.total() - count for (kept, rejected), count in zip(outcomes, counted, strict=True)
    ]
    return {
        "bench": "conservation",
        "set": "bibtex",
        "method": method,
        "files": len(files),
        "entries_counted": sum(counted),
        "references": references,
        "rejects": reasons.total(),
        "missing": -sum(difference for difference in surplus if difference < 0),
        "extra": sum(difference for difference in surplus if difference > 0),
        "reasons": "; ".join(f"{reason}: {count}" for reason, count in reasons.most_common(5)),
        "seconds": round(seconds, 2),
        "entries_per_second": round((references + reasons.total()) / seconds),
    }


def _read(path: Path) -> Outcome:
    references, reasons = 0, Counter[str]()
    with path.open("rb") as stream:
        for record in bibtex.read(stream, path.name):
            if isinstance(record, Reject):
                reasons[record.reason] += 1
            else:
                references += 1
    return references, reasons


def _split(path: Path) -> Outcome:
    """bibtexparser's blocks, without decoding or names: its opinion of where entries are."""
    splitter = import_module("bibtexparser.splitter")
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = splitter.Splitter(path.read_text(encoding="utf-8", errors="replace")).split()
    return len(library.entries), Counter(type(block).__name__ for block in library.failed_blocks)
