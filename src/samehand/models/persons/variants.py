"""The second stage: persons of different blocks whose names are variants of one name.

A block holds one initial and last name; a person may have several: an umlaut written otherwise, a double name of which
one half is left out, a name in the other order, a slip of the pen. After the blocks are resolved, candidates come from
keys (variant_keys.py), become nodes (variant_nodes.py), and are joined best first where the evidence outweighs the
difference of the names (variant_search.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.curate.constraints import Constraints
from samehand.models.persons.layout import BLOCK, FEATURES, PAPER, Floats, Ints, Longs
from samehand.models.persons.variant_keys import ALIGNED, candidates
from samehand.models.persons.variant_nodes import Groups, Tokens, bags, form_bags, person_nodes
from samehand.models.persons.variant_search import Persons, Surroundings, join_persons
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work


def join_variants(
    work: Work,
    constraints: Constraints,
    weights: Weights,
    labels: Longs,
    probability: Floats,
) -> tuple[Longs, Floats]:
    """Labels and probabilities of the mentions after persons of different blocks are joined."""
    found = candidates(written_names(work, labels))
    if found.height == 0:
        return labels, probability
    stage = lay_out_persons(work, weights, labels, found)
    roots, factors = np.arange(len(stage.known), dtype=np.int32), np.ones(len(stage.known))
    apart = _apart(work, constraints, labels, stage.known)
    join_persons(
        stage.nodes, stage.pool, stage.form_pool, stage.persons, stage.around, stage.edges, apart, weights.temperature,
        roots, factors,
    )  # fmt: skip
    return _relabelled(stage, roots, factors, labels, probability)


class Stage(NamedTuple):
    """The persons that are candidates: person p has the label known[p], is the mentions of group p, and is node p."""

    known: Longs
    groups: Groups
    nodes: Longs
    pool: Ints
    form_pool: Ints
    persons: Persons
    around: Surroundings
    edges: Ints  # one, other, kind, form of each candidate


def lay_out_persons(work: Work, weights: Weights, labels: Longs, found: pl.DataFrame) -> Stage:
    """The candidates `found` among the labels as nodes, with all that is needed to score them."""
    known = np.unique(found.select("one", "other").to_numpy())
    groups = _groups(labels, known)
    persons, edges = _numbered(work, known, found)
    tokens = _tokens(work, groups.members)
    starts, pool = bags(tokens, groups)
    form_starts, form_pool = form_bags(work.evidence.forms.of_mention, groups)
    nodes = person_nodes(groups, starts, pool, form_starts, work.evidence.field, work.evidence.year)
    around = _surroundings(work, weights, tokens, persons)
    return Stage(known, groups, nodes, pool, form_pool, persons, around, edges)


def written_names(work: Work, labels: Longs) -> pl.DataFrame:
    """Each written name of each person once: person (its label), block, form, first, middle, last."""
    block = np.repeat(np.arange(len(work.keys), dtype=np.int64), np.diff(work.starts))
    forms = work.evidence.forms.of_mention
    table = pl.DataFrame({"person": labels, "block": block, "form": forms, "name": work.name})
    written = work.names.select("first", "middle", "last", "literal").with_row_index("name")
    names = table.unique(maintain_order=True).join(
        written.cast({"name": pl.Int32}), on="name", maintain_order="left"
    )
    return names.filter(~pl.col("literal")).drop("literal", "name").unique(maintain_order=True)


def relation(names: pl.DataFrame) -> tuple[int, int] | None:
    """The kind of variant (a place in KINDS) that brings two persons together, and the form with their first name.

    `names` has the columns of `written_names`, for two persons of different blocks; None if no kind does.
    """
    found = candidates(names)
    return None if found.height == 0 else (int(found["kind"][0]), int(found["form"][0]))


def _groups(labels: Longs, known: Longs) -> Groups:
    """The mentions of the persons with these labels."""
    members = np.flatnonzero(np.isin(labels, known))
    members = members[np.argsort(labels[members], kind="stable")]
    starts = np.append(np.searchsorted(labels[members], known), len(members))
    return Groups(starts.astype(np.int64), members.astype(np.int64))


def _numbered(work: Work, known: Longs, found: pl.DataFrame) -> tuple[Persons, Ints]:
    """The persons, numbered from 0, each alone in its block; and the candidates with these numbers."""
    block = (np.searchsorted(work.starts, known, side="right") - 1).astype(np.int32)
    one, other = (np.searchsorted(known, found[side].to_numpy()) for side in ("one", "other"))
    edges = np.stack([one, other, found["kind"].to_numpy(), found["form"].to_numpy()], axis=1)
    return Persons(block, np.arange(len(known), dtype=np.int32)), edges.astype(np.int32)


def _tokens(work: Work, members: Longs) -> Tokens:
    """The tokens of all mentions, and the papers of the members, numbered from 0."""
    found = work.evidence
    papers = np.full(len(work.row), -1, np.int32)
    papers[members] = np.unique(found.paper[members], return_inverse=True)[1]
    return Tokens(found.starts, found.tokens, found.counts, found.field, papers)


def _apart(work: Work, constraints: Constraints, labels: Longs, known: Longs) -> Ints:
    """A curator's "different" as pairs of these persons."""
    place = np.empty_like(work.row)
    place[work.row] = np.arange(len(work.row))
    pairs = labels[place[constraints.different]]
    pairs = pairs[np.isin(pairs, known).all(axis=1)]
    return np.searchsorted(known, pairs).astype(np.int32).reshape(-1, 2)


