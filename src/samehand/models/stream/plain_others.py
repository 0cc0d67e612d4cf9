"""The paper and the venue of a single reference, in plain Python: name and keys, the same as those of keys.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samehand.block import WORDS_TO_COMPARE
from samehand.models.stream.keys import IDENTIFIERS, NEAR
from samehand.models.stream.plain import last_name
from samehand.normalise.tokens import tokens
from samehand.normalise.venues import venue_tokens
from samehand.records import Kind


@dataclass(frozen=True)
class NewOther:
    """A paper or venue mention that arrives: its keys, and those under which its like may be found as well."""

    id: str
    kind: Kind
    reference: str
    name: str
    keys: tuple[str, ...]
    near: tuple[str, ...] = ()


def others_of(row: Mapping[str, Any]) -> Iterator[NewOther]:
    """The paper and the venue of a row of a table with schema `records.REFERENCES`.

    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="x", title="On Left Hands", authors=["Ada Dam"], year=2001, venue="The Hand")
    >>> for other in others_of(references_frame([paper]).row(0, named=True)):
    ...     print(other.id, other.keys)
    x ('title:on left hands', 'near:dam 2001 on', 'near:dam 2001 hands')
    x/venue ('hand',)
    """
    if row["scope"] in ("reference", "citation"):
        yield _paper(row)
    if row["scope"] in ("reference", "venue") and _given(row["venue"]):
        id = row["id"] if row["scope"] == "venue" else f"{row['id']}/venue"
        key = " ".join(venue_tokens(row["venue"]))
        yield NewOther(id, "venue", row["id"], row["venue"], (key,) if key else ())


def _paper(row: Mapping[str, Any]) -> NewOther:
    words = title_words(row)
    keys = [f"{name}:{row[name]}" for name in IDENTIFIERS if row[name] is not None]
    if len(words) >= WORDS_TO_COMPARE:
        keys.append(f"title:{' '.join(words)}")
    author = last_name(row["authors"][0]) if row["authors"] else ""
    near = []
    if author and words and row["year"] is not None:
        around = [
            [f"{NEAR}{author} {row['year'] + later} {word}" for word in (words[0], words[-1])]
            for later in (0, -1, 1)
        ]
        keys, near = [*keys, *around[0]], [*around[1], *around[2]]
    name = _given(row["title"]) or _given(row["text"]) or _given(row["key"]) or row["id"]
    return NewOther(row["id"], "paper", row["id"], name, tuple(keys), tuple(near))


def title_words(row: Mapping[str, Any]) -> list[str]:
    """The words by which a paper is compared: those of its title, of a raw citation all."""
    compared = row["title"]
    if row["scope"] == "citation":
        compared = _given(row["text"]) or row["title"]
    return tokens(compared or "")


def _given(text: str | None) -> str | None:
    """The text, unless it is blank."""
    return text if text is not None and text.strip() else None
