"""Finding entities: by words, classes and order; and lists that follow what happens to the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from samehand.library import Library
from samehand.records import Reference
from samehand.store import Store
from samehand.web.find import entity, keeper, ledger, rows
from samehand.web.find.entities import SIZE_CLASSES, SURE_CLASSES, Search, search
from samehand.web.find.keeper import refresh
from samehand.web.find.paging import Asked
from samehand.web.find.state import found_state, state


@pytest.fixture
def library(place: Path) -> Iterator[Library]:
    with Library(place) as opened:
        refresh(opened)
        yield opened


def names(store: Store, **wanted: object) -> list[str]:
    return [row["name"] for row in search(store, Search(**wanted)).page.rows]  # type: ignore[arg-type]


def id_of(store: Store, words: str) -> str:
    return str(search(store, Search(kind="author", words=words)).page.rows[0]["entity"])


def everything(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """The tables, with entities in the place of the numbers that only order them."""
    numbers = store.read("facts", columns=["place", "entity"])
    found = {"facts": store.read("facts").drop("place"), "records": store.read("records")}
    for table in ("words", "links", "years"):
        found[table] = store.read(table).join(numbers, on="place").drop("place")
    found["facets"] = store.read("facets")
    return {name: sorted(frame.rows(), key=str) for name, frame in found.items()}


def test_the_longest_lists_are_first_and_whole_words_before_beginnings(library: Library) -> None:
    store = library.store
    sizes = [row["size"] for row in search(store, Search(kind="author")).page.rows]
    assert sizes == sorted(sizes, reverse=True)
    assert names(store, kind="author", words="wu")[0] == "Bo Wu"
    assert set(names(store, kind="author", words="wu")) == {"Bo Wu", "Bo Wung"}
    assert names(store, kind="author", words="w bo") == names(store, kind="author", words="bo w")


def test_a_letter_alone_is_an_initial(library: Library) -> None:
    assert names(library.store, kind="author", words="a") == ["Ada Lovelace"]


@pytest.mark.parametrize("sort", ["name", "doubt", "year", "size"])
@pytest.mark.parametrize("words", ["", "lovelace", "hands"])
def test_pages_divide_a_list_and_keep_its_order(library: Library, sort: str, words: str) -> None:
    whole = search(library.store, Search(words=words, sort=sort), Asked(1, 200))  # type: ignore[arg-type]
    parts = [
        search(library.store, Search(words=words, sort=sort), Asked(number, 3)).page.rows  # type: ignore[arg-type]
        for number in range(1, -(-whole.page.total // 3) + 1)
    ]
    assert [row for part in parts for row in part] == whole.page.rows
    if sort == "year":
        years = [row["last_year"] for row in whole.page.rows]
        assert years == sorted(years, reverse=True)


def test_facets_count_what_choosing_them_gives(library: Library) -> None:
    for words in ("", "hands", "lo"):
        facets = search(library.store, Search(words=words)).facets
        for kind, count in facets["kind"].items():
            assert search(library.store, Search(kind=kind, words=words)).page.total == count  # type: ignore[arg-type]
        for size in SIZE_CLASSES:
            assert search(library.store, Search(words=words, size=size)).page.total == facets["size"].get(
                size, 0
            )
        for sure in SURE_CLASSES:
            assert search(library.store, Search(words=words, sure=sure)).page.total == facets["sure"].get(
                sure, 0
            )
        for decade in ("1990", "2000"):
            found = search(library.store, Search(words=words, decade=int(decade))).page.total
            assert found == facets["decade"].get(decade, 0)


def test_nothing_is_made_twice(library: Library) -> None:
    assert found_state(library.store) == state(library.store)
    assert refresh(library) is False


def test_lists_follow_decisions_and_acts_as_if_made_anew(library: Library) -> None:
    store = library.store
    merged = library.merge(id_of(store, "bo wu"), id_of(store, "jurgen"), by="ann")
    assert merged
    refresh(library)
    followed = everything(store)
    assert len(names(store, kind="author", words="jurgen")) == 1
    store.execute("DELETE FROM meta WHERE \"key\" = 'found'")
    refresh(library)
    anew = everything(store)
    redirects = dict(library.redirects().select("old", "new").iter_rows())
    followed["links"] = sorted(
        {tuple(redirects.get(str(value), value) for value in row) for row in followed["links"]}, key=str
    )
    for table in ("facts", "records", "words", "years", "facets"):
        if table != "records":
            assert followed[table] == anew[table], table
    assert {row[1] for row in followed["links"]} <= {row[1] for row in anew["links"]} | set(
        redirects.values()
    )


def test_what_is_decided_while_lists_are_made_is_taken_in_next(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = library.store
    store.execute("DELETE FROM meta WHERE \"key\" = 'found'")
    made = keeper.tables

    def meanwhile(*frames: pl.DataFrame) -> keeper.Tables:
        with Library(store.location) as other:
            other.merge(id_of(store, "bo wu"), id_of(store, "jurgen"), by="ann")
        return made(*frames)

    with monkeypatch.context() as patch:
        patch.setattr(keeper, "tables", meanwhile)
        refresh(library)
    assert store.number("SELECT COUNT(*) FROM facts") == library.entities().height + 1
    assert refresh(library)
    assert store.number("SELECT COUNT(*) FROM facts") == library.entities().height
    assert refresh(library) is False


def test_lists_follow_what_arrives(library: Library) -> None:
    new = Reference(
        "new.bib", 1, id="new", title="On feet and toes", authors=["Zoë Zimmermann", "Jürgen Müller"]
    )
    library.assign(new, keep=True)
    refresh(library)
    assert names(library.store, words="zoe zimmer") == ["Zoë Zimmermann"]
    zoe = id_of(library.store, "zimmermann")
    assert [row["name"] for row in entity.linked(library.store, zoe, "coauthor").rows] == ["Jürgen Müller"]
    muller = entity.whole(library, id_of(library.store, "muller"))
    assert muller.facts is not None
    assert muller.facts["size"] == 7


def test_an_entity_that_just_came_has_a_record_before_lists_are_made(library: Library) -> None:
    new = Reference("new.bib", 1, id="new", title="On feet and toes", authors=["Zoë Zimmermann"], year=2020)
    found = library.assign(new, keep=True)
    author = next(one.entity for one in found if one.kind == "author")
    told = entity.whole(library, str(author))
    assert told.facts is None
    assert (told.record["name"], told.record["first_year"]) == ("Zoë Zimmermann", 2020)


def test_decisions_about_an_entity_are_those_on_its_mentions(library: Library) -> None:
    library.decide("different", "hands0/author/1", "graphs0/author/1", by="ann", note="100%_sure!")
    library.decide("unsure", "graphs1/author/1", "graphs2/author/1", by="bob")
    ada = library.resolve_id("hands0/author/1")
    about = ledger.decisions_about(library.store, ada)
    assert [row["by"] for row in about.rows] == ["ann"]
    assert ledger.decisions(library.store, ledger.Asking(text="100%_SURE!")).total == 1
    assert ledger.decisions(library.store, ledger.Asking(text="100__")).total == 0
    assert ledger.decisions(library.store, ledger.Asking(by="bob")).total == 1
    assert ledger.decisions(library.store, ledger.Asking(kind="paper")).total == 0


def test_an_undone_decision_is_no_longer_in_force(library: Library) -> None:
    number = library.decide("unsure", "graphs1/author/1", "graphs2/author/1", by="bob")
    library.undo(number, by="ann")
    assert ledger.decisions(library.store, ledger.Asking(standing="in force")).total == 0
    assert ledger.decisions(library.store, ledger.Asking(standing="undone")).rows[0]["undone_by"] == "ann"


def test_rows_are_those_of_the_library(library: Library) -> None:
    counted = rows.counts(library.store)
    assert counted["mentions"] == library.mentions().height
    assert counted["authors"] == library.entities("author").height
    first = rows.mentions(library.store, "author", asked=Asked(1, 200))
    assert [row["id"] for row in first.rows] == library.mentions("author")["id"].to_list()
    assert rows.references(library.store, Asked(1, 200)).rows == library.references().to_dicts()
    assert rows.rejects(library.store).rows == library.rejects().to_dicts()
    assert rows.run(library.store, 1)["mention_count"] == counted["mentions"]
    library.assign(Reference("new.bib", 1, id="new", title="On feet", authors=["Zoë Zimmermann"]), keep=True)
    assert rows.counts(library.store)["mentions"] == library.mentions().height == counted["mentions"] + 2
    assert rows.mentions(library.store, "author").total == first.total + 1


def test_the_same_is_found_on_a_server(location: str) -> None:
    """SQLite and PostgreSQL in turn."""
    from .conftest import make

    make(location)
    with Library(location) as library:
        assert refresh(library)
        store = library.store
        assert names(store, kind="author", words="muller jur") == ["Jürgen Müller"]
        assert search(store, Search(kind="paper", sort="year")).page.rows[0]["last_year"] == 2005
        muller = id_of(store, "muller")
        assert entity.mentions_of(store, muller).total == 6
        assert entity.years_of(store, muller)[0] == (2000, 1)
        assert entity.linked(store, muller, "paper").total == 6
        assert entity.variants_of(store, muller).rows[0]["count"] == 6
        assert entity.events_of(store, muller).rows[0]["event"] == "created"
        assert entity.versions_of(store, muller) == []
        library.decide("different", "hands0/author/1", "graphs0/author/1", by="ann")
        assert refresh(library)
        assert ledger.decisions(store, ledger.Asking(text="ANN")).total == 1
        assert rows.mentions(store, reference="hands0").total == 4
        assert isinstance(store.read("facts"), pl.DataFrame)
