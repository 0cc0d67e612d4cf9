"""The fields of several entries of one paper, and the entry that they become."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import polars as pl

from samehand.library import Library
from samehand.publish.bibtex_entries import SYNONYMS, Entry, Row, choose, entries, reference_fields
from samehand.records import ASSIGNMENTS
from samehand.store.arrivals import read_among

ENTRIES_SHOWN = 6
"""Entries side by side; more do not fit, and the first are the best."""


@dataclass(frozen=True)
class Cell:
    """What one reference says: its value, the reference, and whether the merged entry has it."""

    reference: str
    value: str
    is_taken: bool


@dataclass(frozen=True)
class Line:
    """A field: what it means, what each reference says of it (None: nothing), and whether they differ."""

    field: str
    cells: tuple[Cell | None, ...]
    differs: bool


@dataclass(frozen=True)
class Merging:
    """The references of a paper (or of two that may be one), the best first, and the entry they become."""

    rows: list[Row]
    merged: Entry
    total: int

    @property
    def keys(self) -> list[str]:
        """The citation keys of all references, each once."""
        return list(dict.fromkeys(row["key"] for row in self.merged.rows if row["key"]))

    def lines(self) -> list[Line]:
        """The fields in the order of the merged entry, then all others."""
        given = [_meanings(row) for row in self.rows]
        order = [SYNONYMS.get(name, name) for name in self.merged.fields]
        order += [meaning for fields in given for meaning in fields]
        return [self._line(meaning, given) for meaning in dict.fromkeys(order)]

    def entry(self, chosen: Mapping[str, str]) -> Entry:
        """The merged entry with fields (meaning -> reference) as certain references have them."""
        found = deepcopy(self.merged)
        known = {row["reference"]: row for row in self.merged.rows}
        for meaning, reference in chosen.items():
            if reference in known:
                choose(found, meaning, known[reference])
        return found

    def differing(self, chosen: Mapping[str, str]) -> dict[str, str]:
        """The choices that change something."""
        return {
            meaning: reference
            for meaning, reference in chosen.items()
            if self.entry({meaning: reference}).fields != self.merged.fields
        }

    def _line(self, meaning: str, given: Sequence[Mapping[str, str]]) -> Line:
        value = _meanings_of(self.merged.fields).get(meaning)
        cells, is_open = [], True
        for row, fields in zip(self.rows, given, strict=True):
            own = fields.get(meaning)
            is_taken = is_open and own is not None and own == value
            is_open = is_open and not is_taken
            cells.append(None if own is None else Cell(row["reference"], own, is_taken))
        said = {cell.value for cell in cells if cell}
        return Line(meaning, tuple(cells), len(said) > 1)


def merging(library: Library, papers: Sequence[str]) -> Merging:
    """The entries of some papers, as if they were one."""
    store = library.store
    with store.reading():
        held = read_among(store, "assignments", "entity", list(papers), ["mention"])["mention"].to_list()
        ids = read_among(store, "mentions", "id", held, ["reference"])["reference"].unique().to_list()
        references = read_among(store, "references", "id", ids).sort("position").drop("position")
        mentions = read_among(store, "mentions", "reference", ids).sort("position").drop("position")
        assigned = read_among(store, "assignments", "mention", mentions["id"].to_list())
        choices = read_among(store, "choices", "reference", ids)
    known = assigned.select("entity", "probability", id="mention")
    mentions = mentions.join(known, on="id", how="left", maintain_order="left").select(*ASSIGNMENTS, "slot")
    as_one = pl.when(pl.col("entity").is_in(list(papers))).then(pl.lit(papers[0])).otherwise("entity")
    made = entries(references, mentions.with_columns(entity=as_one), choices)
    merged = next(entry for entry in made if entry.rows[0]["entity"] == papers[0])
    return Merging(merged.rows[:ENTRIES_SHOWN], merged, len(merged.rows))


def _meanings(row: Row) -> dict[str, str]:
    return _meanings_of(reference_fields(row)[1])


def _meanings_of(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields by what they mean; of several that mean the same, the first.

    >>> _meanings_of({"booktitle": "Hands", "year": "2001"})
    {'journal': 'Hands', 'year': '2001'}
    """
    found: dict[str, str] = {}
    for name, value in fields.items():
        found.setdefault(SYNONYMS.get(name, name), value)
    return found
