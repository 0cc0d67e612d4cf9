"""The persons of one name, as a living library knows them: `assign` a record, `learn` it, `repair` now and then.

    persons = Persons(background)
    persons.learn(record, "p1", certain=True)         # records whose person is known
    found = persons.assign(record)                    # a distribution over the persons and "new"
    persons.learn(record, found.best or "p2")         # believe it, or what a curator answered
    persons.repair()                                  # new persons who turn out to be somebody else: gone, kept

A record is a mapping from the fields of evidence.py to its tokens, a year, and where the persons' given names differ a
`given_name` (given_names.py). Assigning is greedy: what was learnt is
believed. What greedy decisions do worst is to call a known person's record a new person, and a later record often shows
it; `repair` then merges. Nobody known from the start, or by a curator's word, is ever merged with another such.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from samehand.models.stream.background import Background
from samehand.models.stream.evidence import (
    CROWD,
    FIELDS,
    NEW,
    NO_YEAR,
    RECENCY,
    Bag,
    Postings,
    Totals,
    post,
    unpost,
    weigh,
)
from samehand.models.stream.given_names import GivenNames
from samehand.models.stream.many import Many
from samehand.models.stream.neighbours import Words

Reals = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Person = TypeVar("Person", bound=Hashable)
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Distribution(Generic[Person]):
    """Whose a record is: `persons` and their probabilities, likeliest first; None stands for a new person."""

    persons: tuple[Person | None, ...]
    probabilities: Reals

    @property
    def best(self) -> Person | None:
        """The likeliest person; None for a new one."""
        return self.persons[0]

    @property
    def margin(self) -> float:
        """By what factor, as a logarithm, the likeliest person is likelier than the second: the smaller, the more
        a curator's answer is worth."""
        if len(self.persons) == 1:
            return float("inf")
        return float(np.log(self.probabilities[0]) - np.log(self.probabilities[1]))


class Merge(NamedTuple, Generic[Person]):
    """A person who turned out to be another, and how probable that was against their being two."""

    gone: Person
    kept: Person
    probability: float


