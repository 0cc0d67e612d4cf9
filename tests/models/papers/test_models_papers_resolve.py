"""The default paper resolver, end to end on small collections."""

import numpy as np
import polars as pl
import pytest

from samehand.block import Blocked, block
from samehand.curate.constraints import NONE, Constraints
from samehand.errors import UsageError
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models.papers import resolve, works
from samehand.models.papers.merged import merged
from samehand.models.papers.weights import default, parse
from samehand.normalise.mentions import paper_mentions
from samehand.records import Reference, references_frame


def reference(number: int, title: str, **fields: object) -> Reference:
    return Reference("a.bib", number, id=f"{number}", title=title, **fields)  # type: ignore[arg-type]


def blocked(*references: Reference) -> Blocked:
    table = references_frame(references)
    return block("paper", paper_mentions(table), table)


GRIPS = "A grammar of grips for anthropomorphic hands"
REPORT = reference(
    0, GRIPS, authors=["Ada Lee", "Bo Day"], type="techreport", publisher="Hand Institute", year=1990
)
ARTICLE = reference(
    1, GRIPS, authors=["A. Lee", "B. Day"], type="article", venue="Journal of Hands", year=1992, pages="11-29"
)
AGAIN = reference(
    2,
    "A grammer of grips for anthropomorphic hands.",
    authors=["Lee, Ada", "Day, Bo"],
    type="article",
    venue="J. Hands",
    year=1992,
    pages="11-29",
)
OTHER = reference(
    3, "Thumbs and their opposition in apes", authors=["Cy Roe"], venue="Journal of Hands", year=1992
)


def clusters(found: pl.DataFrame) -> list[int]:
    return found["cluster"].to_list()


def test_versions_are_separate_papers_of_one_work() -> None:
    found = works(blocked(REPORT, ARTICLE, AGAIN, OTHER), NONE, Run())
    assert clusters(found) == [0, 1, 1, 2]
    assert found["work"].to_list() == [0, 0, 0, 1]


def test_versions_can_be_merged() -> None:
    assert clusters(resolve(blocked(REPORT, ARTICLE, AGAIN, OTHER), NONE, Run(versions="merged"))) == [
        0,
        0,
        0,
        1,
    ]


def test_every_mention_has_a_probability() -> None:
    found = resolve(blocked(REPORT, ARTICLE, AGAIN, OTHER), NONE, Run())
    assert found["probability"].is_between(0.0, 1.0).all()
    assert found["probability"].null_count() == 0


def test_a_curator_is_obeyed() -> None:
    apart = Constraints(as_pairs([(1, 3)]), as_pairs([(1, 2)]))
    found = clusters(resolve(blocked(REPORT, ARTICLE, AGAIN, OTHER), apart, Run()))
    assert found[1] == found[3]
    assert found[1] != found[2]


def test_equal_records_told_apart_stay_apart() -> None:
    twin = reference(1, GRIPS, authors=["Ada Lee", "Bo Day"])
    same = reference(0, GRIPS, authors=["Ada Lee", "Bo Day"])
    assert clusters(resolve(blocked(same, twin), NONE, Run())) == [0, 0]
    apart = Constraints(as_pairs(()), as_pairs([(0, 1)]))
    assert clusters(resolve(blocked(same, twin), apart, Run())) == [0, 1]


def test_equal_doi_joins_what_titles_would_not() -> None:
    one = reference(0, "Grips of the hand", authors=["Ada Lee"], doi="10.1/x", year=1990)
    other = reference(1, "On gripping", authors=["Ada Lee"], doi="10.1/x", year=1990)
    assert clusters(resolve(blocked(one, other, OTHER), NONE, Run()))[:2] == [0, 0]


def test_the_number_of_threads_changes_nothing() -> None:
    rows = blocked(REPORT, ARTICLE, AGAIN, OTHER)
    assert resolve(rows, NONE, Run(threads=1)).equals(resolve(rows, NONE, Run(threads=2)))


def test_nothing_is_a_clustering_of_nothing() -> None:
    assert resolve(blocked(), NONE, Run()).is_empty()


def test_records_without_a_title_stay_by_themselves() -> None:
    empty = [Reference("a.bib", n, id=f"{n}") for n in range(3)]
    assert resolve(blocked(*empty), NONE, Run()).height == 3


def test_merged_record_prefers_full_names_and_says_how_sure_it_is() -> None:
    table = references_frame([REPORT, ARTICLE, AGAIN])
    clustering = pl.DataFrame({"cluster": [0, 0, 0], "probability": [0.5, 1.0, 1.0]})
    row = merged(table, clustering).row(0, named=True)
    assert row["year"] == 1992
    assert row["authors"] in (["Ada Lee", "Bo Day"], ["Lee, Ada", "Day, Bo"])
    assert 0.5 < row["year_probability"] < 1.0


def test_bad_weights_are_named() -> None:
    table = {
        "links": {"unlike": -8, "temperature": 0},
        "work": {},
        "version": {},
    }
    with pytest.raises(UsageError, match="temperature must be above 0"):
        parse(table, "x")


def test_default_weights_have_sensible_signs() -> None:
    from samehand.models.papers.learn import SIGNS

    assert (default().work * SIGNS >= 0).all()
    assert (default().version * SIGNS >= 0).all()
    assert np.isfinite(default().work).all()
