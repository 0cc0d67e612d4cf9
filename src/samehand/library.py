"""A library: references, their mentions, the entities found, and the curators' decisions, kept in one place.

Every method that writes does so in one transaction: a process killed at any moment leaves the library as it
was before, or as it is after. Decisions and additions take effect at the next run (`samehand.resolve`); on
mentions that arrived since the last one (`assign`), decisions take effect at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import orjson
import polars as pl
from rapidfuzz import process
from rapidfuzz.fuzz import ratio

from samehand.curate.arrivals import concerning
from samehand.curate.decisions import Judgement, is_pair, violations
from samehand.curate.ledger import Named, check_conflict, check_pair, decision_row, listed, login_name
from samehand.errors import LibraryError, UnknownEntityError, UsageError
from samehand.publish.identifiers import assign
from samehand.publish.works import works_of
from samehand.records import ASSIGNMENTS, CLUSTERING, KINDS, MENTIONS, REFERENCES, REJECTS, Kind
from samehand.store import Parameter, Store, open_store
from samehand.store.arrivals import read_among, settle_again
from samehand.store.checks import check_complete, checked
from samehand.store.schema import RUNS, SOURCES, TABLES, WORKS, encode_time
from samehand.store.sources import Source, by_source, unique_ids

if TYPE_CHECKING:
    from samehand.models.stream.assignment import Assignment
    from samehand.models.stream.living import Living
    from samehand.read import Records
    from samehand.records import Reference

ASK = 0.9
"""An author mention whose likeliest person is less probable than this becomes a question."""


@dataclass(frozen=True)
class Added:
    """How many references `Library.add` found new, changed, or as they were; and how many rejects."""

    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    rejects: int = 0


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

    def mentions(self, kind: Kind | None = None) -> pl.DataFrame:
        """The mentions of the last run with their entities; schema `records.ASSIGNMENTS`, then `slot`."""
        with self._store.reading():
            where = _of_kinds([kind] if kind else KINDS)
            return _with_entities(
                self._store.read("mentions", *where), self._store.read("assignments", *where)
            )

    def entities(self, kind: Kind | None = None) -> pl.DataFrame:
        """The entities of the last run, in order of their first mention; schema `store.schema.ENTITIES`."""
        return self._store.read("entities", *_of_kinds([kind] if kind else KINDS)).drop("position")

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
            ledger = self._ledger(all)
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
        counts = {"new": 0, "replaced": 0, "unchanged": 0}
        with self._store.writing():
            known = dict(self._store.read("sources").select("name", "content").iter_rows())
            changed = []
            for source in by_source(references, rejects):
                earlier = known.get(source.name)
                state = "new" if earlier is None else "unchanged" if earlier == source.content else "replaced"
                counts[state] += source.references.height
                if state != "unchanged":
                    changed.append(source)
            self._replace_sources(changed)
        return Added(**counts, rejects=rejects.height)

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
    ) -> int:
        """Make the result of a run the state of the library, and return the number of the run.

        Every mention must be in the clustering of its kind, once. Mentions and entities of kinds that are not
        in `clusterings` stay as they were. Entities keep their identifiers (see publish/identifiers.py). A
        result that breaks a decision made meanwhile is refused with a LibraryError. `works` (columns mention and work)
        says which papers are versions of one work.
        """
        mentions = checked(mentions, MENTIONS, "mentions")
        clusterings = {kind: checked(table, CLUSTERING, kind) for kind, table in clusterings.items()}
        check_complete(mentions, clusterings)
        with self._store.writing():
            self._check_decisions(clusterings)
            run = self._store.number("SELECT COALESCE(MAX(id), 0) + 1 FROM runs")
            assignments = self._identify(run, clusterings)
            self._replace_mentions(mentions, assignments, list(clusterings))
            if "paper" in clusterings:
                self._replace_works(works, assignments)
            row = {
                "id": run,
                "started": started.astimezone(UTC),
                "finished": finished.astimezone(UTC),
                "seed": seed,
                "settings": orjson.dumps(dict(settings), default=str, option=orjson.OPT_SORT_KEYS).decode(),
                "mention_count": assignments.height,
                "entity_count": assignments["entity"].n_unique(),
            }
            self._store.append("runs", pl.DataFrame([row], schema=RUNS))
        return run

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
            return self._entity_of(id)

    def entity(self, id: str) -> Entity:
        """The entity behind an entity id, old or new, or behind a mention id, with its mentions."""
        with self._store.reading():
            live = self._entity_of(id)
            row = self._store.read("entities", '"id" = $1', (live,)).drop("position").row(0, named=True)
            members = '"id" IN (SELECT "mention" FROM assignments WHERE "entity" = $1)'
            mentions = self._store.read("mentions", members, (live,))
            assignments = self._store.read("assignments", '"entity" = $1', (live,))
        return Entity(**row, mentions=_with_entities(mentions, assignments))

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
        by = by or login_name()
        with self._store.writing():
            self._look_again()
            first, second = self._named(left), self._named(right)
            check_pair(first, second)
            ledger = self._ledger()
            same_pair = is_pair(first.mention, second.mention)
            others = concerning(ledger.filter(~same_pair), (first.mention, second.mention))
            check_conflict(verdict, first.mention, second.mention, others)
            number = self._store.number("SELECT COALESCE(MAX(id), 0) + 1 FROM decisions")
            for earlier in ledger.filter(same_pair)["id"]:
                self._retire(earlier, by, number)
            self._store.append("decisions", decision_row(number, verdict, first, second, by, note))
            self._settle([first.mention, second.mention])
        return number

    def undo(self, decision: int | None = None, *, by: str | None = None) -> int:
        """Take back a decision, or the latest one in force; it stays in the ledger. Returns its number.

        Like a decision, this takes effect at the next run; on mentions that arrived since the last, at once.
        """
        with self._store.writing():
            self._look_again()
            ledger = self._ledger(all=True)
            active = ledger.filter(pl.col("undone_at").is_null())["id"].to_list()
            if decision is None and not active:
                raise UsageError("there is no decision to undo")
            number = max(active) if decision is None else decision
            if number not in active:
                known = number in ledger["id"].to_list()
                raise UsageError(f"decision {number} " + ("is undone already" if known else "does not exist"))
            self._retire(number, by or login_name(), None)
            named = ledger.filter(id=number)
            self._settle([*named["left"], *named["right"]])
        return number

    def _look_again(self) -> None:
        """Forget what was learnt of arrivals if another process has changed the library meanwhile."""
        if self._living is not None:
            self._living.refresh()

    def _settle(self, mentions: Sequence[str]) -> None:
        """Move arrivals that a changed decision concerns; what was learnt of their blocks is learnt anew."""
        keys = settle_again(self._store, mentions, self._ledger().filter(kind="author"))
        if self._living is not None:
            self._living.touched(keys)

    def _memory(self) -> Living:
        from samehand.models.stream.living import Living

        if self._living is None:
            self._living = Living(self._store)
        return self._living

    def _ledger(self, all: bool = False) -> pl.DataFrame:
        return self._store.read("decisions", "" if all else '"undone_at" IS NULL').sort("id")

    def _replace_sources(self, sources: Sequence[Source]) -> None:
        if not sources:
            return
        own = []
        for source in sources:
            own.append(self._store.read("references", '"source" = $1', (source.name,), ["id"])["id"])
            for table in ('"references" WHERE "source"', 'rejects WHERE "source"', 'sources WHERE "name"'):
                self._store.execute(f"DELETE FROM {table} = $1", (source.name,))
        taken = self._store.read("references", columns=["id"])["id"]
        references = pl.concat(source.references for source in sources)
        self._append_in_order("references", unique_ids(references, taken, pl.concat(own)))
        self._append_in_order("rejects", pl.concat(source.rejects for source in sources))
        self._store.append("sources", pl.DataFrame([source.row() for source in sources], schema=SOURCES))

    def _append_in_order(self, table: str, frame: pl.DataFrame) -> None:
        start = self._store.number(f'SELECT COALESCE(MAX("position"), -1) + 1 FROM "{table}"')
        position = pl.int_range(start, start + frame.height, dtype=pl.Int64, eager=True)
        self._store.append(table, frame.with_columns(position.alias("position")))

    def _check_decisions(self, clusterings: Mapping[Kind, pl.DataFrame]) -> None:
        ledger = self._ledger()
        for kind, clustering in clusterings.items():
            broken = violations(clustering, ledger.filter(pl.col("kind") == kind))
            if broken.height:
                numbers = listed(broken["decisions"].explode().unique().sort())
                raise LibraryError(
                    f"{self._store.location}: this run is not saved, because it does not follow "
                    f"decision {numbers}, made since it began; run again"
                )

    def _identify(self, run: int, clusterings: Mapping[Kind, pl.DataFrame]) -> pl.DataFrame:
        """Give every cluster its identifier, record what that changed, and return the assignments."""
        kinds = _of_kinds(clusterings)
        columns = ["mention", "kind", "entity"]
        previous, former = (self._store.read(table, *kinds, columns) for table in ("assignments", "former"))
        identified = assign(
            clusterings,
            previous.drop("kind"),
            run=run,
            redirects=self._store.read("redirects"),
            used=self._store.read("events", "\"event\" = 'created'", columns=["entity"])["entity"],
            former=former.drop("kind"),
        )
        tables = [table.with_columns(pl.lit(kind).alias("kind")) for kind, table in clusterings.items()]
        assignments = pl.concat(tables).join(
            identified.entities, on=["kind", "cluster"], maintain_order="left"
        )
        gone = pl.concat([previous, former]).join(assignments, on="mention", how="anti")
        self._replace_rows("former", gone, kinds)
        self._replace_rows("redirects", identified.redirects, ("", ()))
        self._store.append("events", identified.events)
        return assignments

    def _replace_mentions(
        self, mentions: pl.DataFrame, assignments: pl.DataFrame, kinds: Iterable[Kind]
    ) -> None:
        members = mentions.join(assignments, left_on="id", right_on="mention", maintain_order="left")
        entities = members.group_by("entity", "kind", maintain_order=True).agg(
            pl.col("name").first(),
            pl.col("id").first().alias("representative"),
            pl.len().alias("size"),
        )
        where = _of_kinds(kinds)
        self._replace_rows("mentions", mentions, where)
        self._replace_rows("assignments", assignments, where)
        self._replace_rows("entities", entities.rename({"entity": "id"}), where)
        if "author" in kinds:
            self._store.execute("DELETE FROM arrivals")

    def _replace_works(self, works: pl.DataFrame | None, assignments: pl.DataFrame) -> None:
        known = assignments.select("entity", id="mention")
        found = WORKS.to_frame() if works is None else works_of(works, known)
        self._replace_rows("works", found, ("", ()))

    def _replace_rows(self, table: str, frame: pl.DataFrame, where: tuple[str, Sequence[Parameter]]) -> None:
        condition, parameters = where
        self._store.execute(f"DELETE FROM {table}" + (f" WHERE {condition}" if condition else ""), parameters)
        if "position" in TABLES[table]:
            self._append_in_order(table, frame)
        else:
            self._store.append(table, frame)

    def _entity_of(self, id: str) -> str:
        for table, column, answer in (
            ("redirects", "old", "new"),
            ("assignments", "mention", "entity"),
        ):
            found = self._store.read(table, f'"{column}" = $1', (id,), [answer])
            id = found.item() if found.height else id
        if self._store.read("entities", '"id" = $1', (id,), ["id"]).height:
            return id
        raise self._unknown(id)

    def _named(self, id: str) -> Named:
        """The mention that a curator named, or the representative of the entity."""
        mention = self._store.read("mentions", '"id" = $1', (id,), ["kind"])
        if mention.height:
            return Named(id, None, mention.item())
        entity = self._entity_of(id)
        row = self._store.read("entities", '"id" = $1', (entity,)).row(0, named=True)
        return Named(row["representative"], entity, row["kind"])

    def _unknown(self, id: str) -> UnknownEntityError:
        if self._store.read("events", '"entity" = $1', (id,), ["entity"]).height:
            return UnknownEntityError(
                f"{id}: this entity has no mentions any more; see the events of the library"
            )
        entities = self._store.read("entities", columns=["id"])["id"]
        mentions = self._store.read("mentions", 'SUBSTR("id", 1, 3) = $1', (id[:3],), ["id"])["id"]
        near = process.extract(id, [*entities, *mentions], scorer=ratio, limit=3, score_cutoff=50)
        hint = f"; did you mean {listed(match for match, _, _ in near)}?" if near else ""
        return UnknownEntityError(f"{self._store.location}: no entity or mention is called {id!r}{hint}")

    def _retire(self, decision: int, by: str, successor: int | None) -> None:
        """Mark a decision as no longer in force; the ledger keeps it."""
        now = encode_time(datetime.now(UTC))
        self._store.execute(
            'UPDATE decisions SET "undone_at" = $1, "undone_by" = $2, "superseded_by" = $3 WHERE "id" = $4',
            (now, by, successor, decision),
        )


def _with_entities(mentions: pl.DataFrame, assignments: pl.DataFrame) -> pl.DataFrame:
    found = assignments.select("entity", "probability", id="mention")
    return mentions.join(found, on="id", how="left", maintain_order="left").select(*ASSIGNMENTS, "slot")


def _of_kinds(kinds: Iterable[Kind]) -> tuple[str, Sequence[Parameter]]:
    """The rows of these kinds, as a condition and its parameters; no condition where that is every row."""
    wanted = [kind for kind in KINDS if kind in set(kinds)]
    if len(wanted) == len(KINDS):
        return "", ()
    places = ", ".join(f"${number}" for number in range(1, len(wanted) + 1))
    return f'"kind" IN ({places})', wanted
