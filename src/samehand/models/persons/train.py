"""`samehand train`: weights of the author model from a truth file, or from a library's decisions.

Learning sees each set twice: as it is, and with the first names of the mentions cut to initials in blocks of
first initial and last name, so that what is learned holds where names are given in full and where they are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from samehand.block import Blocked, block
from samehand.curate.constraints import NONE, Constraints, positions
from samehand.errors import UsageError
from samehand.evaluate.load import read_table
from samehand.library import Library
from samehand.models.persons.learn import Labelled, Observed, learn
from samehand.models.persons.weights import Weights, default
from samehand.models.persons.work import lay_out
from samehand.normalise.mentions import author_mentions
from samehand.progress import Progress, Silent, counted, step
from samehand.read import Records, read


def train(
    truth: str | Path | pl.DataFrame,
    inputs: str | Path | Sequence[str | Path] | Records,
    *,
    format: str | None = None,
    progress: Progress | None = None,
) -> Weights:
    """Weights learned from author mentions whose persons are known.

    `truth` is a table with columns id (of mentions) and cluster; mentions it lacks are not scored.

    >>> from samehand.records import Reference, references_frame, rejects_frame
    >>> papers = [Reference("a.bib", n, id=f"x{n}", title="On hands", authors=["Ann Lee", "Bo Day"]) for n in range(4)]
    >>> records = Records(references_frame(papers), rejects_frame([]))
    >>> truth = pl.DataFrame({"id": [f"x{n}/author/1" for n in range(4)], "cluster": ["Ann Lee"] * 4})
    >>> train(truth, records).toml().splitlines()[0]
    '[posterior]'
    """
    records = inputs if isinstance(inputs, Records) else read(inputs, format=format)
    blocked = block("author", author_mentions(records.references), records.references)
    table = truth if isinstance(truth, pl.DataFrame) else read_table(truth)
    if not {"id", "cluster"} <= set(table.columns):
        raise UsageError("a truth file has the columns id and cluster")
    known = blocked.mentions.join(table, on="id", how="semi").height
    if known == 0:
        raise UsageError(
            "no mention of these files is in the truth file: are its ids those of author mentions?"
        )
    return learn_from([labelled(blocked, table), labelled(cut_to_initials(blocked), table)], progress)


def train_on_decisions(library: Library, *, progress: Progress | None = None) -> Weights:
    """Weights learned from the decisions on authors that a library's curators made."""
    references = library.references()
    blocked = block("author", author_mentions(references), references)
    constraints = positions(library.decisions().filter(kind="author"), blocked.mentions["id"])
    if len(constraints.same) + len(constraints.different) == 0:
        raise UsageError("no decision on authors is in force in this library: there is nothing to learn from")
    return learn_from([labelled(blocked, None, constraints)], progress)


def learn_from(sets: Sequence[Labelled], progress: Progress | None = None) -> Weights:
    """Weights learned from labelled sets, starting from the default ones; the progress tells each round."""
    heard = progress or Silent()
    with step(heard, "learn") as outcome:

        def tell(turn: int, seen: list[Observed]) -> None:
            heard.update(turn + 1, None, counted(sum(len(observed.rows) for observed in seen), "observation"))

        weights = learn(sets, default(), tell=tell)
        outcome.append(counted(sum(len(labelled.truth) for labelled in sets), "mention"))
    return weights


def labelled(blocked: Blocked, truth: pl.DataFrame | None, constraints: Constraints = NONE) -> Labelled:
    """A set laid out, with each mention's true person."""
    work = lay_out(blocked, constraints)
    if truth is None:
        return Labelled(work, np.full(len(work.row), -1, np.int64))
    named = truth.select(pl.col("id").cast(pl.String), pl.col("cluster").cast(pl.String)).unique("id")
    found = work.mentions.to_frame("id").join(named, on="id", how="left", maintain_order="left")["cluster"]
    return Labelled(work, found.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1)


def cut_to_initials(blocked: Blocked) -> Blocked:
    """The same mentions with first and middle names cut to initials, in blocks of first initial and last name."""
    initials = pl.col("middle").str.replace_all(r"([a-z])[a-z]*", "${1}")
    last = pl.col("last").str.replace_all("[ -]", "")
    mentions = blocked.mentions.with_columns(
        first="initial",
        middle=initials,
        block=pl.when("literal").then("block").otherwise(pl.concat_str("initial", last, separator=" ")),
    )
    return replace(blocked, mentions=mentions)
