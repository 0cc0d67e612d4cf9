"""What is learnt of a block at once equals what is learnt of it one by one."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samehand
from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.library import Library
from samehand.models.baseline.papers import resolve
from samehand.models.stream import living as living_file
from samehand.models.stream.background import Background, Counts
from samehand.models.stream.corpus import Corpus
from samehand.models.stream.evidence import FIELDS
from samehand.models.stream.features import stream_records
from samehand.models.stream.given_names import GivenNames
from samehand.models.stream.known import FEWEST, by_reference
from samehand.models.stream.living import Living
from samehand.models.stream.packing import pack, pack_table
from samehand.models.stream.persons import Persons
from samehand.models.stream.plain import NewAuthor, new_authors
from samehand.models.stream.plain_papers import same_papers
from samehand.normalise.mentions import author_mentions, paper_mentions
from samehand.read import Records
from samehand.records import REJECTS, Reference, references_frame

NAMES = ["Ann Lee", "A. Lee", "Adam Lee", "Lee, Ann B.", "Bo Kim", "B. Kim", "Cy Day", "Eve Moe", "E. Moe"]
WORDS = ["thumbs", "hands", "galaxies", "acids", "stars", "left", "relations", "compared", "monasteries"]


def some_references(count: int, seed: int, prefix: str = "r") -> list[Reference]:
    chance = random.Random(seed)

    def one(number: int) -> Reference:
        authors = chance.sample(NAMES, chance.randint(1, 4))
        return Reference(
            "a.bib", number, id=f"{prefix}{number}", authors=authors, year=chance.choice([None, 1999, 2001, 2004]),
            title=" ".join(chance.sample(WORDS, 4)), venue=chance.choice(["Stars", "Journal of Hands", None]),
            affiliations=[chance.choice(["", "Hand Institute", "Observatory of Stars"]) for _ in authors],
        )  # fmt: skip

    return [one(number) for number in range(count)]


def records(references: list[Reference]) -> Records:
    return Records(references_frame(references), REJECTS.to_frame())


@pytest.fixture
def library(location: str) -> Iterator[Library]:
    with Library(location) as library:
        samehand.resolve(records(some_references(60, 1)), library=library, model="baseline", threads=1)
        library.assign(some_references(1, 9, "n")[0])
        yield library


def learnt_one_by_one(library: Library, key: str, asked: list[NewAuthor]) -> Persons[str]:
    """The persons of a block from the references themselves, in plain Python."""
    entities = dict(library.mentions("author").select("id", "entity").iter_rows())
    authors = new_authors(library.references())
    mine = [author for author in authors if author.block == key]
    corpus = Corpus(library.store)
    corpus.fetch([author.record for author in [*authors, *asked]])
    own: list[dict[str, int]] = [{} for _ in FIELDS]
    said = by_reference(authors)
    for reference in {author.reference for author in mine}:
        for field, name in enumerate(FIELDS):
            for token in said[reference].get(name) or ():
                own[field][token] = own[field].get(token, 0) + 1
    background = Background(corpus.counts, Counts(tuple(own), [sum(words.values()) for words in own]), FEWEST)
    persons: Persons[str] = Persons(background, names=GivenNames(corpus.share_of_first_name))
    for author in mine:
        persons.learn(author.record, entities[author.id], certain=True)
    return persons


def test_a_block_learnt_at_once_gives_the_answers_of_one_learnt_one_by_one(library: Library) -> None:
    asked = new_authors(references_frame(some_references(25, 2, "n")))
    living = Living(library.store)
    for key in ("a lee", "b kim", "e moe"):
        mine = [author for author in asked if author.block == key]
        living.corpus.fetch(author.record for author in mine)
        oracle, known = learnt_one_by_one(library, key, mine), living.block(key, is_given=False)
        assert len(mine) > 3
        for author in mine:
            expected = oracle.assign(author.record)
            found = known.assign(author.record, author.reference)
            assert dict(zip(found.persons, found.probabilities, strict=True)) == pytest.approx(
                dict(zip(expected.persons, expected.probabilities, strict=True)), rel=1e-9
            )


def repaired(location: str, *, read_anew: bool) -> list[tuple[str, str]]:
    """Who is merged after a stream into an empty library; `read_anew`: its blocks are read from the store for it."""
    with Library(location) as library:
        for start in range(0, 30, 10):
            library.assign(records(some_references(60, 1)[start : start + 10]), keep=True)
        if read_anew:
            for name in ("Lee", "Kim", "Moe"):
                named = library.mentions("author").filter(pl.col("name").str.contains(name))["id"]
                library.decide("unsure", named[0], named[1])
        return library.repair()


def test_repair_of_blocks_read_anew_merges_whom_it_would_have_merged(tmp_path: Path) -> None:
    """What arrived is known by the codes of its words then, which are spelt out for it."""
    merged = repaired(str(tmp_path / "one"), read_anew=False)
    assert merged
    assert repaired(str(tmp_path / "two"), read_anew=True) == merged


REFERENCE = st.builds(
    Reference,
    source=st.just("a"),
    line=st.just(1),
    title=st.none() | st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
    authors=st.lists(st.sampled_from([*NAMES, ""]), max_size=4),
    venue=st.none() | st.sampled_from(["J. Hand", "Stars"]),
    year=st.none() | st.just(2001),
)


@settings(deadline=None, max_examples=25)
@given(st.lists(REFERENCE, min_size=1, max_size=4))
def test_records_packed_one_by_one_are_those_packed_as_a_table(pile: list[Reference]) -> None:
    for number, reference in enumerate(pile):
        reference.id = f"r{number}"
        reference.affiliations = [f"Institute {place % 2}" for place in range(len(reference.authors))]
    references = references_frame(pile)
    mentions = author_mentions(references)
    table = stream_records(block("author", mentions, references)).join(
        mentions.select("id", "reference"), on="id"
    )
    authors = new_authors(references)
    together = by_reference(authors)
    expected = {author.id: pack(author.record, together[author.reference]) for author in authors}
    assert dict(zip(table["id"], pack_table(table), strict=True)) == expected


PAPER = st.builds(
    Reference,
    source=st.just("a"),
    line=st.just(1),
    scope=st.sampled_from(["reference", "reference", "reference", "citation"]),
    title=st.none()
    | st.lists(st.sampled_from([*WORDS[:5], "7", "8"]), min_size=1, max_size=6).map(" ".join)
    | st.sampled_from(["Thumbs of the left hand 7", "Thumb of the left hand 7", "Thumbs of the left hand 8"]),
    authors=st.lists(st.sampled_from(["Ann Lee", "A. Lee", "Bo Kim"]), max_size=2),
    year=st.none() | st.integers(2001, 2003),
    pages=st.none() | st.just("1-2"),
    doi=st.none() | st.sampled_from(["10.1/x", "10.1/y"]),
    pmid=st.none() | st.just("7"),
    text=st.none() | st.just("A. Lee. Thumbs of the left hand. 2001"),
)


@settings(deadline=None, max_examples=80)
@given(st.lists(PAPER, min_size=1, max_size=7))
def test_few_papers_are_resolved_in_plain_python_as_they_are_in_tables(pile: list[Reference]) -> None:
    for number, reference in enumerate(pile):
        reference.id = f"r{number}"
    references = references_frame(pile)
    blocked = block("paper", paper_mentions(references), references)
    expected = resolve(blocked, NONE, Run(0, threads=1))["cluster"].to_list()
    assert same_papers(references.to_dicts()) == expected


def test_blocks_that_nobody_asked_for_lately_are_forgotten(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = Living(library.store)
    living.refresh()
    first, second = (Reference("n", 1, id=name, authors=[name]) for name in ("A. Lee", "B. Kim"))
    for reference in (first, second, first):
        living.assign(references_frame([reference]), keep=False, ask=0.9)
    assert list(living._blocks) == ["b kim", "a lee"]
    monkeypatch.setattr(living_file, "MOST_BYTES", living._blocks["a lee"].bytes)
    living._forget_oldest()
    assert list(living._blocks) == ["a lee"]


def test_a_parser_learns_once(library: Library) -> None:
    living = Living(library.store)
    citation = "J. Lee. On hands. Nature, 12:3-9, 1991."
    assert living.parser([citation]) is living.parser(["Another one"])
