"""Curators' acts in the store: planned, previewed, carried out at once, and taken back.

Identifiers follow the rules of publish/identifiers.py. Everything here is called inside a transaction of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
import polars as pl

from samehand.curate.acts import Act, Part, Plan, check_unbroken
from samehand.curate.decisions import DECISIONS
from samehand.errors import UsageError
from samehand.publish.identifiers import Identifiers, assign
from samehand.records import Kind
from samehand.store import Store
from samehand.store.arrivals import add_events, chunks, delete_among, last_run, read_among
from samehand.store.plans import ledger_about
from samehand.store.rows import next_position
from samehand.store.schema import ACTS, TABLES, encode_time

Moves = Mapping[str, tuple[str, str]]
"""Mention -> the entity it left and the entity it is in now."""


def preview_act(store: Store, plan: Plan) -> Act:
    """What an act would leave; nothing is written."""
    return _act(store, plan, _identified(store, plan))


def carry_out(store: Store, plan: Plan, by: str, note: str | None) -> Act:
    """Do what is planned, and record it."""
    identified = _identified(store, plan)
    found = _act(store, plan, identified)
    moves = {
        mention: (plan.before[mention], part.entity)
        for part in found.parts
        for mention in part.mentions
        if plan.before[mention] != part.entity
    }
    numbers = _decide(store, plan, by, note)
    number = store.number('SELECT COALESCE(MAX("id"), 0) + 1 FROM acts')
    _move(store, moves)
    _replace_redirects(store, identified.redirects, found.parts)
    _fix_arrivals(store, list(plan.before), {old: part.entity for part in found.parts for old in part.taken})
    store.append("events", identified.events)
    row: dict[str, Any] = {
        "id": number,
        "what": plan.what,
        "kind": plan.kind,
        "moves": _encoded(moves),
        "by": by,
        "note": note,
    }
    ends = (numbers[0], numbers[-1]) if numbers else (None, None)
    row |= {"first_decision": ends[0], "last_decision": ends[1], "at": datetime.now(UTC)}
    store.append("acts", pl.DataFrame([dict.fromkeys(ACTS) | row], schema=ACTS))
    return replace(found, id=number, decisions=tuple(numbers))


def undo_act(store: Store, act: int, by: str) -> None:
    """Undo an act: its decisions are no longer in force, and mentions that are where it put them return."""
    row = _in_force(store, act)
    now = encode_time(datetime.now(UTC))
    numbers = _numbers(row)
    if numbers:
        store.execute(
            'UPDATE decisions SET "undone_at" = $1, "undone_by" = $2 '
            'WHERE "undone_at" IS NULL AND "id" BETWEEN $3 AND $4',
            (now, by, numbers[0], numbers[-1]),
        )
    store.execute('UPDATE acts SET "undone_at" = $1, "undone_by" = $2 WHERE "id" = $3', (now, by, act))
    moves = _way_back(store, _decoded(row["moves"]))
    _check_return(store, moves, row["at"])
    _move(store, moves)
    _return_events(store, row["kind"], moves)
    _fix_arrivals(store, list(moves), {})


def act_of(store: Store, decision: int) -> int | None:
    """The act in force that a decision belongs to, if it belongs to one."""
    among = '"undone_at" IS NULL AND "first_decision" <= $1 AND "last_decision" >= $2'
    found = store.read("acts", among, (decision, decision), ["id"])
    return int(found.item()) if found.height else None


def _numbers(row: Mapping[str, Any]) -> list[int]:
    """The numbers of an act's decisions."""
    return (
        [] if row["first_decision"] is None else list(range(row["first_decision"], row["last_decision"] + 1))
    )


def _in_force(store: Store, act: int) -> dict[str, Any]:
    found = store.read("acts", '"id" = $1', (act,))
    if not found.height:
        raise UsageError(f"act {act} does not exist")
    row = found.row(0, named=True)
    if row["undone_at"] is not None:
        raise UsageError(f"act {act} is undone already")
    return row


def _identified(store: Store, plan: Plan) -> Identifiers:
    """The identifiers of the parts; a new one that was given before, to an entity now gone, is not given again."""
    clusters = [(mention, number) for number, part in enumerate(plan.parts) for mention in part]
    clustering = pl.DataFrame(clusters, schema={"mention": pl.String, "cluster": pl.UInt32}, orient="row")
    previous = pl.DataFrame(
        list(plan.before.items()), schema={"mention": pl.String, "entity": pl.String}, orient="row"
    )
    olds = list(dict.fromkeys(plan.before.values()))
    redirects = read_among(store, "redirects", "new", olds)
    used = pl.Series(dtype=pl.String)
    while True:
        found = assign({plan.kind: clustering}, previous, run=last_run(store), redirects=redirects, used=used)
        fresh = [entity for entity in found.entities["entity"] if entity not in olds]
        taken = read_among(store, "events", "entity", fresh, ["entity"])["entity"]
        if taken.is_empty():
            return found
        used = pl.concat([used, taken]).unique()


