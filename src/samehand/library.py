"""A library: references, their mentions, the entities found, and the curators' decisions, kept in one place.

Every method that writes does so in one transaction: a process killed at any moment leaves the library as it
was before, or as it is after. Decisions and additions take effect at the next run (`samehand.resolve`), decisions also
in one that is at work; on mentions that arrived since the last run (`assign`), decisions take effect at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from samehand.curate.acts import Act, Plan
from samehand.curate.decisions import Judgement
from samehand.curate.ledger import login_name
from samehand.records import CLUSTERING, KINDS, MENTIONS, REFERENCES, REJECTS, Kind
from samehand.store import Store, open_store, plans
from samehand.store.acts import act_of, carry_out, preview_act, undo_act
from samehand.store.adding import Added as Added
from samehand.store.adding import add_records
from samehand.store.arrivals import read_among, settle_again
from samehand.store.checks import check_complete, checked
from samehand.store.choices import write_choices
from samehand.store.finding import entity_of, with_entities
from samehand.store.history import state_after
from samehand.store.ledger import latest, read_ledger, record, take_back
from samehand.store.meanwhile import State, state_of
from samehand.store.rows import of_kinds
from samehand.store.runs import About, write_run
from samehand.store.tasks import forget_tasks, record_task

if TYPE_CHECKING:
    from samehand.curate.diff import Diff
    from samehand.models.stream.assignment import Assignment
    from samehand.models.stream.living import Living
    from samehand.read import Records
    from samehand.records import Reference

ASK = 0.9
"""An author mention whose likeliest person is less probable than this becomes a question."""


@dataclass(frozen=True)
class Entity:
    """One entity with its mentions (as `Library.mentions` gives them)."""

    id: str
    kind: Kind
    name: str
    representative: str
    size: int
    mentions: pl.DataFrame


class Library:
    """The library at a location: a file path (SQLite), or "postgresql://..." for a server.

    It is made if it does not exist, unless `create` is false; one made by an older version is brought up to
    date. Several processes may read while one writes; a second writer waits `wait` seconds, then gets a
    LibraryError.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
    ...     library.references().height, library.entities().height
    (0, 0)
    """

    def __init__(self, location: str | Path, *, create: bool = True, wait: float = 30.0) -> None:
        self._store: Store = open_store(location, create=create, wait=wait)
        self._living: Living | None = None

    @classmethod
    def open(cls, location: str | Path, *, create: bool = True, wait: float = 30.0) -> Self:
        """The library at a location; the same as `Library(location)`."""
        return cls(location, create=create, wait=wait)

    def close(self) -> None:
        """Close the library; it cannot be used afterwards."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def store(self) -> Store:
        """Where its tables are, for what reads them in parts (web/find)."""
        return self._store

    def references(self, ids: Sequence[str] | None = None) -> pl.DataFrame:
        """All references, or those with these ids, in the order they were added; schema `records.REFERENCES`."""
        if ids is None:
            return self._store.read("references").drop("position")
        return read_among(self._store, "references", "id", ids).sort("position").drop("position")

    def rejects(self) -> pl.DataFrame:
        """What could not be read, and why; schema `records.REJECTS`."""
        return self._store.read("rejects").drop("position")

    def sources(self) -> pl.DataFrame:
        """Every source once, in the order of their latest addition; schema `store.schema.SOURCES`."""
        return self._store.read("sources").sort("added", "name")

    def runs(self) -> pl.DataFrame:
        """Every run that was saved, oldest first; schema `store.schema.RUNS`."""
        return self._store.read("runs").sort("id")

    def diff(self, before: int, after: int, kind: Kind | None = None) -> Diff:
        """What changed from one run to a later one, and why: merged, split, moved, appeared, vanished.

        >>> import tempfile
        >>> import samehand
        >>> from samehand.records import Reference, references_frame, rejects_frame
        >>> pile = [Reference("x", n, id=f"r{n}", title=f"Title {n}", authors=["Ann Lee"]) for n in (1, 2)]
        >>> records = samehand.Records(references_frame(pile), rejects_frame([]))
        >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
        ...     _ = samehand.resolve(records, library=library, model="baseline")
        ...     _ = library.decide("different", "r1/author/1", "r2/author/1", by="ann")
        ...     _ = samehand.resolve([], library=library, model="baseline")
        ...     [change] = library.diff(1, 2).changes
        >>> change.what, change.mentions, change.why[0].text
        ('split', ['r2/author/1'], 'decision 1 by ann: different r1/author/1 r2/author/1')
        """
        from samehand.curate.diff import diff_runs

        return diff_runs(self, before, after, kind)

    def changes(self) -> pl.DataFrame:
        """What each run changed, mention by mention; schema `store.schema.CHANGES`."""
        return self._store.read("changes").sort("run")

    def state_after(self, run: int) -> pl.DataFrame:
        """The entity of every mention after a run, schema `store.history.STATE`."""
        with self._store.reading():
            return state_after(self._store, run)

    def mentions(self, kind: Kind | None = None) -> pl.DataFrame:
        """The mentions of the last run with their entities; schema `records.ASSIGNMENTS`, then `slot`."""
        with self._store.reading():
            where = of_kinds([kind] if kind else KINDS)
            return with_entities(
                self._store.read("mentions", *where), self._store.read("assignments", *where)
            )

    def entities(self, kind: Kind | None = None) -> pl.DataFrame:
        """The entities of the last run, in order of their first mention; schema `store.schema.ENTITIES`."""
        return self._store.read("entities", *of_kinds([kind] if kind else KINDS)).drop("position")

    def redirects(self) -> pl.DataFrame:
        """Where the identifiers of merged entities lead; schema `publish.identifiers.REDIRECTS`."""
        return self._store.read("redirects").sort("old")

    def events(self, run: int | None = None) -> pl.DataFrame:
        """What runs (or one run) did to the entities; schema `publish.identifiers.EVENTS`."""
        rows = self._store.read("events") if run is None else self._store.read("events", '"run" = $1', (run,))
        return rows.sort("run", "event", "kind", "entity", "other")

    def decisions(self, all: bool = False) -> pl.DataFrame:
        """The decisions in force, or `all` ever made; schema `curate.decisions.DECISIONS`, then `dormant`.

        A decision is dormant while one of its mentions is not in the library; it counts again when both are.
        """
        with self._store.reading():
            ledger = read_ledger(self._store, all=all)
            named = '"id" IN (SELECT "left" FROM decisions UNION SELECT "right" FROM decisions)'
            present = self._store.read("mentions", named)["id"].implode()
        awake = pl.col("left").is_in(present) & pl.col("right").is_in(present)
        return ledger.with_columns((~awake).alias("dormant"))

    def add(self, records: Records) -> Added:
        """Add what was read, source by source; they are resolved at the next run.

        A source whose content is in the library already is left alone. One with the same name and other
        content replaces the earlier one, rejects included. An id that another source has becomes "source:id".
        """
        references = checked(records.references, REFERENCES, "references")
        rejects = checked(records.rejects, REJECTS, "rejects")
        with self._store.writing():
            return add_records(self._store, references, rejects)

    def save_run(
        self,
        mentions: pl.DataFrame,
        clusterings: Mapping[Kind, pl.DataFrame],
        *,
        settings: Mapping[str, Any],
        seed: int,
        started: datetime,
        finished: datetime,
        works: pl.DataFrame | None = None,
        since: State | None = None,
    ) -> int:
        """Make the result of a run the state of the library, and return the number of the run.

        Every mention must be in the clustering of its kind, once. Mentions and entities of kinds that are not
        in `clusterings` stay as they were. Entities keep their identifiers (see publish/identifiers.py). `works` (columns
        mention and work) says which papers are versions of one work.

        `since` is the `state` of the library when the run read its references: what came since is kept
        (store/meanwhile.py). Decisions that were made while it ran are obeyed (curate/obeying.py).
        """
        mentions = checked(mentions, MENTIONS, "mentions")
        clusterings = {kind: checked(table, CLUSTERING, kind) for kind, table in clusterings.items()}
        check_complete(mentions, clusterings)
        about = About(settings, seed, started, finished)
        with self._store.writing():
            forget_tasks(self._store)
            return write_run(self._store, mentions, clusterings, works, about, since)

    def state(self) -> State:
        """What a run takes before it reads the references, for `save_run` to tell what came while it was at work."""
        with self._store.reading():
            return state_of(self._store)

    def revised(self) -> pl.Series:
        """The references that say something else than they did at the last run."""
        run = self._store.number("SELECT COALESCE(MAX(id), 0) + 1 FROM runs")
        return self._store.read("revisions", '"run" = $1', (run,), ["reference"])["reference"].unique()

    def record_task(self, plan: str, step: str, number: int) -> None:
        """Note that a task of an unfinished run in shards is done (samehand.sharded)."""
        with self._store.writing():
            record_task(self._store, plan, step, number)

    def tasks(self) -> pl.DataFrame:
        """The tasks that an unfinished run in shards has done; schema `store.schema.TASKS`."""
        return self._store.read("tasks").sort("finished", "step", "number")

    def assign(
        self, records: Reference | Records, *, keep: bool = False, ask: float = ASK
    ) -> list[Assignment]:
        """Whose the mentions of new references are: for each, the entities it may belong to, likeliest first.

        Only their neighbours are looked up, in the store's index (made at the first call after a run). Nothing is
        changed, unless told to `keep`: then the references are in the library, each under the likeliest entity or a new
        one, and the next run resolves them with everything else. Author mentions whose likeliest person has a
        probability below `ask` become questions (curate/questions.py). A reference that the library has already is
        not added again.

        >>> import tempfile
        >>> from samehand.records import Reference
        >>> paper = Reference("a.bib", 1, id="x", title="On hands", authors=["Ann Lee"])
        >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
        ...     first = library.assign(paper, keep=True)
        ...     library.mentions()["id"].to_list()
        ['x', 'x/author/1']
        """
        from samehand.models.stream.arriving import assign_records

        return assign_records(self._store, self._memory(), records, keep=keep, ask=ask)

    def repair(self) -> list[tuple[str, str]]:
        """Merge persons that `assign` kept as new with others, where later records show it; who went into whom.

        Looked at are the names whose mentions or decisions this object has kept since the last time. No two persons
        of the last run are merged, nor any whom a curator called different.
        """
        from samehand.models.stream.arriving import repair_arrivals

        return repair_arrivals(self._store, self._memory())

    def arrivals(self) -> pl.DataFrame:
        """Author mentions kept by `assign` since the last run, in order; schema `store.schema.ARRIVALS`."""
        return self._store.read("arrivals").drop("position")

    def works(self) -> pl.DataFrame:
        """The papers that are versions of a work with others, as of the last run; schema `store.schema.WORKS`."""
        return self._store.read("works")

    def resolve_id(self, id: str) -> str:
        """The identifier of the live entity behind an entity id, old or new, or behind a mention id."""
        with self._store.reading():
            return entity_of(self._store, id)

    def entity(self, id: str) -> Entity:
        """The entity behind an entity id, old or new, or behind a mention id, with its mentions."""
        with self._store.reading():
            live = entity_of(self._store, id)
            row = self._store.read("entities", '"id" = $1', (live,)).drop("position").row(0, named=True)
            members = '"id" IN (SELECT "mention" FROM assignments WHERE "entity" = $1)'
            mentions = self._store.read("mentions", members, (live,))
            assignments = self._store.read("assignments", '"entity" = $1', (live,))
        return Entity(**row, mentions=with_entities(mentions, assignments))

    def decide(
        self,
        judgement: str,
        left: str,
        right: str,
        *,
        by: str | None = None,
        note: str | None = None,
    ) -> int:
        """Record that two mentions are the "same" entity, "different" ones, or that one is "unsure".

        `left` and `right` are mention ids, or entity ids: an entity stands for its representative, its first
        mention. The decision takes effect at the next run (on mentions that arrived since the last: at once), and holds
        in every later one until it is undone.
        Deciding the same pair again supersedes the earlier decision. Returns the number of the decision.
        """
        verdict = Judgement.parse(judgement)
        with self._store.writing():
            self._look_again()
            number, mentions = record(self._store, verdict, left, right, by=by or login_name(), note=note)
            self._settle(mentions)
        return number

    def undo(self, decision: int | None = None, *, by: str | None = None) -> int:
        """Take back a decision, or the latest one in force; it stays in the ledger. Returns its number.

        Like a decision, this takes effect at the next run; on mentions that arrived since the last, at once. A decision
        that belongs to an act (`merge`, `split`, `move`) takes the whole act back with it.
        """
        with self._store.writing():
            self._look_again()
            number = latest(self._store) if decision is None else decision
            act = act_of(self._store, number)
            if act is not None:
                self._undo_act(act, by)
            else:
                self._settle(take_back(self._store, number, by=by or login_name()))
        return number

    def merge(
        self, left: str, right: str, *, by: str | None = None, note: str | None = None, preview: bool = False
    ) -> Act:
        """Make two entities one, at once and in every later run; with `preview`, only say what that would give.

        The larger one's identifier stays, the other leads to it. See curate/acts.py for the decisions this makes.

        >>> import tempfile
        >>> from samehand.records import Reference
        >>> with tempfile.TemporaryDirectory() as folder, Library(f"{folder}/my.library") as library:
        ...     for id, title in (("x", "On hands"), ("y", "On feet")):
        ...         _ = library.assign(Reference("a.bib", 1, id=id, title=title), keep=True)
        ...     act = library.merge("x", "y")
        ...     act.parts[0].mentions, library.resolve_id("x") == library.resolve_id("y")
        (('x', 'y'), True)
        """
        return self._act(lambda: plans.merge(self._store, left, right), by, note, preview)

    def split(
        self,
        entity: str,
        mentions: Sequence[str],
        *,
        by: str | None = None,
        note: str | None = None,
        preview: bool = False,
    ) -> Act:
        """Make some mentions of an entity one of their own; the larger part keeps the identifier."""
        return self._act(lambda: plans.split(self._store, entity, mentions), by, note, preview)

    def move(
        self,
        mentions: Sequence[str],
        into: str,
        *,
        by: str | None = None,
        note: str | None = None,
        preview: bool = False,
    ) -> Act:
        """Take mentions, all of one entity, out of it and put them into another."""
        return self._act(lambda: plans.move(self._store, mentions, into), by, note, preview)

    def undo_act(self, act: int, *, by: str | None = None) -> int:
        """Take back an act, at once: its decisions, and what it did to mentions that nobody moved since. Its number."""
        with self._store.writing():
            self._undo_act(act, by)
        return act

    def acts(self) -> pl.DataFrame:
        """Every act ever made, oldest first; schema `store.schema.ACTS`."""
        return self._store.read("acts").sort("id")

    def choose(self, paper: str, chosen: Mapping[str, str], *, by: str | None = None) -> None:
        """Have fields of a paper's BibTeX entry as a certain reference wrote them: field -> reference.

        Choices made before on this paper's references are forgotten. Exports follow them.
        """
        with self._store.writing():
            write_choices(
                self._store, self.entity(paper).mentions["reference"].to_list(), chosen, by or login_name()
            )

    def choices(self) -> pl.DataFrame:
        """What `choose` was told; schema `store.schema.CHOICES`."""
        return self._store.read("choices").sort("at", "reference", "field")

    def _act(self, plan: Callable[[], Plan], by: str | None, note: str | None, preview: bool) -> Act:
        if preview:
            with self._store.reading():
                return preview_act(self._store, plan())
        with self._store.writing():
            found = carry_out(self._store, plan(), by or login_name(), note)
            self._forget()
        return found

    def _undo_act(self, act: int, by: str | None) -> None:
        undo_act(self._store, act, by or login_name())
        self._forget()

    def _forget(self) -> None:
        """Learn anew what was learnt of arrivals: an act may have moved any of them."""
        if self._living is not None:
            self._living.forget()

    def _look_again(self) -> None:
        """Forget what was learnt of arrivals if another process has changed the library meanwhile."""
        if self._living is not None:
            self._living.refresh()

    def _settle(self, mentions: Sequence[str]) -> None:
        """Move arrivals that a changed decision concerns; what was learnt of their blocks is learnt anew."""
        keys = settle_again(self._store, mentions, read_ledger(self._store).filter(kind="author"))
        if self._living is not None:
            self._living.touched(keys)

    def _memory(self) -> Living:
        from samehand.models.stream.living import Living

        if self._living is None:
            self._living = Living(self._store)
        return self._living
