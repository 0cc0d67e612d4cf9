"""Who may do what, and what no site, header or name can make the application do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from samehand.errors import UsageError
from samehand.library import Library
from samehand.web.app import create_app
from samehand.web.security.guard import POLICY
from samehand.web.security.people import add_user, by_password, by_token, make_token, remove_user, users
from samehand.web.settings import Settings

PASSWORD = "correct horse"
DECISION = {"judgement": "unsure", "left": "hands0/author/1", "right": "hands1/author/1"}
EVERYBODY = {("GET", "/login"), ("POST", "/login"), ("POST", "/logout")}


def routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Every method and path of the application, with something in the place of parameters."""

    def walk(router: APIRouter, prefix: str) -> Iterator[tuple[str, str]]:
        for route in router.routes:
            inner = getattr(route, "original_router", None)
            if inner is not None:
                yield from walk(inner, prefix + router.prefix)
            elif isinstance(route, APIRoute):
                path = re.sub(r"\{(number|decision)\}", "1", prefix + route.path)
                path = re.sub(r"\{role\}", "papers", re.sub(r"\{name\}", "papers.csv", path))
                yield from ((method, re.sub(r"\{[^}]*\}", "a1", path)) for method in route.methods)

    return walk(app.router, "")


def status(client: TestClient, method: str, path: str) -> int:
    client.cookies.clear()
    return client.request(method, path, follow_redirects=False).status_code


def test_every_route_asks_for_its_role(guarded: dict[str, TestClient]) -> None:
    found = sorted(set(routes(guarded["nobody"].app)))  # type: ignore[arg-type]
    assert len(found) > 50
    for method, path in found:
        statuses = {who: status(client, method, path) for who, client in guarded.items()}
        shown = f"{method} {path}: {statuses}"
        if (method, path) in EVERYBODY:
            continue
        is_program = path.startswith(("/api/", "/reconcile"))
        assert statuses["nobody"] == (401 if is_program else 303), shown
        assert statuses["curator"] not in (401, 403, 303 if method == "GET" else 0), shown
        assert statuses["admin"] not in (401, 403), shown
        only_tells = path.startswith(("/api/v1/resolve", "/reconcile")) or path.endswith("/preview")
        changes = method != "GET" and not only_tells
        if changes or (method, path) == ("GET", "/api/v1/questions/next"):
            assert statuses["reader"] == 403, shown
        elif is_program:
            assert statuses["reader"] not in (401, 403), shown


def test_keeping_a_reference_is_for_curators(guarded: dict[str, TestClient]) -> None:
    asked = {"reference": {"title": "Kept by nobody", "authors": ["X Y"]}}
    assert guarded["reader"].post("/api/v1/resolve?keep=true", json=asked).status_code == 403
    assert guarded["reader"].post("/api/v1/resolve", json=asked).status_code == 200


def test_a_wrong_token_is_nobody(guarded: dict[str, TestClient]) -> None:
    answer = guarded["nobody"].get("/api/v1/counts", headers={"Authorization": "Bearer wrong"})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.fixture
def two_users(place: Path) -> Path:
    with Library(place) as library:
        add_user(library.store, "ann", "curator", PASSWORD)
        add_user(library.store, "bob", "reader", PASSWORD)
    return place


@pytest.fixture
def browser(two_users: Path) -> Iterator[TestClient]:
    with TestClient(create_app(str(two_users)), base_url="http://localhost") as client:
        yield client


def token_of(page: str) -> str:
    found = re.search(r'name="csrf"[^>]*value="([0-9a-f]{64})"|value="([0-9a-f]{64})"[^>]*name="csrf"', page)
    assert found, page[:2000]
    return found[1] or found[2]


def log_in(browser: TestClient, name: str = "ann", password: str = PASSWORD) -> int:
    form = {"name": name, "password": password, "csrf": token_of(browser.get("/login").text)}
    answer = browser.post("/login", data=form, follow_redirects=False)
    assert answer.status_code in (303, 429)
    return answer.status_code


