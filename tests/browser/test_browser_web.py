"""The curator's pages in a real browser: worked by keyboard, harmless, readable, at every width and in both schemes.

With SAMEHAND_SCREENSHOTS set to a folder, a picture of every page is written there.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest

from samehand.library import Library
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import REFERENCES, REJECTS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SCREENSHOTS = os.environ.get("SAMEHAND_SCREENSHOTS")
HOSTILE = '<script>document.title="owned"</script><img src=x onerror=alert(1)>'


@dataclass
class Desk:
    """A browser at a served library."""

    driver: Any
    address: str
    library: Path

    def open(self, path: str, *, width: int = 1280, scheme: str = "light") -> None:
        """Go to a page, and wait until nothing of it is on its way."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.resize(width)
        self.driver.get(self.address + path)
        self.settle()

    def resize(self, width: int, height: int = 900) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def settle(self) -> None:
        until(lambda: not self.all("[data-load]"))

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        return self.driver.find_element("css selector", selector)

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def press(self, keys: str) -> None:
        self.one("body").send_keys(keys)

    def press_and_wait(self, keys: str) -> None:
        """Press a key that leads to another page, and wait for that page."""
        self.run("window.isOld = true")
        self.press(keys)
        until(lambda: self.run("return document.readyState === 'complete' && !window.isOld"))
        self.settle()

    def click(self, element: Any) -> None:
        self.run("window.isOld = true; arguments[0].click()", element)
        until(lambda: self.run("return document.readyState === 'complete' && !window.isOld"))
        self.settle()

    def opened(self) -> Library:
        return Library(self.library, create=False)

    @property
    def path(self) -> str:
        return urlsplit(self.driver.current_url).path


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that happens soon."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "this never happened"
        time.sleep(0.03)


@pytest.fixture(scope="module")
def desk(
    chromium: Any, finished_library: Path, tmp_path_factory: pytest.TempPathFactory, serve: Any
) -> Iterator[Desk]:
    """The invented library, with a truth that takes people of one initial for one, served to one curator."""
    folder = tmp_path_factory.mktemp("desk")
    library = folder / "desk.library"
    shutil.copy(finished_library, library)
    with Library(library) as opened:
        name = pl.col("name").str.replace(r"^(\w)\S+ ", "$1. ")
        opened.mentions("author").select("id", cluster=name).write_csv(folder / "truth.csv")
    with serve(library, curator="ann", truth=folder / "truth.csv") as address:
        yield Desk(chromium, address, library)


def pages(library: Path) -> dict[str, str]:
    """Every page by name; entities with much to show."""
    with Library(library) as opened:
        spelled = (
            opened.mentions("author")
            .group_by("entity")
            .agg(pl.col("name").n_unique().alias("names"), pl.len())
        )
        author = spelled.sort("names", "len", "entity", descending=True)["entity"][0]
        paper, venue = (
            opened.entities(kind).sort("size", "id", descending=True)["id"][0] for kind in ("paper", "venue")
        )
        evil = opened.resolve_id("evil1/author/1")
    return {
        "overview": "/",
        "authors": "/authors",
        "papers": "/papers?q=hands",
        "venues": "/venues",
        "search": "/search?q=berg",
        "author": f"/entity/{author}",
        "paper": f"/entity/{paper}",
        "venue": f"/entity/{venue}",
        "hostile": f"/entity/{evil}",
        "merge": f"/entity/{author}/merge",
        "review": "/review",
        "history": "/history",
        "duplicates": "/duplicates",
        "apart": "/duplicates?show=apart",
        "duplicate": f"/duplicates/{paper}",
        "runs": "/runs",
        "run": "/runs/1",
        "evaluation": "/evaluation",
        "rejects": "/rejects",
        "about": "/about",
        "login": "/login",
        "missing": "/entity/nobody",
    }


# Working


def test_ten_questions_are_answered_by_keyboard(desk: Desk) -> None:
    desk.open("/review")
    asked = []
    for key in "ynunuynyun":
        asked.append(desk.one("input[name=left]").get_attribute("value"))
        desk.press_and_wait(key)
        assert desk.path == "/review"
    with desk.opened() as library:
        made = library.decisions().sort("id").tail(10)
    words = {"y": "same", "n": "different", "u": "unsure"}
    assert made["judgement"].to_list() == [words[key] for key in "ynunuynyun"]
    assert made["left"].to_list() == asked
    assert set(made["by"]) == {"ann"}
    assert "10 today" in desk.one("h1 + p").text


def test_undo_by_key_asks_the_question_again(desk: Desk) -> None:
    desk.open("/review")
    asked = desk.one("input[name=left]").get_attribute("value")
    desk.press_and_wait("n")
    desk.press_and_wait("z")
    assert desk.one("input[name=left]").get_attribute("value") == asked
    desk.press_and_wait("s")
    assert desk.one("input[name=left]").get_attribute("value") != asked


