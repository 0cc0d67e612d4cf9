"""The parts of a living library: keys, token counts, records as they come."""

from __future__ import annotations

import io

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.block import block
from samehand.models.stream.background import NOTHING, Background, Counts
from samehand.models.stream.corpus import Corpus, frequencies, said_together
from samehand.models.stream.evidence import FIELDS
from samehand.models.stream.features import stream_records
from samehand.models.stream.feed import BATCH, from_files, from_lines
from samehand.models.stream.index import ensure_index, read_number, write_number
from samehand.models.stream.keys import keys_of
from samehand.models.stream.persons import records_of
from samehand.models.stream.plain import at_once, new_authors, one_by_one
from samehand.models.stream.plain_others import others_of
from samehand.normalise.mentions import author_mentions, paper_mentions, venue_mentions
from samehand.records import Reference, references_frame
from samehand.store import open_store

PAPERS = [
    Reference("a.bib", 1, id="x", title="On Left Hands", authors=["Ann Lee", "B. Kim"], year=2001, doi="10.1/x"),
    Reference("a.bib", 2, id="y", title="Thumbs", authors=["Lee, Ann B.", "Bo Kim"], year=2002, venue="J. of Hands"),
    Reference("a.bib", 3, id="z", title="Stars far away", authors=["Wu, X."], venue="Stars"),
]  # fmt: skip


@pytest.fixture
def table() -> pl.DataFrame:
    references = references_frame(PAPERS)
    mentions = author_mentions(references)
    return stream_records(block("author", mentions, references)).join(
        mentions.select("id", "reference"), on="id"
    )


def test_counting_one_by_one_equals_counting_at_once(table: pl.DataFrame, location: str) -> None:
    store = open_store(location)
    for reference in PAPERS:
        said = said_together(author.record for author in new_authors(references_frame([reference])))
        with store.writing():
            corpus = Corpus(store)
            corpus.fetch([said])
            store.append("frequencies", corpus.add([said]))
    added = store.read("frequencies").group_by("field", "token").agg(pl.col("count").sum())
    order = ["field", "token"]
    assert added.filter(pl.col("count") > 0).sort(order).equals(frequencies(table).sort(order))
    assert added.filter(field="title_stems", token="left")["count"].item() == 1


def test_a_corpus_gives_the_frequencies_of_the_whole_table(table: pl.DataFrame, location: str) -> None:
    store = open_store(location)
    counted = frequencies(table)
    with store.writing():
        store.append("frequencies", counted)
    corpus = Corpus(store)
    corpus.fetch(records_of(table))
    plain = counted.filter(~pl.col("token").is_in(["", " "]))
    tokens = tuple(dict(plain.filter(field=field).select("token", "count").iter_rows()) for field in FIELDS)
    whole = Background(Counts(tokens, [sum(counts.values()) for counts in tokens]), NOTHING)
    part = Background(corpus.counts, NOTHING)
    for field, counts in enumerate(tokens):
        for token in counts:
            assert part.frequency(field, token) == whole.frequency(field, token)
    assert corpus.share_of_first_name("ann") > corpus.share_of_first_name("abe")


def test_a_word_seen_nowhere_else_is_rare_in_a_small_library_too() -> None:
    few = Counts(({"x": 3},) * len(FIELDS), (10,) * len(FIELDS))
    small, larger = Background(few, NOTHING), Background(few, NOTHING, fewest=1_000)
    assert larger.frequency(0, "never") < 0.1 * small.frequency(0, "never")
    assert larger.frequency(0, "x") == small.frequency(0, "x")


def test_papers_and_venues_have_the_same_keys_in_tables_and_one_by_one() -> None:
    references = references_frame(PAPERS)
    tables = pl.concat(
        [keys_of("paper", paper_mentions(references)), keys_of("venue", venue_mentions(references))]
    )
    rows = [
        (other.kind, key, other.id, other.reference)
        for row in references.to_dicts()
        for other in others_of(row)
        for key in other.keys
    ]
    assert sorted(rows) == sorted(tables.rows())
    assert {"doi:10.1/x", "title:on left hands", "near:lee 2001 on"} <= set(tables["key"])
    [paper] = others_of(references.row(0, named=True))
    assert set(paper.near) == {f"near:lee {year} {word}" for year in (2000, 2002) for word in ("on", "hands")}


