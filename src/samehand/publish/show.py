"""One entity, and the decisions in force, as a person reads them in a terminal and a program as JSON."""

from __future__ import annotations

from typing import Any

import orjson
import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samehand.errors import UsageError
from samehand.library import Entity, Library
from samehand.models.papers.merged import merged
from samehand.models.persons.explain import explain
from samehand.models.persons.explanation import Explanation
from samehand.publish import canonical
from samehand.publish.exports import EXPORTS
from samehand.publish.shown import shown
from samehand.publish.waterfall import print_waterfall

MENTIONS_SHOWN = 50


def describe(library: Library, identifier: str) -> dict[str, Any]:
    """Everything a library knows of one entity: record, mentions, merged identifiers, decisions."""
    entity = library.entity(identifier)
    references, mentions = library.references(), library.mentions()
    concerned = entity.mentions["reference"].unique().implode()
    references = references.filter(pl.col("id").is_in(concerned))
    mentions = mentions.filter(pl.col("reference").is_in(concerned))
    works = library.works()
    table = EXPORTS[f"{entity.kind}s"](references, mentions, works)
    record = table.filter(pl.col("entity") == entity.id).row(0, named=True)
    own = entity.mentions["id"].implode()
    decisions = library.decisions().filter(pl.col("left").is_in(own) | pl.col("right").is_in(own))
    return {
        "id": entity.id,
        "kind": entity.kind,
        "record": {name: value for name, value in record.items() if value not in (None, [], "")},
        "sure": _sure(references, entity) if entity.kind == "paper" else {},
        "versions": _versions(library, works, record.get("work"), entity.id),
        "mentions": entity.mentions.select("id", "name", "reference", "probability").to_dicts(),
        "merged_from": library.redirects().filter(pl.col("new") == entity.id)["old"].to_list(),
        "decisions": decisions.select("id", "judgement", "left", "right", "by", "at", "note").to_dicts(),
    }


def _sure(references: pl.DataFrame, entity: Entity) -> dict[str, float]:
    """The probability of each field of a paper, by the votes of its references (models/papers/merged.py)."""
    own = entity.mentions.select("probability", id="reference")
    voting = own.join(references, on="id", how="inner", maintain_order="left")
    found = merged(voting, voting.select("probability", cluster=pl.lit(0, pl.UInt32))).row(0, named=True)
    shares = {
        name.removesuffix("_probability"): found[name] for name in found if name.endswith("_probability")
    }
    return {name: share for name, share in shares.items() if share is not None}


def _versions(library: Library, works: pl.DataFrame, work: str | None, own: str) -> list[dict[str, Any]]:
    """The other papers of a work: id, type, venue, year; none for what is no paper."""
    if work is None:
        return []
    others = works.filter((pl.col("work") == work) & (pl.col("entity") != own))["entity"]
    mentions = library.mentions()
    held = mentions.filter(pl.col("entity").is_in(others.implode()))["reference"]
    references = library.references().filter(pl.col("id").is_in(held.implode()))
    inside = mentions.filter(pl.col("reference").is_in(held.implode()))
    papers = canonical.papers(references, inside, works).filter(pl.col("entity").is_in(others.implode()))
    return papers.select("type", "venue", "year", id="entity").to_dicts()


def why_one(library: Library, entity: Entity) -> Explanation | str:
    """The weakest join of a person, or why there is none to tell."""
    if entity.kind != "author":
        return "papers and venues have no explanation yet"
    if entity.size == 1:
        return "it has one mention only"
    try:
        return explain(library, entity.id, entity.id)
    except UsageError as error:
        return str(error)


def entity_json(library: Library, identifier: str) -> str:
    """`describe` as one JSON object; `why` is the explanation of a person's weakest join, or a sentence."""
    why = why_one(library, library.entity(identifier))
    told = {"why": why if isinstance(why, str) else why.to_dict()}
    return orjson.dumps(describe(library, identifier) | told).decode()


def explanation_json(explanation: Explanation) -> str:
    """An explanation as one JSON object."""
    return orjson.dumps(explanation.to_dict()).decode()


def print_explanation(explanation: Explanation) -> None:
    """An explanation for people."""
    print_waterfall(explanation, Console(highlight=False))


def print_entity(library: Library, identifier: str) -> None:
    """`describe` for people, and why it is one person."""
    known = describe(library, identifier)
    console = Console(highlight=False)
    name = known["record"].get("name") or known["record"].get("title") or known["id"]
    console.print(Text(f"{name}", style="bold"), Text(f"  {known['kind']} {known['id']}", style="dim"))
    if identifier in known["merged_from"]:
        console.print(Text(f"{identifier} was merged into {known['id']}", style="yellow"))
    console.print(_fields(known["record"]))
    if known["sure"]:
        told = ", ".join(f"{name} {share:.2f}" for name, share in known["sure"].items())
        console.print(Text(f"how sure each field is: {told}", style="dim"))
    for version in known["versions"]:
        told = ", ".join(str(version[name]) for name in ("type", "venue", "year") if version[name])
        console.print(Text(f"another version of this work: {version['id']}  {told}"))
    console.print(_mentions(known["mentions"]))
    for decision in known["decisions"]:
        console.print(Text(_sentence(decision)))
    _print_why(library, known, console)


def _print_why(library: Library, known: dict[str, Any], console: Console) -> None:
    """Why a person of several mentions is one: what holds it together least, and what speaks against."""
    if known["kind"] != "author" or len(known["mentions"]) == 1:
        return
    console.print(Text("\nWhy one person", style="bold"))
    why = why_one(library, library.entity(known["id"]))
    if isinstance(why, str):
        console.print(Text(why))
    else:
        print_waterfall(why, console)


def print_decisions(library: Library) -> None:
    """The decisions in force, one a line."""
    decisions = library.decisions()
    for decision in decisions.iter_rows(named=True):
        print(_sentence(decision) + (" (dormant: not in the library now)" if decision["dormant"] else ""))
    if decisions.is_empty():
        print("no decisions in force")


def _sentence(decision: dict[str, Any]) -> str:
    note = f": {decision['note']}" if decision["note"] else ""
    return (
        f"decision {decision['id']}: {decision['judgement']} {decision['left']} {decision['right']}, "
        f"{decision['by']}, {decision['at']:%Y-%m-%d %H:%M}{note}"
    )


def _fields(record: dict[str, Any]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for field, value in record.items():
        if field not in ("entity", "name", "title"):
            shown = "; ".join(map(str, value)) if isinstance(value, list) else str(value)
            table.add_row(Text(field, style="dim"), Text(shown))
    return table


def _mentions(mentions: list[dict[str, Any]]) -> Table:
    """The mentions, the least sure first where the model says how sure it is."""
    known = [mention for mention in mentions if mention["probability"] is not None]
    ordered = (
        sorted(mentions, key=lambda mention: mention["probability"])
        if len(known) == len(mentions)
        else mentions
    )
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in ("mention", "as written", *(["probability"] if known else [])):
        table.add_column(heading)
    for mention in ordered[:MENTIONS_SHOWN]:
        probability = mention["probability"]
        sure = "" if probability is None else f"{probability:.2f}"
        table.add_row(Text(shown(mention["id"])), Text(shown(mention["name"])), *([sure] if known else []))
    if len(mentions) > MENTIONS_SHOWN:
        table.add_row(f"... and {len(mentions) - MENTIONS_SHOWN:,} more (--json lists all)")
    return table
