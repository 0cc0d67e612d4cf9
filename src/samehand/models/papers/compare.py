"""From references to compared pairs of distinct records."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from samehand.block.canopies import Floats
from samehand.curate.constraints import Constraints
from samehand.models.papers.candidates import candidates
from samehand.models.papers.distinct import Distinct, distinct
from samehand.models.papers.evidence import evidence
from samehand.models.papers.facts import facts_of
from samehand.models.papers.layout import lay_out
from samehand.models.papers.links import Longs


@dataclass(frozen=True)
class Compared:
    """Distinct records, candidate pairs of them, and the features of each pair."""

    records: Distinct
    pairs: Longs
    rows: Floats


def compare(references: pl.DataFrame, constraints: Constraints, threads: int) -> Compared:
    """Compare references whose fields are known.

    >>> from samehand.curate.constraints import NONE
    >>> from samehand.records import Reference, references_frame
    >>> papers = [Reference("a.bib", n, title="On Hands and Thumbs", year=1990 + n) for n in range(2)]
    >>> compare(references_frame(papers), NONE, 1).pairs.tolist()
    [[0, 1]]
    """
    records = distinct(facts_of(references), constraints)
    layout = lay_out(records.facts)
    pairs = candidates(layout)
    return Compared(records, pairs, evidence(layout, pairs, threads))
