"""What each remaining error of the paper resolver is, by kind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from samehand.bench import Row
from samehand.models.papers.links import Longs
from samehand.models.papers.types import UNKNOWN

SHOWN = 90


def kinds_of_error(
    ids: pl.Series, labels: Longs, truth: pl.DataFrame, facts: pl.DataFrame, texts: list[str]
) -> Iterator[Row]:
    """One row for each true paper that is not recovered: `error`, by kind, and two of the citations concerned.

    A true paper is "split" (in several clusters found) or "mixed" (with citations of another paper); what sets the
    two citations apart, or makes them alike, gives the kind.
    """
    known = ids.alias("id").to_frame().join(truth, on="id", how="left", maintain_order="left")["cluster"]
    number = known.rank("dense").cast(pl.Int64).fill_null(0).to_numpy()
    for paper in np.unique(number[number > 0]):
        members = np.flatnonzero(number == paper)
        homes, counts = np.unique(labels[members], return_counts=True)
        home = homes[np.argmax(counts)]
        strangers = np.flatnonzero((labels == home) & (number != paper) & (number > 0))
        if len(homes) > 1:
            one, other, word = (
                members[labels[members] == home][0],
                members[labels[members] != home][0],
                "split",
            )
        elif len(strangers):
            one, other, word = members[0], strangers[0], "mixed"
        else:
            continue
        kind = _apart(facts.row(int(one), named=True), facts.row(int(other), named=True))
        yield {
            "error": f"{word}: {kind}",
            "size": len(members),
            "one": texts[one][:SHOWN],
            "other": texts[other][:SHOWN],
        }


def _apart(one: Row, other: Row) -> str:
    """What differs between two records, the most telling first."""
    if not one["surnames"] or not other["surnames"]:
        return "no authors were read (a fragment, an edited book, or two references in one string)"
    if one["title"] != other["title"] and not (
        one["title"] in other["text"] or other["title"] in one["text"]
    ):
        return "titles differ"
    both_typed = one["type"] != UNKNOWN and other["type"] != UNKNOWN
    if both_typed and not one["type"] & other["type"]:
        return "same title, kinds of publication differ"
    if one["year"] and other["year"] and one["year"] != other["year"]:
        return "same title, years differ"
    return "same title, nothing else differs"
