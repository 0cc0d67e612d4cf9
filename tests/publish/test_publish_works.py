"""Works and their versions: in the papers' table, the report, the library, and under `samehand entity`."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import samehand
from samehand.errors import UsageError
from samehand.publish.report_tables import sections
from samehand.publish.show import describe
from samehand.publish.works import works_of
from samehand.records import Reference, references_frame

TITLE = "Scribal hands of the harbour town"
NAMES = ["Ida Elm", "Bo Day"]


def records() -> samehand.Records:
    versions = [
        Reference("a.bib", 1, id="report", type="techreport", title=TITLE, authors=NAMES, year=1998,
                  publisher="Harbour University", number="TR-98-3"),
        Reference("a.bib", 2, id="talk", type="inproceedings", title=TITLE, authors=NAMES, year=1999,
                  venue="Proc. of the Conference on Manuscripts", pages="1-9"),
        Reference("a.bib", 3, id="article", type="article", title=TITLE, authors=NAMES, year=2001,
                  venue="Journal of Palaeography", volume="12", pages="100-130"),
        Reference("a.bib", 4, id="again", type="article", title=TITLE, authors=NAMES, year=2001,
                  venue="J. Palaeography", volume="12", pages="100--130"),
        Reference("a.bib", 5, id="other", type="article", title="Velvet looms and their weavers",
                  authors=["Flo Ray"], year=1990, venue="Loom Letters", volume="3", pages="7-8"),
    ]  # fmt: skip
    return samehand.Records(references_frame(versions), samehand.read([]).rejects)


def test_versions_are_papers_of_one_work() -> None:
    papers = samehand.resolve(records()).papers
    assert papers["references"].to_list() == [["report"], ["talk"], ["article", "again"], ["other"]]
    works = papers["work"].to_list()
    assert works[:3] == [papers["entity"][2]] * 3  # known by the version with most mentions
    assert works[3] == papers["entity"][3]


def test_merged_versions_are_one_paper() -> None:
    papers = samehand.resolve(records(), versions="merged").papers
    assert papers["references"].to_list() == [["report", "talk", "article", "again"], ["other"]]
    assert papers["work"].to_list() == papers["entity"].to_list()


def test_versions_are_separate_or_merged() -> None:
    with pytest.raises(UsageError, match="separate or merged"):
        samehand.resolve(records(), versions="some")


def test_the_report_shows_works_with_their_versions() -> None:
    found = {section.id: section for section in sections(samehand.resolve(records()))}
    [table] = found["works"].tables
    [[title, references, versions]] = table.rows
    assert (title, references) == (TITLE, 4)
    assert "article, Journal of Palaeography, 2001 (2)" in versions


def test_a_library_keeps_works_and_an_entity_names_its_versions(tmp_path: Path) -> None:
    with samehand.Library(tmp_path / "my.library") as library:
        papers = samehand.resolve(records(), library=library).papers
        assert library.works().sort("entity").rows() == sorted(papers.head(3).select("entity", "work").rows())
        sure, alone = (describe(library, paper)["sure"] for paper in ("article", "report"))
        assert 0.5 < alone["title"] < sure["title"] < 1.0  # two references agree
        assert set(sure) == {"title", "authors", "year", "venue", "type"}
        assert describe(library, "article/author/1")["sure"] == {}
        versions = describe(library, "report")["versions"]
        assert [version["type"] for version in versions] == ["inproceedings", "article"]
        assert describe(library, "other")["versions"] == []
        samehand.resolve(records(), library=library, only="author")
        assert library.works().height == 3
        samehand.resolve(records(), library=library, model="baseline")
        assert library.works().height == 0


def test_works_that_one_paper_lies_in_are_one() -> None:
    papers = pl.DataFrame({"mention": ["a", "b", "c", "d"], "work": [1, 1, 2, 2]})
    mentions = pl.DataFrame({"id": ["a", "b", "c", "d"], "entity": ["p", "q", "q", "r"]})
    assert works_of(papers, mentions).rows() == [("p", "q"), ("q", "q"), ("r", "q")]
