"""`samehand explain` and the reasons in `samehand entity`, as a person uses them on the demonstration library."""

from __future__ import annotations

from pathlib import Path

import orjson
import polars as pl
import pytest
import typer
from lxml import etree
from typer.testing import CliRunner, Result

import samehand
from samehand.cli.curate import entity
from samehand.cli.explain import explain
from samehand.errors import SamehandError

MESSY = Path(__file__).parents[2] / "examples" / "messy"

app = typer.Typer()
app.command()(explain)
app.command()(entity)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("explain") / "my.library"
    with samehand.Library(place) as opened:
        samehand.resolve(MESSY, library=opened, threads=1)
    return place


def called(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "120"})


def person(library: Path, last_name: str) -> str:
    """The entity with most mentions of this last name."""
    with samehand.Library(library) as opened:
        found = opened.entities("author").filter(pl.col("name").str.contains(last_name))
    return str(found.sort("size", descending=True)["id"][0])


def test_two_authors_are_explained_for_people(library: Path) -> None:
    run = called("explain", person(library, "Turing"), person(library, "Codd"), "--library", library)
    assert run.exit_code == 0, run.output
    for part in ("Turing", "Codd", "Two persons in the library", "score"):
        assert part in run.output


def test_a_person_alone_is_explained_by_its_weakest_join(library: Path) -> None:
    hoare = person(library, "Hoare")
    found = orjson.loads(called("explain", hoare, "--library", library, "--json").output)
    assert found["entity"] == hoare
    assert found["score"] == pytest.approx(
        found["prior"]["contribution"] + sum(bar["contribution"] for bar in found["bars"])
    )
    mention = found["left"]["mentions"][0]
    alone = orjson.loads(called("explain", mention, "--library", library, "--json").output)
    assert alone["left"]["mentions"] == [mention]


def test_a_picture_is_drawn_beside(library: Path, tmp_path: Path) -> None:
    picture = tmp_path / "why.svg"
    run = called("explain", person(library, "Hoare"), "--library", library, "--picture", picture)
    assert "score" in run.output
    assert "Hoare" in "".join(etree.parse(picture).getroot().itertext())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no entity or mention is called 'nobody'"),
        (["nobody", "--picture", "why.png"], "name a file that ends in .svg"),
    ],
)
def test_bad_use_is_told(library: Path, arguments: list[str], message: str) -> None:
    run = called("explain", *arguments, "--library", library)
    assert isinstance(run.exception, SamehandError)
    assert run.exception.status == 2
    assert message in str(run.exception)


def test_an_entity_says_why_it_is_one_person(library: Path) -> None:
    hoare = person(library, "Hoare")
    run = called("entity", library, hoare)
    assert "Why one person" in run.output
    assert "how ambiguous the name is" in run.output
    known = orjson.loads(called("entity", library, hoare, "--json").output)
    assert known["why"]["entity"] == hoare
    assert "Why one person" not in called("entity", library, person(library, "Forgotten")).output


def test_an_entity_is_shown_when_its_reasons_cannot_be(library: Path, tmp_path: Path) -> None:
    """The file of weights of the last run is gone: the entity is shown all the same, and the reason told."""
    from samehand.models.persons.weights import default

    weights, place = tmp_path / "weights.toml", tmp_path / "my.library"
    weights.write_text(default().toml(), encoding="utf-8")
    with samehand.Library(place) as opened:
        samehand.resolve(MESSY, library=opened, weights=weights, threads=1)
    weights.unlink()
    run = called("entity", place, person(place, "Hoare"))
    assert run.exit_code == 0, run.output
    assert "weights.toml: No such file" in " ".join(run.output.split())
