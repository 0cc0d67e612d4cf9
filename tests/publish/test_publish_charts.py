"""Charts: SVG with a description, without scripts, references or colours that the page cannot change."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from lxml import etree

from samehand.publish import charts

COUNTS = pl.DataFrame({"kind": ["paper", "author"], "mentions": [9, 30], "entities": [7, 11]})
SIZES = pl.DataFrame({"kind": ["venue", "paper", "paper", "author"], "size": [1, 1, 3, 1200]})

DRAWN = {
    "counts": lambda: charts.counts_chart(COUNTS),
    "sizes": lambda: charts.sizes_chart(SIZES, "entities"),
    "years": lambda: charts.years_chart(pl.Series([1999, 2001, 2001])),
    "one year": lambda: charts.years_chart(pl.Series([2001])),
    "one entity": lambda: charts.sizes_chart(pl.DataFrame({"kind": ["paper"], "size": [1]}), "entities"),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_chart_is_an_image_with_a_description(draw: Any) -> None:
    tree = etree.fromstring(draw())
    assert tree.get("role") == "img"
    assert tree.get("aria-label") == tree.findtext("{*}title") != ""
    assert tree.get("viewBox")


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_a_chart_has_no_script_no_reference_and_no_identifier(draw: Any) -> None:
    tree = etree.fromstring(draw())
    for element in tree.iter():
        assert etree.QName(element).localname in {"svg", "g", "path", "text", "title", "line", "rect"}
        assert not any(
            name in ("id", "style") or "href" in name or name.startswith("on") for name in element.attrib
        )


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_every_colour_is_one_that_the_stylesheet_replaces(draw: Any) -> None:
    from importlib.resources import files

    style = files("samehand.publish").joinpath("templates/report.css").read_text()
    painted = set(re.findall(r'\b((?:fill|stroke)="[^"]+")', draw())) - {'fill="none"', 'fill="transparent"'}
    assert painted
    assert all(f"svg [{paint}]" in style for paint in painted), painted


def test_the_same_figures_give_the_same_chart() -> None:
    assert charts.sizes_chart(SIZES, "entities") == charts.sizes_chart(SIZES, "entities")


def test_sizes_fall_into_classes_that_double() -> None:
    sizes = pl.DataFrame({"kind": ["paper"] * 12, "size": [1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 2**29, 2**29 + 1]})
    table = charts.size_classes(sizes)
    assert dict(table.select("class", "count").iter_rows()) == {
        0: 2,
        1: 1,
        2: 2,
        3: 2,
        4: 2,
        5: 1,
        29: 1,
        30: 1,
    }
    assert table["label"].to_list()[:5] == ["1", "2", "3–4", "5–8", "9–16"]


def test_lone_old_papers_are_counted_but_not_drawn() -> None:
    svg = charts.years_chart(pl.Series([1687, 1687] + list(range(1900, 2020)) * 2))
    assert "240 papers from 1900 to 2019" in svg
    assert "2 are older" in svg
