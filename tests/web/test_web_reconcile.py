"""The reconciliation service: what it finds, how sure it is, and that both versions of the protocol are kept."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

Json = dict[str, Any]
VERSIONS = ("0.2", "1.0-draft")


def match(client: TestClient, *queries: Json) -> list[list[Json]]:
    """The candidates of queries, by version 0.2."""
    batch = {f"q{number}": query for number, query in enumerate(queries)}
    answer = client.post("/reconcile", data={"queries": json.dumps(batch)}, headers={"cookie": ""})
    assert answer.status_code == 200, answer.text
    return [answer.json()[key]["result"] for key in batch]


def given(**properties: Any) -> list[Json]:
    return [{"pid": name, "v": value} for name, value in properties.items()]


def test_a_person_is_matched_by_name_and_evidence(shared: TestClient) -> None:
    alone, helped = match(
        shared,
        {"query": "J. Müller", "type": "Person"},
        {
            "query": "Müller, Jürgen",
            "type": "Person",
            "properties": given(authors=["Ada Lovelace"], venue="J. Anc. Hands"),
        },
    )
    assert alone[0]["name"] == helped[0]["name"] == "Jürgen Müller"
    assert helped[0]["score"] >= alone[0]["score"]
    assert 0 < helped[0]["score"] <= 100
    features = {one["id"]: one["value"] for one in helped[0]["features"]}
    assert features["authors"] > 0
    assert features["probability"] == pytest.approx(helped[0]["score"] / 100, abs=1e-3)


def test_evidence_tells_namesakes_apart(shared: TestClient) -> None:
    hands, graphs = match(
        shared,
        {
            "query": "A. Lovelace",
            "type": "Person",
            "properties": given(authors="Jürgen Müller", title="Hands and thumbs"),
        },
        {
            "query": "A. Lovelace",
            "type": "Person",
            "properties": given(authors="Bo Wu", title="Colouring graphs"),
        },
    )
    assert hands[0]["name"] == "Ada Lovelace"
    assert graphs[0]["name"] == "Alan Lovelace"


def test_a_paper_is_matched_by_title_or_by_doi(shared: TestClient) -> None:
    by_title, by_doi, other = match(
        shared,
        {"query": "On the anatomy of hands and thumbs, part 3", "type": "Paper",
         "properties": given(authors=["Ada Lovelace", "Jürgen Müller"], year=2003, venue="J. Anc. Hands")},
        {"query": "Anatomy", "type": "Paper", "properties": given(doi="https://doi.org/10.1234/HANDS3")},
        {"query": "A treatise on feet", "type": "Paper"},
    )  # fmt: skip
    assert "part 3" in by_title[0]["name"]
    assert by_title[0]["match"]
    assert by_title[1]["score"] < 5
    assert "part 3" in by_doi[0]["name"]
    assert not any(one["match"] for one in other)


def test_a_venue_is_matched_by_another_spelling(shared: TestClient) -> None:
    (found,) = match(shared, {"query": "Journ. of Ancient Hands", "type": "Venue"})
    assert found[0]["name"] == "Journal of Ancient Hands"
    assert found[0]["score"] > 50


def test_what_only_shares_words_is_listed_but_never_matched(shared: TestClient) -> None:
    (found,) = match(shared, {"query": "Lovelace"})
    assert {"Ada Lovelace", "Alan Lovelace"} <= {one["name"] for one in found}
    assert all(one["score"] <= 50 and not one["match"] for one in found)


def test_limits_and_unknown_types_are_kept_to(shared: TestClient) -> None:
    few, nothing, blank = match(
        shared, {"query": "hands", "limit": 2}, {"query": "hands", "type": "Cheese"}, {"query": "  "}
    )
    assert len(few) == 2
    assert nothing == []
    assert blank == []


def conditions(name: str, **properties: Any) -> list[Json]:
    told: list[Json] = [{"matchType": "name", "propertyValue": name}]
    return told + [
        {"matchType": "property", "propertyId": key, "propertyValue": value}
        for key, value in properties.items()
    ]


def test_both_versions_find_the_same(shared: TestClient) -> None:
    (old,) = match(
        shared, {"query": "J. Müller", "type": "Person", "properties": given(authors=["Ada Lovelace"])}
    )
    body = {"queries": [{"type": "Person", "conditions": conditions("J. Müller", authors=["Ada Lovelace"])}]}
    new = shared.post("/reconcile/1.0/match", json=body).json()["results"][0]["candidates"]
    assert [(one["id"], one["score"], one["match"]) for one in old] == [
        (one["id"], one["score"], one["match"]) for one in new
    ]


def test_a_required_condition_leaves_others_out(shared: TestClient) -> None:
    told = conditions("On the anatomy of hands", year=2003)
    told[1]["required"] = True
    body = {"queries": [{"type": "Paper", "conditions": told}]}
    found = shared.post("/reconcile/1.0/match", json=body).json()["results"][0]["candidates"]
    assert len(found) == 1
    assert "part 3" in found[0]["name"]


def test_an_identifier_is_matched_as_it_is(shared: TestClient) -> None:
    id = match(shared, {"query": "Jürgen Müller", "type": "Person"})[0][0]["id"]
    body = {
        "queries": [{"conditions": [{"matchType": "id", "propertyValue": one}]} for one in (id, "nothing")]
    }
    first, second = shared.post("/reconcile/1.0/match", json=body).json()["results"]
    assert first["candidates"][0]["name"] == "Jürgen Müller"
    assert second["candidates"] == []


def test_extending_gives_the_canonical_record(shared: TestClient) -> None:
    id = match(shared, {"query": "On the anatomy of hands and thumbs, part 3", "type": "Paper"})[0][0]["id"]
    asked = {
        "ids": [id, "nothing"],
        "properties": [{"id": "authors", "settings": {"limit": 1}}, {"id": "year"}],
    }
    old = shared.post("/reconcile", data={"extend": json.dumps(asked)}).json()
    assert old["rows"][id]["year"] == [{"int": 2003}]
    assert [one["name"] for one in old["rows"][id]["authors"]] == ["Ada Lovelace"]
    assert old["rows"]["nothing"] == {"authors": [{}], "year": [{}]}
    new = shared.post("/reconcile/1.0/extend", json=asked).json()
    assert new["rows"][0]["properties"][1] == {"id": "year", "values": [{"int": 2003}]}


def test_suggestions_begin_with_what_was_typed(shared: TestClient) -> None:
    names = [one["name"] for one in shared.get("/reconcile/suggest/entity?prefix=jurg").json()["result"]]
    assert names == ["Jürgen Müller"]
    assert [one["id"] for one in shared.get("/reconcile/suggest/type?prefix=pe").json()["result"]] == [
        "Person"
    ]
    assert {"id": "doi"}.items() <= shared.get("/reconcile/suggest/property?prefix=d").json()["result"][
        0
    ].items()


@pytest.mark.parametrize("text", ["[]", "{", '{"q": 1}', '{"q": {"properties": [{}]}}', '"x"'])
def test_a_batch_that_is_none_is_refused(shared: TestClient, text: str) -> None:
    answer = shared.post("/reconcile", data={"queries": text})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("queries is not what the protocol has")


def test_a_batch_of_too_many_is_refused(shared: TestClient) -> None:
    batch = json.dumps({f"q{number}": {"query": "x"} for number in range(101)})
    assert shared.post("/reconcile", data={"queries": batch}).status_code == 400


# Against the protocol's own schemas.


@cache
def folder() -> Path:
    if "SAMEHAND_DATA" not in os.environ:
        pytest.skip(
            "SAMEHAND_DATA is not set: the protocol's schemas are looked for in its folder `reconciliation`"
        )
    return Path(os.environ["SAMEHAND_DATA"]) / "reconciliation"


@cache
def validator(version: str, name: str) -> Any:
    """A validator of one schema; what it refers to is found among its neighbours."""
    from jsonschema import Draft7Validator
    from referencing import Registry, Resource
    from referencing.jsonschema import DRAFT7

    schemas = {
        path.name: json.loads(path.read_text()) for path in (folder() / version / "schemas").glob("*.json")
    }
    own = schemas[f"{name}.json"]
    base = own["$id"].rpartition("/")[0]
    resources = [(f"{base}/{name}", Resource(schema, DRAFT7)) for name, schema in schemas.items()]
    swagger = {"definitions": {"securityDefinitions": {"additionalProperties": SECURITY}}}
    resources.append(("http://swagger.io/v2/schema.json", Resource(swagger, DRAFT7)))
    return Draft7Validator(own, registry=Registry().with_resources(resources))


SECURITY = {
    "type": "object",
    "required": ["type"],
    "properties": {"type": {"enum": ["basic", "apiKey", "oauth2"]}, "in": {"enum": ["header", "query"]}},
}
"""What Swagger 2 says of a security scheme, as far as the examples need it."""


def assert_valid(version: str, name: str, answer: Any) -> None:
    errors = [f"{error.json_path}: {error.message}" for error in validator(version, name).iter_errors(answer)]
    assert errors == [], (version, name)


@pytest.mark.data
@pytest.mark.parametrize("version", VERSIONS)
def test_every_example_is_valid_or_not_as_it_says(version: str) -> None:
    checked = 0
    for path in sorted((folder() / version / "examples").glob("*/*/*.json")):
        name, verdict = path.parts[-3], path.parts[-2]
        if not (folder() / version / "schemas" / f"{name}.json").exists():
            continue
        is_valid = validator(version, name).is_valid(json.loads(path.read_text()))
        assert is_valid == (verdict == "valid"), path
        checked += 1
    assert checked > 20


@pytest.mark.data
@pytest.mark.parametrize("version", VERSIONS)
def test_every_valid_query_of_the_examples_is_answered_validly(shared: TestClient, version: str) -> None:
    for path in (folder() / version / "examples").glob("reconciliation-query-batch/valid/*.json"):
        batch = json.loads(path.read_text())
        if version == "0.2":
            answer = shared.post("/reconcile", data={"queries": json.dumps(batch)})
        else:
            answer = shared.post("/reconcile/1.0/match", json=batch)
        assert answer.status_code == 200, (path, answer.text)
        assert_valid(version, "reconciliation-result-batch", answer.json())
    for path in (folder() / version / "examples").glob("data-extension-query/valid/*.json"):
        asked = json.loads(path.read_text())
        old = {"data": {"extend": json.dumps(asked)}}
        answer = (
            shared.post("/reconcile", **old)
            if version == "0.2"
            else shared.post("/reconcile/1.0/extend", json=asked)
        )
        assert_valid(version, "data-extension-response", answer.json())


@pytest.mark.data
def test_every_invalid_query_of_the_examples_is_refused(shared: TestClient) -> None:
    for path in (folder() / "1.0-draft" / "examples").glob("reconciliation-query-batch/invalid/*.json"):
        answer = shared.post("/reconcile/1.0/match", json=json.loads(path.read_text()))
        assert answer.status_code == 422, path
    for path in (folder() / "0.2" / "examples").glob("reconciliation-query-batch/invalid/*.json"):
        answer = shared.post("/reconcile", data={"queries": path.read_text()})
        assert answer.status_code == 400, path


@pytest.mark.data
@pytest.mark.parametrize(("version", "base"), [("0.2", "/reconcile"), ("1.0-draft", "/reconcile/1.0")])
def test_our_answers_are_valid(
    shared: TestClient, guarded: dict[str, TestClient], version: str, base: str
) -> None:
    for client in (shared, guarded["reader"]):
        assert_valid(version, "manifest", client.get(base).json())
    for name, plural in (("entity", "entities"), ("type", "types"), ("property", "properties")):
        for prefix in ("", "a", "lov"):
            answer = shared.get(f"{base}/suggest/{name}", params={"prefix": prefix})
            assert_valid(version, f"suggest-{plural}-response", answer.json())
    propose = "/reconcile/properties" if version == "0.2" else "/reconcile/1.0/extend/propose"
    for type_name in ("Paper", "Person", "Venue"):
        answer = shared.get(propose, params={"type": type_name})
        assert_valid(version, "data-extension-property-proposal", answer.json())