def test_logging_in_gives_a_new_strict_cookie_and_logging_out_ends_it(browser: TestClient) -> None:
    planted = browser.get("/login").cookies["samehand"]
    log_in(browser)
    number = browser.cookies["samehand"]
    assert number != planted
    page = browser.get("/login")
    assert browser.get("/api/v1/counts").status_code == 200
    browser.post("/logout", data={"csrf": token_of(page.text)}, follow_redirects=False)
    browser.cookies.set("samehand", number)
    assert browser.get("/api/v1/counts").status_code == 401


def test_the_cookie_is_out_of_reach(browser: TestClient, two_users: Path) -> None:
    said = browser.get("/login").headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert "secure" not in said
    with TestClient(create_app(str(two_users), Settings(https=True)), base_url="https://localhost") as other:
        assert "secure" in other.get("/login").headers["set-cookie"].lower()


def test_a_wrong_password_and_an_unknown_name_look_alike(browser: TestClient) -> None:
    token = token_of(browser.get("/login").text)
    told = [
        browser.post(
            "/login",
            data={"name": name, "password": "wrong wrong wrong", "csrf": token},
            follow_redirects=False,
        )
        for name in ("ann", "nobody at all")
    ]
    assert told[0].headers["location"] == told[1].headers["location"]
    assert browser.get("/api/v1/counts").status_code == 401


def test_passwords_cannot_be_tried_for_long(browser: TestClient) -> None:
    statuses = [log_in(browser, password="wrong wrong wrong") for _ in range(7)]
    assert statuses[0] == 303
    assert statuses[-1] == 429


def test_login_never_leads_to_another_site(browser: TestClient) -> None:
    form = {"name": "ann", "password": PASSWORD, "next": "//evil.example/"}
    form["csrf"] = token_of(browser.get("/login").text)
    assert browser.post("/login", data=form, follow_redirects=False).headers["location"] == "/"


def test_a_browser_needs_the_token_of_its_own_page(browser: TestClient) -> None:
    log_in(browser)
    page = browser.get("/login")
    good = {"X-CSRF-Token": token_of(page.text)}
    assert browser.post("/api/v1/decisions", json=DECISION, headers=good).status_code == 201
    for headers in (
        {},
        {"X-CSRF-Token": "0" * 64},
        good | {"Origin": "http://evil.example"},
        good | {"Origin": "null"},
        good | {"Sec-Fetch-Site": "cross-site"},
    ):
        assert browser.post("/api/v1/decisions", json=DECISION, headers=headers).status_code == 403, headers


def test_on_an_open_server_another_site_cannot_decide(client: TestClient) -> None:
    from_program = client.post("/api/v1/decisions", json=DECISION)
    assert from_program.status_code == 201
    for headers in (
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Referer": "http://evil/"},
    ):
        answer = client.post("/api/v1/decisions", json=DECISION, headers=headers)
        assert answer.status_code == 403, headers


def test_another_name_for_this_machine_is_refused(shared: TestClient) -> None:
    for host in ("evil.example", "evil.example:8471", "localhost.evil.example", "127.0.0.1.evil.example"):
        assert shared.get("/api/v1/counts", headers={"Host": host}).status_code == 421, host
    for host in ("localhost:8471", "127.0.0.1", "[::1]:8471"):
        assert shared.get("/api/v1/counts", headers={"Host": host}).status_code == 200, host


def test_without_users_nothing_listens_beyond_this_machine(place: Path) -> None:
    with pytest.raises(UsageError, match="add one with: samehand users add"):
        create_app(str(place), Settings(host="0.0.0.0"))


def test_every_answer_says_what_browsers_must_not_do(shared: TestClient) -> None:
    for path in (
        "/",
        "/api/v1/counts",
        "/nothing",
        "/static/nothing.css",
        "/api/v1/entities?page=0",
        "/login",
    ):
        headers = shared.get(path).headers
        assert headers["content-security-policy"] == POLICY, path
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_only_the_reconciliation_service_is_shared_and_never_with_cookies(
    shared: TestClient, guarded: dict[str, TestClient]
) -> None:
    local, evil = {"Origin": "http://127.0.0.1:3333"}, {"Origin": "https://evil.example"}
    assert shared.get("/reconcile", headers=local).headers["access-control-allow-origin"] == local["Origin"]
    assert "access-control-allow-origin" not in shared.get("/reconcile", headers=evil).headers
    assert "access-control-allow-origin" not in shared.get("/reconciled", headers=local).headers
    answer = guarded["reader"].get("/reconcile", headers=evil)
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers
    asked = shared.options("/reconcile/1.0/match", headers=local | {"Access-Control-Request-Method": "POST"})
    assert asked.status_code == 204


