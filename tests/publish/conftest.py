"""Small resolutions to publish: references, and mentions whose entities a test names by what they mention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace

import polars as pl
import pytest

from samehand.publish import canonical
from samehand.records import ASSIGNMENTS, Reference, Reject, references_frame, rejects_frame

Tables = tuple[pl.DataFrame, pl.DataFrame]


def _mentions(references: list[Reference], entities: Mapping[str, str]) -> pl.DataFrame:
    """Every mention; its entity is looked up by reference id, author name or venue, else its own."""
    rows = []
    for one in references:
        assert one.id is not None
        slots = [(one.id, "paper", one.title or one.text or one.id, entities.get(one.id, f"p-{one.id}"), 0)]
        for slot, name in enumerate(one.authors):
            slots.append(
                (f"{one.id}/author/{slot + 1}", "author", name, entities.get(name, f"a-{name}"), slot)
            )
        if one.venue:
            slots.append(
                (f"{one.id}/venue", "venue", one.venue, entities.get(one.venue, f"v-{one.venue}"), 0)
            )
        rows += [(id, kind, one.id, name, entity, 1.0, slot) for id, kind, name, entity, slot in slots]
    return pl.DataFrame(rows, schema={**ASSIGNMENTS, "slot": pl.Int32}, orient="row")


@pytest.fixture
def resolved() -> Callable[..., Tables]:
    """resolved([references], {reference id, name or venue: entity}) -> references and mentions."""

    def build(references: list[Reference], entities: Mapping[str, str] | None = None) -> Tables:
        return references_frame(references), _mentions(references, entities or {})

    return build


@pytest.fixture
def resolution() -> Callable[..., SimpleNamespace]:
    """A whole resolution of references and mentions, as write_outputs and the report take it."""

    def build(tables: Tables, rejects: list[Reject] | None = None) -> SimpleNamespace:
        references, mentions = tables
        return SimpleNamespace(
            references=references,
            rejects=rejects_frame(rejects or []),
            mentions=mentions,
            papers=canonical.papers(references, mentions),
            authors=canonical.authors(references, mentions),
            venues=canonical.venues(references, mentions),
            blocks=pl.DataFrame(
                {"kind": ["paper", "author"], "block": ["on hands", "a lee"], "size": [3, 2]}
            ),
            settings={"model": "baseline", "seed": 0},
            timings={"read": 0.25},
        )

    return build