class Persons(Generic[Person]):
    """All persons of one name and their records so far; `names` where they may have several given names.

    >>> from samehand.models.stream.background import NOTHING, Counts
    >>> corpus = Counts(({"word": 9_000},) * len(FIELDS), (9_000,) * len(FIELDS))
    >>> persons = Persons(Background(corpus, NOTHING))
    >>> persons.learn({"coauthor_names": ["jo lee"], "title_stems": ["thumb"], "year": 2001}, "ada", certain=True)
    >>> found = persons.assign({"coauthor_names": ["jo lee"], "title_stems": ["hand"], "year": 2002})
    >>> found.persons, round(float(found.probabilities.sum()), 9)
    (('ada', None), 1.0)
    """

    def __init__(
        self, background: Background, *, recency: float = RECENCY, names: GivenNames | None = None
    ) -> None:
        self.background = background
        self.recency = recency
        self.names = names
        self._vocabulary: tuple[dict[str, int], ...] = tuple({} for _ in FIELDS)
        self._names: list[Person] = []
        self._places: dict[Person, int] = {}
        self._bags: list[list[Bag]] = []
        self._certain: set[Person] = set()
        self._by_code: Words | None = None
        self._size = self._nodes = 0
        self._postings = Postings(*(np.full(64, -1) for _ in range(4)))
        self._totals = Totals(
            np.zeros((len(FIELDS), 8)),
            np.zeros(8, np.int64),
            np.full(8, NO_YEAR),
            np.zeros(64),
            np.zeros(64),
            np.zeros(len(FIELDS)),
        )

    def __len__(self) -> int:
        """How many persons there are."""
        return len(self._places)

    def assign(self, record: Record, *, without: Collection[Person] = ()) -> Distribution[Person]:
        """The distribution of the record's person, who is none of those `without`; nothing is learnt."""
        scores = self._weigh(_bag(record, self._seen), 1, _year(record), own=False)
        scores += self._name_factors([record.get("given_name") or ""])
        scores[[self._places[person] for person in without if person in self._places]] = -np.inf
        everyone = [*self._names, None]
        scores = np.append(scores, self._new_score())
        order = np.argsort(-scores, kind="stable")[: int(np.isfinite(scores).sum())]
        shares = np.exp(scores[order] - scores[order[0]])
        return Distribution(tuple(everyone[place] for place in order), shares / shares.sum())

    def learn(self, record: Record, person: Person, *, certain: bool = False) -> None:
        """Believe that the record is this person's; one not seen before is new.

        `certain`: the record came with its person, or a curator said so.
        """
        given_name = record.get("given_name") or ""
        self.learn_bag(_bag(record, self._number), _year(record), given_name, person)
        if certain:
            self._certain.add(person)

    def learn_bag(self, bag: Bag, year: int, given_name: str, person: Person) -> None:
        """Believe that a record is this person's, which is told by the numbers of its words."""
        place = self._places.get(person)
        if place is None:
            place = self._found(person)
        self._add(place, bag)
        self._totals.records[place] += 1
        self._totals.last_year[place] = max(self._totals.last_year[place], year)
        if self.names:
            self.names.learn(place, given_name)

    def learn_many(self, many: Many[Person]) -> None:
        """Learn many records for certain, as the first thing; nothing is known of how common their words are.

        That is looked up when a record has the word (`look_up`, `assign`, `learn`).
        """
        self._by_code, self._size = many.words, len(many.words.codes)
        if not many.persons:
            self._make_room(self._size)
            return
        self._names = list(many.persons)
        self._places = {person: place for place, person in enumerate(self._names)}
        self._certain = set(self._names)
        # Nobody known for certain is ever merged into another: the single records are not needed.
        self._bags = [[] for _ in self._names]
        self._postings, self._totals = many.state()
        self._nodes = len(self._postings.next)
        if self.names:
            for place, name in zip(many.whose.tolist(), many.given_names, strict=True):
                self.names.learn(place, name)

    def look_up(self, record: Record) -> None:
        """Look up now how common the record's words are, as far as persons have them."""
        _bag(record, self._seen)

    @property
    def bytes(self) -> int:
        """About how much memory it takes."""
        return sum(array.nbytes for array in (*self._postings, *self._totals))

    def refresh(self, background: Background) -> None:
        """Take a newer background: frequencies of all tokens that were ever looked up are looked up again."""
        self.background = background
        for field, numbers in enumerate(self._vocabulary):
            for token, number in numbers.items():
                self._totals.background[number] = background.frequency(field, token)

    def repair(self, apart: Collection[tuple[Person, Person]] = ()) -> list[Merge[Person]]:
        """Merge persons whose records, taken together, are likelier one person's; who went into whom.

        At least one of the two is not certain, and they are no pair of those `apart`. The best merge comes first, and
        all are looked at again after each.
        """
        merged: list[Merge[Person]] = []
        pairs = {*apart}
        while (merge := self._best_merge(pairs)) is not None:
            merged.append(merge)
            self._merge(merge.gone, merge.kept)
            pairs = {_renamed(pair, merge) for pair in pairs}
        return merged

    def _best_merge(self, apart: Collection[tuple[Person, Person]]) -> Merge[Person] | None:
        """The uncertain person to give up and the one to keep, where it pays most; None where it never does."""
        new = self._new_score()
        best, pair = new, None
        for person in [person for person in self._places if person not in self._certain]:
            scores = self._weigh_person(person, apart)
            place = int(np.argmax(scores))
            if scores[place] > best:
                best, pair = float(scores[place]), (person, self._names[place])
        if pair is None:
            return None
        gone, kept = pair
        if kept not in self._certain and self._places[kept] > self._places[gone]:
            gone, kept = kept, gone
        return Merge(gone, kept, float(1.0 / (1.0 + np.exp(new - best))))

    def _weigh_person(self, person: Person, apart: Collection[tuple[Person, Person]]) -> Reals:
        """The score of all others for a person's records."""
        place = self._places[person]
        records = int(self._totals.records[place])
        scores = self._weigh(_joined(self._bags[place]), records, NO_YEAR, own=True)
        scores += self._name_factors(self.names.written(place) if self.names else ())
        others = {other for pair in apart if person in pair for other in pair if other in self._places}
        scores[[place, *(self._places[other] for other in others)]] = -np.inf
        return scores

    def _merge(self, gone: Person, kept: Person) -> None:
        source, target = self._places.pop(gone), self._places[kept]
        for bag in self._bags[source]:
            unpost(self._postings, self._totals, source, bag)
            self._add(target, bag)
        self._bags[source] = []
        records, last_year = self._totals.records, self._totals.last_year
        records[target] += records[source]
        records[source] = 0
        last_year[target] = max(last_year[target], last_year[source])
        if self.names:
            self.names.merge(source, target)

    def _new_score(self) -> float:
        return NEW + CROWD * float(np.log(len(self) + 1))

    def _name_factors(self, names: Collection[str]) -> Reals:
        """What given names say of each person, added up."""
        factors = np.zeros(len(self._names))
        if self.names:
            for name in names:
                factors += self.names.factors(name, len(factors))
        return factors

    def _weigh(self, bag: Bag, records: int, year: int, *, own: bool) -> Reals:
        return weigh(self._postings, self._totals, len(self._names), bag, records, year, own, self.recency)

    def _found(self, person: Person) -> int:
        """A place for a new person."""
        place = self._places[person] = len(self._names)
        self._names.append(person)
        self._bags.append([])
        totals = self._totals
        if place == len(totals.records):
            self._totals = totals._replace(
                tokens=np.pad(totals.tokens, ((0, 0), (0, place))),
                records=np.pad(totals.records, (0, place)),
                last_year=np.pad(totals.last_year, (0, place), constant_values=NO_YEAR),
            )
        return place

    def _add(self, place: int, bag: Bag) -> None:
        nodes = len(self._postings.next)
        if self._nodes + len(bag.tokens) > nodes:
            more = {
                name: np.pad(array, (0, nodes + len(bag.tokens)))
                for name, array in self._postings._asdict().items()
                if name != "head"
            }
            self._postings = self._postings._replace(**more)
        self._nodes = post(self._postings, self._totals, self._nodes, place, bag)
        self._bags[place].append(bag)

    def _seen(self, field: int, token: str) -> int:
        """The number of a token, -1 if nobody has it. One that was learnt by its code is recognised now."""
        number = self._vocabulary[field].get(token, -1)
        if number < 0 and self._by_code is not None:
            number = self._by_code.find(field, token)
            if number >= 0:
                self._spell(number, field, token)
        return number

    def _number(self, field: int, token: str) -> int:
        """The number of a token; one not seen before gets the next."""
        number = self._seen(field, token)
        if number < 0:
            number, self._size = self._size, self._size + 1
            self._make_room(self._size)
            self._spell(number, field, token)
        return number

    def _spell(self, number: int, field: int, token: str) -> None:
        self._vocabulary[field][token] = number
        self._totals.background[number] = self.background.frequency(field, token)

    def _make_room(self, tokens: int) -> None:
        size = len(self._totals.background)
        if tokens <= size:
            return
        more = (0, max(size, tokens - size))
        self._postings = self._postings._replace(head=np.pad(self._postings.head, more, constant_values=-1))
        self._totals = self._totals._replace(
            background=np.pad(self._totals.background, more),
            inside=np.pad(self._totals.inside, more),
        )


