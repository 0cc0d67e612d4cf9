"""What comes into a library while a run is at work is kept, and so is what the run found."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import polars as pl
import pytest

import samehand
from samehand.library import Library
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import CLUSTERING, KINDS, REJECTS, Kind, Reference, references_frame
from samehand.store.meanwhile import State


def paper(key: str, author: str, title: str, source: str = "old.bib") -> Reference:
    return Reference(source, 1, id=key, title=title, authors=[author], venue="Hands")


OLD = [
    paper("o1", "Ann Lee", "Thumbs of the left hand"),
    paper("o2", "Ann Lee", "Fingers of the left hand"),
    paper("o3", "Cy Day", "Galaxies"),
]
ARRIVED = paper("n1", "Ann Lee", "Fingers of the right hand", "new.bib")


def records(*references: Reference) -> Records:
    return Records(identify(references_frame(references)), REJECTS.to_frame())


@pytest.fixture
def library(location: str) -> Iterator[Library]:
    with Library(location) as library:
        samehand.resolve(records(*OLD), library=library, model="baseline", threads=1)
        yield library


class Slow:
    """A run that has begun: it knows the library as it was, and is saved when it is told to."""

    def __init__(self, library: Library, joined: tuple[str, ...] = ()) -> None:
        self.library, self.joined, self.since = library, joined, library.state()
        self.mentions = library.mentions().select("id", "kind", "reference", "slot", "name", "entity")

    def save(self, since: State | None) -> int:
        """Everything as it was, but the mentions `joined` in one cluster."""
        now = datetime.now(UTC)
        return self.library.save_run(
            self.mentions,
            {kind: self._clustering(kind) for kind in KINDS},
            settings={"model": "baseline"},
            seed=0,
            started=now,
            finished=now,
            since=since,
        )

    def _clustering(self, kind: Kind) -> pl.DataFrame:
        own = self.mentions.filter(kind=kind)
        label = (
            pl.when(pl.col("id").is_in(pl.Series(self.joined).implode()))
            .then(pl.lit("joined"))
            .otherwise("entity")
        )
        cluster = own.select(label.rank("dense").cast(pl.UInt32) - 1).to_series()
        return own.select(mention="id", cluster=cluster, probability=pl.lit(0.5)).cast(dict(CLUSTERING))


def entity_of(library: Library) -> dict[str, str]:
    return dict(library.mentions().select("id", "entity").iter_rows())


def check_whole(library: Library) -> None:
    """Every reference has its mentions, every mention a live entity, every redirect ends at one."""
    mentions = library.mentions()
    assert set(library.references()["id"]) == set(mentions["reference"])
    sizes = dict(mentions.group_by("entity").len().iter_rows())
    assert dict(library.entities().select("id", "size").iter_rows()) == sizes
    assert set(library.redirects()["new"]) <= set(sizes)


def test_without_news_a_run_is_saved_as_it_is(library: Library) -> None:
    before = library.mentions()
    slow = Slow(library)
    slow.save(slow.since)
    assert library.mentions().drop("probability").equals(before.drop("probability"))


def test_arrivals_stay_with_the_entities_they_were_given(library: Library) -> None:
    slow = Slow(library, ("o1/author/1", "o2/author/1", "o3/author/1"))
    before = entity_of(library)
    library.assign(ARRIVED, keep=True)
    slow.save(slow.since)
    now = entity_of(library)
    assert now["n1/author/1"] == now["o3/author/1"] == before["o1/author/1"]  # it went where Ann Lee went
    assert library.resolve_id(before["o3/author/1"]) == before["o1/author/1"]
    assert library.arrivals()["mention"].to_list() == ["n1/author/1"]
    check_whole(library)


def test_decisions_on_arrivals_still_move_them_after_the_run(library: Library) -> None:
    slow = Slow(library)
    library.assign(ARRIVED, keep=True)
    slow.save(slow.since)
    where = entity_of(library)["n1/author/1"]
    number = library.decide("different", "n1/author/1", "o1/author/1")
    assert entity_of(library)["n1/author/1"] != where
    library.undo(number)
    assert entity_of(library)["n1/author/1"] == where
    check_whole(library)


def test_candidates_are_called_as_they_are_called_after_the_run(library: Library) -> None:
    slow = Slow(library, ("o1/author/1", "o2/author/1", "o3/author/1"))
    day = paper("n2", "Cy Day", "Galaxies and stars", "new.bib")
    library.assign(day, keep=True)
    slow.save(slow.since)
    live = set(library.entities()["id"])
    assert entity_of(library)["n2/author/1"] == entity_of(library)["o3/author/1"]
    for candidates in library.arrivals()["candidates"]:
        assert {
            entity
            for entity, _ in pl.Series([candidates]).str.json_decode(pl.List(pl.List(pl.String))).item()
        } - {None} <= live


def test_a_source_that_was_replaced_takes_its_old_mentions_along(library: Library) -> None:
    slow = Slow(library)
    library.add(records(OLD[0], paper("o4", "Eve Moe", "Acids")))
    slow.save(slow.since)
    assert set(library.mentions()["reference"]) == {"o1"}  # o2 and o3 are gone; o4 comes with the next run
    assert set(library.references()["id"]) == {"o1", "o4"}
    samehand.resolve([], library=library, model="baseline", threads=1)
    check_whole(library)


def test_a_slower_run_does_not_undo_a_faster_one(library: Library) -> None:
    slow = Slow(library)
    fresh = records(paper("m1", "Eve Moe", "Acids", "more.bib"), paper("m2", "Ann Lee", "Feet", "more.bib"))
    samehand.resolve(fresh, library=library, model="baseline", threads=1)
    fast = entity_of(library)
    slow.save(slow.since)
    assert entity_of(library) == fast
    check_whole(library)


def test_a_run_that_does_not_say_when_it_began_is_believed(library: Library) -> None:
    slow = Slow(library)
    library.assign(ARRIVED, keep=True)
    slow.save(None)
    assert "n1" not in entity_of(library)


def test_decisions_made_meanwhile_bind_arrivals_too(library: Library) -> None:
    slow = Slow(library)
    library.assign(ARRIVED, keep=True)
    library.decide("different", "o1/author/1", "o2/author/1")
    library.decide("same", "n1/author/1", "o2/author/1")
    slow.save(slow.since)
    now = entity_of(library)
    assert now["n1/author/1"] == now["o2/author/1"] != now["o1/author/1"]
    check_whole(library)
