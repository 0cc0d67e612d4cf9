"""`clean.bib`, and what a dry run says about it: which entries become one, what is dropped and completed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TextIO

import polars as pl

from samehand.progress import counted
from samehand.publish.bibtex_entries import Entry, Row, entries
from samehand.publish.citation_keys import keys


def write(
    references: pl.DataFrame, mentions: pl.DataFrame, stream: TextIO, choices: pl.DataFrame | None = None
) -> None:
    """Write the clean bibliography, ordered by key, entries that others cross-refer to at the end.

    `choices` (schema `store.schema.CHOICES`) says whose value a curator wants in a field.

    >>> import sys
    >>> from samehand.publish.example import mentions, references
    >>> write(references(), mentions(), sys.stdout)
    @article{lovelace,
      author = {Lovelace, Ada},
      title = {On {Hands}},
      journal = {Journal of Hands},
      year = {2001},
      volume = {7},
      pages = {1--9},
    }
    """
    for number, entry in enumerate(parents_last(entries(references, mentions, choices))):
        stream.write("\n" if number else "")
        stream.write(entry_text(entry))


def entry_text(entry: Entry) -> str:
    """The entry as BibTeX.

    >>> print(entry_text(Entry("k", "misc", {"title": "On {Hands}"}, [])), end="")
    @misc{k,
      title = {On {Hands}},
    }
    """
    lines = [f"  {name} = {{{value}}},\n" for name, value in entry.fields.items()]
    return f"@{entry.type}{{{entry.key},\n{''.join(lines)}}}\n"


def parents_last(entries: Iterable[Entry]) -> list[Entry]:
    """By key, with every entry after those that cross-refer to it, as BibTeX demands.

    >>> child, parent = Entry("b", "misc", {"crossref": "a"}, []), Entry("a", "misc", {}, [])
    >>> [entry.key for entry in parents_last([parent, child])]
    ['b', 'a']
    """
    by_key = {entry.key: entry for entry in sorted(entries, key=lambda entry: (entry.key.lower(), entry.key))}
    parent_of = {key: entry.fields.get("crossref") for key, entry in by_key.items()}
    waiting = Counter(parent_of.values())
    depth = dict.fromkeys(by_key, 0)
    ready = [key for key in by_key if not waiting[key]]
    for key in ready:
        parent = parent_of[key]
        if parent in by_key:
            depth[parent] = max(depth[parent], depth[key] + 1)
            waiting[parent] -= 1
            if not waiting[parent]:
                ready.append(parent)
    return sorted(by_key.values(), key=lambda entry: depth[entry.key])


def difference(references: pl.DataFrame, mentions: pl.DataFrame) -> str:
    """A readable account of how the clean bibliography differs from the sources.

    >>> from samehand.publish.example import mentions, references
    >>> print(difference(references(), mentions()), end="")
    lovelace: 3 entries are one paper
      kept       a.bib:3 lovelace
      dropped    b.bib:1 ada01
      dropped    b.bib:9 draft
      completed  pages from b.bib:1
    <BLANKLINE>
    3 entries become 1: 1 paper merged from 3 entries, 1 field completed, 0 keys changed
    """
    clean = entries(references, mentions)
    merged = [entry for entry in clean if len(entry.rows) > 1]
    changed = _changed_keys(clean, keys(references, mentions))
    parts = [_merge_text(entry) for entry in merged]
    if changed:
        parts.append("".join(changed))
    return "\n".join([*parts, _summary(clean, merged, len(changed))])


def _merge_text(entry: Entry) -> str:
    best, *others = entry.rows
    lines = [
        f"{entry.key}: {len(entry.rows)} entries are one paper",
        f"  kept       {_place(best, key=True)}",
    ]
    lines += [f"  dropped    {_place(row, key=True)}" for row in others]
    lines += [f"  completed  {name} from {_place(row)}" for name, row in entry.completed.items()]
    return "\n".join(lines) + "\n"


def _place(row: Row, *, key: bool = False) -> str:
    place = f"{row['source']}:{row['line']}"
    return f"{place} {row['key']}" if key and row["key"] else place


def _changed_keys(clean: list[Entry], key_map: pl.DataFrame) -> list[str]:
    """The entries whose own key could not be kept."""
    notes = dict(key_map.filter(pl.col("note") != "same paper").select("entity", "note").iter_rows())
    return [
        f"{_place(entry.rows[0], key=True)}: new key {entry.key} ({notes[entry.rows[0]['entity']]})\n"
        for entry in clean
        if entry.rows[0]["key"] != entry.key
    ]


def _summary(clean: list[Entry], merged: list[Entry], changed: int) -> str:
    before = sum(len(entry.rows) for entry in clean)
    drawn = sum(len(entry.rows) for entry in merged)
    completed = sum(len(entry.completed) for entry in clean)
    return (
        f"{before:,} entries become {len(clean):,}: {counted(len(merged), 'paper')} merged from {drawn:,} "
        f"entries, {counted(completed, 'field')} completed, {counted(changed, 'key')} changed\n"
    )
