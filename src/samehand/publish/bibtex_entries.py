"""The entries of the clean bibliography: one per paper, as its best reference wrote it, completed.

The fields of a BibTeX source are kept as written, LaTeX and all. What the best reference lacks comes from the
other references of the paper; fields that belong to one version (journal, year, volume, pages, ...) only from
references that do not contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson
import polars as pl

from samehand.publish.ballots import byline_references, paper_ballots, rank_references
from samehand.publish.citation_keys import keys_of_ranked
from samehand.publish.latex_values import encode, encode_name, repaired, verbatim

Row = dict[str, Any]
Fields = dict[str, str]

ENTRY_TYPES = {"thesis": "phdthesis", "preprint": "misc"}
"""BibTeX's name for a record type, where it is another."""

SYNONYMS = {
    "journaltitle": "journal",
    "booktitle": "journal",
    "crossref": "journal",
    "date": "year",
    "issue": "number",
    "school": "publisher",
    "institution": "publisher",
    "organization": "publisher",
}
"""Fields that say the same thing: an entry that has one of them lacks none of the others."""

VERSION_FIELDS = frozenset(
    (
        *("journal", "year", "month", "volume", "number", "pages", "numpages", "publisher", "address"),
        *("location", "series", "edition", "chapter", "isbn", "issn", "editor", "howpublished"),
        *("eventtitle", "type"),
    )
)
"""Fields that belong to one version of a paper (after `SYNONYMS`)."""

PARENT_FIELDS = ("crossref", "xref")

_FIELD_NAME = re.compile(r"[^a-z0-9_.:+/-]+")


@dataclass
class Entry:
    """One entry of the clean bibliography, and how it came to be."""

    key: str
    type: str
    fields: Fields
    rows: list[Row]  # the references it stands for, the best first
    completed: dict[str, Row] = field(default_factory=dict)  # field name -> the reference that gave it


def entries(
    references: pl.DataFrame, mentions: pl.DataFrame, choices: pl.DataFrame | None = None
) -> list[Entry]:
    """The entries of the clean bibliography, in the order in which their papers first appear.

    `choices` (schema `store.schema.CHOICES`) says whose value a curator wants in a field.

    >>> from samehand.publish.example import mentions, references
    >>> [sorted(entry.completed) for entry in entries(references(), mentions())]
    [['pages']]
    """
    ballots = paper_ballots(references, mentions)
    ranked = rank_references(ballots)
    key_map = keys_of_ranked(ranked)
    new_keys = dict(key_map.select("entity", "new_key").iter_rows())
    parents: dict[tuple[str, str], str] = {}
    for source, old_key, new_key in key_map.select("source", "old_key", "new_key").iter_rows():
        parents.setdefault((source, (old_key or "").lower()), new_key)
    bylines = dict(byline_references(ballots).iter_rows())
    wanted = _wanted(choices)
    result = []
    for entity, rows in groupby(ranked.iter_rows(named=True), key=itemgetter("entity")):
        entry = _entry(new_keys[entity], list(rows), bylines.get(entity))
        for row in entry.rows:
            for meaning in wanted.get(row["reference"], ()):
                choose(entry, meaning, row)
        _rewrite_parents(entry, parents)
        result.append(entry)
    return result


def reference_fields(row: Row) -> tuple[str, Fields]:
    """Entry type and fields of one reference: as written if it was BibTeX, else encoded from its columns.

    >>> from samehand.publish.example import references
    >>> reference_fields(references().row(0, named=True))[1]["title"]
    'On {Hands}'
    """
    written = orjson.loads(row["fields"]) if row["fields"] else {}
    if "entrytype" not in written:
        return ENTRY_TYPES.get(row["type"], row["type"] or "misc"), dict(_encoded(row))
    fields: Fields = {}
    for name, value in written.items():
        if name != "entrytype":
            fields.setdefault(_FIELD_NAME.sub("-", name.lower()), repaired(value))
    return _FIELD_NAME.sub("", written["entrytype"]) or "misc", fields


