"""Tables of references, author mentions, venue mentions or raw citations: which shape, and row by row.

The columns decide the shape (`shape_of`); names are matched without regard to case, spaces or underscores,
and through `SYNONYMS`. CSV, JSON lines and Parquet are read by their own modules, which hand their rows over in
blocks; table_frames.py reads whole columns of a block at once, and `RowReader`, which says what a row means,
reads the blocks that are too odd for that. HTML entities in text are decoded. Columns that have no place in a
reference are kept as a JSON object in `fields`; a column `segments` is the truth about a raw citation, and is
ignored.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import orjson

from samehand.errors import UsageError
from samehand.normalise import identifiers, names
from samehand.read.values import (
    BadValue,
    doi_of,
    joined_name,
    names_of,
    pages_of,
    rejected,
    text_of,
    texts_of,
    year_of,
)
from samehand.records import Reference, Reject, Scope

SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": ("mention_id", "record_id", "uid", "identifier"),
    "key": ("citekey", "citation_key", "bibtex_key"),
    "type": ("entry_type", "document_type", "publication_type", "item_type"),
    "title": ("paper_title", "article_title", "document_title", "paper", "work_title"),
    "authors": ("author", "author_names", "author_list", "author_full_names", "creators"),
    "authors_as_written": ("author_string", "authors_string", "authors_raw"),
    "editors": ("editor",),
    "venue": (
        "journal", "booktitle", "book_title", "conference", "source_title", "publication_title",
        "journal_title", "container_title", "publication", "journal_or_conference", "venue_name",
    ),
    "year": ("publication_year", "pub_year", "date", "publication_date", "issued"),
    "volume": ("vol",),
    "number": ("issue", "no"),
    "pages": ("page", "page_range"),
    "publisher": ("institution", "school", "organization"),
    "doi": ("doi_link",),
    "arxiv": ("arxiv_id", "eprint"),
    "pmid": ("pubmed_id", "pubmed"),
    "isbn": (),
    "url": ("link",),
    "keywords": ("author_keywords", "tags", "subject"),
    "name": ("author_name", "full_name", "person"),
    "first": ("first_name", "given", "given_name", "forename"),
    "middle": ("middle_name", "middle_names"),
    "last": ("last_name", "family", "family_name", "surname"),
    "coauthors": ("co_authors", "coauthor"),
    "position": ("author_position", "author_index", "slot"),
    "affiliation": ("affiliations", "institute"),
    "orcid": ("orcid_id",),
    "block": ("block_key",),
    "text": ("citation", "citation_text", "raw_citation", "citation_string"),
}  # fmt: skip
"""Column name -> other names for the same thing; where a table has several, the first counts."""

_CANONICAL = {
    synonym.replace("_", ""): name for name, synonyms in SYNONYMS.items() for synonym in (name, *synonyms)
}
_PRIORITY = {
    synonym.replace("_", ""): place
    for name, synonyms in SYNONYMS.items()
    for place, synonym in enumerate((name, *synonyms))
}
_SEPARATORS = re.compile(r"[\s_.-]+")
_TRUTH = "segments"
_PLAIN = re.compile(r"[\w .;'’-]*+")
_SEPARATING_WORD = re.compile(
    r"\b(?:and|und|et|etal\w*|others|co-?workers|eds?|editors?|hrsg)\b", re.IGNORECASE
)
_IDENTIFYING = ("doi", "arxiv", "pmid", "isbn", "volume", "pages", "number")

Row = dict[str, Any]


@lru_cache(maxsize=10_000)
def folded(column: str) -> str:
    return _SEPARATORS.sub("", column.strip().lower())


def column_names(columns: Iterable[str]) -> dict[str, str]:
    """Column as written -> its name in `SYNONYMS`, for those that have one.

    >>> column_names(["Source Title", "Authors", "Cited by"])
    {'Authors': 'authors', 'Source Title': 'venue'}
    """
    best = {name: candidates[0] for name, candidates in candidate_columns(columns).items()}
    return {column: name for name, column in best.items()}


def candidate_columns(columns: Iterable[str]) -> dict[str, list[str]]:
    """Name in `SYNONYMS` -> the columns that may hold it, the best first.

    >>> candidate_columns(["journal", "Venue", "year"])
    {'venue': ['Venue', 'journal'], 'year': ['year']}
    """
    known = [column for column in columns if folded(column) in _CANONICAL]
    candidates: dict[str, list[str]] = {}
    for column in sorted(known, key=lambda column: _PRIORITY[folded(column)]):
        candidates.setdefault(_CANONICAL[folded(column)], []).append(column)
    return candidates


def shape_of(columns: Iterable[str], source: str) -> Scope:
    """What one row is, by the columns of the table.

    Raw citations have a text and no title; author mentions a name and no list of all authors; venue mentions
    a venue without authors, and nothing else that would identify a paper; references a title, authors or an
    identifier.

    >>> shape_of(["id", "name", "title", "coauthors"], "a.csv"), shape_of(["venue", "title"], "b.csv")
    ('author', 'venue')
    """
    columns = list(columns)
    has = set(column_names(columns).values())
    all_authors = "authors" in has or "authors_as_written" in has
    if "text" in has and "title" not in has and not all_authors:
        return "citation"
    if ("name" in has or "last" in has) and not all_authors:
        return "author"
    if "venue" in has and not all_authors and not has.intersection(_IDENTIFYING):
        return "venue"
    if "title" in has or all_authors or has.intersection(("doi", "arxiv", "pmid")):
        return "reference"
    found = ", ".join(repr(column) for column in columns[:20]) or "none"
    raise UsageError(
        f"{source}: no table samehand knows has these columns (found: {found}). Name the columns in its "
        "first line: 'title' and 'authors' for references; 'name', 'title' and 'coauthors' for author "
        "mentions; 'venue' and 'title' for venue mentions; 'text' for raw citations"
    )


class Plan(NamedTuple):
    """What to do with rows that have certain columns: (column, name) to read, and the columns to keep."""

    used: list[tuple[str, str]]
    extra: list[str]


def plan_of(columns: Iterable[str], scope: Scope) -> Plan:
    """The plan for one set of columns.

    >>> plan_of(["Journal", "title", "rank"], "venue")
    Plan(used=[('title', 'title'), ('Journal', 'venue')], extra=['rank'])
    """
    columns = list(columns)
    used = [(column, name) for column, name in column_names(columns).items() if name in HOMES[scope]]
    taken = {column for column, _ in used}
    extra = sorted(column for column in columns if column not in taken and folded(column) != _TRUTH)
    return Plan(sorted(used, key=lambda pair: pair[1]), extra)


def extra_json(row: Row, extra: Sequence[str]) -> str | None:
    """The values of these columns as a JSON object, or None where there are none.

    >>> extra_json({"rank": 3, "note": None, "title": "On Hands"}, ["note", "rank"])
    '{"rank":3}'
    """
    kept = {column: value for column in extra if (value := row.get(column)) is not None}
    return orjson.dumps(kept, default=str).decode() if kept else None


def decoded(value: Any) -> Any:
    """The value with HTML entities in its texts decoded, inside lists and objects too.

    >>> decoded(["M&uuml;ller", {"family": "Lee &amp; Sons"}, 3])
    ['Müller', {'family': 'Lee & Sons'}, 3]
    """
    if type(value) is str:
        return html.unescape(value) if "&" in value and ";" in value else value
    if type(value) is list:
        return [decoded(item) for item in value]
    if type(value) is dict:
        return {key: decoded(item) for key, item in value.items()}
    return value


class RowReader:
    """Turns rows of one table into references; the plan for each set of columns is made once."""

    def __init__(self, source: str, scope: Scope) -> None:
        self.source, self.scope = source, scope
        self._build = _BUILDERS[scope]
        self._plans: dict[tuple[str, ...], Plan] = {}

    def read(self, row: Row, line: int) -> Reference | Reject:
        """One row as a reference, or the reject that says why not.

        >>> RowReader("a.csv", "venue").read({"Journal": "TODS", "title": "On Hands"}, 2).venue
        'TODS'
        """
        plan = self.plan(tuple(row))
        named = {
            name: row[column] if name in VERBATIM else decoded(row[column]) for column, name in plan.used
        }
        try:
            record = self._build(self.source, line, named)
        except BadValue as problem:
            return rejected(self.source, line, str(problem), orjson.dumps(row, default=str))
        record.fields = extra_json(row, plan.extra)
        return record

    def plan(self, columns: tuple[str, ...]) -> Plan:
        """`plan_of` these columns.

        >>> RowReader("a.csv", "venue").plan(("venue", "rank")).extra
        ['rank']
        """
        if columns not in self._plans:
            if len(self._plans) > 10_000:
                self._plans.clear()
            self._plans[columns] = plan_of(columns, self.scope)
        return self._plans[columns]


def _author_mention(source: str, line: int, row: Row) -> Reference:
    coauthors, truncated = author_list(row.get("coauthors"), "coauthors")
    focal = _focal_name(row)
    focus = min(whole_number(row.get("position")), len(coauthors))
    coauthors.insert(focus, focal)
    record = Reference(source, line, scope="author", authors=coauthors, truncated=truncated, focus=focus)
    _fill(record, row, _MENTION_COLUMNS)
    for column, attribute in (("affiliation", "affiliations"), ("orcid", "orcids")):
        value = READERS[column](row.get(column))
        if value is not None:
            setattr(record, attribute, ["" if place != focus else value for place in range(len(coauthors))])
    return record


def _focal_name(row: Row) -> str:
    """ "Last, First Middle" where the parts are given; else the name as written."""
    last, name = text_of(row.get("last"), "last"), text_of(row.get("name"), "name")
    first, middle = text_of(row.get("first"), "first"), text_of(row.get("middle"), "middle")
    given = f"{first} {middle}" if first and middle else first or middle
    focal = joined_name(last, given) if last and (given or not name) else name or given
    if not focal:
        raise BadValue("no author name")
    return focal


def _venue_mention(source: str, line: int, row: Row) -> Reference:
    record = Reference(source, line, scope="venue")
    _fill(record, row, _MENTION_COLUMNS)
    if not record.venue:
        raise BadValue("no venue")
    return record


def _citation(source: str, line: int, row: Row) -> Reference:
    written = citation_text(row.get("text"))
    if not written:
        raise BadValue("no text")
    record = Reference(source, line, scope="citation", text=written)
    _fill(record, row, _CITATION_COLUMNS)
    return record


def citation_text(value: Any) -> str | None:
    """A citation stays as written; only NULs and white space around it go.

    >>> citation_text(" Lee , A .  On\\tHands . ")
    'Lee , A .  On\\tHands .'
    """
    return value.replace("\0", "").strip() or None if isinstance(value, str) else text_of(value, "text")


def _reference(source: str, line: int, row: Row) -> Reference:
    authors, truncated = author_list(row.get("authors") or row.get("authors_as_written"), "authors")
    record = Reference(source, line, authors=authors, truncated=truncated)
    _fill(record, row, _REFERENCE_COLUMNS)
    record.doi = record.doi or doi_of(record.url)
    if not (record.title or record.authors or record.venue or record.doi or record.arxiv or record.pmid):
        raise BadValue("nothing in it that identifies a publication (title, authors, venue, DOI)")
    return record


def _fill(record: Reference, row: Row, columns: frozenset[str]) -> None:
    """Sets those of the columns that the row has, each as its kind of value is read."""
    for name, value in row.items():
        if name in columns:
            reader = READERS.get(name)
            setattr(record, name, reader(value) if reader else text_of(value, name))


def author_list(value: Any, column: str) -> tuple[list[str], bool]:
    """The names in a list, a JSON list in a cell, or a text with any of the usual separators; and whether
    the list says that it leaves names out.

    >>> author_list("Ann Lee; Bo Ek et al.", "authors")
    (['Ann Lee', 'Bo Ek'], True)
    """
    if isinstance(value, str):
        if _is_plain(value):
            return [name for part in value.split(";") if (name := part.strip(" ")) not in ("", ".")], False
        if value.lstrip()[:1] == "[":
            listed = _json_list(value)
            if listed is not None:
                return names_of(listed, column)
        return names.split_authors(value), names.is_truncated(value)
    if value is None or value == []:
        return [], False
    return names_of(value, column)


def _is_plain(cell: str) -> bool:
    """Whether only semicolons can separate names here: `split_authors`, which is slow, would do no more."""
    return (
        _PLAIN.fullmatch(cell) is not None
        and "  " not in cell
        and "..." not in cell
        and _SEPARATING_WORD.search(cell) is None
    )


def _json_list(cell: str) -> list[Any] | None:
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, list) else None


def _keywords(value: Any) -> list[str]:
    if isinstance(value, str):
        value = _json_list(value) or re.split(r"[;|]" if ";" in value or "|" in value else ",", value)
    return texts_of(value, "keywords")


def whole_number(value: Any) -> int:
    """A position as a number; 0 where there is none."""
    if isinstance(value, str):
        value = value.strip()
        return int(value) if value.isdecimal() and len(value) < 10 else 0
    return int(value) if isinstance(value, (int, float)) and 0 <= value < 1e9 else 0


_TYPES = {
    "article": "article", "journal": "article", "journalarticle": "article", "review": "article",
    "inproceedings": "inproceedings", "conference": "inproceedings", "conferencepaper": "inproceedings",
    "proceedingspaper": "inproceedings", "book": "book", "incollection": "incollection",
    "inbook": "incollection", "chapter": "incollection", "bookchapter": "incollection",
    "booksection": "incollection", "proceedings": "proceedings", "phdthesis": "thesis",
    "mastersthesis": "thesis", "thesis": "thesis", "dissertation": "thesis", "techreport": "techreport",
    "report": "techreport", "preprint": "preprint",
}  # fmt: skip


def _type(value: Any) -> str | None:
    written = text_of(value, "type")
    return _TYPES.get(folded(written), "misc") if written else None


READERS: dict[str, Callable[[Any], Any]] = {
    "year": year_of,
    "pages": pages_of,
    "doi": doi_of,
    "arxiv": lambda value: identifiers.arxiv(text_of(value, "arxiv") or ""),
    "pmid": lambda value: identifiers.pmid(text_of(value, "pmid") or ""),
    "isbn": lambda value: identifiers.isbn(text_of(value, "isbn") or ""),
    "keywords": _keywords,
    "editors": lambda value: author_list(value, "editors")[0],
    "type": _type,
    "affiliation": lambda value: "; ".join(texts_of(value, "affiliation")) if value else None,
    "orcid": lambda value: (identifiers.orcid(text_of(value, "orcid") or "") or "") if value else None,
}
"""How the values of a column are read; the others are plain text."""

VERBATIM = frozenset(("id", "key", "block", "url"))
"""Columns whose text may hold an ampersand that begins no HTML entity."""
_CITATION_COLUMNS = frozenset(("id", "key", "block"))
_MENTION_COLUMNS = _CITATION_COLUMNS | {"title", "venue", "year", "doi"}
_REFERENCE_COLUMNS = _MENTION_COLUMNS | {
    "type", "editors", "volume", "number", "pages", "publisher", "arxiv", "pmid", "isbn", "url",
    "keywords", "text",
}  # fmt: skip

HOMES: dict[Scope, frozenset[str]] = {
    "author": _MENTION_COLUMNS
    | {"name", "first", "middle", "last", "coauthors", "position", "affiliation", "orcid"},
    "venue": _MENTION_COLUMNS,
    "citation": _CITATION_COLUMNS | {"text"},
    "reference": _REFERENCE_COLUMNS | {"authors", "authors_as_written"},
}
"""The columns that a row of each shape uses; all others are kept in `fields`."""

_BUILDERS: dict[Scope, Callable[[str, int, Row], Reference]] = {
    "author": _author_mention,
    "venue": _venue_mention,
    "citation": _citation,
    "reference": _reference,
}
