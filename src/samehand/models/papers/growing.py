"""A library that grows: only the papers are resolved again that new references may belong to.

Records hang together that a link above `posterior.NEAR` joins, or a decision, or what they were before: one paper or one
work. What hangs together is touched if a mention of it is new, stands in a reference that was changed, is named by a
decision, or has lost a mate. It is resolved from scratch under the links of the library as it is now, so that new
evidence repairs old mistakes; all other papers keep their mentions and probabilities. No partition that the search or the
sampler may come by puts records together that do not hang together, so that nothing is lost.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.papers import WORKS, clusters, compared_mentions, linked
from samehand.models.papers.compare import Compared
from samehand.models.papers.links import Links, Longs
from samehand.models.papers.posterior import NEAR
from samehand.models.papers.weights import default

Flags = npt.NDArray[np.bool_]


def resolve_touched(
    blocked: Blocked, constraints: Constraints, run: Run, previous: pl.DataFrame
) -> tuple[pl.DataFrame, int]:
    """Papers and works (as `papers.works` has them), and how many distinct records were resolved again.

    `previous` (mention, entity, work, probability) is what the last run found of mentions that have not changed since.
    """
    if blocked.mentions.is_empty():
        return WORKS.to_frame(), 0
    weights = default()
    compared = compared_mentions(blocked, constraints, run)
    versions, whole = linked(compared, weights)
    known = blocked.mentions.select(mention="id").join(
        previous, on="mention", how="left", maintain_order="left"
    )
    touched = _touched(compared, (versions, whole), known, _concerned(known, previous, constraints))
    chosen = np.flatnonzero(touched)
    paper, work, probability = clusters(
        _among(versions, chosen), _among(whole, chosen), _same(compared, chosen), run, weights
    )
    table = pl.DataFrame(
        {
            "new_cluster": _spread(paper, compared, chosen),
            "new_work": _spread(work, compared, chosen),
            "new_probability": _spread(probability, compared, chosen),
        }
    )
    return _together(known, table, pl.Series(touched[compared.records.record])), len(chosen)


def _concerned(known: pl.DataFrame, previous: pl.DataFrame, constraints: Constraints) -> Flags:
    """Which mentions are new, named by a decision, or left by a mate."""
    gone = previous.join(known, on="mention", how="anti")["entity"].unique()
    concerned = (
        (known["entity"].is_null() | known["entity"].is_in(gone.implode())).fill_null(True).to_numpy().copy()
    )
    concerned[np.concatenate([constraints.same.ravel(), constraints.different.ravel()])] = True
    return concerned


def _touched(compared: Compared, links: tuple[Links, Links], known: pl.DataFrame, concerned: Flags) -> Flags:
    """Which records hang together with one that a concerned mention has."""
    records = compared.records
    edges = [each.pairs[each.odds > NEAR] for each in links]
    before = [_chained(known[name], records.record) for name in ("entity", "work")]
    component = connected(records.facts.height, np.concatenate([*edges, *before, records.same]))
    reached = np.zeros(component.max() + 1, np.bool_)
    reached[component[records.record[concerned]]] = True
    return reached[component]


def _chained(group: pl.Series, record: Longs) -> Longs:
    """Pairs of records that join those of each group, one after the other."""
    table = pl.DataFrame({"group": group, "record": record}).drop_nulls().unique().sort("group", "record")
    following = table.select(pl.all(), other=pl.col("record").shift(-1).over("group")).drop_nulls()
    return following.select("record", "other").to_numpy().reshape(-1, 2)


def _among(links: Links, chosen: Longs) -> Links:
    """The links among some records."""
    pairs, kept = _numbered(links.pairs, chosen, links.count)
    return Links(len(chosen), pairs, links.odds[kept], links.unlike)


def _same(compared: Compared, chosen: Longs) -> Longs:
    return _numbered(compared.records.same, chosen, compared.records.facts.height)[0]


def _numbered(pairs: Longs, chosen: Longs, count: int) -> tuple[Longs, Flags]:
    """The pairs of chosen records under their numbers among these, and which pairs they are."""
    place = np.full(count, -1)
    place[chosen] = np.arange(len(chosen))
    kept: Flags = (place[pairs[:, 0]] >= 0) & (place[pairs[:, 1]] >= 0)
    return place[pairs[kept]], kept


def _spread(values: npt.NDArray[Any], compared: Compared, chosen: Longs) -> pl.Series:
    """What was found of chosen records, for each mention; 0 where nothing was."""
    every = np.zeros(compared.records.facts.height, values.dtype)
    every[chosen] = values
    return pl.Series(every[compared.records.record])


def _together(known: pl.DataFrame, found: pl.DataFrame, touched: pl.Series) -> pl.DataFrame:
    """What was found of touched mentions, and of the others what was known."""
    before = known.select("mention", "probability", cluster="entity", work=pl.coalesce("work", "entity"))
    table = pl.concat([before, found], how="horizontal").with_columns(touched=touched)

    def number(old: str, new: str) -> pl.Expr:
        named = pl.struct(
            old=pl.when("touched").then(None).otherwise(old), new=pl.when("touched").then(new).otherwise(None)
        )
        return (named.rank("dense") - 1).cast(pl.UInt32)

    return table.select(
        "mention",
        cluster=number("cluster", "new_cluster"),
        work=number("work", "new_work"),
        probability=pl.when("touched").then("new_probability").otherwise("probability"),
    )
