"""Curators' choices among the values that the references of a paper give to a field. Called inside a transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import polars as pl

from samehand.errors import UsageError
from samehand.store import Store
from samehand.store.arrivals import delete_among
from samehand.store.schema import CHOICES


def write_choices(store: Store, references: Sequence[str], chosen: Mapping[str, str], by: str) -> None:
    """Whose value each field (name -> reference) of a paper's entry has; earlier choices on these references go."""
    strange = [reference for reference in chosen.values() if reference not in set(references)]
    if strange:
        raise UsageError(f"{strange[0]!r} is not a reference of this paper any more; look at it again")
    delete_among(store, "choices", "reference", references)
    now = datetime.now(UTC)
    rows = [(reference, field, by, now) for field, reference in chosen.items()]
    store.append("choices", pl.DataFrame(rows, schema=CHOICES, orient="row"))
