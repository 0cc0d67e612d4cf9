"""The names that need a look: expected mistakes, the most first, on the page where the model is unsure."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from lxml import html

from samehand.publish.report import render
from samehand.publish.uncertain import uncertain_names, uncertain_persons
from samehand.records import Reference


def tables_of(resolved: Any, *probabilities: tuple[str, str, float | None]) -> Any:
    """References and mentions of lone authors: name, entity, probability."""
    references = [
        Reference("a.bib", 1, id=str(number), title="T", authors=[name])
        for number, (name, _, _) in enumerate(probabilities)
    ]
    table, mentions = resolved(references)
    told = pl.DataFrame(
        {
            "id": [f"{number}/author/1" for number in range(len(probabilities))],
            "own": [entity for _, entity, _ in probabilities],
            "sure": [probability for _, _, probability in probabilities],
        },
        schema={"id": pl.String, "own": pl.String, "sure": pl.Float64},
    )
    is_author = pl.col("kind") == "author"
    joined = mentions.join(told, on="id", how="left", maintain_order="left").with_columns(
        entity=pl.when(is_author).then("own").otherwise("entity"),
        probability=pl.when(is_author).then("sure").otherwise("probability"),
    )
    return table, joined.drop("own", "sure")


UNSURE = [
    ("Ann Lee", "a", 0.9),
    ("Ann Lee", "a", 0.6),
    ("A. Lee", "b", 0.7),
    ("Bo Day", "c", 0.2),
    ("Cy Fox", "d", 0.99),
    ("Di Elm", "e", None),
]


def test_persons_are_ordered_by_expected_mistakes(resolved: Any) -> None:
    _, mentions = tables_of(resolved, *UNSURE)
    found = uncertain_persons(mentions)
    assert found["entity"].to_list() == ["c", "a", "b"]
    assert found["expected"].to_list() == pytest.approx([0.8, 0.5, 0.3])
    assert found["mentions"].to_list() == [1, 2, 1]


def test_a_name_adds_up_its_persons(resolved: Any) -> None:
    found = uncertain_names(*tables_of(resolved, *UNSURE))
    assert found.select("name", "mentions", "persons").rows() == [("b day", 1, 1), ("a lee", 3, 2)]
    assert found["expected"].to_list() == pytest.approx([0.8, 0.8])


@pytest.mark.parametrize("unknown", [None, float("nan")])
def test_mentions_without_a_probability_say_nothing(resolved: Any, unknown: float | None) -> None:
    tables = tables_of(resolved, ("Ann Lee", "a", unknown), ("Bo Day", "c", unknown))
    assert uncertain_persons(tables[1]).is_empty()
    assert uncertain_names(*tables).is_empty()


def test_a_block_of_the_input_is_the_name(resolved: Any) -> None:
    references, mentions = tables_of(resolved, ("Ann Lee", "a", 0.5))
    given = references.with_columns(block=pl.lit("lee-ann"))
    assert uncertain_names(given, mentions)["name"].to_list() == ["lee-ann"]


def rows_of(page: Any, caption: str) -> list[list[str]]:
    rows = page.xpath(f"//table[starts-with(normalize-space(caption), '{caption}')]/tbody/tr")
    return [[" ".join(cell.text_content().split()) for cell in row] for row in rows]


def test_the_report_lists_them_most_uncertain_first(resolved: Any, resolution: Any) -> None:
    page = html.fromstring(render(resolution(tables_of(resolved, *UNSURE))))
    assert page.xpath("//h2[@id='uncertain']/text()") == ["Names that need a look"]
    assert rows_of(page, "Persons") == [
        ["Bo Day", "0.8", "1", "Bo Day (1)", "c"],
        ["Ann Lee", "0.5", "2", "Ann Lee (2)", "a"],
        ["A. Lee", "0.3", "1", "A. Lee (1)", "b"],
    ]
    assert rows_of(page, "Names") == [["b day", "0.8", "1", "1"], ["a lee", "0.8", "3", "2"]]


def test_a_report_of_a_model_that_is_not_unsure_has_no_such_section(resolved: Any, resolution: Any) -> None:
    page = html.fromstring(
        render(resolution(tables_of(resolved, ("Ann Lee", "a", None), ("Bo Day", "c", 1.0))))
    )
    assert page.xpath("//*[@id='uncertain']") == []
