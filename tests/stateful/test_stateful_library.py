"""A library through any sequence of additions, runs, decisions, arrivals and accidents keeps all its promises.

Nothing vanishes; decisions are never broken; identifiers of unchanged clusters stay; redirects end where something
lives or has vanished; every earlier state is known; and a run finds what it would find in a fresh library.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import samehand
from samehand.curate.decisions import violations
from samehand.errors import ConflictingDecisionError
from samehand.library import Library
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import KINDS, Reference, Reject, references_frame, rejects_frame

AUTHORS = ["Ann Lee", "A. Lee", "Adam Lee", "Bo Kim", "Kim, B.", "Cy Day"]
TITLES = ["Thumbs and fingers", "Galaxies far away", "On acids", "Thumbs and fingers"]
SOURCES = ["one.bib", "two.bib", "three.bib"]


def reference(source: str, number: int, flavour: int) -> Reference:
    """One of a few references, so that they often speak of the same things."""
    pick = 3 * SOURCES.index(source) + number + flavour if source in SOURCES else number
    return Reference(
        source,
        number + 1,
        id=f"{source}:{number}",
        title=TITLES[pick % len(TITLES)],
        authors=[AUTHORS[pick % len(AUTHORS)], AUTHORS[(pick + 2 * flavour + 3) % len(AUTHORS)]],
        venue="Hands" if pick % 2 else None,
        year=2000 + pick % 3,
    )


def records(*references: Reference, rejected: str | None = None) -> Records:
    rejects = [Reject(rejected, 99, "broken", "@")] if rejected else []
    return Records(identify(references_frame(references)), rejects_frame(rejects))


class Held(Exception):  # noqa: N818
    """A run has got as far as saving."""


class Begun:
    """A library for a run that is held when it wants to save."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def save_run(self, *arguments: Any, **about: Any) -> int:
        raise Held(arguments, about)


class Accident(Exception):  # noqa: N818
    """A process dies in the middle of writing."""


def partition(mentions: pl.DataFrame) -> set[frozenset[str]]:
    return {frozenset(members) for members in mentions.group_by("entity").agg("id")["id"]}