def _renamed(pair: tuple[Person, Person], merge: Merge[Person]) -> tuple[Person, Person]:
    """A pair of persons after a merge."""
    one, other = (merge.kept if person == merge.gone else person for person in pair)
    return one, other


def _year(record: Record) -> int:
    year = record.get("year")
    return NO_YEAR if year is None else int(year)


def _bag(record: Record, number: Callable[[int, str], int]) -> Bag:
    """The record's tokens as numbers, each once."""
    rows = [
        [number(field, token) for token in dict.fromkeys(record.get(name) or ())]
        for field, name in enumerate(FIELDS)
    ]
    tokens = np.array([token for row in rows for token in row], np.int64)
    starts = np.cumsum([0, *(len(row) for row in rows)]).astype(np.int64)
    return Bag(starts, tokens, np.ones(len(tokens), np.int64))


def _joined(bags: Sequence[Bag]) -> Bag:
    """One bag of all tokens, counted."""
    parts: list[tuple[Longs, Longs]] = []
    for field in range(len(FIELDS)):
        tokens = np.concatenate([bag.tokens[bag.starts[field] : bag.starts[field + 1]] for bag in bags])
        parts.append(np.unique(tokens, return_counts=True))
    starts = np.cumsum([0, *(len(tokens) for tokens, _ in parts)]).astype(np.int64)
    return Bag(
        starts,
        np.concatenate([tokens for tokens, _ in parts]),
        np.concatenate([counts for _, counts in parts]).astype(np.int64),
    )


def records_of(table: Any) -> Iterator[Record]:
    """The rows of a table of features.py as records.

    >>> import polars as pl
    >>> next(records_of(pl.DataFrame({"year": [2001], "title_stems": [["hand"]]})))
    {'year': 2001, 'title_stems': ['hand']}
    """
    wanted = (*FIELDS, "year", "given_name")
    yield from table.select(name for name in table.columns if name in wanted).iter_rows(named=True)