def _act(store: Store, plan: Plan, identified: Identifiers) -> Act:
    entity = dict(identified.entities.select("cluster", "entity").iter_rows())
    olds = set(plan.before.values())
    leads = identified.redirects.filter(pl.col("old").is_in(pl.Series(sorted(olds)).implode()))
    parts = [
        Part(
            entity[number],
            store.read("mentions", '"id" = $1', (_first(store, mentions),), ["name"]).item(),
            tuple(mentions),
            entity[number] not in olds,
            tuple(leads.filter(new=entity[number])["old"]),
        )
        for number, mentions in enumerate(plan.parts)
    ]
    return Act(None, plan.what, plan.kind, tuple(parts), tuple(plan.words))


def _first(store: Store, mentions: Sequence[str]) -> str:
    found = read_among(store, "mentions", "id", mentions, ["position", "id"])
    return str(found.sort("position")["id"][0])


def _decide(store: Store, plan: Plan, by: str, note: str | None) -> list[int]:
    """Write the decisions of an act; an earlier "unsure" about a pair is superseded. Their numbers."""
    first = store.number('SELECT COALESCE(MAX("id"), 0) + 1 FROM decisions')
    numbers = list(range(first, first + len(plan.words)))
    pairs = {
        frozenset((left, right)): number for number, (_, left, right) in zip(numbers, plan.words, strict=True)
    }
    unsure = store.read("decisions", '"undone_at" IS NULL AND "judgement" = \'unsure\'')
    for row in unsure.iter_rows(named=True):
        later = pairs.get(frozenset((row["left"], row["right"])))
        if later is not None:
            store.execute(
                'UPDATE decisions SET "undone_at" = $1, "undone_by" = $2, "superseded_by" = $3 WHERE "id" = $4',
                (encode_time(datetime.now(UTC)), by, later, row["id"]),
            )
    if numbers:
        store.append("decisions", _rows(plan, numbers, by, note))
    return numbers


def _rows(plan: Plan, numbers: Sequence[int], by: str, note: str | None) -> pl.DataFrame:
    """The decisions of an act, schema `DECISIONS`, all of one moment."""
    words, lefts, rights = zip(*plan.words, strict=True)
    table = pl.DataFrame(
        {"id": numbers, "judgement": [word.value for word in words], "left": lefts, "right": rights}
    )
    same = {"kind": plan.kind, "by": by, "note": note, "at": datetime.now(UTC)}
    rows = table.with_columns(pl.lit(value).alias(name) for name, value in same.items())
    blank = [pl.lit(None).alias(name) for name in DECISIONS if name not in rows.columns]
    return rows.with_columns(blank).select(pl.col(name).cast(dtype) for name, dtype in DECISIONS.items())


def _move(store: Store, moves: Moves) -> None:
    """Give mentions their new entities, and make the rows of all entities concerned what their mentions say."""
    targets: dict[str, list[str]] = {}
    for mention, (_, entity) in moves.items():
        targets.setdefault(entity, []).append(mention)
    for entity, mentions in targets.items():
        for part in chunks(mentions):
            places = ", ".join(f"${number + 2}" for number in range(len(part)))
            store.execute(
                f'UPDATE assignments SET "entity" = $1 WHERE "mention" IN ({places})', (entity, *part)
            )
    concerned = dict.fromkeys(entity for move in moves.values() for entity in move)
    _rewrite_entities(store, list(concerned))


def _rewrite_entities(store: Store, entities: Sequence[str]) -> None:
    """An entity is called after its first mention; one without mentions has no row; a new one comes last."""
    known = dict(read_among(store, "entities", "id", entities).select("id", "position").iter_rows())
    held = read_among(store, "assignments", "entity", entities, ["mention", "entity"])
    mentions = read_among(store, "mentions", "id", held["mention"].to_list())
    after = next_position(store, "entities")
    rows = (
        mentions.join(held, left_on="id", right_on="mention")
        .sort("position")
        .group_by("entity", maintain_order=True)
        .agg(
            pl.col("kind").first(),
            pl.col("name").first(),
            pl.col("id").first().alias("representative"),
            pl.len(),
        )
        .rename({"entity": "id", "len": "size"})
    )
    place = [known.get(entity, after + number) for number, entity in enumerate(rows["id"])]
    delete_among(store, "entities", "id", entities)
    store.append("entities", rows.with_columns(position=pl.Series(place, dtype=pl.Int64)))
    gone = [entity for entity in entities if entity not in set(rows["id"])]
    delete_among(store, "works", "entity", gone)