def test_split_by_branches_undo_and_split_by_mentions(desk: Desk) -> None:
    path = pages(desk.library)["author"]
    desk.open(path)
    before = entities(desk)
    branches = desk.all("input[name=branch]")
    assert len(branches) > 2
    desk.run("arguments[0].click()", branches[-1])
    desk.click(desk.one("form:has(.tree) button"))
    assert "this would be the result" in desk.one("h1").text
    picture(desk, "web-preview-1280")
    assert entities(desk) == before
    desk.press_and_wait("y")
    after = entities(desk)
    assert len(set(after.values())) == len(set(before.values())) + 1
    moved = [mention for mention in before if after[mention] != before[mention]]
    assert len(moved) == 1
    assert "It holds at once" in desk.one("[role=status]").text
    desk.press_and_wait("z")
    assert entities(desk) == before

    desk.open(path)
    boxes = desk.all("input[name=mention]")
    for box in boxes[:2]:
        desk.run("arguments[0].click()", box)
    assert desk.one("#chosen").text == "2 chosen"
    desk.click(desk.one("button[value=split]"))
    desk.press_and_wait("y")
    assert len(set(entities(desk).values())) == len(set(before.values())) + 1
    desk.press_and_wait("z")
    assert entities(desk) == before


def test_merge_by_keyboard_leaves_a_redirect_and_is_undone(desk: Desk) -> None:
    author = pages(desk.library)["author"].rpartition("/")[2]
    desk.open(f"/entity/{author}")
    before = entities(desk)
    desk.press_and_wait("m")
    assert desk.path == f"/entity/{author}/merge"
    desk.run("document.activeElement.blur()")
    other = desk.one("button[name=into]").get_attribute("value")
    desk.press("j")
    desk.press_and_wait("x")
    desk.press_and_wait("y")
    assert desk.path == f"/entity/{author}"
    after = entities(desk)
    assert {after[mention] for mention in before if before[mention] == other} == {author}
    desk.open(f"/entity/{other}")
    assert desk.path == f"/entity/{author}"
    assert other in desk.one("aside").text
    desk.open("/history?by=ann&kind=author&standing=in+force")
    assert desk.one("tbody .chip").text == "merge"
    desk.click(desk.one("tbody form button"))
    assert entities(desk) == before


def test_move_a_mention(desk: Desk) -> None:
    desk.open(pages(desk.library)["author"])
    before = entities(desk)
    box = desk.one("input[name=mention]")
    mention = box.get_attribute("value")
    desk.run("arguments[0].click()", box)
    desk.click(desk.one("button[value=move]"))
    target = desk.one("button[name=into]")
    into = target.get_attribute("value")
    desk.click(target)
    desk.press_and_wait("y")
    assert entities(desk) == before | {mention: into}
    desk.press_and_wait("z")
    assert entities(desk) == before


def test_what_was_decided_on_the_pages_binds_the_next_run(desk: Desk) -> None:
    desk.open(pages(desk.library)["author"])
    box = desk.one("input[name=mention]")
    mention = box.get_attribute("value")
    others = set(entity_of(desk, mention)) - {mention}
    desk.run("arguments[0].click()", box)
    desk.click(desk.one("button[value=split]"))
    desk.press_and_wait("y")
    with desk.opened() as library:
        resolve(Records(REFERENCES.to_frame(), pl.DataFrame(schema=REJECTS)), library=library, threads=1)
    assert not set(entity_of(desk, mention)) & others


def test_a_field_is_chosen_with_a_live_preview_and_exports_follow(desk: Desk, tmp_path: Path) -> None:
    from samehand.publish.exports import export

    desk.open(pages(desk.library)["duplicate"])
    row = next(row for row in desk.all("tr.differs") if row.text.startswith("author"))
    choice = next(radio for radio in row.find_elements("css selector", "input") if not radio.is_selected())
    value = choice.find_element("xpath", "following-sibling::label").text
    assert f"author = {{{value}}}" not in desk.one("#entry pre").text
    desk.run("arguments[0].click()", choice)
    until(lambda: f"author = {{{value}}}" in desk.one("#entry pre").text)
    desk.press_and_wait("y")
    assert f"author = {{{value}}}" in desk.one("#entry pre").text
    with desk.opened() as library:
        export(
            library.references(), library.mentions(), "bibtex", tmp_path / "x.bib", choices=library.choices()
        )
    assert f"author = {{{value}}}" in (tmp_path / "x.bib").read_text()


def entities(desk: Desk) -> dict[str, str]:
    with desk.opened() as library:
        return dict(library.mentions("author").select("id", "entity").iter_rows())


