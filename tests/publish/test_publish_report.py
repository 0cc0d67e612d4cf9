"""The report: what it says, what it lists, and that nothing a record holds becomes part of the page."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from lxml import html

from samehand.publish import canonical
from samehand.publish.report import render
from samehand.publish.report_tables import ROWS_SHOWN
from samehand.publish.shown import LONGEST_TEXT
from samehand.publish.suspects import suspect_authors, suspect_papers, twin_authors, twin_papers
from samehand.records import Reference, Reject

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></title><iframe src=//example.org>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202egnihtyna\u200b",
    "x" * 10_000,
]


def reference(id: str, **fields: Any) -> Reference:
    return Reference("a.bib", 1, id=id, **fields)


def page_of(resolution: Any, tables: Any, rejects: Any = None) -> Any:
    return html.fromstring(render(resolution(tables, rejects)))


def text_of(page: Any) -> str:
    return " ".join(page.text_content().split())


def test_the_header_counts_everything(resolved: Any, resolution: Any) -> None:
    tables = resolved(
        [reference(str(n), title="T", authors=["Ann Lee"], venue="J", year=2001) for n in range(3)],
        {"0": "p", "1": "p"},
    )
    page = page_of(resolution, tables, [Reject("b.bib", 3, "entry never closed", "@article{x")])
    counted = {
        group.find("dt").text: group.find("dd").text for group in page.xpath("//dl[@class='counts']/div")
    }
    assert counted == {"references": "3", "papers": "2", "authors": "1", "venues": "1", "rejects": "1"}
    assert "entry never closed" in text_of(page)
    assert "b.bib:3: @article{x" in text_of(page)


def test_merged_entities_stand_with_their_spellings(resolved: Any, resolution: Any) -> None:
    tables = resolved(
        [
            reference("1", title="On Hands", authors=["Ann Lee"], venue="Journal of Hands", year=2001),
            reference("2", title="ON HANDS", authors=["A. Lee"], venue="J. Hands", year=2001),
        ],
        {"1": "p", "2": "p", "Ann Lee": "a", "A. Lee": "a", "Journal of Hands": "v", "J. Hands": "v"},
    )
    text = text_of(page_of(resolution, tables))
    for shown in ("ON HANDS. J. Hands, 2001 (1)", "A. Lee (1)", "J. Hands (1, 100%)"):
        assert shown in text


def test_hostile_text_is_only_text(resolved: Any, resolution: Any) -> None:
    records = [
        Reference(evil, 1, id=f"{evil}{n}", title=evil + "!" * n, authors=[evil, f"Bo {evil}"], venue=evil)
        for evil in HOSTILE
        for n in range(2)
    ]
    tables = resolved(records, {str(one.id): f"p{number // 2}" for number, one in enumerate(records)})
    built = resolution(tables, [Reject(evil, 1, evil, evil) for evil in HOSTILE])
    built.settings = dict.fromkeys(HOSTILE, HOSTILE)
    source = render(built)
    page = html.fromstring(source)
    assert not page.xpath("//script|//iframe|//img|//object|//embed|//form|//*[@onerror or @onmouseover]")
    assert not page.xpath("//body//*[@src]|//body//*[@href and not(starts-with(@href, '#'))]")
    assert "\u202e" not in source
    assert "\u200b" not in source
    assert max(len(text) for text in page.xpath("//body//text()")) <= LONGEST_TEXT + 1
    for evil in HOSTILE[:5]:
        assert evil in page.text_content()


def test_the_page_forbids_everything_but_its_own_style(resolved: Any, resolution: Any) -> None:
    page = page_of(resolution, resolved([reference("1", title="T")]))
    [policy] = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_long_tables_say_how_many_more_there_are_and_where(resolved: Any, resolution: Any) -> None:
    references = [reference(str(n), title=f"On the hand of {n // 2}{'.' * (n % 2)}") for n in range(60)]
    page = page_of(resolution, resolved(references, {str(n): f"p{n // 2}" for n in range(60)}))
    assert len(page.xpath("//table[starts-with(normalize-space(caption), 'Papers')]/tbody/tr")) == ROWS_SHOWN
    assert f"{30 - ROWS_SHOWN} more; all stand in papers.csv." in text_of(page)


def test_tables_and_charts_are_named_for_those_who_do_not_see_them(resolved: Any, resolution: Any) -> None:
    page = page_of(
        resolution,
        resolved([reference(str(n), title="T", year=2001) for n in range(2)], {"0": "p", "1": "p"}),
    )
    assert all(table.find("caption") is not None for table in page.iter("table"))
    assert page.xpath("//th[not(@scope)]") == []
    assert [
        figure for figure in page.iter("figure") if not figure.xpath(".//*[@role='img' and @aria-label]")
    ] == []
    levels = [int(heading.tag[1]) for heading in page.xpath("//h1|//h2|//h3")]
    assert levels[0] == 1
    assert levels.count(1) == 1


def test_an_empty_resolution_still_makes_a_page(resolved: Any, resolution: Any) -> None:
    built = resolution(resolved([]))
    built.blocks = built.blocks.clear()
    assert "0 references" in render(built)


def authors_suspected(tables: Any) -> dict[str, str]:
    table = suspect_authors(*tables, canonical.authors(*tables))
    return dict(table.select("entity", "why").iter_rows())


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["Ann Lee", "Agnes Lee"], "first names Agnes and Ann"),
        (["Ann B. Lee", "Ann C. Lee"], "middle initials B, C"),
        (["Ann Lee", "A. Lee"], None),
        (["Katherine Lee", "Kathrine Lee"], None),
        (["Chris Lee", "Christopher Lee"], None),
        (["Hai-Tao Lee", "Haitao Lee"], None),
    ],
)
def test_signs_of_several_people_in_one(resolved: Any, names: list[str], why: str | None) -> None:
    references = [reference(str(n), title="T", authors=[name]) for n, name in enumerate(names)]
    tables = resolved(references, dict.fromkeys(names, "a"))
    assert authors_suspected(tables) == ({"a": why} if why else {})


def test_a_career_of_a_century_is_a_sign(resolved: Any) -> None:
    tables = resolved(
        [reference(str(n), title="T", authors=["Ann Lee"], year=1900 + 100 * n) for n in range(2)]
    )
    assert authors_suspected(tables) == {"a-Ann Lee": "papers over 100 years"}


def test_initials_that_fit_several_people_are_a_sign(resolved: Any) -> None:
    names = ["A. Lee", "Ann Lee", "Agnes Lee"]
    tables = resolved([reference(str(n), title="T", authors=[name]) for n, name in enumerate(names)])
    assert authors_suspected(tables) == {"a-A. Lee": "only initials, and 2 full names fit"}


def test_papers_whose_titles_or_years_differ_are_signs(resolved: Any) -> None:
    tables = resolved(
        [
            reference("1", title="On Hands", year=1990),
            reference("2", title="On hands.", year=2001),
            reference("3", title="A Treatise of Feet"),
            reference("4", title="Walking Through Verse"),
            reference("5", title="Alike", year=2000),
            reference("6", title="Alike", year=2001),
        ],
        {"1": "p", "2": "p", "3": "q", "4": "q", "5": "r", "6": "r"},
    )
    table = suspect_papers(*tables, canonical.papers(*tables))
    assert dict(table.select("entity", "why").iter_rows()) == {
        "q": "titles differ",
        "p": "years from 1990 to 2001",
    }


def test_twins_are_equal_but_for_spelling() -> None:
    papers = pl.DataFrame(
        {"entity": ["p1", "p2", "p3"], "title": ["On Hands", "ON HANDS!", None], "mentions": [1, 2, 3]}
    )
    assert twin_papers(papers)["entities"].to_list() == [["p1", "p2"]]
    names = ["Ann Lee", "Ann Lée", "A. Day", "A. Day"]
    authors = pl.DataFrame({"entity": ["a1", "a2", "a3", "a4"], "name": names, "mentions": [1, 1, 1, 1]})
    assert twin_authors(authors)["entities"].to_list() == [["a1", "a2"]]


def test_venues_of_a_model_without_probabilities_show_none(resolved: Any, resolution: Any) -> None:
    references, mentions = resolved(
        [reference("1", venue="Journal of Hands"), reference("2", venue="J. Hands")],
        {"Journal of Hands": "v", "J. Hands": "v"},
    )
    unsure = mentions.with_columns(probability=pl.lit(None, pl.Float64))
    text = text_of(page_of(resolution, (references, unsure)))
    assert "J. Hands (1)" in text
    assert "(1, " not in text
