"""The report in a real browser: nothing runs, nothing is fetched, everything fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from samehand.pipeline import resolve
from samehand.publish.exports import write_outputs

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

HOSTILE = (
    '<script>alert(1)</script><img src="http://example.org/x.png" onerror="alert(2)">'
    '<b id="injected">On Hands</b>'
)

BIBLIOGRAPHY = """
@article{lee01, author = {Lee, Ann and Berg, Jan van der}, title = {On the Measurement of Hands},
  journal = {Journal of Hands}, year = 2001, volume = 3, pages = {1--9}}
@article{lee, author = {A. Lee and others}, title = {On the measurement of hands},
  journal = {J. Hands}, year = 2001}
@article{day99, author = {Day, Bo and Lee, Ann}, title = {Feet in Verse and Prose},
  journal = {Metre}, year = 1999}
@misc{evil2, author = {Bob O'Neil}, title = {HOSTILE}, year = 1999}
@misc{evil, author = {<b>Bob</b> "Q" O'Neil}, title = {HOSTILE}, year = 1999, note = {LONG}}
@misc{long, author = {LONG}, title = {LONG}, year = 2003}
@article{broken, title = "never closed
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    source = folder / "messy.bib"
    source.write_text(BIBLIOGRAPHY.replace("HOSTILE", HOSTILE).replace("LONG", "w" * 3000))
    write_outputs(resolve(source), folder)
    return folder / "report.html"


@pytest.fixture
def page(chromium: Any, report: Path) -> Any:
    """The report, opened afresh at the width of a desk."""
    chromium.get_log("performance")
    chromium.get_log("browser")
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    resize(chromium, 1280)
    chromium.get(report.as_uri())
    return chromium


def resize(chromium: Any, width: int) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def elements(page: Any, selector: str) -> list[Any]:
    found: list[Any] = page.find_elements("css selector", selector)
    return found


def test_the_title_and_the_counts_are_there(page: Any, report: Path) -> None:
    assert page.title == "samehand report: 6 references"
    counts = {one.text.split()[0]: one.text.split()[1] for one in elements(page, ".counts div")}
    assert counts.pop("references") == "6"
    for name, count in counts.items():
        assert int(count) == pl.read_csv(report.with_name(f"{name}.csv")).height, name
    assert set(counts) == {"papers", "authors", "venues", "rejects"}


def test_every_chart_takes_its_place(page: Any) -> None:
    charts = elements(page, "figure svg[role=img][aria-label]")
    assert len(charts) == 4
    assert all(chart.size["width"] > 250 and chart.size["height"] > 60 for chart in charts)


def test_nothing_is_asked_of_anybody_and_nothing_complains(page: Any, report: Path) -> None:
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert {url for url in sent if not url.startswith("data:")} == {report.as_uri()}
    assert page.get_log("browser") == []


def test_a_hostile_title_is_shown_and_does_nothing(page: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert.accept()
    assert elements(page, "script, img, iframe, #injected") == []
    assert HOSTILE in elements(page, "main")[0].text


@pytest.mark.parametrize("width", [320, 400, 768, 1280])
def test_the_page_never_scrolls_sideways(page: Any, width: int) -> None:
    resize(page, width)
    wide = page.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_charts_stand_out_from_the_page(page: Any, scheme: str) -> None:
    """Contrast by the formula of WCAG 2: text at least 4.5 to 1, bars at least 3 to 1."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    ground = colour(page, "figure", "background-color")
    assert contrast(colour(page, "body", "color"), colour(page, "body", "background-color")) >= 7
    assert contrast(colour(page, ".lead", "color"), colour(page, "body", "background-color")) >= 4.5
    assert contrast(colour(page, "figure text", "fill"), ground) >= 7
    assert contrast(colour(page, 'figure path[fill="#2f6f8f"]', "fill"), ground) >= 3
    assert contrast(colour(page, "nav a", "color"), colour(page, "body", "background-color")) >= 4.5


def test_the_keyboard_reaches_the_skip_link_first(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    elements(page, "body")[0].send_keys(Keys.TAB)
    focused = page.switch_to.active_element
    assert focused.get_attribute("class") == "skip"
    assert focused.location["x"] >= 0


def colour(page: Any, selector: str, name: str) -> list[float]:
    """A computed colour as red, green and blue from 0 to 1."""
    value = page.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0])).getPropertyValue(arguments[1])",
        selector,
        name,
    )
    return [int(part) / 255 for part in value.partition("(")[2].rstrip(")").split(",")[:3]]


def contrast(one: list[float], two: list[float]) -> float:
    darker, lighter = sorted(map(_luminance, (one, two)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: list[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