TEXT = st.text("aAé王 -.,'{}1", max_size=12)
NAMES = st.sampled_from(
    ["Ann Lee", "Lee, A. B.", "van der Berg, Jan", "{World Body}", "Hai-Tao Wu", "A. Lee", "王伟", "", " "]
)
REFERENCES = st.builds(
    Reference,
    source=st.just("a"),
    line=st.just(1),
    id=st.just("x"),
    scope=st.sampled_from(["reference", "author", "citation", "venue"]),
    title=st.none() | TEXT | st.sampled_from(["Thumbs, fingers and relations of 2 hands", "The"]),
    authors=st.lists(NAMES | TEXT, max_size=4),
    venue=st.none() | TEXT | st.sampled_from(["Proc. of the 5th Conf. on Hands (HANDS'94)", "J. Hand"]),
    year=st.none() | st.integers(1900, 2020),
    doi=st.none() | st.just("10.1/x"),
    text=st.none() | TEXT,
    key=st.none() | st.just("lee01"),
    block=st.none() | st.just("a lee"),
)
PLAIN = ("id", "reference", "slot", "name", "block", "is_given")


@settings(deadline=None, max_examples=60)
@given(REFERENCES, st.integers(0, 3))
def test_plain_python_equals_the_tables(reference: Reference, focus: int) -> None:
    if reference.scope == "author":
        reference.focus = min(focus, max(0, len(reference.authors) - 1))
    reference.affiliations = [f"Hand Institute {place}" for place in range(len(reference.authors))]
    references = references_frame([reference])
    row = references.row(0, named=True)
    wanted = (*FIELDS, "year", "given_name")
    for one, other in zip(at_once(references), one_by_one(row), strict=True):
        assert {name: one.record[name] for name in wanted} == other.record
        assert [getattr(one, name) for name in PLAIN] == [getattr(other, name) for name in PLAIN]
    columns = ["id", "kind", "reference", "name"]
    tables = [paper_mentions(references).select(columns), venue_mentions(references).select(columns)]
    assert pl.concat(tables).rows() == [
        (other.id, other.kind, other.reference, other.name) for other in others_of(row)
    ]


def test_numbers_of_the_library_are_kept(location: str) -> None:
    store = open_store(location)
    assert read_number(store, "indexed") == -1
    ensure_index(store)
    assert read_number(store, "indexed") == 0
    with store.writing():
        write_number(store, "indexed", 7)
    assert read_number(store, "indexed") == 7


def test_files_come_in_batches(tmp_path) -> None:
    path = tmp_path / "many.txt"
    path.write_text("".join(f"Lee, A. On hand number {number}. 2001.\n" for number in range(BATCH + 5)))
    batches = list(from_files([str(path)]))
    assert [(records.references.height, done, total) for records, done, total in batches] == [
        (BATCH, BATCH, BATCH + 5),
        (5, BATCH + 5, BATCH + 5),
    ]
    assert pl.concat(records.references for records, _, _ in batches)["id"].n_unique() == BATCH + 5


def test_lines_come_as_soon_as_they_are_there() -> None:
    class Slow(io.BytesIO):
        given = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.given += 1
            return super().readline(size)

    lines = Slow(b'{"title": "On Hands"}\n{"title": "On Thumbs"}\n')
    feed = from_lines(lines)
    first = next(feed)
    assert (first.references["title"].to_list(), lines.given) == (["On Hands"], 1)
    second = next(feed)
    assert first.references["source"][0] == second.references["source"][0] != "-"
    assert first.references["id"][0] != second.references["id"][0]
    assert next(from_lines(io.BytesIO(b"x\n"))).references["source"][0] != first.references["source"][0]
