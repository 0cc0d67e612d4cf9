"""One field after another: from the laws and a seed to tables of mentions and their truth.

A field is a pure function of (profile, seed, number, size), but for the running numbers of its mentions,
records and persons: nothing else is carried from field to field, so memory does not grow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from samehand.evaluate.synthetic import subjects, text
from samehand.evaluate.synthetic.laws import Profile
from samehand.evaluate.synthetic.names import inventory, name_persons
from samehand.evaluate.synthetic.noise import write_names
from samehand.evaluate.synthetic.teams import PERSONS, RECORDS, Field, grow, new_field
from samehand.infer.random import State, stream


class Numbers(NamedTuple):
    """How many mentions, records and persons there are."""

    mentions: int
    records: int
    persons: int

    def plus(self, *others: Numbers) -> Numbers:
        """The sums.

        >>> Numbers(1, 1, 1).plus(Numbers(3, 2, 1))
        Numbers(mentions=4, records=3, persons=2)
        """
        return Numbers(*(sum(column) for column in zip(self, *others, strict=True)))


class Piece(NamedTuple):
    """The mentions of one field (schema text.MENTIONS), their truth (text.TRUTH), and their numbers."""

    mentions: pa.Table
    truth: pa.Table
    counts: Numbers


class Maker:
    """Makes the fields of one bibliography; holds the inventories of names and words, nothing that grows."""

    def __init__(self, profile: Profile, seed: int) -> None:
        self.profile = profile
        self.seed = seed
        self.names = inventory(profile)
        self.forms = text.forms(self.names)
        self.words = subjects.vocabulary()

    def make(self, number: int, size: int, before: Numbers) -> Piece:
        """Field `number`, with exactly `size` mentions."""
        field = self._grown(number, size)
        ids = text.numbered("m", before.mentions + np.arange(size))
        columns = {
            "id": ids,
            "position": np.arange(size, dtype=np.int32) - field.records["start"][field.slots["record"]],
            **self._names(number, field),
            **self._subjects(number, field, before.records),
        }
        mentions = pa.table([columns[name] for name in text.MENTIONS.names], schema=text.MENTIONS)
        persons = text.numbered("p", before.persons + field.slots["person"].astype(np.int64))
        counts = Numbers(size, int(field.counts[RECORDS]), int(field.counts[PERSONS]))
        return Piece(mentions, pa.table([ids, persons], schema=text.TRUTH), counts)

    def _stream(self, number: int, purpose: str) -> State:
        return stream(self.seed, f"generate {purpose} {number}")

    def _grown(self, number: int, size: int) -> Field:
        """The field after its simulation, its tables cut to what is filled."""
        laws = self.profile.teams
        field = new_field(laws, size)
        grow(self._stream(number, "teams"), field, laws, size)
        records = field.records[: field.counts[RECORDS] + 1]
        return field._replace(records=records, persons=field.persons[: field.counts[PERSONS]])

    def _names(self, number: int, field: Field) -> dict[str, pa.Array]:
        """The columns of names."""
        persons = name_persons(self._stream(number, "names"), field.persons["home"], self.profile, self.names)
        noise = self._stream(number, "noise")
        initials = self.names.initials
        written = write_names(noise, field.records, field.slots, persons, initials, self.profile.noise)
        name = text.written_names(written, self.forms)
        starts = np.ascontiguousarray(field.records["start"])
        return name._asdict() | {"coauthors": text.coauthors(name.name, starts)}

    def _subjects(self, number: int, field: Field, records_before: int) -> dict[str, pa.Array]:
        """The columns that all mentions of a record share."""
        laws = self.profile.subjects
        random = self._stream(number, "subjects")
        record = field.slots["record"]
        communities = subjects.draw_topics(random, self.profile.teams.communities)
        persons = subjects.draw_topics(random, len(field.persons))
        words = subjects.draw_titles(random, field.records, field.slots, laws, communities, persons)
        titles = subjects.titles(*words, self.words)
        venues = subjects.venues_of(random, laws.venues, self.words)
        venue, dated = subjects.draw_venues(random, field.records, laws)
        numbers = text.numbered("r", records_before + np.arange(len(venue)))
        return {
            "paper_id": numbers.take(pa.array(record)),
            "title": titles.take(pa.array(field.records["paper"][record])),
            "venue": venues.take(pa.array(venue[record], mask=venue[record] == subjects.NO_VENUE)),
            "year": pa.array(field.records["year"][record], mask=~dated[record]),
        }


def fields(profile: Profile, mentions: int, seed: int) -> Iterator[Piece]:
    """All fields of a bibliography of exactly so many mentions, in order.

    >>> from samehand.evaluate.synthetic.laws import REXA
    >>> [piece.mentions.num_rows for piece in fields(REXA, 8_000, seed=0)]
    [7500, 500]
    """
    maker = Maker(profile, seed)
    before = Numbers(0, 0, 0)
    size = profile.teams.field_mentions
    for number in range(-(-mentions // size)):
        piece = maker.make(number, min(size, mentions - number * size), before)
        yield piece
        before = before.plus(piece.counts)
