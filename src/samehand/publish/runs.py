"""The runs of a library and what changed between two of them, for people in a terminal and for programs as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samehand.curate.diff import Change, Diff
from samehand.curate.differences import merges_and_splits
from samehand.library import Library
from samehand.progress import counted
from samehand.publish.shown import shown

CHANGES_SHOWN = 20
NAME_SHOWN = 40
TABLE_WIDTH = 120
"""A narrower terminal breaks the lines, rather than that figures are cut."""

SENTENCES = {
    "merged": "{entity} into {other}",
    "split": "{other} off {entity}",
    "moved": "from {entity} to {other}",
    "renamed": "{entity} to {other}",
}
"""After the word itself; where there is no other entity, the entity alone."""


def describe_runs(library: Library) -> list[dict[str, Any]]:
    """Every run, oldest first: when, how long, with which settings, how much, what it merged and split."""
    counts = {run: (merged, split) for run, merged, split in merges_and_splits(library.changes()).iter_rows()}
    return [_described(row, *counts.get(row["id"], (0, 0))) for row in library.runs().iter_rows(named=True)]


def _described(row: Mapping[str, Any], merged: int, split: int) -> dict[str, Any]:
    settings = orjson.loads(row["settings"])
    trace = settings.pop("trace", {})
    return {
        "run": row["id"],
        "started": row["started"],
        "saved": row["saved"],
        "seconds": round((row["finished"] - row["started"]).total_seconds(), 3),
        "model": settings.pop("model", None),
        "seed": row["seed"],
        "mentions": row["mention_count"],
        "entities": row["entity_count"],
        "merged": merged,
        "split": split,
        "settings": {name: value for name, value in settings.items() if name != "seed"},
        "steps": {name: round(seconds, 3) for name, seconds in trace.get("steps", {}).items()},
        "version": trace.get("version"),
    }


def unfinished(library: Library) -> dict[str, Any] | None:
    """What a run in shards that is not saved yet has done: how many tasks of each step, and when the last; None if there
    is none."""
    tasks = library.tasks()
    if tasks.is_empty():
        return None
    counts = tasks.group_by("step", maintain_order=True).len()
    return {"run": None, "tasks": dict(counts.iter_rows()), "last": tasks["finished"].max()}


def run_json(run: Mapping[str, Any]) -> str:
    """A run as one JSON object."""
    return orjson.dumps(run).decode()


def print_runs(runs: list[dict[str, Any]], under_way: Mapping[str, Any] | None = None) -> None:
    """The runs as a table, and a line about one that is not finished."""
    if runs:
        _print_table(runs)
    else:
        print("no runs yet")
    if under_way is not None:
        done = ", ".join(f"{count:,} of {step}" for step, count in under_way["tasks"].items())
        print(
            f"a run in shards is not finished: tasks done: {done}; the last at {under_way['last']:%Y-%m-%d %H:%M}."
        )
        print("The command that began it goes on with it.")


def _print_table(runs: list[dict[str, Any]]) -> None:
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for heading in (
        "run",
        "started",
        "took",
        "model",
        "seed",
        "mentions",
        "entities",
        "merged",
        "split",
        "settings",
    ):
        right = heading in ("run", "took", "seed", "mentions", "entities", "merged", "split")
        table.add_column(heading, justify="right" if right else "left", no_wrap=heading != "settings")
    for run in runs:
        told = (f"{name} {value}" for name, value in run["settings"].items() if value is not None)
        table.add_row(
            str(run["run"]),
            f"{run['started']:%Y-%m-%d %H:%M}",
            f"{run['seconds']:,.1f} s",
            Text(shown(run["model"] or "")),
            str(run["seed"]),
            *(f"{run[name]:,}" for name in ("mentions", "entities", "merged", "split")),
            Text(shown(", ".join(told))),
        )
    Console(highlight=False, width=max(Console().width, TABLE_WIDTH)).print(table)


def diff_json(diff: Diff) -> str:
    """A diff as one JSON object."""
    return orjson.dumps(diff.to_dict()).decode()


def print_diff(diff: Diff) -> None:
    """What changed, in a line; then the most telling changes, each with why."""
    console = Console(highlight=False, soft_wrap=True)
    counts = ", ".join(f"{count:,} {what}" for what, count in diff.counts().items())
    console.print(Text(f"run {diff.before} -> {diff.after}: {counts or 'nothing changed'}", style="bold"))
    for told in (diff.references, diff.settings):
        if told:
            console.print(Text(shown(told), style="dim"))
    for change in diff.changes[:CHANGES_SHOWN]:
        console.print(_line(change))
        for reason in change.why:
            console.print(Text(f"    {shown(reason.text)}", style="dim"))
    if len(diff.changes) > CHANGES_SHOWN:
        console.print(f"... and {len(diff.changes) - CHANGES_SHOWN:,} more (--json lists all)")


def _line(change: Change) -> Text:
    entity = _called(change.name, change.entity)
    other = _called(change.other_name or "", change.other or "")
    sentence = SENTENCES.get(change.what, "{entity}").format(entity=entity, other=other)
    return Text(f"{change.what:<9}{change.kind:<7}{sentence}: {counted(len(change.mentions), 'mention')}")


def _called(name: str, entity: str) -> str:
    return f"{shown(name, NAME_SHOWN)} {entity}".strip()
