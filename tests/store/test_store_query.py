"""Queries of any kind: order, types and parameters are the same on every back end."""

from __future__ import annotations

import polars as pl
import pytest

from samehand.errors import LibraryError
from samehand.store import open_store
from samehand.store.schema import WORKS

SCHEMA = pl.Schema({"entity": pl.String(), "work": pl.String(), "number": pl.Int64()})
ROWS = pl.DataFrame([("p1", "w"), ("p2", "x"), ("p3", "w")], schema=WORKS, orient="row")


def test_rows_come_in_the_order_asked_for(location: str) -> None:
    store = open_store(location)
    store.append("works", ROWS)
    sql = 'SELECT "entity", "work", 7 AS "number" FROM works WHERE "work" = $1 ORDER BY "entity" DESC LIMIT 5'
    assert store.query(SCHEMA, sql, ("w",)).rows() == [("p3", "w", 7), ("p1", "w", 7)]
    assert store.query(SCHEMA, sql, ("nothing",)).schema == SCHEMA


def test_what_is_null_at_first_has_its_type(location: str) -> None:
    store = open_store(location)
    store.append("works", ROWS)
    given = 'CASE WHEN "entity" = \'p3\' THEN "work" END'
    sql = f'SELECT "entity", {given} AS "work", CAST(NULL AS BIGINT) AS "number" FROM works ORDER BY "entity"'
    found = store.query(SCHEMA, sql)
    assert found.schema == SCHEMA
    assert found["work"].to_list() == [None, None, "w"]


def test_the_first_row_as_plain_values(location: str) -> None:
    store = open_store(location)
    store.append("works", ROWS)
    sql = 'SELECT "entity", 2 FROM works WHERE "entity" > $1 ORDER BY "entity"'
    assert store.first(sql, ("p1",)) == ("p2", 2)
    assert store.first(sql, ("p9",)) is None


def test_parameters_of_every_kind(location: str) -> None:
    store = open_store(location)
    store.append("works", ROWS)
    sql = 'SELECT COUNT(*) FROM works WHERE "entity" >= $1 AND LENGTH("work") = $2'
    assert store.number(sql, ("p2", 1)) == 2


def test_a_wrong_query_is_a_library_error(location: str) -> None:
    with pytest.raises(LibraryError, match="cannot read"):
        open_store(location).query(SCHEMA, "SELECT nonsense FROM works")