def entity_of(desk: Desk, mention: str) -> list[str]:
    with desk.opened() as library:
        found: list[str] = library.entity(mention).mentions["id"].to_list()
    return found


def test_two_curators_never_see_one_question_and_both_decide(
    chromium: Any, library_copy: Path, serve: Any, another_browser: Any
) -> None:
    from samehand.web.security.people import add_user

    with Library(library_copy) as library:
        for name in ("ann", "bob"):
            add_user(library.store, name, "curator", f"password of {name}")
    with serve(library_copy) as address, another_browser() as second:
        desks = {"ann": Desk(chromium, address, library_copy), "bob": Desk(second, address, library_copy)}
        seen: dict[str, list[str]] = {"ann": [], "bob": []}
        for name, one in desks.items():
            one.open("/review")
            assert one.path == "/login"
            one.one("#name").send_keys(name)
            one.one("#password").send_keys(f"password of {name}")
            one.click(one.one(".login button"))
            assert one.path == "/review"
        for _ in range(3):
            for name, one in desks.items():
                seen[name].append(question(one))
            assert seen["ann"][-1] != seen["bob"][-1]
            for one in desks.values():
                one.press_and_wait("n")
        assert not set(seen["ann"]) & set(seen["bob"])
        with Library(library_copy) as library:
            made = library.decisions()
        assert dict(made.group_by("by").len().iter_rows()) == {"ann": 3, "bob": 3}
        desks["ann"].click(desks["ann"].one(".who button"))
        assert desks["ann"].path == "/login"


def question(desk: Desk) -> str:
    sides = (desk.one(f"input[name={side}]").get_attribute("value") for side in ("left", "right"))
    return " ".join(sides)


# Looking


@dataclass
class Look:
    """What was to be seen of one page."""

    complaints: list[str]
    faults: list[Any]
    faint: dict[str, list[Any]]  # by colour scheme, texts that hardly stand out
    widths: dict[int, int]  # by the width of the window, the width of the page


@pytest.fixture(scope="module")
def looks(desk: Desk) -> dict[str, Look]:
    """Every page looked at once: its messages, its structure, its colours, its widths."""
    desk.driver.get_log("browser")
    found = {}
    for name, path in pages(desk.library).items():
        desk.open(path)
        picture(desk, f"web-{name}-1280")
        complaints = [entry["message"] for entry in desk.driver.get_log("browser")]
        look = Look(complaints, desk.run(FAULTS), {"light": desk.run(CONTRASTS)}, {})
        look.widths[1280] = desk.run("return document.documentElement.scrollWidth")
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        desk.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
        look.faint["dark"] = desk.run(CONTRASTS)
        if name in DARK:
            picture(desk, f"web-{name}-1280-dark")
        desk.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        desk.resize(400)
        look.widths[400] = desk.run("return document.documentElement.scrollWidth")
        picture(desk, f"web-{name}-400")
        found[name] = look
    return found


DARK = ("overview", "author", "review")


def picture(desk: Desk, name: str) -> None:
    """A picture of the page, if a folder for pictures is named."""
    if SCREENSHOTS is None:
        return
    width = desk.run("return innerWidth")
    height = desk.run("return document.documentElement.scrollHeight")
    desk.resize(width, min(max(height, 500), 1700))
    Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
    desk.driver.save_screenshot(str(Path(SCREENSHOTS) / f"{name}.png"))
    desk.resize(width)


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


def test_nothing_is_asked_of_another_host(desk: Desk, looks: dict[str, Look]) -> None:
    messages = [json.loads(entry["message"])["message"] for entry in desk.driver.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert len(sent) > len(looks)
    hosts = {urlsplit(url).hostname for url in sent if urlsplit(url).scheme in ("http", "https", "ws", "wss")}
    assert hosts == {"127.0.0.1"}


def test_hostile_names_are_shown_and_do_nothing(desk: Desk) -> None:
    desk.open(pages(desk.library)["hostile"])
    assert HOSTILE in desk.one("main").text
    assert desk.all("main script, main img, main iframe, svg[onload]") == []
    assert desk.driver.title != "owned"
    desk.open("/papers?q=7")
    assert "{{ 7 * 7 }}" in desk.one("main").text
    desk.open("/search?q=" + "%22%3E%3Cscript%3Ealert(3)%3C/script%3E")
    assert desk.all("main script") == []


def test_the_keyboard_reaches_everything(desk: Desk) -> None:
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


def test_the_pages_work_without_script(desk: Desk) -> None:
    desk.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        desk.driver.get(f"{desk.address}/review")
        before = len(decided(desk))
        desk.one("button[value=u]").click()
        assert desk.path == "/review"
        assert len(decided(desk)) == before + 1
    finally:
        desk.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def decided(desk: Desk) -> list[int]:
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
