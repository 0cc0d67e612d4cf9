"""The curator's pages in a real browser: questions, acts, choices, by keyboard, and two curators at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from samehand.library import Library
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import REFERENCES, REJECTS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_ten_questions_are_answered_by_keyboard(desk: Any) -> None:
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


def test_undo_by_key_asks_the_question_again(desk: Any) -> None:
    desk.open("/review")
    asked = desk.one("input[name=left]").get_attribute("value")
    desk.press_and_wait("n")
    desk.press_and_wait("z")
    assert desk.one("input[name=left]").get_attribute("value") == asked
    desk.press_and_wait("s")
    assert desk.one("input[name=left]").get_attribute("value") != asked


def test_split_by_branches_undo_and_split_by_mentions(desk: Any) -> None:
    path = desk.pages()["author"]
    desk.open(path)
    before = entities(desk)
    branches = desk.all("input[name=branch]")
    assert len(branches) > 2
    desk.run("arguments[0].click()", branches[-1])
    desk.click(desk.one("form:has(.tree) button"))
    assert "this would be the result" in desk.one("h1").text
    desk.picture("web-preview-1280")
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


def test_merge_by_keyboard_leaves_a_redirect_and_is_undone(desk: Any) -> None:
    author = desk.pages()["author"].rpartition("/")[2]
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


def test_move_a_mention(desk: Any) -> None:
    desk.open(desk.pages()["author"])
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


def test_what_was_decided_on_the_pages_binds_the_next_run(desk: Any) -> None:
    desk.open(desk.pages()["author"])
    box = desk.one("input[name=mention]")
    mention = box.get_attribute("value")
    others = set(entity_of(desk, mention)) - {mention}
    desk.run("arguments[0].click()", box)
    desk.click(desk.one("button[value=split]"))
    desk.press_and_wait("y")
    with desk.opened() as library:
        resolve(Records(REFERENCES.to_frame(), pl.DataFrame(schema=REJECTS)), library=library, threads=1)
    assert not set(entity_of(desk, mention)) & others


def test_a_field_is_chosen_with_a_live_preview_and_exports_follow(desk: Any, tmp_path: Path) -> None:
    from samehand.publish.exports import export

    desk.open(desk.pages()["duplicate"])
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


def entities(desk: Any) -> dict[str, str]:
    with desk.opened() as library:
        return dict(library.mentions("author").select("id", "entity").iter_rows())


def entity_of(desk: Any, mention: str) -> list[str]:
    with desk.opened() as library:
        found: list[str] = library.entity(mention).mentions["id"].to_list()
    return found


def test_two_curators_never_see_one_question_and_both_decide(
    chromium: Any, library_copy: Path, serve: Any, another_browser: Any, desk_at: Any
) -> None:
    from samehand.web.security.people import add_user

    with Library(library_copy) as library:
        for name in ("ann", "bob"):
            add_user(library.store, name, "curator", f"password of {name}")
    with serve(library_copy) as address, another_browser() as second:
        desks = {
            "ann": desk_at(chromium, address, library_copy),
            "bob": desk_at(second, address, library_copy),
        }
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


def question(desk: Any) -> str:
    sides = (desk.one(f"input[name={side}]").get_attribute("value") for side in ("left", "right"))
    return " ".join(sides)


def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something that happens soon."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "this never happened"
        time.sleep(0.03)