def _replace_redirects(store: Store, redirects: pl.DataFrame, parts: Sequence[Part]) -> None:
    delete_among(store, "redirects", "old", [*redirects["old"], *(part.entity for part in parts)])
    store.append("redirects", redirects)
    for part in parts:
        for old in part.taken:
            store.execute('UPDATE works SET "work" = $1 WHERE "work" = $2', (part.entity, old))


def _fix_arrivals(store: Store, mentions: Sequence[str], merged: Mapping[str, str]) -> None:
    """Mentions that a curator has dealt with are no arrivals any more; what merged away is nobody's candidate.

    Where an arrival belongs is found anew, from its candidates, whenever somebody decides about its block: without this
    an act would be forgotten there.
    """
    delete_among(store, "arrivals", "mention", mentions)
    for old, new in merged.items():
        store.execute(
            'UPDATE arrivals SET "candidates" = REPLACE("candidates", $1, $2)', (f'"{old}"', f'"{new}"')
        )


def _way_back(store: Store, moves: Moves) -> dict[str, tuple[str, str]]:
    """Where mentions go when an act is undone: mention -> where it is, where it goes.

    A mention that a later act or run has put elsewhere stays. One goes back to the entity it left; if that was merged
    into a third since, to this one.
    """
    named = list(dict.fromkeys(entity for move in moves.values() for entity in move))
    leads = dict(read_among(store, "redirects", "old", named, ["old", "new"]).iter_rows())
    current = dict(
        read_among(store, "assignments", "mention", list(moves), ["mention", "entity"]).iter_rows()
    )
    back: dict[str, tuple[str, str]] = {}
    for mention, (before, after) in moves.items():
        here = current.get(mention)
        if here is not None and here == leads.get(after, after):
            lead = leads.get(before, before)
            back[mention] = (here, before if lead == here else lead)
    return {mention: (here, there) for mention, (here, there) in back.items() if here != there}


def _check_return(store: Store, moves: Moves, made: datetime) -> None:
    """Refuse a return that decisions made since forbid; earlier ones did not prevent what was there before."""
    known = 'SELECT COALESCE(MAX("id"), 0) FROM decisions WHERE "at" <= $1'
    since = store.number(known, (encode_time(made),))
    entities = list(dict.fromkeys(entity for move in moves.values() for entity in move))
    before = dict(read_among(store, "assignments", "entity", entities, ["mention", "entity"]).iter_rows())
    after = before | {mention: there for mention, (_, there) in moves.items()}
    check_unbroken(before, after, ledger_about(store, before), since)


def _return_events(store: Store, kind: Kind | str, moves: Moves) -> None:
    """Entities that live again are no redirects any more; those that are empty now lead to where their mentions went."""
    run = last_run(store)
    ways: dict[tuple[str, str], int] = {}
    for way in moves.values():
        ways[way] = ways.get(way, 0) + 1
    events: list[tuple[int, str, str, str, str | None, int]] = []
    for (here, there), count in ways.items():
        empty = not store.number('SELECT COUNT(*) FROM assignments WHERE "entity" = $1', (here,))
        if store.number('SELECT COUNT(*) FROM redirects WHERE "old" = $1', (there,)):
            store.execute('DELETE FROM redirects WHERE "old" = $1', (there,))
            events.append((run, "returned", str(kind), there, None, count))
        events.append((run, "merged" if empty else "split", str(kind), here, there, count))
        if empty:
            store.execute('UPDATE redirects SET "new" = $1 WHERE "new" = $2', (there, here))
            store.append(
                "redirects", pl.DataFrame([(here, there, run)], schema=TABLES["redirects"], orient="row")
            )
    if events:
        add_events(store, events)


def _encoded(moves: Moves) -> str:
    return orjson.dumps([[mention, *way] for mention, way in moves.items()]).decode()


def _decoded(text: str) -> dict[str, tuple[str, str]]:
    return {mention: (before, after) for mention, before, after in orjson.loads(text)}
