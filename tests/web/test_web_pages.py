"""The pages without a browser: what they say, where they lead, and what they refuse."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from samehand.library import Library
from samehand.models.stream.index import ensure_index
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import CLUSTERING, REJECTS, Reference, references_frame

pytest.importorskip("fastapi")

from fastapi.testclient import TestClient

from samehand.web.app import create_app
from samehand.web.find.keeper import refresh
from samehand.web.pages.evidence import MOMENT, PATIENCE, Evidence
from samehand.web.settings import Settings
from samehand.web.shelf import Shelf

HOST = "http://127.0.0.1:8471"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def papers() -> list[Reference]:
    rows = [
        ("lee01", "On the measurement of hands", ["Ann Lee", "Bo Day"], 2001, "J. Hands"),
        ("lee01b", "On the Measurement of Hands", ["A. Lee", "B. Day"], 2001, "Journal of Hands"),
        ("lee05", "On the measurement of hands", ["Ann Lee"], 2011, "Feet"),
        ("fox99", "Bells & towers", ["Andrew Lee", "Cy Fox"], 1999, "Towers"),
    ]
    return [
        Reference(
            "a.bib", n, id=key, key=key, type="article", title=title, authors=authors, year=year, venue=venue
        )
        for n, (key, title, authors, year, venue) in enumerate(rows, start=1)
    ]


@dataclass
class Site:
    """A served library, and what one does at it."""

    client: TestClient
    library: Path

    def get(self, path: str, status: int = 200, **headers: str) -> str:
        answer = self.client.get(path, headers=headers, follow_redirects=False)
        assert answer.status_code == status, (path, answer.text[:500])
        return str(answer.text)

    def part(self, path: str, **headers: str) -> str:
        """What comes in the end: the server may ask to be asked again, while kernels are compiled."""
        answer = self.client.get(path, headers=headers)
        while answer.status_code == 202:
            answer = self.client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.text[:500])
        return str(answer.text)

    def leads(self, path: str) -> str:
        answer = self.client.get(path, follow_redirects=False)
        assert answer.status_code in (302, 303, 307)
        return str(answer.headers["location"])

    def post(self, path: str, page: str = "/about", **fields: Any) -> Any:
        """Send a form as a browser does that has seen a page."""
        token = re.findall(r'data-csrf="(\w+)"', self.get(page))[0]
        return self.client.post(
            path, data={"csrf": token, **fields}, headers={"origin": HOST}, follow_redirects=False
        )

    def opened(self) -> Library:
        return Library(self.library, create=False)

    def refresh(self) -> None:
        """Bring the lists up to date now."""
        with self.opened() as library:
            refresh(library)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library, made once, with the lists that a server would make of it."""
    place = tmp_path_factory.mktemp("pages") / "s.library"
    with Library(place) as library:
        records = Records(references_frame(papers()), pl.DataFrame(schema=REJECTS))
        resolve(records, library=library, model="baseline", threads=1)
        refresh(library)
        ensure_index(library.store)
    return place


@pytest.fixture
def site(finished: Path, tmp_path: Path) -> Iterator[Site]:
    location = Path(shutil.copy(finished, tmp_path / "s.library"))
    with TestClient(create_app(str(location), Settings(curator="ann")), base_url=HOST) as client:
        yield Site(client, location)


def entity(site: Site, mention: str) -> str:
    with site.opened() as library:
        return library.resolve_id(mention)


def test_the_overview_leads_to_files_that_are_there(site: Site) -> None:
    files = re.findall(r'href="(/api/v1/exports/[^"]+)"', site.get("/"))
    assert len(files) == 7
    assert "@article{lee01" in site.get(next(file for file in files if file.endswith("clean.bib")))


def test_an_old_identifier_and_a_mention_lead_to_the_entity(site: Site) -> None:
    one, other = entity(site, "lee01/author/1"), entity(site, "fox99/author/1")
    with site.opened() as library:
        library.merge(one, other)
    gone = other if entity(site, "fox99/author/1") == one else one
    assert site.leads(f"/entity/{gone}?page=2") == f"/entity/{entity(site, 'fox99/author/1')}?page=2"
    assert site.leads("/mention/fox99/author/1") == f"/entity/{entity(site, 'fox99/author/1')}"
    assert site.leads(f"/search?q={gone}") == f"/entity/{entity(site, 'fox99/author/1')}"
    assert site.leads("/search?q=fox99/author/1") == f"/entity/{entity(site, 'fox99/author/1')}"
    assert "no entity or mention" in site.get("/entity/nobody", 404)


def test_a_preview_changes_nothing_and_the_act_is_signed(site: Site) -> None:
    whole = entity(site, "lee01")
    path = f"/entity/{whole}"
    with site.opened() as library:
        size = library.entity(whole).size
        taken = library.entity(whole).mentions["id"][0]
    assert size > 1
    seen = site.post(f"{path}/preview", what="split", mention=[taken])
    assert seen.status_code == 200
    assert "Nothing has been changed yet" in seen.text
    with site.opened() as library:
        assert library.decisions(all=True).height == 0
    done = site.post(f"{path}/act", what="split", mentions=json.dumps([taken]), note="not that one")
    assert done.status_code == 303
    with site.opened() as library:
        made = library.decisions()
    assert set(made["by"]) == {"ann"}
    assert set(made["note"]) == {"not that one"}
    assert "Split. It holds at once" in site.get(done.headers["location"])


