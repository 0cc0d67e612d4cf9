"""How common words are in a whole library, as its store counts them: read word by word, when they are needed.

A word counts once a reference, however many authors the reference has: else the words of a person's own papers would look
common, because his co-authors' mentions have them too. Beside the fields of the evidence, first names are counted, of
every mention: "ann", and "a." for all first names with this initial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import polars as pl

from samehand.models.stream.background import Counts
from samehand.models.stream.evidence import FIELDS
from samehand.models.stream.given_names import first_word
from samehand.models.stream.persons import Record
from samehand.store import Store
from samehand.store.arrivals import read_among
from samehand.store.schema import FREQUENCIES

FIRST_NAMES = "first_names"
COUNTED = (*FIELDS, FIRST_NAMES)

TOTAL, DISTINCT = "", " "
"""In the place of a token: how many tokens a field has, and how many different ones."""

UNSEEN = 0.5


class Corpus:
    """The counts of a library; `counts` holds the words that were fetched."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tokens: dict[str, dict[str, int]] = {field: {} for field in COUNTED}
        self._fetched: set[str] = set()
        self._fetch([TOTAL, DISTINCT])
        self.counts = Counts(
            tuple(self._tokens[field] for field in FIELDS),
            [self._tokens[field].pop(TOTAL, 0) for field in FIELDS],
            [self._tokens[field].pop(DISTINCT, 0) for field in FIELDS],
        )

    def fetch(self, records: Iterable[Record]) -> None:
        """Make sure that all words of these records are known."""
        wanted = {token for record in records for _, token in _words(record)} - self._fetched
        self._fetch(sorted(wanted))

    def _fetch(self, tokens: Sequence[str]) -> None:
        for field, token, count in read_among(self._store, "frequencies", "token", tokens).iter_rows():
            self._tokens[field][token] = self._tokens[field].get(token, 0) + count
        self._fetched.update(tokens)

    def add(self, references: Iterable[Record]) -> pl.DataFrame:
        """Count references (`said_together`) whose words were fetched; what the store has to add, schema FREQUENCIES."""
        rows: list[tuple[str, str, int]] = []
        counted: dict[str, Counter[str]] = {field: Counter() for field in COUNTED}
        for reference in references:
            for field, token in _words(reference):
                counted[field][token] += 1
        for field, counter in counted.items():
            fresh = sum(token not in self._tokens[field] for token in counter)
            for token, count in counter.items():
                self._tokens[field][token] = self._tokens[field].get(token, 0) + count
            if field in FIELDS and counter:
                self._grow(FIELDS.index(field), counter.total(), fresh)
                rows += [(field, TOTAL, counter.total()), (field, DISTINCT, fresh)]
            rows += [(field, token, count) for token, count in counter.items()]
        return pl.DataFrame(rows, schema=FREQUENCIES, orient="row")

    def _grow(self, field: int, total: int, distinct: int) -> None:
        totals, sizes = self.counts.totals, self.counts.distinct
        assert isinstance(totals, list)
        assert isinstance(sizes, list)
        totals[field] += total
        sizes[field] += distinct

    def share_of_first_name(self, name: str) -> float:
        """The share of a first name among all people with its initial."""
        names = self._tokens[FIRST_NAMES]
        return (names.get(name, 0) + UNSEEN) / (names.get(f"{name[0]}.", 0) + 1.0)


def said_together(records: Iterable[Record]) -> Record:
    """The words of all records of one reference, each once, and the given names of all its authors.

    >>> said_together([{"coauthors": ["b kim"], "given_name": "ann"}, {"coauthors": ["a lee"], "given_name": "bo"}])
    {'coauthors': ['a lee', 'b kim'], 'given_names': ['ann', 'bo']}
    """
    found: dict[str, Any] = {}
    for record in records:
        for field in FIELDS:
            if record.get(field):
                found[field] = sorted({*found.get(field, ()), *record[field]})
        found.setdefault("given_names", []).append(record.get("given_name") or "")
    return found


def _words(record: Record) -> Iterator[tuple[str, str]]:
    """All that is counted of a record or of a reference: field and token."""
    for field in FIELDS:
        for token in dict.fromkeys(record.get(field) or ()):
            yield field, token
    for name in record.get("given_names") or (record.get("given_name") or "",):
        if first := first_word(name):
            yield FIRST_NAMES, first
            yield FIRST_NAMES, f"{first[0]}."


def frequencies(records: pl.DataFrame) -> pl.DataFrame:
    """The counts of a table of features.py with a column `reference`: what `Corpus.add` would have added one by one.

    >>> table = pl.DataFrame({field: [["x"]] for field in FIELDS} | {"given_name": ["ann b"], "reference": ["r"]})
    >>> frequencies(table).filter(field="first_names").sort("token")["token"].to_list()
    ['a.', 'ann']
    """
    words = [
        records.select("reference", field=pl.lit(field), token=field)
        .explode("token")
        .unique()
        .select("field", "token")
        for field in FIELDS
    ]
    first = pl.col("given_name").str.extract("^([^ -]{2,})(?:[ -]|$)")
    names = records.select(token=pl.concat_list(first, first.str.head(1) + ".")).explode("token")
    words.append(names.select(field=pl.lit(FIRST_NAMES), token="token"))
    counted = (
        pl.concat(words).drop_nulls("token").group_by("field", "token").agg(count=pl.len().cast(pl.Int64))
    )
    evidence = counted.filter(pl.col("field") != FIRST_NAMES).group_by("field")
    totals = evidence.agg(pl.col("count").sum()).select("field", token=pl.lit(TOTAL), count="count")
    sizes = evidence.agg(count=pl.len().cast(pl.Int64)).select("field", token=pl.lit(DISTINCT), count="count")
    return pl.concat([counted.select(FREQUENCIES.names()), totals, sizes])
