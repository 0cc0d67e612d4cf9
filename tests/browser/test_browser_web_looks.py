"""Every page in a real browser: harmless, readable, sound, at both widths and in both schemes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

HOSTILE = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@dataclass
class Look:
    """What was to be seen of one page."""

    complaints: list[str]
    faults: list[Any]
    faint: dict[str, list[Any]]  # by colour scheme, texts that hardly stand out
    widths: dict[int, int]  # by the width of the window, the width of the page


@pytest.fixture(scope="module")
def looks(desk: Any) -> dict[str, Look]:
    """Every page looked at once: its messages, its structure, its colours, its widths."""
    desk.driver.get_log("browser")
    found = {}
    for name, path in desk.pages().items():
        desk.open(path)
        desk.picture(f"web-{name}-1280")
        complaints = [entry["message"] for entry in desk.driver.get_log("browser")]
        look = Look(complaints, desk.run(FAULTS), {"light": desk.run(CONTRASTS)}, {})
        look.widths[1280] = desk.run("return document.documentElement.scrollWidth")
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        desk.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
        look.faint["dark"] = desk.run(CONTRASTS)
        if name in DARK:
            desk.picture(f"web-{name}-1280-dark")
        desk.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        desk.resize(400)
        look.widths[400] = desk.run("return document.documentElement.scrollWidth")
        desk.picture(f"web-{name}-400")
        found[name] = look
    return found


DARK = ("overview", "author", "review")


def test_nothing_complains(looks: dict[str, Look]) -> None:
    missing = looks["missing"].complaints
    assert [text for text in missing if "404" not in text] == []
    assert {
        name: look.complaints for name, look in looks.items() if look.complaints and name != "missing"
    } == {}


def test_no_page_scrolls_sideways(looks: dict[str, Look]) -> None:
    wide = {
        name: look.widths
        for name, look in looks.items()
        if any(found > asked for asked, found in look.widths.items())
    }
    assert wide == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(looks: dict[str, Look], scheme: str) -> None:
    """Contrast by the formula of WCAG 2: at least 4.5 to 1, for every text of every page."""
    assert {name: look.faint[scheme] for name, look in looks.items() if look.faint[scheme]} == {}


def test_the_pages_are_sound_for_screen_readers(looks: dict[str, Look]) -> None:
    assert {name: look.faults for name, look in looks.items() if look.faults} == {}


def test_nothing_is_asked_of_another_host(desk: Any, looks: dict[str, Look]) -> None:
    messages = [json.loads(entry["message"])["message"] for entry in desk.driver.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert len(sent) > len(looks)
    hosts = {urlsplit(url).hostname for url in sent if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {"127.0.0.1"}


def test_hostile_names_are_shown_and_do_nothing(desk: Any) -> None:
    desk.open(desk.pages()["hostile"])
    assert HOSTILE in desk.one("main").text
    assert desk.all("main script, main img, main iframe, svg[onload]") == []
    assert desk.driver.title != "owned"
    desk.open("/papers?q=7")
    assert "{{ 7 * 7 }}" in desk.one("main").text
    desk.open("/search?q=" + "%22%3E%3Cscript%3Ealert(3)%3C/script%3E")
    assert desk.all("main script") == []


def test_the_keyboard_reaches_everything(desk: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    desk.open("/authors")
    desk.press(Keys.TAB)
    assert desk.driver.switch_to.active_element.get_attribute("class") == "skip"
    desk.open("/authors")
    desk.press("/")
    assert desk.driver.switch_to.active_element.get_attribute("id") == "find"
    desk.driver.switch_to.active_element.send_keys("j" + Keys.ESCAPE)
    desk.press("jjk")
    assert (
        desk.run("return [...document.querySelectorAll('tbody tr')].findIndex(r => r.matches('.current'))")
        == 0
    )
    focused = desk.driver.switch_to.active_element
    assert desk.run("return getComputedStyle(arguments[0]).outlineStyle", focused) == "solid"
    desk.press("?")
    assert desk.one("#keys").get_attribute("open")
    desk.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    desk.press_and_wait("n")
    assert "page=2" in desk.driver.current_url
    desk.press("g")
    desk.press_and_wait("h")
    assert desk.path == "/history"


def test_the_pages_work_without_script(desk: Any) -> None:
    desk.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        desk.driver.get(f"{desk.address}/review")
        before = len(decided(desk))
        desk.one("button[value=u]").click()
        assert desk.path == "/review"
        assert len(decided(desk)) == before + 1
    finally:
        desk.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def decided(desk: Any) -> list[int]:
    with desk.opened() as library:
        numbers: list[int] = library.decisions()["id"].to_list()
    return numbers


CONTRASTS = """
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const linear = (part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const ground = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour.length === 3 || colour[3] > 0.99) return colour;
  }
  return [255, 255, 255];
};
const faults = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  const text = walker.currentNode.data.trim();
  if (!text || !element.checkVisibility() || element.closest("noscript, dialog, .unseen, .skip")) continue;
  const style = getComputedStyle(element);
  const ink = parse(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
  const [dark, light] = [luminance(ink), luminance(ground(element))].sort((a, b) => a - b);
  const contrast = (light + 0.05) / (dark + 0.05);
  if (contrast < 4.5) faults.push([element.tagName, element.className, text.slice(0, 30), contrast]);
}
return faults.slice(0, 5);
"""

FAULTS = """
const faults = [];
const check = (selector, isSound, what) =>
  document.querySelectorAll(selector).forEach((e) => {
    if (!isSound(e)) faults.push([what, e.outerHTML.slice(0, 120)]);
  });
const named = (e) => (e.getAttribute("aria-label") || e.textContent).trim() !== "";
if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
if (!document.documentElement.lang) faults.push("no language");
if (!document.title) faults.push("no title");
for (const landmark of ["header", "main", "nav", "footer"])
  if (!document.querySelector(landmark)) faults.push(`no ${landmark}`);
check("input:not([type=hidden]), select, textarea", (e) => e.labels?.length || e.getAttribute("aria-label"), "no label");
check("button, a[href]", named, "no name");
check("img", (e) => e.hasAttribute("alt"), "no alternative text");
check("svg:not([aria-hidden])", (e) => e.getAttribute("role") === "img" && e.getAttribute("aria-label"), "not described");
check("table", (e) => e.caption, "no caption");
check("table", (e) => e.querySelector("th[scope]"), "no headers");
check("nav", (e) => e.getAttribute("aria-label"), "no name");
check("[aria-labelledby]", (e) => document.getElementById(e.getAttribute("aria-labelledby")), "label missing");
check("[style]", () => false, "inline style");
const levels = [...document.querySelectorAll("main h1, main h2, main h3")].map((e) => Number(e.tagName[1]));
levels.forEach((level, n) => { if (n && level > levels[n - 1] + 1) faults.push("heading skipped"); });
const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
if (new Set(ids).size !== ids.length) faults.push(["id twice", ids.filter((id, n) => ids.indexOf(id) !== n)]);
return faults.slice(0, 5);
"""