def _surroundings(work: Work, weights: Weights, tokens: Tokens, persons: Persons) -> Surroundings:
    found, forms = work.evidence, work.evidence.forms
    papers = np.full(tokens.papers.max(initial=-1) + 1, PAPER, np.int32)
    starts, pool = _block_bags(work, tokens, persons)
    return Surroundings(
        np.concatenate([found.field, papers]), found.frequency, found.totals, found.distinct, starts, pool,
        np.diff(work.starts), _cautious(work.ambiguity), forms.words, forms.letters, forms.begin, forms.nickname,
        forms.rarity, weights.features, weights.shape, weights.variants, ALIGNED,
    )  # fmt: skip


def _cautious(ambiguity: Floats) -> Floats:
    """The ambiguity of blocks, without what likeness says for joins: it is that of the pairs of one name."""
    cautious = ambiguity.copy()
    alike = FEATURES.index("alike") - BLOCK
    cautious[:, alike] = np.minimum(cautious[:, alike], 0.0)
    return cautious


def _block_bags(work: Work, tokens: Tokens, persons: Persons) -> tuple[Longs, Ints]:
    """The bags of the blocks of these persons, papers left out; those of other blocks are empty."""
    wanted = np.zeros(len(work.keys), bool)
    wanted[persons.block] = True
    sizes = np.diff(work.starts)
    members = np.flatnonzero(np.repeat(wanted, sizes)).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(np.where(wanted, sizes, 0))]).astype(np.int64)
    return bags(tokens._replace(papers=np.full_like(tokens.papers, -1)), Groups(starts, members))


def _relabelled(
    stage: Stage, roots: Ints, factors: Floats, labels: Longs, probability: Floats
) -> tuple[Longs, Floats]:
    """Labels and probabilities of all mentions; who was alone is with the others as surely as the join is right."""
    sizes, members = np.diff(stage.groups.starts), stage.groups.members
    labels, probability = labels.copy(), probability.copy()
    labels[members] = np.repeat(stage.known[roots], sizes)
    joined = np.bincount(roots, minlength=len(roots))[roots] > 1
    before = np.where(np.repeat(joined & (sizes == 1), sizes), 1.0, probability[members])
    probability[members] = before * np.repeat(factors, sizes)
    return labels, probability