class LivingLibrary(RuleBasedStateMachine):
    """What may happen to a library, and what must hold whatever happens."""

    @initialize()
    def begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.library = Library(self.folder / "my.library")
        self.expected: dict[str, set[str]] = {}
        self.rejects: set[str] = set()
        self.states: list[dict[str, str]] = []
        self.decided = 0
        self.streamed = 0
        for number, source in enumerate(SOURCES):
            self.add(source, 3, number, False)
        self.resolve()

    def teardown(self) -> None:
        if hasattr(self, "library"):
            self.resolve()
            assert partition(self.library.mentions()) == self._afresh()
            self._check_history()
            self.library.close()
            shutil.rmtree(self.folder)

    # What may happen

    @rule(
        source=st.sampled_from(SOURCES),
        count=st.integers(1, 3),
        flavour=st.integers(0, 2),
        broken=st.booleans(),
    )
    def add(self, source: str, count: int, flavour: int, broken: bool) -> None:
        given = [reference(source, number, flavour) for number in range(count)]
        self.library.add(records(*given, rejected=source if broken else None))
        self.expected[source] = {str(one.id) for one in given}
        self.rejects = (self.rejects - {source}) | ({source} if broken else set())

    @rule(pick=st.integers(0, 11))
    def stream(self, pick: int) -> None:
        one = reference("stream.bib", pick, 1)
        one.id = f"stream.bib:{self.streamed}"
        self.streamed += 1
        self.library.assign(one, keep=True)
        self.expected.setdefault("stream.bib", set()).add(one.id)

    @rule()
    def resolve(self) -> None:
        before = self.library.mentions()
        self._run(self.library)
        after = self.library.mentions()
        assert set(after["reference"]) == set(self.library.references()["id"])
        self._check_saved(before, after)

    @rule(
        data=st.data(),
        jobs=st.lists(st.sampled_from(["decide", "stream", "add", "resolve"]), min_size=1, max_size=3),
    )
    def resolve_slowly(self, data: st.DataObject, jobs: list[str]) -> None:
        """A run that others get in before, between its reading and its saving."""
        with pytest.raises(Held) as held:
            self._run(Begun(self.library))
        arguments, about = held.value.args
        for job in jobs:
            if job == "decide":
                self.decide(data, data.draw(st.sampled_from(["same", "different"])))
            elif job == "stream":
                self.stream(data.draw(st.integers(0, 11)))
            elif job == "add":
                self.add(data.draw(st.sampled_from(SOURCES)), data.draw(st.integers(1, 3)), 1, False)
            else:
                self.resolve()
        before = self.library.mentions()
        present = self.library.references()["id"]
        self.library.save_run(*arguments, **about)
        after = self.library.mentions()
        # Of a reference that was revised before the run began, only its paper is sure to be there still.
        kept = (pl.col("kind") == "paper") | pl.col("reference").str.starts_with("stream.bib")
        assert set(before.filter(kept & pl.col("reference").is_in(present.implode()))["id"]) <= set(
            after["id"]
        )
        assert set(after["reference"]) <= set(present)
        self._check_saved(before, after)

    @rule(data=st.data(), word=st.sampled_from(["same", "different", "same", "different", "unsure"]))
    def decide(self, data: st.DataObject, word: str) -> None:
        """A word on two authors, mostly one that the library does not follow yet."""
        entity = dict(self.library.mentions("author").select("id", "entity").iter_rows())
        left = data.draw(st.sampled_from(sorted(entity)))
        others = [other for other in sorted(entity) if other != left]
        wrong = [other for other in others if (entity[other] == entity[left]) == (word == "different")]
        right = data.draw(st.sampled_from(wrong or others))
        try:
            self.library.decide(word, left, right, by="hypothesis")
        except ConflictingDecisionError:
            return
        self.decided += 1

    @rule(data=st.data())
    def act(self, data: st.DataObject) -> None:
        """Merge two authors, or take a mention out of one, at once."""
        authors = self.library.entities("author")
        several = authors.filter(pl.col("size") > 1)["id"].to_list()
        try:
            if several and data.draw(st.booleans()):
                entity = data.draw(st.sampled_from(several))
                mention = data.draw(st.sampled_from(self.library.entity(entity).mentions["id"].to_list()))
                act = self.library.split(entity, [mention], by="hypothesis")
            else:
                pair = st.lists(st.sampled_from(authors["id"].to_list()), min_size=2, max_size=2, unique=True)
                act = self.library.merge(*data.draw(pair), by="hypothesis")
        except ConflictingDecisionError:
            return
        self.decided += len(act.decisions)

    @precondition(lambda self: self.library.decisions().height > 0)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(self.library.decisions()["id"].to_list()))
        assert self.library.undo(number, by="hypothesis") == number

    @rule(statement=st.integers(0, 25), job=st.sampled_from(["resolve", "stream", "add"]))
    def die(self, statement: int, job: str) -> None:
        """Die before some statement of a job; all or nothing of it is done."""
        before = self._snapshot()
        left = statement

        def dying(method: Any) -> Any:
            def call(*arguments: Any, **named: Any) -> Any:
                nonlocal left
                if left == 0 and str(arguments[0]) != "ROLLBACK":
                    raise Accident
                left -= 1
                return method(*arguments, **named)

            return call

        store: Any = self.library.store
        store.execute, store.append = dying(store.execute), dying(store.append)
        try:
            if job == "resolve":
                self._run(self.library)
                self._note_state()
            elif job == "stream":
                self.stream(statement)
            else:
                self.add(SOURCES[statement % 3], 2, 2, False)
        except Accident:
            del store.execute, store.append
            assert self._snapshot() == before
        else:
            del store.execute, store.append

    @rule()
    def repair_and_reopen(self) -> None:
        self.library.repair()
        self.library.close()
        self.library = Library(self.folder / "my.library", create=False)

    # What must hold

    @invariant()
    def nothing_vanishes(self) -> None:
        wanted = {id for ids in self.expected.values() for id in ids}
        assert set(self.library.references()["id"]) == wanted
        assert set(self.library.rejects()["source"]) == self.rejects
        assert self.library.decisions(all=True).height == self.decided

    @invariant()
    def entities_are_what_mentions_say(self) -> None:
        mentions = self.library.mentions()
        assert mentions["entity"].null_count() == 0
        sizes = dict(mentions.group_by("entity").len().iter_rows())
        assert dict(self.library.entities().select("id", "size").iter_rows()) == sizes

    @invariant()
    def redirects_end(self) -> None:
        redirects, living = self.library.redirects(), set(self.library.entities()["id"])
        assert not set(redirects["old"]) & (living | set(redirects["new"]))
        gone = set(self.library.events().filter(event="vanished")["entity"])
        assert set(redirects["new"]) <= living | gone

    def _run(self, library: Any) -> None:
        samehand.resolve(records(), library=library, model="baseline", threads=1)

    def _check_saved(self, before: pl.DataFrame, after: pl.DataFrame) -> None:
        """After any run: decisions hold, and clusters that are as they were are called as they were."""
        self._note_state()
        for kind in KINDS:
            clusters = after.filter(kind=kind).select(mention="id", cluster="entity")
            assert violations(clusters, self.library.decisions().filter(kind=kind)).is_empty()
        called = {frozenset(ids): entity for entity, ids in before.group_by("entity").agg("id").iter_rows()}
        for entity, ids in after.group_by("entity").agg("id").iter_rows():
            assert called.get(frozenset(ids), entity) == entity

    def _note_state(self) -> None:
        self.states.append(dict(self.library.mentions().select("id", "entity").iter_rows()))

    def _check_history(self) -> None:
        for run, state in enumerate(self.states, start=1):
            assert dict(self.library.state_after(run).select("mention", "entity").iter_rows()) == state

    def _afresh(self) -> set[frozenset[str]]:
        """What a new library makes of the same references under the same decisions."""
        with tempfile.TemporaryDirectory() as folder, Library(Path(folder) / "fresh.library") as fresh:
            with fresh.store.writing():
                for table in ("references", "sources", "decisions"):
                    fresh.store.append(table, self.library.store.read(table))
            self._run(fresh)
            return partition(fresh.mentions())

    def _snapshot(self) -> tuple[Any, ...]:
        tables = (
            "references",
            "rejects",
            "sources",
            "mentions",
            "assignments",
            "entities",
            "redirects",
            "events",
        )
        more = ("runs", "changes", "revisions", "arrivals", "former", "decisions")
        return tuple(sorted(map(str, self.library.store.read(table).rows())) for table in (*tables, *more))


TestLivingLibrary = LivingLibrary.TestCase
TestLivingLibrary.settings = settings(
    max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck)
)
