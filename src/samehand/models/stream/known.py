"""One block of a library: its persons as the last run, the arrivals since and the curators have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from samehand.curate.arrivals import Arrival, Placed, Settlement
from samehand.curate.decisions import Closure
from samehand.models.stream.background import Background, Counts
from samehand.models.stream.corpus import Corpus, said_together
from samehand.models.stream.evidence import FIELDS, NO_YEAR
from samehand.models.stream.given_names import GivenNames
from samehand.models.stream.persons import Distribution, Merge, Persons, Record
from samehand.models.stream.plain import NewAuthor

FEWEST = 5_000
"""A library with fewer words in a field is taken to have so many, for words it has nowhere else (background.py)."""


@dataclass
class Mentions:
    """The author mentions of one block, in time order, and whether the input itself gave the block.

    `said` is what all mentions of each reference say together (corpus.py).
    """

    ids: list[str]
    references: list[str]
    records: list[Record]
    said: dict[str, Record]
    is_given: bool

    def add(self, author: NewAuthor, said: Record) -> None:
        """One more, the latest."""
        self.ids.append(author.id)
        self.references.append(author.reference)
        self.records.append(author.record)
        self.said[author.reference] = said

    @classmethod
    def of(cls, key: str, authors: Sequence[NewAuthor], is_given: bool) -> Mentions:
        """Those of block `key`, from all mentions of its references."""
        mine = [author for author in authors if author.block == key]
        ordered = sorted(mine, key=lambda author: (author.record["year"] or NO_YEAR, author.id))
        return cls(
            [author.id for author in ordered],
            [author.reference for author in ordered],
            [author.record for author in ordered],
            by_reference(authors),
            is_given or any(author.is_given for author in ordered),
        )


def by_reference(authors: Iterable[NewAuthor]) -> dict[str, Record]:
    """What the mentions of each reference say together."""
    records: dict[str, list[Record]] = {}
    for author in authors:
        records.setdefault(author.reference, []).append(author.record)
    return {reference: said_together(found) for reference, found in records.items()}


class KnownBlock:
    """The persons of one block, ready to assign the next record.

    `before` has the entities of the mentions of the last run. Who is known from it is certain: no two such persons are
    ever merged here; nor are persons whom a curator called different, or who stand on one reference. Persons whom a
    curator called the same are one here; the library merges them at the next run.
    """

    def __init__(
        self,
        mentions: Mentions,
        before: Mapping[str, str],
        arrivals: Sequence[Arrival],
        closure: Closure,
        corpus: Corpus,
    ) -> None:
        self._closure, self._corpus = closure, corpus
        self._own = Counts(tuple({} for _ in FIELDS), [0] * len(FIELDS))
        names = GivenNames(None if mentions.is_given else corpus.share_of_first_name)
        self._persons: Persons[str] = Persons(Background(corpus.counts, self._own, FEWEST), names=names)
        self._state = Settlement(before, closure)
        self._on: dict[str, set[str]] = {}
        self._learn_all(mentions, arrivals)

    def _learn_all(self, mentions: Mentions, arrivals: Sequence[Arrival]) -> None:
        self._corpus.fetch(mentions.records)
        told = {
            mention: (record, reference)
            for mention, reference, record in zip(
                mentions.ids, mentions.references, mentions.records, strict=True
            )
        }
        for said in mentions.said.values():
            self._count(said)
        for mention, entity in [*self._state.entities.items()]:
            if mention in told:
                self._believe(*told[mention], entity, certain=True)
        for arrival in arrivals:
            found = self._state.place(arrival)
            if arrival.mention in told:
                self._believe(*told[arrival.mention], found.entity)

    def assign(self, record: Record, reference: str) -> Distribution[str]:
        """Whose the record is; nobody who stands on the same reference already."""
        return self._persons.assign(record, without=self._on.get(reference, ()))

    def arrive(self, author: NewAuthor, said: Record, arrival: Arrival) -> Placed:
        """Take in a mention: where it belongs by its candidates and by what curators said."""
        found = self._state.place(arrival)
        if author.reference not in self._on:
            self._count(said)
        self._believe(author.record, author.reference, found.entity)
        return found

    def repair(self) -> list[Merge[str]]:
        """New persons who turn out to be somebody else, after a look at how common words are by now."""
        self._persons.refresh(self._persons.background)
        return self._persons.repair(self._apart())

    def _believe(self, record: Record, reference: str, entity: str, *, certain: bool = False) -> None:
        self._on.setdefault(reference, set()).add(entity)
        self._persons.learn(record, entity, certain=certain)

    def _count(self, said: Record) -> None:
        """The words of the block's own references, which its background leaves out."""
        for field, name in enumerate(FIELDS):
            tokens, totals = self._own.tokens[field], self._own.totals
            assert isinstance(tokens, dict)
            assert isinstance(totals, list)
            for token in said.get(name) or ():
                tokens[token] = tokens.get(token, 0) + 1
                totals[field] += 1

    def _apart(self) -> set[tuple[str, str]]:
        """Persons who cannot be one: they stand on one reference, or a curator said so."""
        pairs = {
            (one, other)
            for together in self._on.values()
            for one in together
            for other in together
            if one < other
        }
        groups = self._closure.groups()
        for left, right in self._closure.apart():
            ones, others = (self._entities(groups.get(group, [group])) for group in (left, right))
            pairs |= {(one, other) for one in ones for other in others if one != other}
        return pairs

    def _entities(self, mentions: Collection[str]) -> set[str]:
        entities = self._state.entities
        return {entities[mention] for mention in mentions if mention in entities}
