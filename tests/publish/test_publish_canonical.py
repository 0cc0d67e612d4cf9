"""Canonical records: votes, ties, and versions that are never mixed."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samehand.publish.canonical import AUTHORS, PAPERS, VENUES, authors, papers, venues
from samehand.publish.vote import vote
from samehand.records import Reference


def reference(id: str, **fields: Any) -> Reference:
    return Reference("a.bib", 1, id=id, **fields)


def one_paper(resolved: Any, *references: Reference, **entities: str) -> dict[str, Any]:
    same = {str(one.id): "p" for one in references} | entities
    table = papers(*resolved(list(references), same))
    assert table.height == 1
    return table.row(0, named=True)


def test_the_schemas_are_as_documented(resolved: Any) -> None:
    tables = resolved([reference("1", title="On Hands", authors=["Ann Lee"], venue="J. Hands", year=2001)])
    assert papers(*tables).schema == PAPERS
    assert authors(*tables).schema == AUTHORS
    assert venues(*tables).schema == VENUES


def test_nothing_to_publish_gives_empty_tables_of_the_same_schemas(resolved: Any) -> None:
    tables = resolved([])
    assert papers(*tables).schema == PAPERS
    assert authors(*tables).schema == AUTHORS
    assert venues(*tables).schema == VENUES


def test_the_majority_decides_on_the_year(resolved: Any) -> None:
    row = one_paper(
        resolved, *(reference(str(n), title="T", year=y) for n, y in enumerate([1999, 2001, 2001]))
    )
    assert row["year"] == 2001


def test_a_tie_goes_to_the_fuller_reference(resolved: Any) -> None:
    sparse = reference("1", title="T", year=1999)
    full = reference("2", title="T", year=2001, venue="J", volume="3", pages="1-9")
    assert one_paper(resolved, sparse, full)["year"] == 2001


def test_spellings_of_one_title_vote_together_and_capitals_lose(resolved: Any) -> None:
    titles = ["ON HANDS", "ON HANDS", "On Hands.", "Feet, and how they are used in verse"]
    row = one_paper(resolved, *(reference(str(n), title=title) for n, title in enumerate(titles)))
    assert row["title"] == "On Hands."
    assert row["variants"] == 3
    assert row["mentions"] == 4


def test_pages_of_another_version_are_not_taken(resolved: Any) -> None:
    journal = [reference(str(n), title="T", venue="J", year=2001, type="article") for n in range(2)]
    preprint = reference(
        "9", title="T", venue="arXiv", year=1999, type="preprint", pages="1-40", volume="abs"
    )
    row = one_paper(resolved, *journal, preprint)
    assert (row["venue"], row["year"], row["pages"], row["volume"]) == ("J", 2001, None, None)


def test_pages_of_a_reference_that_contradicts_nothing_are_taken(resolved: Any) -> None:
    row = one_paper(
        resolved,
        reference("1", title="T", venue="J", year=2001, volume="7", pages="1-9"),
        reference("2", title="T", venue="J", year=2001, volume="7", publisher="Hand Press"),
        reference("3", title="T", number="4"),
    )
    assert (row["volume"], row["number"], row["pages"], row["publisher"]) == ("7", "4", "1-9", "Hand Press")


def test_pages_come_from_the_volume_chosen(resolved: Any) -> None:
    row = one_paper(
        resolved,
        reference("1", title="T", venue="J", year=2001, volume="7"),
        reference("2", title="T", venue="J", year=2001, volume="7"),
        reference("3", title="T", venue="J", year=2001, volume="8", pages="5-6"),
    )
    assert (row["volume"], row["pages"]) == ("7", None)


def test_a_published_version_beats_a_preprint_on_a_tie(resolved: Any) -> None:
    row = one_paper(
        resolved,
        reference("1", title="T", venue="arXiv", year=2000, type="preprint", pages="1-9", volume="1"),
        reference("2", title="T", venue="J", year=2001, type="article"),
    )
    assert (row["venue"], row["year"], row["type"]) == ("J", 2001, "article")


def test_a_whole_author_list_beats_one_cut_short(resolved: Any) -> None:
    row = one_paper(
        resolved,
        reference("1", title="T", authors=["Ann Lee"], truncated=True),
        reference("2", title="T", authors=["Ann Lee"], truncated=True),
        reference("3", title="T", authors=["Ann Lee", "Bo Day", "Cy Fox"]),
    )
    assert row["authors"] == ["Ann Lee", "Bo Day", "Cy Fox"]
    assert row["author_entities"] == ["a-Ann Lee", "a-Bo Day", "a-Cy Fox"]


def test_papers_show_authors_and_venue_by_their_canonical_names(resolved: Any) -> None:
    tables = resolved(
        [
            reference("1", title="T", authors=["Lee, A."], venue="J. Hands"),
            reference("2", title="U", authors=["Lee, Ann"], venue="Journal of Hands"),
        ],
        {"Lee, A.": "a", "Lee, Ann": "a", "J. Hands": "v", "Journal of Hands": "v"},
    )
    first = papers(*tables).row(0, named=True)
    assert first["authors"] == ["Ann Lee"]
    assert first["venue"] == "Journal of Hands"


def test_a_raw_citation_titles_its_paper(resolved: Any) -> None:
    row = one_paper(resolved, reference("1", scope="citation", text="lee, a. on hands. 2001."))
    assert row["title"] == "lee, a. on hands. 2001."


def test_an_authors_name_is_full_then_frequent_then_accented(resolved: Any) -> None:
    names = ["J. Fuss"] * 5 + ["Jorg Fuss", "Jorg Fuss", "Jörg Fuss", "Jorg A. Fuss"]
    tables = resolved([reference(str(n), title="T", authors=[name]) for n, name in enumerate(names)],
                      dict.fromkeys(names, "a"))  # fmt: skip
    row = authors(*tables).row(0, named=True)
    assert row["name"] == "Jörg Fuss"
    assert row["sort_name"] == "Fuss, Jörg"
    assert row["variants"] == ["J. Fuss (5)", "Jorg Fuss (2)", "Jorg A. Fuss (1)", "Jörg Fuss (1)"]
    assert (row["mentions"], row["papers"]) == (9, 9)


def test_an_authors_company_years_venues_and_orcid(resolved: Any) -> None:
    tables = resolved(
        [
            reference("1", title="T", authors=["Ann Lee", "Bo Day"], venue="J", year=1999,
                      orcids=["0000-0002-1825-0097", ""]),
            reference("2", title="T", authors=["Ann Lee", "B. Day", "Cy Fox"], venue="J", year=2001),
            reference("3", title="U", authors=["Ann Lee", "Cy Fox"], venue="K", year=2005),
        ],
        {"1": "p", "2": "p", "B. Day": "b", "Bo Day": "b"},
    )  # fmt: skip
    row = authors(*tables).filter(entity="a-Ann Lee").row(0, named=True)
    assert row["coauthors"] == ["Bo Day", "Cy Fox"]
    assert row["venues"] == ["J", "K"]
    assert (row["papers"], row["first_year"], row["last_year"]) == (2, 1999, 2005)
    assert row["orcid"] == "0000-0002-1825-0097"


def test_a_table_of_author_mentions_needs_no_papers(resolved: Any) -> None:
    one = reference("m1", scope="author", authors=["Bo Day", "Ann Lee"], focus=1, venue="J", year=2001)
    references, _ = resolved([one])
    mentions = pl.DataFrame(
        {"id": ["m1"], "kind": ["author"], "reference": ["m1"], "name": ["Ann Lee"], "entity": ["a"],
         "probability": [1.0], "slot": pl.Series([1], dtype=pl.Int32)}
    )  # fmt: skip
    row = authors(references, mentions).row(0, named=True)
    assert (row["name"], row["coauthors"], row["venues"], row["papers"]) == ("Ann Lee", ["Bo Day"], ["J"], 1)
    assert papers(references, mentions).is_empty()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (["J. Hands", "J. Hands", "Journal of Hands"], "Journal of Hands"),
        (["J. Hands"] * 3 + ["Journal of Hands"], "J. Hands"),
        (["Hands", "J. Hands", "J. Hands"], "J. Hands"),
    ],
)
def test_an_unabbreviated_venue_name_wins_a_near_tie(resolved: Any, written: list[str], name: str) -> None:
    references = [reference(str(n), title=f"T{n}", venue=venue) for n, venue in enumerate(written)]
    tables = resolved(references, dict.fromkeys(written, "v"))
    assert venues(*tables)["name"].to_list() == [name]


ballots = st.lists(
    st.tuples(st.sampled_from("pq"), st.sampled_from([None, 1, 2, 3])), min_size=1, max_size=30
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ballots)
def test_a_vote_elects_one_of_the_most_frequent_values(cast: list[tuple[str, int | None]]) -> None:
    frame = pl.DataFrame(cast, schema={"entity": pl.String, "value": pl.Int64}, orient="row").with_row_index(
        "row"
    )
    elected = dict(vote(frame, "value").iter_rows())
    for entity in "pq":
        values = [value for whose, value in cast if whose == entity and value is not None]
        assert (entity in elected) == bool(values)
        if values:
            assert values.count(elected[entity]) == max(values.count(value) for value in values)
