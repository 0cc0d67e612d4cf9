"""The REST interface keeps its contract: content, paging, ETags, errors of one shape."""

from __future__ import annotations

import json

import httpx
import pytest
from fastapi.testclient import TestClient

from samehand.web.citations import Citations

API = "/api/v1"


def entity_called(client: TestClient, words: str, kind: str = "author") -> str:
    found = client.get(f"{API}/entities", params={"q": words, "kind": kind}).json()["items"]
    return str(found[0]["entity"])


def assert_problem(response: httpx.Response, status: int) -> None:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]


def test_entities_are_found_by_words_in_any_order_without_accents(shared: TestClient) -> None:
    for words in ("Jürgen Müller", "muller jurgen", "MUL jur"):
        found = shared.get(f"{API}/entities", params={"q": words, "kind": "author"}).json()
        assert [one["name"] for one in found["items"]] == ["Jürgen Müller"], words
        assert found["total"] == 1
        assert found["facets"]["kind"] == {"author": 1}


def test_an_entity_has_a_record_years_and_neighbours(shared: TestClient) -> None:
    muller = entity_called(shared, "muller")
    told = shared.get(f"{API}/entities/{muller}").json()
    assert told["record"]["name"] == "Jürgen Müller"
    assert [one["year"] for one in told["years"]] == list(range(2000, 2006))
    mentions = shared.get(f"{API}/entities/{muller}/mentions", params={"size": 4}).json()
    assert mentions["total"] == told["size"] == 6
    assert len(mentions["items"]) == 4
    papers = shared.get(f"{API}/entities/{muller}/papers").json()["items"]
    assert [one["weight"] for one in papers] == sorted((one["last_year"] for one in papers), reverse=True)
    coauthors = shared.get(f"{API}/entities/{muller}/coauthors").json()["items"]
    assert {"Ada Lovelace"} <= {one["name"] for one in coauthors}
    assert (
        shared.get(f"{API}/entities/{muller}/venues").json()["items"][0]["name"] == "Journal of Ancient Hands"
    )


def test_pages_lead_to_their_neighbours(shared: TestClient) -> None:
    seen, address = [], f"{API}/mentions?size=7"
    while address:
        answer = shared.get(address)
        seen += [one["id"] for one in answer.json()["items"]]
        address = answer.links.get("next", {}).get("url", "")
    assert len(seen) == len(set(seen)) == answer.json()["total"]
    assert answer.json()["page"] == answer.json()["pages"]
    assert answer.links["prev"]["url"].endswith(f"page={answer.json()['pages'] - 1}")


def test_identifiers_with_slashes_and_spaces_are_reached(shared: TestClient) -> None:
    paper = shared.get(f"{API}/references/%2Fa%2Fb.bib:x%20y%3F")
    assert paper.json()["title"] == "A path"
    mention = paper.json()["mentions"][1]["id"]
    assert shared.get(f"{API}/mentions/{mention.replace('?', '%3F')}").json()["name"] == "Ann O'Lee"


def test_an_etag_stays_until_the_library_changes(client: TestClient) -> None:
    paths = ("entities", "counts", "mentions", "references", "decisions", "runs", "exports/papers.csv")
    tags = {path: client.get(f"{API}/{path}").headers["etag"] for path in paths}
    for path, tag in tags.items():
        answer = client.get(f"{API}/{path}", headers={"If-None-Match": tag})
        assert (answer.status_code, answer.content) == (304, b""), path
        assert answer.headers["etag"] == tag
    decided = client.post(
        f"{API}/decisions", json={"judgement": "same", "left": "hands0/author/1", "right": "hands1/author/1"}
    )
    assert decided.status_code == 201
    for path, tag in tags.items():
        assert client.get(f"{API}/{path}", headers={"If-None-Match": tag}).status_code == 200, path


def test_a_decision_is_made_signed_listed_and_undone(client: TestClient) -> None:
    made = client.post(
        f"{API}/decisions",
        json={
            "judgement": "different",
            "left": "hands0/author/1",
            "right": "graphs0/author/1",
            "note": "two men",
        },
    )
    number = made.json()["decision"]
    row = client.get(f"{API}/decisions", params={"q": "TWO MEN"}).json()["items"][0]
    assert (row["id"], row["by"], row["judgement"]) == (number, "ann", "different")
    assert (row["left_name"], row["undone_at"]) == ("A. Lovelace", None)
    assert client.delete(f"{API}/decisions/{number}").json() == {"decision": number}
    assert client.get(f"{API}/decisions", params={"standing": "in force"}).json()["total"] == 0
    assert (
        client.get(f"{API}/decisions", params={"standing": "undone"}).json()["items"][0]["undone_by"] == "ann"
    )
    assert_problem(client.delete(f"{API}/decisions/{number}"), 400)


