"""A curator's decisions as what a resolver must obey: pairs of mention positions, same or different."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.curate.decisions import cannot_link, must_link
from samehand.infer.union import as_pairs

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Constraints:
    """Pairs of positions in a table of mentions that are decided; shape (n, 2) each."""

    same: Indices
    different: Indices


NONE = Constraints(as_pairs(()), as_pairs(()))


def positions(decisions: pl.DataFrame, mentions: pl.Series) -> Constraints:
    """What the decisions in force (schema `decisions.DECISIONS`) imply for these mentions.

    Decisions about absent mentions are dormant, not lost: a group of `same` holds together even where the
    mention that joined it is gone.

    >>> ledger = pl.DataFrame({"id": [1], "judgement": ["same"], "left": ["y"], "right": ["x"],
    ...     "undone_at": [None]})
    >>> positions(ledger, pl.Series(["x", "y"])).same.tolist()
    [[0, 1]]
    """
    named = pl.concat([decisions["left"], decisions["right"]]).unique()
    present = pl.DataFrame({"mention": mentions}).with_row_index("position")
    place = dict(
        present.filter(pl.col("mention").is_in(named.implode())).select("mention", "position").rows()
    )
    return Constraints(
        as_pairs([(place[left], place[right]) for left, right in must_link(decisions, place)]),
        as_pairs([(place[left], place[right]) for left, right in cannot_link(decisions, place)]),
    )