def test_a_refused_act_names_the_decision_and_changes_nothing(site: Site) -> None:
    with site.opened() as library:
        mentions = library.entity("lee01").mentions["id"].to_list()
        number = library.decide("same", *mentions[:2])
    answer = site.post(
        f"/entity/{entity(site, 'lee01')}/act", what="split", mentions=json.dumps(mentions[:1])
    )
    assert answer.status_code == 409
    assert f"undo decision {number} first" in answer.text
    with site.opened() as library:
        assert library.acts().height == 0
    empty = site.post(f"/entity/{entity(site, 'lee01')}/preview", what="split")
    assert empty.status_code == 400
    assert "no mention is chosen" in empty.text
    damaged = site.post(f"/entity/{entity(site, 'lee01')}/act", what="split", mentions='{"x": 1')
    assert damaged.status_code == 400


def test_a_form_without_its_token_is_refused(site: Site) -> None:
    site.get("/about")
    answer = site.client.post(
        f"/entity/{entity(site, 'lee01')}/act",
        data={"what": "split", "mention": "lee01"},
        headers={"origin": HOST},
    )
    assert answer.status_code == 403


def test_a_branch_that_is_gone_is_a_clear_word(site: Site) -> None:
    answer = site.post(f"/entity/{entity(site, 'lee01')}/preview", what="split", branch=["0123456789abcdef"])
    assert answer.status_code == 400
    assert "this branch is not there any more" in answer.text


def test_parts_come_alone_for_the_script_and_as_pages_without(site: Site) -> None:
    path = f"/entity/{entity(site, 'lee01/author/1')}/branches"
    alone, whole = site.part(path, **{"X-Part": "1"}), site.part(path)
    assert "<html" not in alone
    assert "<h1>Branches</h1>" in whole


def test_comparing_two_authors_shows_the_evidence(site: Site) -> None:
    text = site.part("/compare?left=lee01/author/1&right=fox99/author/1", **{"X-Part": "1"})
    assert "What speaks for and against" in text
    assert "first names" in text
    papers_only = site.get("/compare?left=lee01&right=fox99", **{"X-Part": "1"})
    assert "papers and venues have no explanation yet" in papers_only


def test_the_history_is_searched_grouped_and_reverted(site: Site) -> None:
    whole = entity(site, "lee01")
    with site.opened() as library:
        library.decide("unsure", "lee01/author/1", "fox99/author/1", by="bob", note="50% sure_")
        act = library.split(whole, library.entity(whole).mentions["id"].to_list()[:1], by="ann")
    assert site.get("/history").count("<tr") == 3
    assert site.get(f"/history?act={act.id}").count("<tr") == 1 + len(act.decisions)
    assert site.get("/history?q=50%25+sure_").count("<tr") == 2
    assert "No decision like that" in site.get("/history?by=carol")
    assert site.post(f"/history/{act.decisions[0]}/undo").status_code == 303
    with site.opened() as library:
        assert library.acts()["undone_by"].to_list() == ["ann"]
        assert entity(site, "lee01") == whole
    again = site.post(f"/history/{act.decisions[0]}/undo")
    assert again.status_code == 409
    assert "undone already" in again.text


def test_duplicates_are_merged_with_the_fields_that_were_chosen(site: Site) -> None:
    assert "On the measurement of hands" in site.get("/duplicates?show=apart")
    one, other = entity(site, "lee01"), entity(site, "lee05")
    assert one != other
    text = site.get(f"/duplicates/{one}?other={other}")
    assert "They are one: merge them so" in text
    shown = site.post(f"/duplicates/{one}/preview", other=other, **{"field-year": "lee05"})
    assert "year = {2011}" in shown.text
    done = site.post(f"/duplicates/{one}", other=other, **{"field-year": "lee05", "field-title": "lee05"})
    assert done.status_code == 303
    with site.opened() as library:
        assert library.resolve_id("lee05") == library.resolve_id("lee01")
        chosen = dict(library.choices().select("field", "reference").iter_rows())
    assert chosen["year"] == "lee05"
    site.refresh()
    assert "year = {2011}" in site.get(f"/duplicates/{entity(site, 'lee01')}")
    assert "year = {2011}" in site.get("/api/v1/exports/clean.bib")
    strange = site.get(f"/duplicates/{entity(site, 'lee01/author/1')}", 400)
    assert "only papers have entries" in strange