def test_a_session_does_not_open_the_reconciliation_service(browser: TestClient) -> None:
    log_in(browser)
    assert browser.get("/api/v1/counts").status_code == 200
    assert browser.get("/reconcile").status_code == 401


def test_large_bodies_are_refused(shared: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        yield from (b" " * 100_000 for _ in range(11))

    json = {"Content-Type": "application/json"}
    assert shared.post("/api/v1/resolve", content=b" " * 1_000_001, headers=json).status_code == 413
    assert shared.post("/api/v1/resolve", content=pieces(), headers=json).status_code == 413


def test_clients_are_held_to_a_rate(two_users: Path) -> None:
    app = create_app(str(two_users), Settings(requests_per_second=0.01, burst=3))
    with TestClient(app, base_url="http://localhost") as client:
        answers = [client.get("/login") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) > 0


@pytest.mark.parametrize("path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "..%5capp.py", "//etc/passwd"])
def test_static_files_are_those_of_one_folder(shared: TestClient, path: str) -> None:
    answer = shared.get(f"/static/{path}")
    assert answer.status_code in (404, 405)
    assert "create_app" not in answer.text


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.scripts: list[str | None] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            self.scripts.append(dict(attrs).get("src"))
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


def test_hostile_names_stay_text(shared: TestClient) -> None:
    evil = shared.get("/api/v1/entities", params={"q": "script alert"}).json()["items"]
    assert {one["kind"] for one in evil} == {"author", "paper", "venue"}
    paths = [
        "/",
        "/authors?q=script",
        "/papers?q=%3Cscript%3Ealert(2)%3C/script%3E",
        "/rejects",
        "/history?q=%22onload=x",
    ]
    paths += [f"/{kind}/{one['entity']}" for one in evil for kind in ("entity",)]
    paths += [f"/reconcile/preview?id={one['entity']}" for one in evil]
    for path in paths:
        answer = shared.get(path)
        assert answer.status_code == 200, path
        tags = Tags(answer.text)
        assert all(source and source.startswith("/static/") for source in tags.scripts), path
        assert tags.handlers == [], path
        assert "<script>alert" not in answer.text, path


@pytest.mark.parametrize(
    "text", ["a\0b", "\u202eabc", "%", "_", "'; DROP TABLE decisions; --", "\\", "é" * 300, "\ufeff"]
)
def test_strange_words_are_only_words(shared: TestClient, text: str) -> None:
    shared.cookies.clear()
    for path in ("/api/v1/entities", "/api/v1/decisions", "/reconcile/suggest/entity"):
        answer = shared.get(path, params={"q": text, "prefix": text})
        assert answer.status_code == 200, (path, answer.text)
    assert shared.get("/api/v1/mentions", params={"reference": text}).json()["total"] == 0
    named = shared.post("/api/v1/resolve", json={"reference": {"title": text, "authors": [text]}})
    assert named.status_code == 200, named.text


def test_people_are_added_checked_and_removed(place: Path) -> None:
    with Library(place) as library:
        store = library.store
        add_user(store, "ann", "curator", PASSWORD)
        token = make_token(store, "ann")
        kept = [*store.read("users")["password"], *store.read("tokens")["hash"]]
        assert not any(secret in row for secret in (PASSWORD, token) for row in kept)
        assert kept[0].startswith("$argon2id$")
        assert by_password(store, "ann", PASSWORD) == by_token(store, token) == users(store)[0]
        assert by_password(store, "ann", "wrong wrong") is None
        remove_user(store, "ann")
        assert by_token(store, token) is None
        for name, role, password in (
            ("x", "king", PASSWORD),
            ("", "reader", PASSWORD),
            ("x", "reader", "short"),
        ):
            with pytest.raises(UsageError):
                add_user(store, name, role, password)
        with pytest.raises(UsageError, match="no user is called"):
            make_token(store, "bob")