def test_a_decision_that_contradicts_is_refused(client: TestClient) -> None:
    def decide(judgement: str, left: str, right: str) -> httpx.Response:
        return client.post(f"{API}/decisions", json={"judgement": judgement, "left": left, "right": right})

    assert decide("same", "hands0/author/1", "hands1/author/1").status_code == 201
    assert decide("same", "hands1/author/1", "hands2/author/1").status_code == 201
    assert_problem(decide("different", "hands0/author/1", "hands2/author/1"), 409)
    assert_problem(decide("same", "hands0/author/1", "hands0"), 400)
    assert_problem(decide("same", "hands0/author/1", "no such mention"), 404)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("entities/azzzzzzzzzz", 404),
        ("entities/NOT-AN-ID", 422),
        ("entities/azzzzzzzzzz/mentions", 404),
        ("mentions/nothing", 404),
        ("references/nothing", 404),
        ("runs/99", 404),
        ("runs/0", 422),
        ("entities?page=0", 422),
        ("entities?size=9999", 422),
        ("entities?kind=person", 422),
        ("exports/passwords.csv", 422),
        ("nothing", 404),
    ],
)
def test_errors_have_one_shape(shared: TestClient, path: str, status: int) -> None:
    assert_problem(shared.get(f"{API}/{path}"), status)


def test_a_request_that_is_not_valid_is_told_where(shared: TestClient) -> None:
    answer = shared.post(f"{API}/resolve", json={"reference": {"year": "soon"}})
    assert_problem(answer, 422)
    assert answer.json()["errors"][0]["where"] == "body.reference.year"
    assert_problem(
        shared.post(f"{API}/resolve", content=b"{", headers={"Content-Type": "application/json"}), 422
    )


def test_resolving_tells_whose_each_mention_may_be_and_changes_nothing(client: TestClient) -> None:
    before = client.get(f"{API}/counts").json()
    asked = {"title": "Thumbs again", "authors": ["Müller, J.", "Ada Lovelace"], "venue": "J. Anc. Hands"}
    told = client.post(f"{API}/resolve", json={"reference": asked}).json()
    muller = next(one for one in told["assignments"] if one["name"] == "Müller, J.")
    assert muller["entity"] == entity_called(client, "muller")
    assert sum(one["probability"] for one in muller["candidates"]) == pytest.approx(1.0, abs=0.02)
    assert client.get(f"{API}/counts").json() == before


def test_a_reference_can_be_kept_once(client: TestClient) -> None:
    asked = {"reference": {"title": "Thumbs again and again", "authors": ["Müller, J."], "year": 2006}}
    first = client.post(f"{API}/resolve?keep=true", json=asked).json()
    again = client.post(f"{API}/resolve?keep=true", json=asked).json()
    assert not any(one["known"] for one in first["assignments"])
    assert all(one["known"] for one in again["assignments"])
    kept = first["assignments"][0]["reference"]
    assert client.get(f"{API}/references/{kept}").json()["title"] == "Thumbs again and again"


def test_a_citation_can_be_kept_once(client: TestClient) -> None:
    asked = {"citation": "J. Müller. On thumbs and their hands. Journal of Ancient Hands, 12:3-9, 2007."}
    first = client.post(f"{API}/resolve?keep=true", json=asked).json()["assignments"]
    client.app.state.citations = Citations(client.app.state.shelf)  # type: ignore[attr-defined]
    again = client.post(f"{API}/resolve?keep=true", json=asked).json()["assignments"]
    assert [one["known"] for one in first] == [False] * 3
    assert [one["known"] for one in again] == [True] * 3
    assert client.get(f"{API}/references/{first[0]['reference']}").json()["text"] == asked["citation"]


def test_a_citation_is_read_and_resolved(shared: TestClient) -> None:
    citation = "J. Müller. On thumbs and their hands. Journal of Ancient Hands, 12:3-9, 2007."
    told = shared.post(f"{API}/resolve", json={"citation": citation}).json()
    assert {one["kind"] for one in told["assignments"]} == {"paper", "author", "venue"}
    author = next(one for one in told["assignments"] if one["kind"] == "author")
    assert author["entity"] == entity_called(shared, "muller")


def test_exports_are_what_the_command_line_writes(shared: TestClient) -> None:
    table = shared.get(f"{API}/exports/authors.csv")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert table.headers["content-disposition"] == 'attachment; filename="authors.csv"'
    assert "Jürgen Müller" in table.text
    lines = shared.get(f"{API}/exports/papers.jsonl").text.splitlines()
    assert len(lines) == shared.get(f"{API}/counts").json()["papers"]
    assert all(json.loads(line)["entity"] for line in lines)
    assert "@article{hands" in shared.get(f"{API}/exports/clean.bib").text
    assert isinstance(shared.get(f"{API}/exports/clean.csl.json").json(), list)


def test_an_old_identifier_leads_to_the_new_one(client: TestClient, place: object) -> None:
    from samehand.library import Library

    left, right = entity_called(client, "wu", "author"), entity_called(client, "wung", "author")
    if left == right:
        left = entity_called(client, "muller")
    with Library(str(place)) as library:
        library.merge(left, right, by="ann")
        gone = library.redirects()["old"].to_list()
        (live,) = set(library.redirects()["new"].to_list())
    answer = client.get(f"{API}/entities/{gone[0]}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, f"{API}/entities/{live}")
    assert client.get(f"{API}/redirects/{gone[0]}").json() == {"old": gone[0], "new": live}
    assert client.get(f"{API}/entities/{gone[0]}").json()["merged_from"] == gone
