"""New references to a library: whose each mention is, looked up among its neighbours only, and kept if wanted.

Authors: the mentions of the same block are read from the store once and learnt (known.py); what was learnt stays in
memory while nobody else changes the library. Papers and venues: papers.py. What is kept is part of the library at once,
with identifiers that stay, and is resolved together with everything else at the next run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from samehand.curate.arrivals import Arrival, concerning
from samehand.curate.decisions import Closure
from samehand.models.citations.parsing.parser import Parser
from samehand.models.stream.assignment import Assignment, Candidate, shortened
from samehand.models.stream.corpus import Corpus
from samehand.models.stream.index import ARRIVED
from samehand.models.stream.known import KnownBlock, by_reference
from samehand.models.stream.neighbours import read_neighbours
from samehand.models.stream.papers import known_papers, known_venues
from samehand.models.stream.persons import Merge
from samehand.models.stream.plain import NewAuthor, new_authors, one_by_one
from samehand.models.stream.plain_others import NewOther, others_of
from samehand.models.stream.reading import parser_of
from samehand.records import KINDS, Kind
from samehand.store import Store
from samehand.store.arrivals import (
    arrivals_of,
    change_candidates,
    mint_unused,
    read_among,
    settle_again,
)
from samehand.store.rows import next_position
from samehand.store.schema import FREQUENCIES

MOST_BYTES = 400_000_000
"""What was learnt of blocks may take so much memory; those that nobody asked for lately are forgotten first."""

LEARNT_FROM = 300
"""So many references of the library teach how to read raw citations, which takes a second."""

_STATE = (
    'SELECT (SELECT MAX("id") FROM runs), (SELECT MAX("value") FROM meta WHERE "key" = $1), '
    '(SELECT COUNT(*) FROM sources), (SELECT 2 * COUNT(*) + COUNT("undone_at") FROM decisions)'
)


@dataclass
class Batch:
    """References that arrive together: their mentions, and what was found of each."""

    references: pl.DataFrame
    others: list[NewOther]
    authors: list[NewAuthor]
    assignments: list[Assignment] = field(default_factory=list)
    arrivals: list[tuple[Arrival, str]] = field(default_factory=list)  # with their blocks
    frequencies: pl.DataFrame = field(default_factory=FREQUENCIES.to_frame)


class Living:
    """The memory of a library that receives new records; `store` is its store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._version: tuple[object, ...] = ()
        self._blocks: dict[str, KnownBlock] = {}
        self._corpus: Corpus | None = None
        self._decisions: pl.DataFrame | None = None
        self._parser: Parser | None = None
        self._known_kinds: list[Kind] = []
        self._positions: dict[str, int] = {}
        self._unrepaired: dict[str, None] = {}

    @property
    def corpus(self) -> Corpus:
        """How common words are in the library."""
        if self._corpus is None:
            self._corpus = Corpus(self._store)
        return self._corpus

    @property
    def decisions(self) -> pl.DataFrame:
        """What curators decided about authors."""
        if self._decisions is None:
            self._decisions = self._store.read("decisions", '"undone_at" IS NULL AND "kind" = \'author\'')
        return self._decisions

    def parser(self, texts: Sequence[str]) -> Parser:
        """What reads raw citations: it learns once, from the library and the first that come."""
        if self._parser is None:
            self._parser = parser_of(self._store, LEARNT_FROM, texts)
        return self._parser

    def forget(self) -> None:
        """Everything is to be read anew."""
        self._version = ()
        self._blocks, self._positions = {}, {}
        self._corpus = self._decisions = None
        self._known_kinds = []

    def refresh(self) -> None:
        """Forget what was learnt if somebody else has changed the library."""
        now = self._now()
        if self._version != now:
            self.forget()
        self._version = now

    def touched(self, keys: list[str]) -> None:
        """Our own decisions have changed these blocks, and nothing else."""
        for key in keys:
            self._blocks.pop(key, None)
            self._unrepaired[key] = None
        self._decisions = None
        self._version = self._now()

    def positions(self, table: str, count: int) -> pl.Series:
        """The next so many positions of a table; the last one is looked for only once."""
        start = self._positions.get(table)
        if start is None:
            start = next_position(self._store, table)
        self._positions[table] = start + count
        return pl.int_range(start, start + count, dtype=pl.Int64, eager=True).alias("position")

    def kept(self) -> None:
        """What was assigned last is in the store now."""
        self._version = self._now()

    def _now(self) -> tuple[object, ...]:
        """What tells one state of the library from another."""
        return self._store.first(_STATE, (ARRIVED,)) or ()

    def assign(self, references: pl.DataFrame, *, keep: bool, ask: float) -> Batch:
        """Whose the mentions of these references are. With `keep` each is learnt before the next is looked at."""
        self._forget_oldest()
        kinds = self._kinds()
        rows = references.to_dicts()
        batch = Batch(
            references,
            [other for row in rows for other in others_of(row) if other.kind in kinds],
            [author for row in rows for author in one_by_one(row)] if "author" in kinds else [],
        )
        for kind in ("paper", "venue"):
            batch.assignments += self._by_rule(kind, batch, keep)
        batch.assignments += self._authors(batch, keep, ask)
        return self._in_order(batch)

    def _kinds(self) -> list[Kind]:
        """The kinds that the library has entities of; all of them if it has none yet."""
        if not self._known_kinds:
            one = 'SELECT COUNT(*) FROM (SELECT 1 FROM entities WHERE "kind" = $1 LIMIT 1) AS found'
            self._known_kinds = [kind for kind in KINDS if self._store.number(one, (kind,))]
        return self._known_kinds or list(KINDS)

    def _by_rule(self, kind: Kind, batch: Batch, keep: bool) -> Iterator[Assignment]:
        mentions = [other for other in batch.others if other.kind == kind]
        found = (
            known_papers(self._store, mentions, batch.references)
            if kind == "paper"
            else known_venues(self._store, mentions)
        )
        new = {other.id for other in mentions}
        founders = [other.id for other in mentions if found.get(other.id, other.id) == other.id]
        own = dict(zip(founders, mint_unused(self._store, kind, founders), strict=True)) if keep else {}
        for other in mentions:
            entity = found.get(other.id, other.id)
            known = None if entity in new else entity
            candidates = (Candidate(known, None, None),)
            yield Assignment(
                other.id, kind, other.name, other.reference, known or own.get(entity), candidates
            )

    def _authors(self, batch: Batch, keep: bool, ask: float) -> Iterator[Assignment]:
        said = by_reference(batch.authors)
        self.corpus.fetch(said.values())
        own = [""] * len(batch.authors)
        if keep:
            # Blocks look up how common their words are when they are read: before the new ones are counted.
            for author in batch.authors:
                self.block(author.block, is_given=author.is_given).spell(author.record)
            batch.frequencies = self.corpus.add(said.values())
            own = mint_unused(self._store, "author", [author.id for author in batch.authors])
        decided = {*self.decisions["left"], *self.decisions["right"]}
        for author, identifier in zip(batch.authors, own, strict=True):
            awaited = {author.id} & decided
            known = self.block(author.block, is_given=author.is_given, awaited=awaited)
            found = shortened(known.assign(author.record, author.reference))
            entity, asked = found[0][0], found[0][1] < ask
            if keep:
                arrival = Arrival(author.id, identifier, found, asked)
                placed = known.arrive(author, said[author.reference], arrival)
                self._unrepaired[author.block] = None
                entity = placed.entity
                if placed.decided:
                    asked, found = False, [(entity, placed.probability)]
                batch.arrivals.append((arrival, author.block))
            candidates = tuple(Candidate(person, None, share) for person, share in found)
            yield Assignment(author.id, "author", author.name, author.reference, entity, candidates, asked)

    def _in_order(self, batch: Batch) -> Batch:
        """The assignments by reference, in order, with the names of their candidates."""
        place = {reference: number for number, reference in enumerate(batch.references["id"])}
        wanted = {one.entity for found in batch.assignments for one in found.candidates if one.entity}
        rows = read_among(self._store, "entities", "id", sorted(wanted), ["id", "name"])
        names = dict(rows.iter_rows())
        for found in batch.assignments:
            if found.entity:
                names.setdefault(found.entity, found.name)
        batch.assignments = sorted(
            (_named(found, names) for found in batch.assignments),
            key=lambda found: (place[found.reference], KINDS.index(found.kind)),
        )
        return batch

    def block(self, key: str, *, is_given: bool, awaited: Collection[str] = ()) -> KnownBlock:
        """The persons of a block; read from the store the first time.

        `is_given`: the new mention's reference gives this block itself; those of the library say so too. `awaited` are
        mentions about which curators decided when the library had them, and which come back now.
        """
        known = self._blocks.pop(key, None)
        if known is None or awaited:
            neighbours, arrivals = read_neighbours(self._store, key), arrivals_of(self._store, key)
            closure = Closure(concerning(self.decisions, {*neighbours.mentions, *awaited}))
            known = KnownBlock(neighbours, arrivals, closure, self.corpus, is_given)
        # Put at the end: the first ones are those that nobody asked for lately.
        self._blocks[key] = known
        return known

    def _forget_oldest(self) -> None:
        """Make room, but never within a batch: what it has learnt so far is not in the store yet."""
        used = sum(known.bytes for known in self._blocks.values())
        for key in [*self._blocks]:
            if used <= MOST_BYTES:
                return
            used -= self._blocks.pop(key).bytes

    def repair(self) -> list[Merge[str]]:
        """Merge persons whom arrivals founded with others, where that is likelier by now; the store is changed.

        Only blocks that have changed since they were last looked at can have anything to merge.
        """
        merged = []
        for key in self._unrepaired:
            found = self._spelt(key).repair()
            for gone, kept, probability in found:
                change_candidates(self._store, gone, [(kept, probability), (None, 1.0 - probability)])
            if found:
                founders = read_among(self._store, "arrivals", "own", [merge.gone for merge in found])
                settle_again(self._store, founders["mention"].to_list(), self.decisions)
                self._blocks.pop(key)
            merged += found
        self._unrepaired = {}
        return merged

    def _spelt(self, key: str) -> KnownBlock:
        """A block with how common the words of all its arrivals are."""
        known = self.block(key, is_given=False)
        references = read_among(self._store, "references", "id", list(dict.fromkeys(known.unspelt)))
        authors = [author for author in new_authors(references.drop("position")) if author.block == key]
        self.corpus.fetch(author.record for author in authors)
        for author in authors:
            known.spell(author.record)
        known.unspelt = []
        return known


def _named(found: Assignment, names: dict[str, str]) -> Assignment:
    candidates = tuple(
        replace(one, name=names.get(one.entity) if one.entity else None) for one in found.candidates
    )
    return replace(found, candidates=candidates)
