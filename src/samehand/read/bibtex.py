"""BibTeX and biblatex files to references: streaming, whatever people have written.

bibtex_text.py turns bytes into text, bibtex_scan.py text into entries (bibtex_repair.py where they are
broken), bibtex_fields.py and bibtex_names.py an entry into a `Reference`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from samehand.read.bibtex_fields import reference
from samehand.read.bibtex_scan import NEVER_CLOSED, Entry, entries
from samehand.read.bibtex_text import text_chunks
from samehand.records import Reference, Reject

LONGEST_RAW = 2000
"""Characters of a rejected entry that are kept."""

NOTHING = "no key and no fields"


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """Every entry of a BibTeX file, in order, as a reference or as a reject that says why.

    A key alone is a reference. An entry that is never closed is one if its title, its authors or its
    parent could be read.

    >>> import io
    >>> [found] = read(io.BytesIO(b"@book{k, title = {The {TeX}book}, author = {Donald Knuth}}"), "a.bib")
    >>> found.key, found.title, found.authors
    ('k', 'The TeXbook', ['Donald Knuth'])
    """
    for entry in entries(text_chunks(stream)):
        if reason := _rejection(entry):
            yield Reject(source, entry.line, reason, (entry.raw or f"@{entry.type}{{}}")[:LONGEST_RAW])
        else:
            yield reference(entry, source)


def _rejection(entry: Entry) -> str | None:
    if entry.problem == NEVER_CLOSED:
        return (
            None if any(name in entry.fields for name in ("title", "author", "crossref")) else entry.problem
        )
    return entry.problem or (None if entry.key or entry.fields else NOTHING)
