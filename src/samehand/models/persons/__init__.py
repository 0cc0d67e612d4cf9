"""The author resolver of samehand: learned, aware of ambiguity, with a probability for every mention.

Persons are binary trees over mentions; the log score of a forest is the sum over inner nodes of a weighted
sum of features: log Bayes factors of co-authors, titles, venues and affiliations, what the names say, sizes,
years, and how ambiguous the block's name is.

    layout     arrays and features            heap, pairs, join, search   from mentions to the best forest
    sheets     mentions to tokens             posterior                   how sure one can be
    statistics what a part must know          evidence, work              what is compared, block after block
    forms      written names, how they relate weights                     what was learned, in a small file
    ambiguity  the prior of a block           learn                       from labelled clusters to weights
    compare    what speaks for and against    explain                     why two mentions are one person, or not
    variants   persons whose name is written so differently that they are in several blocks
"""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.models.persons.blocks import resolve_work
from samehand.models.persons.variants import join_variants
from samehand.models.persons.weights import Weights, default, load
from samehand.models.persons.work import lay_out, table_of


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions into persons, each mention with the probability that it belongs there."""
    weights = default() if run.weights is None else load(run.weights)
    return resolve_with(weights, blocked, constraints, run)


def resolve_with(weights: Weights, blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """The same with any weights."""
    work = lay_out(blocked, constraints)
    labels, probability = resolve_work(work, weights, run)
    labels, probability = join_variants(work, constraints, weights, labels, probability)
    return table_of(work, labels, probability)