def test_a_run_shows_what_it_recorded_and_no_more(site: Site) -> None:
    trace = {
        "steps": {"read": 0.5, "resolve": 61.0},
        "curve": [[0.0, -900.0, 40], [1.5, -500.0, 31], [3.0, -480.0, 30]],
        "moves": {"split": [1000, 250]},
    }
    with site.opened() as library:
        mentions = library.mentions("venue").select("id", "kind", "reference", "slot", "name")
        clusters = pl.DataFrame(
            {
                "mention": mentions["id"],
                "cluster": list(range(mentions.height)),
                "probability": [1.0] * mentions.height,
            },
            schema=CLUSTERING,
        )
        told: dict[str, Any] = {
            "settings": {"model": "<b>x</b>", "trace": trace},
            "started": NOW,
            "finished": NOW,
        }
        library.save_run(mentions, {"venue": clusters}, seed=3, **told)
    text = site.get("/runs/2")
    for words in (
        "1 min 1 s",
        "25.0% of 1000",
        "Score from -900 to -480",
        "Clusters from 40 to 30",
        "&lt;b&gt;x&lt;/b&gt;",
    ):
        assert words in text
    assert "Moves accepted" not in site.get("/runs/1")
    assert "there is no run 9" in site.get("/runs/9", 404)


def test_the_evaluation_needs_a_truth_and_says_so(tmp_path: Path, site: Site) -> None:
    assert "Nobody has told this server the truth" in site.get("/evaluation")
    truth = tmp_path / "truth.csv"
    truth.write_text(
        "id,cluster\nlee01/author/1,ann\nlee01b/author/1,ann\nlee05/author/1,ann\nfox99/author/1,andrew\n"
    )
    app = create_app(str(site.library), Settings(truth=truth))
    with TestClient(app, base_url=HOST) as client:
        text = client.get("/evaluation", headers={"X-Part": "1"}).text
        assert "b3 precision" in text
        assert "<polyline" in text
        truth.write_text("id,cluster\nnobody,x\n")
        assert "banner bad" in client.get("/evaluation", headers={"X-Part": "1"}).text


def test_a_reader_sees_everything_and_no_button(site: Site, tmp_path: Path) -> None:
    from samehand.web.security.people import add_user

    with site.opened() as library:
        add_user(library.store, "rita", "reader", "a long password")
    app = create_app(str(site.library), Settings())
    with TestClient(app, base_url=HOST) as client:
        reader = Site(client, site.library)
        assert reader.leads("/authors").startswith("/login")
        assert "Pages of the library" not in reader.get("/login")
        assert (
            reader.post("/login", "/login", name="rita", password="wrong password").headers["location"]
            == "/login?wrong=1"
        )
        assert reader.post("/login", "/login", name="rita", password="a long password").status_code == 303
        text = reader.get(f"/entity/{entity(site, 'lee01')}")
        assert "Merge with another" not in text
        assert 'type="checkbox"' not in text
        assert reader.get("/review", 403)


def test_an_entity_with_thousands_of_mentions_is_split_in_one_form(site: Site) -> None:
    count = 3_000
    with site.opened() as library:
        rows = [(f"v{n}", "venue", f"r{n}", 0, "Hands" if n % 2 else "J. Hands") for n in range(count)]
        mentions = pl.DataFrame(rows, schema=["id", "kind", "reference", "slot", "name"], orient="row")
        clusters = pl.DataFrame(
            {"mention": mentions["id"], "cluster": [0] * count, "probability": [1.0] * count},
            schema=CLUSTERING,
        )
        mentions = mentions.cast({"slot": pl.Int32})
        library.save_run(mentions, {"venue": clusters}, settings={}, seed=0, started=NOW, finished=NOW)
    path = f"/entity/{entity(site, 'v0')}"
    assert f'data-load="{path}/branches"' in site.get(path)
    assert 'class="tree' in site.get(f"{path}/branches")
    chosen = [f"v{n}" for n in range(1_400)]
    assert site.post(f"{path}/preview", what="split", mentions=json.dumps(chosen)).status_code == 200
    assert site.post(f"{path}/act", what="split", mentions=json.dumps(chosen)).status_code == 303
    with site.opened() as library:
        assert library.entity("v0").size == 1_400
        assert library.decisions().height == count - 1


def test_a_page_does_not_ask_where_answers_take_longer_than_it_waits(site: Site) -> None:
    shelf = Shelf(str(site.library))
    evidence, worked = Evidence(shelf), []

    def slow(library: Library) -> str:
        worked.append(1)
        time.sleep(MOMENT)
        return "found"

    with site.opened() as library:
        assert evidence.ask(library, ("first",), slow, PATIENCE) == "found"
        assert evidence.ask(library, ("second",), slow, MOMENT) is None
        assert len(worked) == 1
        assert evidence.ask(library, ("first",), slow, MOMENT) == "found"
        assert evidence.ask(library, ("second",), slow, PATIENCE) == "found"
    shelf.close()


def test_lists_are_narrowed_sorted_and_paged(site: Site) -> None:
    assert "Ann Lee" in site.get("/authors?q=lee+ann")
    assert "Nothing is found" in site.get("/authors?q=zzz")
    assert site.get("/papers?sort=year").index("Bells &amp; towers") > site.get("/papers?sort=year").index(
        "measurement"
    )
    assert 'aria-current="true"' in site.get("/papers?size=1")
    site.get("/papers?page=0", 422)
    site.get("/papers?sort=colour", 422)
