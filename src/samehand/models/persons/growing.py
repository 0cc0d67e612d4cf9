"""A library that grows: only the blocks that new references touch are resolved again.

A block is touched if a mention of it is new, stands in a reference that was changed, was assigned since the last run,
has gone, or is named by a decision. A touched block is resolved from scratch under the statistics of the whole library as
it is now, so that new evidence repairs old mistakes in it; all other persons stay as they are. Then the second stage
looks at names elsewhere, again only where a touched person is concerned.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.models.persons.blocks import resolve_work
from samehand.models.persons.known_pairs import spans
from samehand.models.persons.layout import Flags, Floats, Longs
from samehand.models.persons.variants import join_variants
from samehand.models.persons.weights import Weights, default, load
from samehand.models.persons.work import Work, lay_out, table_of


def resolve_touched(
    blocked: Blocked, constraints: Constraints, run: Run, previous: pl.DataFrame
) -> tuple[pl.DataFrame, int]:
    """Cluster author mentions (as `persons.resolve` does), and how many blocks were touched.

    `previous` (mention, entity, probability) is what the last run found of the mentions that have not changed since.
    """
    weights = default() if run.weights is None else load(run.weights)
    work = lay_out(blocked, constraints)
    block = np.repeat(np.arange(len(work.keys)), np.diff(work.starts))
    known = _known(work, previous)
    touched = _touched(work, constraints, previous, known, block)
    labels, probability = _as_before(known, touched[block])
    numbers = np.flatnonzero(touched)
    if len(numbers):
        _resolve_again(work, weights, run, numbers, labels, probability)
    labels, probability = join_variants(work, constraints, weights, labels, probability, touched[block])
    return table_of(work, labels, probability), len(numbers)


def _known(work: Work, previous: pl.DataFrame) -> pl.DataFrame:
    """What the last run found of each mention, in the order of the work; nulls where it is new."""
    wanted = work.mentions.alias("mention").to_frame()
    return wanted.join(previous, on="mention", how="left", maintain_order="left")


def _touched(
    work: Work, constraints: Constraints, previous: pl.DataFrame, known: pl.DataFrame, block: Longs
) -> Flags:
    """Which blocks are to be resolved again."""
    gone = previous.join(known, on="mention", how="anti")["entity"].unique()
    lost = known["entity"].is_in(gone.implode()).fill_null(False)
    concerned = (known["entity"].is_null() | lost).to_numpy()
    place = np.empty_like(work.row)
    place[work.row] = np.arange(len(work.row))
    named = np.concatenate([constraints.same.ravel(), constraints.different.ravel()])
    touched = np.zeros(len(work.keys), np.bool_)
    touched[block[concerned]] = True
    touched[block[place[named]]] = True
    return touched


def _as_before(known: pl.DataFrame, touched: Flags) -> tuple[Longs, Floats]:
    """Labels and probabilities of mentions in untouched blocks; of others they are still to be found."""
    table = known.with_row_index("place").filter(pl.Series(~touched))
    first = table.select("place", label=pl.col("place").min().over("entity"))
    labels, probability = np.arange(known.height), np.full(known.height, np.nan)
    labels[first["place"].to_numpy()] = first["label"].to_numpy()
    probability[table["place"].to_numpy()] = table["probability"].to_numpy()
    return labels, probability


def _resolve_again(
    work: Work, weights: Weights, run: Run, numbers: Longs, labels: Longs, probability: Floats
) -> None:
    """Resolve some blocks; their labels and probabilities are filled in."""
    part, places = blocks_of(work, numbers)
    found, sure = resolve_work(part, weights, run)
    labels[places], probability[places] = places[found], sure


def blocks_of(work: Work, numbers: Longs) -> tuple[Work, Longs]:
    """The work of some blocks alone, and the places of its mentions in the whole."""
    sizes = np.diff(work.starts)[numbers]
    places = spans(work.starts[numbers], sizes)
    found = work.evidence
    lengths = np.diff(found.starts)[places]
    tokens = spans(found.starts[places], lengths)
    evidence = replace(
        found,
        starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        tokens=found.tokens[tokens],
        counts=found.counts[tokens],
        year=found.year[places],
        paper=found.paper[places],
        forms=replace(found.forms, of_mention=found.forms.of_mention[places]),
    )
    chosen = numbers.tolist()
    part = replace(
        work,
        mentions=work.mentions.gather(places),
        row=np.arange(len(places)),
        keys=[work.keys[number] for number in chosen],
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        evidence=evidence,
        ambiguity=np.ascontiguousarray(work.ambiguity[numbers]),
        same=[work.same[number] for number in chosen],
        apart=[work.apart[number] for number in chosen],
        name=work.name[places],
        papers=work.papers[places],
    )
    return part, places
