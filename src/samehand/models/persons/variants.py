"""The second stage: persons of different blocks whose names are variants of one name.

A block holds one initial and last name; a person may have several: an umlaut written otherwise, a double name of which
one half is left out, a name in the other order, a slip of the pen. After the blocks are resolved, candidates come from
keys (variant_keys.py) and are cast with all that a join needs (variant_cast.py). Those pairs of them are kept whose
evidence outweighs the difference of their names, and joined best first (variant_search.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from samehand.curate.constraints import Constraints
from samehand.models.persons.forms import name_forms
from samehand.models.persons.layout import (
    BLOCK,
    EVIDENCE,
    FEATURES,
    FIRST_YEAR,
    FORM_LENGTH,
    FORM_START,
    LAST_YEAR,
    LENGTH,
    NODE,
    SIZE,
    START,
    TOTALS,
    Flags,
    Floats,
    Hashes,
    Ints,
    Longs,
)
from samehand.models.persons.statistics import Vocabulary
from samehand.models.persons.texts import fields_of
from samehand.models.persons.variant_cast import Cast, take_cast
from samehand.models.persons.variant_keys import ALIGNED, candidates
from samehand.models.persons.variant_search import Persons, Surroundings, join_persons, score_pairs
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work
from samehand.normalise.coded import numbered


class Joined(NamedTuple):
    """Who each person is after the second stage, and what the probabilities of its mentions are to be multiplied by."""

    known: Longs  # labels of the persons that were candidates, ascending
    roots: Longs  # the label of the one that stands for each
    factors: Floats
    sizes: Longs  # of the persons before


def join_variants(
    work: Work,
    constraints: Constraints,
    weights: Weights,
    labels: Longs,
    probability: Floats,
    touched: Flags | None = None,
) -> tuple[Longs, Floats]:
    """Labels and probabilities of the mentions after persons of different blocks are joined.

    Where some mentions are `touched`, only candidates are looked at of which one is a person of these.
    """
    found = candidates(written_names(work, labels))
    if touched is not None:
        concerned = np.unique(labels[touched])
        found = found.filter(
            pl.any_horizontal(pl.Series(np.isin(found[side], concerned)) for side in ("one", "other"))
        )
    if found.height == 0:
        return labels, probability
    known = np.unique(found.select("one", "other").to_numpy())
    cast = take_cast(work, labels, known, work.papers)
    worth = worth_joining(cast, found, work.words, weights)
    if worth.height == 0:
        return labels, probability
    left = np.unique(worth.select("one", "other").to_numpy())
    place = np.empty_like(work.row)
    place[work.row] = np.arange(len(work.row))
    different = labels[place[constraints.different]]
    joined = join_cast(cast.part(np.searchsorted(known, left)), worth, different, work.words, weights)
    return relabelled(joined, labels, probability)


def worth_joining(cast: Cast, found: pl.DataFrame, words: Vocabulary, weights: Weights) -> pl.DataFrame:
    """Those of the candidates `found` that score above 0."""
    stage = lay_out_persons(cast, found, words, weights)
    scores = score_pairs(stage.nodes, stage.pool, stage.form_pool, stage.persons, stage.around, stage.edges)
    return found.filter(pl.Series(scores > 0.0))


def join_cast(
    cast: Cast, found: pl.DataFrame, different: Longs, words: Vocabulary, weights: Weights
) -> Joined:
    """Join the persons of a cast along the candidates `found`; `different` are pairs of persons a curator parted."""
    stage = lay_out_persons(cast, found, words, weights)
    known = cast.persons["person"].to_numpy()
    inside = different[np.isin(different, known).all(axis=1)] if len(different) else different
    apart = np.searchsorted(known, inside).astype(np.int32).reshape(-1, 2)
    roots, factors = np.arange(len(known), dtype=np.int32), np.ones(len(known))
    join_persons(
        stage.nodes, stage.pool, stage.form_pool, stage.persons, stage.around, stage.edges, apart, weights.temperature,
        roots, factors,
    )  # fmt: skip
    return Joined(known, known[roots], factors, cast.persons["size"].to_numpy())


def relabelled(joined: Joined, labels: Longs, probability: Floats) -> tuple[Longs, Floats]:
    """Labels and probabilities of all mentions; who was alone is with the others as surely as the join is right."""
    if len(joined.known) == 0:
        return labels, probability
    place = np.minimum(np.searchsorted(joined.known, labels), len(joined.known) - 1)
    concerned = joined.known[place] == labels
    together = np.isin(joined.roots, joined.roots[joined.roots != joined.known])
    alone = concerned & (together & (joined.sizes == 1))[place]
    return (
        np.where(concerned, joined.roots[place], labels),
        np.where(concerned, np.where(alone, 1.0, probability) * joined.factors[place], probability),
    )


class Stage(NamedTuple):
    """The persons that are candidates as nodes, with all that is needed to score them."""

    nodes: Longs
    pool: Ints
    form_pool: Ints
    persons: Persons
    around: Surroundings
    edges: Ints  # one, other, kind, form of each candidate


def lay_out_persons(cast: Cast, found: pl.DataFrame, words: Vocabulary, weights: Weights) -> Stage:
    """The persons of a cast as nodes, and the candidates `found` among them."""
    known = cast.persons["person"].to_numpy()
    vocabulary, codes = numbered(cast.tokens)
    person = np.repeat(np.arange(len(known)), np.diff(cast.bag_starts))
    order = np.argsort(_packed(person, codes))
    pool = np.stack([codes[order], cast.counts[order]])
    forms = name_forms(cast.names, np.arange(cast.names.height, dtype=np.int32), words.census.rarity)
    form_starts, form_pool = _form_pool(cast, forms.of_mention)
    blocks, block = np.unique(cast.persons["block"].to_numpy(), return_inverse=True)
    block_starts, block_pool = _block_pool(cast, block.astype(np.int64), codes)
    first = np.zeros(len(blocks), np.int64)
    first[block[::-1]] = np.arange(len(known))[::-1]
    around = Surroundings(
        fields_of(vocabulary), words.frequency.of(vocabulary), words.totals, words.distinct, block_starts, block_pool,
        cast.persons["block_size"].to_numpy()[first], _cautious(cast.ambiguity[first]), forms.words, forms.letters,
        forms.begin, forms.nickname, forms.rarity, weights.features, weights.shape, weights.variants, ALIGNED,
    )  # fmt: skip
    one, other = (np.searchsorted(known, found[side].to_numpy()) for side in ("one", "other"))
    form = _forms_of(found["form"], cast.names, forms.of_mention)
    edges = np.stack([one, other, found["kind"].to_numpy(), form], axis=1)
    persons = Persons(
        block.astype(np.int32), np.arange(len(known), dtype=np.int32), np.zeros(len(known), np.int8)
    )
    nodes = _nodes(cast, form_starts, fields_of(cast.tokens))
    return Stage(nodes, pool, form_pool, persons, around, edges.astype(np.int32))


def _nodes(cast: Cast, form_starts: Longs, field: Ints) -> Longs:
    """A node for each person (layout.py)."""
    count = cast.persons.height
    nodes = np.zeros((count, NODE), np.int64)
    nodes[:, START], nodes[:, LENGTH] = cast.bag_starts[:-1], np.diff(cast.bag_starts)
    nodes[:, FORM_START], nodes[:, FORM_LENGTH] = form_starts[:-1], np.diff(form_starts)
    for column, name in ((SIZE, "size"), (FIRST_YEAR, "first_year"), (LAST_YEAR, "last_year")):
        nodes[:, column] = cast.persons[name].to_numpy()
    person = np.repeat(np.arange(count), np.diff(cast.bag_starts))
    for f in range(EVIDENCE):
        nodes[:, TOTALS + f] = np.bincount(person, weights=cast.counts * (field == f), minlength=count)
    return nodes


def _form_pool(cast: Cast, form: Ints) -> tuple[Longs, Ints]:
    """The forms of each person, ascending, above how many mentions have each."""
    person = np.repeat(np.arange(cast.persons.height), np.diff(cast.name_starts))
    table = pl.DataFrame({"person": person, "form": form, "count": cast.name_counts})
    summed = table.group_by("person", "form").agg(pl.col("count").sum()).sort("person", "form")
    starts = np.searchsorted(summed["person"].to_numpy(), np.arange(cast.persons.height + 1)).astype(np.int64)
    pool = np.stack([summed["form"].to_numpy(), summed["count"].to_numpy()]).astype(np.int32)
    return starts, pool


def _block_pool(cast: Cast, block: Longs, codes: Ints) -> tuple[Longs, Ints]:
    """What each block holds of the tokens that its persons have."""
    is_held = cast.held > 0
    packed = _packed(np.repeat(block, np.diff(cast.bag_starts))[is_held], codes[is_held])
    order = np.argsort(packed)
    ordered = packed[order]
    order = order[np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)]]
    starts = np.searchsorted(packed[order] >> _TOKEN_BITS, np.arange(block.max(initial=-1) + 2)).astype(
        np.int64
    )
    return starts, np.stack([codes[is_held][order], cast.held[is_held][order]]).astype(np.int32)


_TOKEN_BITS = 32


def _packed(group: Longs, token: Ints) -> Longs:
    """Numbers that are ordered by group and then by token."""
    packed: Longs = (group.astype(np.int64) << _TOKEN_BITS) | token.astype(np.int64)
    return packed


def _forms_of(hashes: pl.Series, names: pl.DataFrame, form: Ints) -> Ints:
    """The forms of written names that are known by their hashes (`hash_names`)."""
    every = hash_names(names)
    order = np.argsort(every, kind="stable")
    place = np.minimum(np.searchsorted(every[order], hashes.to_numpy()), len(order) - 1)
    return form[order[place]]


def _cautious(ambiguity: Floats) -> Floats:
    """The ambiguity of blocks, without what likeness says for joins: it is that of the pairs of one name."""
    cautious = ambiguity.copy()
    alike = FEATURES.index("alike") - BLOCK
    cautious[:, alike] = np.minimum(cautious[:, alike], 0.0)
    return cautious


def hash_names(names: pl.DataFrame) -> Hashes:
    """A hash of first, middle and last name, as they are compared."""
    plain = (pl.col(part).fill_null("").str.replace_all("[ -]", "") for part in ("first", "middle", "last"))
    return names.select(pl.concat_str(*plain, separator="|").hash(3)).to_series().to_numpy()


def written_names(work: Work, labels: Longs) -> pl.DataFrame:
    """Each written name of each person once: person (its label), block (a hash), form (a hash), first, middle, last."""
    keys = pl.Series(work.keys, dtype=pl.String).hash(2).to_numpy()
    block = np.repeat(keys, np.diff(work.starts))
    table = pl.DataFrame({"person": labels, "block": block, "name": work.name}).unique(maintain_order=True)
    written = work.names.select("first", "middle", "last", "literal", form=pl.Series(hash_names(work.names)))
    named = table.hstack(written[table["name"].to_numpy()]).filter(~pl.col("literal"))
    return named.drop("literal", "name").unique(
        ["person", "block", "first", "middle", "last"], maintain_order=True
    )


def relation(names: pl.DataFrame) -> tuple[int, int] | None:
    """The kind of variant (a place in KINDS) that brings two persons together, and the form with their first name.

    `names` has the columns of `written_names`, for two persons of different blocks; None if no kind does.
    """
    found = candidates(names)
    return None if found.height == 0 else (int(found["kind"][0]), int(found["form"][0]))
