"""One field after another: from the laws and a seed to tables of mentions and their truth.

A field is a pure function of (profile, seed, number, size) but for the running numbers of its mentions, records
and persons, so fields can be made in pieces of any size with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samehand.evaluate.synthetic import subjects, text
from samehand.evaluate.synthetic.draws import begin
from samehand.evaluate.synthetic.laws import Profile
from samehand.evaluate.synthetic.names import Inventory, inventory, name_persons
from samehand.evaluate.synthetic.noise import write_names
from samehand.evaluate.synthetic.teams import PERSONS, RECORDS, grow, new_field

TEAMS, NAMES, NOISE, TITLES, VENUES = range(5)
"""Purposes of random streams."""


class Numbers(NamedTuple):
    """Running numbers of the whole bibliography."""

    mentions: int = 0
    records: int = 0
    persons: int = 0


class Piece(NamedTuple):
    """The mentions of one field (schema text.MENTIONS) and their truth (text.TRUTH)."""

    mentions: pa.Table
    truth: pa.Table
    persons: int
    records: int


class Maker:
    """Makes the fields of one bibliography; holds the inventories of names and words, nothing that grows."""

    def __init__(self, profile: Profile, seed: int) -> None:
        self.profile = profile
        self.seed = seed
        self.names: Inventory = inventory(profile)
        self.forms = text.forms(self.names, subjects.vocabulary())

    def field(self, number: int, size: int, numbers: Numbers) -> Piece:
        """Field `number`, with exactly `size` mentions."""
        laws = self.profile
        field = new_field(laws.teams, size)
        grow(begin(self.seed, number, TEAMS), field, laws.teams, size)
        records = field.records[: field.counts[RECORDS] + 1]
        slots = field.slots
        written = write_names(
            begin(self.seed, number, NOISE),
            records,
            slots,
            name_persons(begin(self.seed, number, NAMES), field, laws, self.names),
            self.names.initials,
            laws.noise,
        )
        name = text.written_names(written, self.forms)
        ids = text.numbered("m", numbers.mentions + np.arange(size))
        columns = {
            "id": ids,
            "position": pa.array(np.arange(size, dtype=np.int32) - records["start"][slots["record"]]),
            "first": name.first,
            "middle": name.middle,
            "last": name.last,
            "name": name.name,
            "coauthors": text.coauthors(name.name, np.ascontiguousarray(records["start"])),
            **self._of_records(number, records, slots, numbers.records),
        }
        mentions = pa.table([columns[column] for column in text.MENTIONS.names], schema=text.MENTIONS)
        truth = pa.table(
            [ids, text.numbered("p", numbers.persons + slots["person"].astype(np.int64))], schema=text.TRUTH
        )
        return Piece(mentions, truth, int(field.counts[PERSONS]), len(records) - 1)

    def _of_records(
        self, number: int, records: npt.NDArray[np.void], slots: npt.NDArray[np.void], first: int
    ) -> dict[str, pa.Array]:
        """The columns that all mentions of a record share."""
        laws = self.profile.subjects
        record = slots["record"]
        chosen, starts = subjects.draw_titles(begin(self.seed, number, TITLES), records, slots, laws, number)
        titles = subjects.titles(chosen, starts, self.forms.words)
        venue, dated = subjects.draw_venues(begin(self.seed, number, VENUES), records, laws)
        of_slot = venue[record]
        return {
            "paper_id": text.numbered("r", first + np.arange(len(records) - 1)).take(pa.array(record)),
            "title": titles.take(pa.array(records["paper"][record])),
            "venue": subjects.venues_of(number, laws.venues, self.forms.words).take(
                pa.array(of_slot, mask=of_slot < 0)
            ),
            "year": pa.array(records["year"][record], mask=~dated[record]),
        }


def fields(profile: Profile, mentions: int, seed: int) -> Iterator[Piece]:
    """All fields of a bibliography of exactly so many mentions, in order."""
    maker = Maker(profile, seed)
    numbers = Numbers()
    size = profile.teams.field_mentions
    for number in range(-(-mentions // size)):
        count = min(size, mentions - number * size)
        piece = maker.field(number, count, numbers)
        yield piece
        numbers = Numbers(
            numbers.mentions + count, numbers.records + piece.records, numbers.persons + piece.persons
        )