def _encoded(row: Row) -> Iterator[tuple[str, str]]:
    """The columns of a reference that did not come from BibTeX, as BibTeX fields."""
    kind = row["type"]
    venue = {"inproceedings": "booktitle", "incollection": "booktitle", "book": "series"}.get(kind, "journal")
    publisher = {"thesis": "school", "techreport": "institution"}.get(kind, "publisher")
    for name, column in (("author", "authors"), ("editor", "editors")):
        if row[column]:
            others = ["others"] if row["truncated"] and column == "authors" else []
            yield name, " and ".join([*(encode_name(person) for person in row[column]), *others])
    plain = {"title": "title", venue: "venue", "year": "year", "volume": "volume", "number": "number"}
    plain |= {"pages": "pages", publisher: "publisher", "pmid": "pmid", "isbn": "isbn", "note": "text"}
    for name, column in plain.items():
        if row[column] is not None:
            yield name, encode(str(row[column]))
    if row["keywords"]:
        yield "keywords", encode(", ".join(row["keywords"]))
    for name, column in (("doi", "doi"), ("eprint", "arxiv"), ("url", "url"), ("crossref", "crossref")):
        if row[column] is not None:
            yield name, verbatim(row[column])
    if row["arxiv"] is not None:
        yield "archiveprefix", "arXiv"


def _entry(key: str, rows: list[Row], byline: str | None) -> Entry:
    """The best reference's fields, completed from the others in their order."""
    best = rows[0]
    entry_type, fields = reference_fields(best)
    entry = Entry(key, entry_type, fields, rows)
    has = {SYNONYMS.get(name, name) for name in fields}
    for row in rows[1:]:
        given = reference_fields(row)[1]
        for name, value in given.items():
            meaning = SYNONYMS.get(name, name)
            if meaning not in has and (meaning not in VERSION_FIELDS or _same_version(best, row)):
                fields[name] = value
                entry.completed[name] = row
        has |= {SYNONYMS.get(name, name) for name in fields}
        if row["reference"] == byline and best["truncated"] and not row["truncated"] and "author" in given:
            fields["author"] = given["author"]
            entry.completed["author"] = row
    return entry


def choose(entry: Entry, meaning: str, row: Row) -> None:
    """Have what a field means (after `SYNONYMS`) as one reference of the paper wrote it, if it did.

    >>> entry = Entry("k", "article", {"title": "On Hands", "journal": "J. Hands"}, [])
    >>> choose(entry, "journal", {"fields": '{"entrytype":"article","booktitle":"Hands"}', "reference": "x"})
    >>> entry.fields
    {'title': 'On Hands', 'booktitle': 'Hands'}
    """
    given = {
        name: value for name, value in reference_fields(row)[1].items() if SYNONYMS.get(name, name) == meaning
    }
    if given:
        fields: Fields = {}
        for name, value in entry.fields.items():
            fields |= given if SYNONYMS.get(name, name) == meaning else {name: value}
        entry.fields = fields | given
        entry.completed |= dict.fromkeys(given, row)


def _wanted(choices: pl.DataFrame | None) -> dict[str, list[str]]:
    """Reference -> the fields that are to be as it wrote them."""
    found: dict[str, list[str]] = {}
    for reference, meaning in choices.select("reference", "field").iter_rows() if choices is not None else ():
        found.setdefault(reference, []).append(meaning)
    return found


def _same_version(best: Row, other: Row) -> bool:
    """Neither venue, year nor volume of the two contradict each other."""
    volumes = {best["volume"], other["volume"]} - {None}
    return bool(best["agrees"] and other["agrees"]) and len(volumes) < 2


def _rewrite_parents(entry: Entry, parents: dict[tuple[str, str], str]) -> None:
    """Point cross-references to the new keys; one to the entry itself (parent and child merged) goes."""
    for name in PARENT_FIELDS:
        if name in entry.fields:
            source = entry.completed.get(name, entry.rows[0])["source"]
            old = entry.fields[name].strip()
            entry.fields[name] = parents.get((source, old.lower()), old)
            if entry.fields[name] == entry.key:
                del entry.fields[name]
