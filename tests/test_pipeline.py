"""The pipeline from Python: conservation, decisions, stable identifiers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samehand
from samehand.errors import UsageError
from samehand.pipeline import only_kind
from samehand.read import Records
from samehand.records import ASSIGNMENTS, Reference, references_frame, rejects_frame

words = st.lists(st.sampled_from(["red", "fox", "oak", "den", "hen", "sun", "moon"]), max_size=5).map(
    " ".join
)
name = st.sampled_from(["Ada Byron", "A. Byron", "Byron, Alan", "{Guild of Scribes}", "Lee", "李伟", ""])
reference = st.builds(
    Reference,
    source=st.sampled_from(["x.bib", "y.bib"]),
    line=st.integers(1, 99),
    title=st.none() | words,
    authors=st.lists(name, max_size=4),
    venue=st.none() | words,
    year=st.none() | st.integers(1990, 1993),
    doi=st.none() | st.sampled_from(["10.1/a", "10.1/b"]),
)


def records(references: list[Reference]) -> Records:
    for number, one in enumerate(references):
        one.id = f"r{number}"
    return Records(references_frame(references), rejects_frame([]))


def test_sources_that_share_nothing_are_resolved() -> None:
    made = [Reference(f"{title}.bib", 1, title=f"{title} of the north sea") for title in ("hands", "stars")]
    assert samehand.resolve(records(made)).papers.height == 2


@given(st.lists(reference, max_size=12))
def test_nothing_vanishes(references: list[Reference]) -> None:
    result = samehand.resolve(records(references))
    papers = result.mentions.filter(kind="paper")
    assert papers["reference"].to_list() == [one.id for one in references]
    assert result.mentions["entity"].null_count() == 0
    assert result.mentions.select(ASSIGNMENTS.names()).schema == ASSIGNMENTS
    assert result.papers["references"].explode(empty_as_null=False).len() == len(references)
    for table, kind in ((result.papers, "paper"), (result.authors, "author"), (result.venues, "venue")):
        assert set(table["entity"]) == set(result.mentions.filter(kind=kind)["entity"])


def authors_of(result: samehand.Resolution) -> list[str]:
    return result.mentions.filter(kind="author")["entity"].to_list()


def test_decisions_bind_and_identifiers_stay(tmp_path: Path) -> None:
    given_names = ["John Smith", "J. Smith", "Jane Doe"]
    pile = records([Reference("x", n, title=f"Title {n}", authors=[a]) for n, a in enumerate(given_names)])
    with samehand.Library(tmp_path / "my.library") as library:
        first = samehand.resolve(pile, model="baseline", library=library)
        one, two, three = authors_of(first)
        assert one == two != three
        library.decide("different", "r0/author/1", "r1/author/1")
        second = authors_of(samehand.resolve([], model="baseline", library=library))
        assert second[0] == one
        assert len(set(second)) == 3
        library.decide("same", "r0/author/1", "r2/author/1")
        third = authors_of(samehand.resolve([], model="baseline", library=library))
        assert third[0] == third[2] == one
        assert library.resolve_id(three) == one


MODELS_OF_AUTHORS = ["samehand", "pairwise", "trees-2012", "trees-2013"]


def bibliography() -> Records:
    titles = ["red fox den", "red fox sun", "oak hen moon", "oak hen den", "sun moon red"]
    others = ["Bo Ek", "Cy Young", "Di Lee"]
    names = ["Ada Byron", "A. Byron", "Alan Byron", "Jo Smith", "J. Smith"]
    return records(
        [
            Reference("x", n, title=titles[n % 5], authors=[names[n % 5], others[n % 3]], venue="Mind")
            for n in range(40)
        ]
    )


@pytest.mark.parametrize("model", MODELS_OF_AUTHORS)
def test_models_do_not_depend_on_threads(model: str) -> None:
    one = samehand.resolve(bibliography(), model=model, only="author", seed=3, threads=1)
    two = samehand.resolve(bibliography(), model=model, only="author", seed=3, threads=2)
    assert one.mentions.equals(two.mentions)


@pytest.mark.parametrize("model", MODELS_OF_AUTHORS)
def test_decisions_bind_every_model_of_authors(model: str, tmp_path: Path) -> None:
    with samehand.Library(tmp_path / "my.library") as library:
        samehand.resolve(bibliography(), model=model, library=library)
        library.decide("different", "r0/author/1", "r5/author/1")
        library.decide("same", "r0/author/1", "r3/author/1")
        result = samehand.resolve([], model=model, library=library)
    entity = dict(result.mentions.filter(kind="author").select("id", "entity").iter_rows())
    assert entity["r0/author/1"] == entity["r3/author/1"] != entity["r5/author/1"]


def test_only_one_kind() -> None:
    pile = records([Reference("x", 1, title="On Hands", authors=["Ada Byron"], venue="Mind")])
    assert samehand.resolve(pile, only="venue").mentions["kind"].to_list() == ["venue"]
    assert only_kind(None) is None
    with pytest.raises(UsageError):
        only_kind("dogs")


def test_timings_name_the_steps() -> None:
    assert list(samehand.resolve(records([])).timings) == ["normalise", "block", "resolve", "publish"]


def test_blocks_are_there_to_look_at() -> None:
    pile = records([Reference("x", n, title="On Hands", authors=["Ada Byron"]) for n in range(3)])
    blocks = samehand.resolve(pile).blocks.filter(kind="author")
    assert blocks.rows() == [("author", "a byron", 3, "")]
    assert isinstance(blocks, pl.DataFrame)
