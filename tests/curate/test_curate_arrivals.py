"""Where arrivals belong, given their candidates and what curators decided."""

from __future__ import annotations

import polars as pl
import pytest

from samehand.curate.arrivals import Arrival, Settlement, aliases, open_candidates
from samehand.curate.decisions import Closure

BEFORE = {"x": "ada", "y": "bob"}
UNCERTAIN = [("ada", 0.5), ("bob", 0.3), (None, 0.2)]


def closure(*decisions: tuple[str, str, str]) -> Closure:
    rows = [(number, *decision, None) for number, decision in enumerate(decisions, 1)]
    schema = {
        "id": pl.Int64, "judgement": pl.String, "left": pl.String, "right": pl.String, "undone_at": pl.String,
    }  # fmt: skip
    return Closure(pl.DataFrame(rows, schema=schema, orient="row"))


def placed(*decisions: tuple[str, str, str]) -> tuple[str, float, bool]:
    found = Settlement(BEFORE, closure(*decisions)).place(Arrival("m", "new", UNCERTAIN))
    return found.entity, round(found.probability, 3), found.decided


def test_the_likeliest_candidate_wins() -> None:
    assert placed() == ("ada", 0.5, False)


def test_a_curators_same_wins_over_probability() -> None:
    assert placed(("same", "m", "y")) == ("bob", 1.0, True)


def test_a_curators_different_excludes_a_person() -> None:
    assert placed(("different", "m", "x")) == ("bob", 0.6, False)
    assert placed(("different", "m", "x"), ("different", "y", "m")) == ("new", 1.0, False)


def test_different_through_another_mention_excludes_too() -> None:
    assert placed(("same", "x", "far"), ("different", "far", "m"))[0] == "bob"


def test_unsure_says_nothing() -> None:
    assert placed(("unsure", "m", "x")) == placed()


def test_who_followed_an_arrival_goes_where_it_goes() -> None:
    def both(*decisions: tuple[str, str, str]) -> list[str]:
        state = Settlement(BEFORE, closure(*decisions))
        first = state.place(Arrival("m", "new", [(None, 0.9), ("bob", 0.1)]))
        second = state.place(Arrival("n", "newer", [("new", 0.8), (None, 0.2)]))
        return [first.entity, second.entity]

    assert both() == ["new", "new"]
    assert both(("same", "m", "y")) == ["bob", "bob"]
    assert both(("different", "m", "n")) == ["new", "newer"]


def test_entities_that_curators_joined_are_one() -> None:
    joined = closure(("same", "x", "y"))
    assert aliases({**BEFORE, "z": "bob"}, joined) == {"ada": "bob"}
    assert open_candidates(Arrival("m", "new", UNCERTAIN), {"ada": "bob"}, ())[0] == (
        "bob",
        pytest.approx(0.8),
    )
    assert Settlement({**BEFORE, "z": "bob"}, joined).place(Arrival("m", "new", UNCERTAIN)).entity == "bob"
