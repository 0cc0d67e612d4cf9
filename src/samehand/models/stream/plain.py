"""The author mentions of a single reference, in plain Python: the same as the tables of normalise/mentions.py and
features.py, row by row, without what it costs to set up a table (some 40 ms, however short it is)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import polars as pl

from samehand.block import block
from samehand.models.stream.features import ENDING, stream_records
from samehand.models.stream.persons import Record, records_of
from samehand.models.topics.lda import STOP_WORDS
from samehand.normalise.coauthors import FIRST_COAUTHORS
from samehand.normalise.mentions import author_mentions
from samehand.normalise.names import parse_name
from samehand.normalise.tokens import fold, tokens

FEW = 300
"""So many references are quicker in plain Python."""


@dataclass(frozen=True)
class NewAuthor:
    """An author mention that arrives, with its block and what its record says."""

    id: str
    reference: str
    slot: int
    name: str
    block: str
    is_given: bool
    record: Record


def new_authors(references: pl.DataFrame) -> list[NewAuthor]:
    """The author mentions of references, in order.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="x", title="On hands", authors=["Ada van Dam", "Lee, J. P."], year=2001)
    >>> [(author.id, author.block, author.record["coauthors"]) for author in new_authors(references_frame([paper]))]
    [('x/author/1', 'a vandam', ['j lee']), ('x/author/2', 'j lee', ['a vandam'])]
    """
    if references.height <= FEW:
        return [author for row in references.iter_rows(named=True) for author in one_by_one(row)]
    return at_once(references)


def at_once(references: pl.DataFrame) -> list[NewAuthor]:
    """By tables."""
    authors = block("author", author_mentions(references), references)
    table = stream_records(authors)
    records: dict[str, Record] = dict(zip(table["id"], records_of(table), strict=True))
    wanted = ("id", "reference", "slot", "name", "block", "given_block")
    return [
        NewAuthor(id, reference, slot, name, key, given is not None, records[id])
        for id, reference, slot, name, key, given in authors.mentions.select(wanted).iter_rows()
    ]


class _Parts(NamedTuple):
    """A name folded: what compares, what blocks, and the whole."""

    first: str
    given: str
    last: str
    key: str
    full: str


@lru_cache(maxsize=10_000)
def _parts(written: str) -> _Parts:
    name = parse_name(written)
    first, middle, last = (_folded(part) for part in (name.first, name.middle, name.last))
    last = last or name.last.lower()
    key = f"= {last}" if name.literal else f"{first[:1]} {re.sub('[ -]', '', last)}".strip(" ")
    full = re.sub("[ -]+", " ", f"{first} {middle} {last}").strip()
    return _Parts(first, f"{first} {middle}".strip(), last, key, full)


def last_name(written: str | None) -> str:
    """The last name, folded; nothing if there is none.

    >>> last_name("Ada van Dam")
    'van dam'
    """
    return _parts(written).last if written is not None else ""


def _folded(part: str) -> str:
    return re.sub("[^a-z0-9 -]", "", fold(part)).strip(" -")


def one_by_one(row: Mapping[str, Any]) -> Iterator[NewAuthor]:
    """By hand; `row` is a row of a table with schema `records.REFERENCES`."""
    is_author = row["scope"] == "author"
    if not is_author and row["scope"] != "reference":
        return
    focus = (row["focus"] or 0) if is_author else None
    written = [(name or "").strip() for name in row["authors"] or ([""] if is_author else [])]
    slots = [(slot, name, _parts(name)) for slot, name in enumerate(written) if name or slot == focus]
    said = _said(row)
    for place, (slot, name, parts) in enumerate(slots):
        if focus is None or slot == focus:
            others = [other for number, (_, _, other) in enumerate(slots) if number != place]
            record = said | {
                "coauthors": _once(_keys(parts, others, is_author)),
                "coauthor_names": _once(_full_names(row["authors"] or [], slot)),
                "affiliation_words": _once(_words(_entry(row["affiliations"], slot))),
                "given_name": parts.given,
            }
            id = row["id"] if is_author else f"{row['id']}/author/{slot + 1}"
            own = parts.key if name else f"= {row['id']}"
            is_given = row["block"] is not None
            key = row["block"] if is_given else own
            yield NewAuthor(id, row["id"], slot, re.sub("[{}]", "", name).strip(), key, is_given, record)


def _said(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the reference says, whoever the author is."""
    stems = (re.sub(ENDING, r"\1", word) for word in _words(row["title"]))
    return {
        "year": row["year"],
        "title_stems": _once(stems),
        "venue_words": _once(_words(row["venue"], shortest=1)),
    }


def _keys(own: _Parts, others: list[_Parts], is_author: bool) -> list[str]:
    """Blocks of the co-authors (normalise/coauthors.py)."""
    if is_author:
        others = [other for other in others if not _is_self(own, other)]
    return [other.key for other in others[:FIRST_COAUTHORS]]


def _is_self(own: _Parts, other: _Parts) -> bool:
    is_initial = len(own.first) < 2 or len(other.first) < 2
    return own.key == other.key and (is_initial or own.first == other.first)


def _full_names(authors: list[str | None], slot: int) -> list[str]:
    """First, middle and last names of all other authors, but for the mention's own name."""
    names = [_parts(name).full if name is not None else "" for name in authors]
    own = names[slot] if slot < len(names) else ""
    return [name for place, name in enumerate(names) if place != slot and name not in ("", own)]


def _entry(values: list[str] | None, slot: int) -> str:
    return values[slot] if values and slot < len(values) else ""


def _words(text: str | None, shortest: int = 2) -> list[str]:
    """The words that are neither stop words nor numbers nor too short."""
    return [
        word
        for word in tokens(text or "")
        if word not in STOP_WORDS and not word.isdigit() and len(word) >= shortest
    ]


def _once(values: Iterable[str]) -> list[str]:
    return sorted(set(values))
