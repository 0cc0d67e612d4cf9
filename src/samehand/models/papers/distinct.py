"""Equal records are one witness: each distinct record is compared once, however often it was copied.

Citations are copied from list to list, errors included. Counted one by one, copies of one unlikely error would outvote
everything else; as one record they speak once. A mention that a curator told apart from another stays by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.curate.constraints import Constraints
from samehand.infer.union import as_pairs

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Distinct:
    """The distinct records: their facts, for each mention its record, and decisions as pairs of records."""

    facts: pl.DataFrame
    record: Longs
    same: Longs
    different: Longs


def distinct(facts: pl.DataFrame, constraints: Constraints) -> Distinct:
    """The distinct rows of a table of facts, in order of first appearance.

    >>> from samehand.curate.constraints import NONE
    >>> from samehand.models.papers.facts import facts_of
    >>> from samehand.records import Reference, references_frame
    >>> papers = [Reference("a.bib", n, title=title) for n, title in enumerate(["On Hands", "Feet", "On hands."])]
    >>> distinct(facts_of(references_frame(papers)), NONE).record.tolist()
    [0, 1, 0]
    """
    apart = pl.Series(np.isin(np.arange(facts.height), constraints.different.ravel()))
    own = pl.select(pl.when(apart).then(pl.int_range(facts.height, dtype=pl.Int64)).otherwise(-1)).to_series()
    keyed = facts.with_columns(
        own=own, venue=pl.col("venue").list.join(" "), surnames=pl.col("surnames").list.join(" ")
    )
    number = keyed.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy().astype(np.int64)
    _, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    order = np.argsort(first)
    record = np.argsort(order)[inverse]
    return Distinct(
        facts[np.sort(first)],
        record,
        as_pairs(record[constraints.same]),
        as_pairs(record[constraints.different]),
    )
