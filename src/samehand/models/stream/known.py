"""One block of a library: its persons as the last run, the arrivals since and the curators have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from samehand.curate.arrivals import Arrival, Placed, Settlement
from samehand.curate.decisions import Closure
from samehand.models.stream.background import Background, Counts
from samehand.models.stream.corpus import Corpus, said_together
from samehand.models.stream.evidence import FIELDS
from samehand.models.stream.given_names import GivenNames
from samehand.models.stream.many import Many
from samehand.models.stream.neighbours import Neighbours
from samehand.models.stream.persons import Distribution, Merge, Persons, Record
from samehand.models.stream.plain import NewAuthor

FEWEST = 5_000
"""A library with fewer words in a field is taken to have so many, for words it has nowhere else (background.py)."""


def by_reference(authors: Iterable[NewAuthor]) -> dict[str, Record]:
    """What the mentions of each reference say together."""
    records: dict[str, list[Record]] = {}
    for author in authors:
        records.setdefault(author.reference, []).append(author.record)
    return {reference: said_together(found) for reference, found in records.items()}


class KnownBlock:
    """The persons of one block, ready to assign the next record.

    Who is known from the last run is certain: no two such persons are ever merged here; nor are persons whom a curator
    called different, or who stand on one reference. Persons whom a curator called the same are one here; the library
    merges them at the next run. `is_given`: the input itself gives the block.
    """

    def __init__(
        self,
        known: Neighbours,
        arrivals: Sequence[Arrival],
        closure: Closure,
        corpus: Corpus,
        is_given: bool,
    ) -> None:
        self._known, self._closure = known, closure
        self._own = Counts(tuple({} for _ in FIELDS), known.field_totals())
        names = GivenNames(None if is_given or known.is_given else corpus.share_of_first_name)
        self._persons: Persons[str] = Persons(Background(corpus.counts, self._own, FEWEST), names=names)
        came = {arrival.mention for arrival in arrivals}
        before = {
            mention: entity
            for mention, entity in zip(known.mentions, known.entities, strict=True)
            if mention not in came
        }
        self._state = Settlement(before, closure)
        self._on: dict[str, set[str]] = {}
        self.unspelt = [
            reference
            for mention, reference in zip(known.mentions, known.references, strict=True)
            if mention in came
        ]
        """References of arrivals whose words are known by their codes only; `repair` needs them (`spell`)."""
        self._learn_before()
        self._learn_arrivals(arrivals)
        self.bytes = self._persons.bytes + known.bytes
        """About how much memory it took when it was read."""

    def _learn_before(self) -> None:
        known, entities = self._known, self._state.entities
        places: dict[str, int] = {}
        records = [row for row, mention in enumerate(known.mentions) if mention in entities]
        whose = [places.setdefault(entities[known.mentions[row]], len(places)) for row in records]
        rows = np.array(records, np.int64)
        self._persons.learn_many(
            Many(
                list(places),
                np.array(whose, np.int64),
                rows,
                known.years[rows],
                [known.given_names[row] for row in records],
                known.words,
            )
        )

    def _learn_arrivals(self, arrivals: Sequence[Arrival]) -> None:
        row_of = {mention: row for row, mention in enumerate(self._known.mentions)} if arrivals else {}
        for arrival in arrivals:
            found = self._state.place(arrival)
            row = row_of.get(arrival.mention)
            if row is not None:
                year, given_name = int(self._known.years[row]), self._known.given_names[row]
                self._persons.learn_bag(self._known.words.bag(row), year, given_name, found.entity)

    def spell(self, record: Record) -> None:
        """Look up how common the words of a record are, as of now."""
        self._meet(record)
        self._persons.look_up(record)

    def assign(self, record: Record, reference: str) -> Distribution[str]:
        """Whose the record is, whose words the corpus has fetched; nobody who stands on the same reference already."""
        self._meet(record)
        return self._persons.assign(record, without=self._on.get(reference, ()))

    def arrive(self, author: NewAuthor, said: Record, arrival: Arrival) -> Placed:
        """Take in a mention: where it belongs by its candidates and by what curators said."""
        found = self._state.place(arrival)
        self._meet(said)
        if author.reference not in self._on:
            self._count(said)
        self._on.setdefault(author.reference, set()).add(found.entity)
        self._persons.learn(author.record, found.entity)
        return found

    def repair(self) -> list[Merge[str]]:
        """New persons who turn out to be somebody else, after a look at how common words are by now."""
        self._persons.refresh(self._persons.background)
        return self._persons.repair(self._apart())

    def _meet(self, said: Record) -> None:
        """Learn in how many of the block's references words stand that were not asked for before."""
        for field, name in enumerate(FIELDS):
            tokens = self._own.tokens[field]
            assert isinstance(tokens, dict)
            for token in said.get(name) or ():
                if token not in tokens:
                    number = self._known.words.find(field, token)
                    tokens[token] = int(self._known.reference_counts[number]) if number >= 0 else 0

    def _count(self, said: Record) -> None:
        """One more reference of the block: its background leaves out its words, which it has met."""
        for field, name in enumerate(FIELDS):
            tokens, totals = self._own.tokens[field], self._own.totals
            assert isinstance(tokens, dict)
            assert isinstance(totals, list)
            for token in said.get(name) or ():
                tokens[token] += 1
                totals[field] += 1

    def _apart(self) -> set[tuple[str, str]]:
        """Persons who cannot be one: they stand on one reference, or a curator said so."""
        on: dict[str, set[str]] = {reference: {*entities} for reference, entities in self._on.items()}
        for mention, reference in zip(self._known.mentions, self._known.references, strict=True):
            on.setdefault(reference, set()).add(self._state.entities[mention])
        pairs = {
            (one, other) for together in on.values() for one in together for other in together if one < other
        }
        groups = self._closure.groups()
        for left, right in self._closure.apart():
            ones, others = (self._entities(groups.get(group, [group])) for group in (left, right))
            pairs |= {(one, other) for one in ones for other in others if one != other}
        return pairs

    def _entities(self, mentions: Collection[str]) -> set[str]:
        entities = self._state.entities
        return {entities[mention] for mention in mentions if mention in entities}
