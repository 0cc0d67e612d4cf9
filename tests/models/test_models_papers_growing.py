"""A library that grows: only the papers that new references may belong to are resolved again, with the same answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand import Library, resolve
from samehand.block import block
from samehand.curate.constraints import NONE, Constraints
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import papers
from samehand.models.papers import growing
from samehand.normalise.mentions import paper_mentions
from samehand.read import Records
from samehand.records import Reference, references_frame, rejects_frame

TITLES = ["On hands and thumbs", "The tides of old harbours", "Moss on northern stones", "A theory of rings"]


def pile(draw: np.random.Generator, count: int) -> list[Reference]:
    """Citations of a few papers, each written in one of some ways."""
    made = []
    for number in range(count):
        title = TITLES[draw.integers(len(TITLES))]
        written = title.upper() if draw.random() < 0.3 else title + " revisited" * int(draw.random() < 0.2)
        authors = [["Ann Lee", "Bo Day"], ["A. Lee", "B. Day"], ["Cy Elm"]][draw.integers(3)]
        year = int(1990 + draw.integers(3)) if draw.random() < 0.8 else None
        made.append(
            Reference("x.bib", number + 1, id=f"r{number}", title=written, authors=authors, year=year)
        )
    return made


def resolved(references: pl.DataFrame, constraints: Constraints, previous: pl.DataFrame | None = None):
    blocked = block("paper", paper_mentions(references), references)
    if previous is None:
        return papers.resolve(blocked, constraints, Run())
    return growing.resolve_touched(blocked, constraints, Run(), previous)


def as_previous(found: pl.DataFrame) -> pl.DataFrame:
    """What a library would know of a result."""
    return found.select(
        "mention", "probability", entity=pl.format("P{}", "cluster"), work=pl.format("W{}", "work")
    )


def partition(found: pl.DataFrame, column: str = "cluster") -> set[frozenset[str]]:
    return {frozenset(group["mention"]) for _, group in found.group_by(column)}


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(0, 6))
def test_where_all_is_touched_the_answer_is_that_of_a_whole_run(seed: int, count: int, decided: int) -> None:
    draw = np.random.default_rng(seed)
    references = references_frame(pile(draw, count))
    same = as_pairs(draw.integers(0, count, (decided, 2)).tolist())
    constraints = Constraints(same, as_pairs([]))
    whole = resolved(references, constraints)
    found, records = resolved(references, constraints, as_previous(whole).clear())
    assert found.sort("mention").equals(whole.sort("mention"))
    assert records > 0


@given(st.integers(0, 10_000), st.integers(4, 30), st.integers(1, 4))
def test_what_is_not_touched_stays_and_the_rest_is_as_in_a_whole_run(seed: int, count: int, new: int) -> None:
    references = references_frame(pile(np.random.default_rng(seed), count))
    whole = resolved(references, NONE)
    known = as_previous(whole).filter(~pl.col("mention").is_in([f"r{n}" for n in range(count - new, count)]))
    marked = known.with_columns(probability=pl.lit(-1.0))
    found, records = resolved(references, NONE, marked)
    assert partition(found) == partition(whole)
    assert partition(found, "work") == partition(whole, "work")
    again = found.filter(pl.col("probability") >= 0.0)["mention"].to_list()
    assert {f"r{n}" for n in range(count - new, count)} <= set(again)
    assert len(again) >= records


def test_nothing_new_touches_nothing() -> None:
    references = references_frame(pile(np.random.default_rng(1), 20))
    whole = resolved(references, NONE)
    found, records = resolved(references, NONE, as_previous(whole))
    assert records == 0
    assert partition(found) == partition(whole)
    assert found["probability"].to_list() == whole["probability"].to_list()


def records(source: str, title: str, authors: list[str], count: int) -> Records:
    made = [
        Reference(source, n + 1, id=f"{source}{n}", title=title, authors=authors, year=1999)
        for n in range(count)
    ]
    return Records(references_frame(made), rejects_frame([]))


@pytest.fixture
def library(tmp_path: Path) -> Library:
    found = Library(tmp_path / "growing.library")
    resolve(records("a", TITLES[0], ["Ann Lee"], 2), library=found)
    resolve(records("b", TITLES[1], ["Bo Day"], 2), library=found)
    return found


def entities(library: Library) -> dict[str, str]:
    return dict(library.mentions("paper").select("id", "entity").iter_rows())


def test_a_library_resolves_only_the_papers_that_are_touched(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    whole = growing.clusters

    def watched(versions, *others):
        counts.append(versions.count)
        return whole(versions, *others)

    monkeypatch.setattr(growing, "clusters", watched)
    before = entities(library)
    resolve(records("c", TITLES[1].upper(), ["B. Day"], 1), library=library, touched=True)
    after = entities(library)
    assert counts == [2]
    assert {mention: after[mention] for mention in before} == before
    assert after["c0"] == after["b0"]


def test_a_run_of_one_kind_or_of_other_versions_makes_the_next_a_whole_one(library: Library) -> None:
    resolve(records("b", TITLES[0], ["Ann Lee"], 2), library=library, only="author")
    resolve(records("c", TITLES[2], ["Cy Elm"], 1), library=library, touched=True)
    found = entities(library)
    assert found["b0"] == found["a0"]
    merged = resolve(records("d", TITLES[3], ["Cy Elm"], 1), library=library, touched=True, versions="merged")
    assert merged.settings["versions"] == "merged"
    assert len(set(entities(library).values())) == 3
