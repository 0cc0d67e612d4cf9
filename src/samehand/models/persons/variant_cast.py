"""The cast of the second stage: persons that may have another name elsewhere, each with all that a join needs to know.

A person takes along its bag with, for every token, how often its whole block holds it; its written names; its years; and
its block's size and ambiguity. So casts can be taken out of any shard and put together with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.kernels import kernel
from samehand.models.persons.compare import first_not_below
from samehand.models.persons.evidence import Evidence
from samehand.models.persons.known_pairs import spans
from samehand.models.persons.layout import PAPER, Floats, Hashes, Ints, Longs
from samehand.models.persons.texts import FIELD_BITS
from samehand.models.persons.variant_nodes import Groups, Tokens, bags, form_bags, years_of
from samehand.models.persons.work import Work

PERSONS = pl.Schema(
    {
        "person": pl.Int64(),
        "block": pl.UInt64(),  # hash of its key
        "block_size": pl.Int64(),
        "size": pl.Int64(),
        "first_year": pl.Int64(),  # 0 if unknown
        "last_year": pl.Int64(),
        "first": pl.String(),  # the smallest identifier of its mentions
    }
)


@dataclass(frozen=True)
class Cast:
    """Person p has the bag from bag_starts[p] to bag_starts[p + 1], and likewise names with their numbers of mentions."""

    persons: pl.DataFrame  # schema PERSONS, ascending
    ambiguity: Floats  # of each person's block
    bag_starts: Longs
    tokens: Hashes
    counts: Ints
    held: Ints  # by the person's block
    name_starts: Longs
    names: pl.DataFrame  # columns first, middle, last
    name_counts: Ints

    def part(self, rows: Longs) -> Cast:
        """Some of the persons."""
        bag, name = np.diff(self.bag_starts)[rows], np.diff(self.name_starts)[rows]
        tokens, names = spans(self.bag_starts[rows], bag), spans(self.name_starts[rows], name)
        return Cast(
            self.persons[rows], self.ambiguity[rows], _starts(bag), self.tokens[tokens], self.counts[tokens],
            self.held[tokens], _starts(name), self.names[names], self.name_counts[names],
        )  # fmt: skip

    @staticmethod
    def together(casts: Sequence[Cast]) -> Cast:
        """Several casts as one."""
        whole = Cast(
            pl.concat([cast.persons for cast in casts]),
            np.concatenate([cast.ambiguity for cast in casts]),
            _starts(np.concatenate([np.diff(cast.bag_starts) for cast in casts])),
            np.concatenate([cast.tokens for cast in casts]),
            np.concatenate([cast.counts for cast in casts]),
            np.concatenate([cast.held for cast in casts]),
            _starts(np.concatenate([np.diff(cast.name_starts) for cast in casts])),
            pl.concat([cast.names for cast in casts]),
            np.concatenate([cast.name_counts for cast in casts]),
        )
        return whole.part(np.argsort(whole.persons["person"].to_numpy(), kind="stable"))


def _starts(lengths: Longs) -> Longs:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def take_cast(work: Work, labels: Longs, known: Longs, papers: Hashes) -> Cast:
    """The persons with the labels `known`, ascending; papers[m] is mention m's paper."""
    groups = _groups(labels, known)
    tokens, paper_tokens = _tokens(work, groups.members, papers)
    starts, pool = bags(tokens, groups)
    form_starts, form_pool = form_bags(work.evidence.forms.of_mention, groups)
    block = np.searchsorted(work.starts, known, side="right") - 1
    first, last = years_of(groups, work.evidence.year)
    persons = pl.DataFrame(
        {
            "person": known,
            "block": pl.Series(work.keys, dtype=pl.String).hash(2).gather(block),
            "block_size": np.diff(work.starts)[block],
            "size": np.diff(groups.starts),
            "first_year": first,
            "last_year": last,
            "first": _smallest(work.mentions, groups),
        },
        schema=PERSONS,
    )
    every = np.concatenate([work.evidence.vocabulary, paper_tokens])
    return Cast(
        persons, work.ambiguity[block], starts, every[pool[0]], pool[1].copy(),
        _held(work, tokens, block, starts, pool), form_starts, _form_names(work)[form_pool[0]], form_pool[1].copy(),
    )  # fmt: skip


def _groups(labels: Longs, known: Longs) -> Groups:
    """The mentions of the persons with these labels."""
    members = np.flatnonzero(np.isin(labels, known))
    members = members[np.argsort(labels[members], kind="stable")]
    starts = np.append(np.searchsorted(labels[members], known), len(members))
    return Groups(starts.astype(np.int64), members.astype(np.int64))


def _smallest(mentions: pl.Series, groups: Groups) -> pl.Series:
    """The smallest identifier of the mentions of each group."""
    group = np.repeat(np.arange(len(groups.starts) - 1), np.diff(groups.starts))
    table = pl.DataFrame({"group": group, "id": mentions.gather(groups.members)})
    return table.group_by("group").agg(pl.col("id").min()).sort("group")["id"]


def _tokens(work: Work, members: Longs, papers: Hashes) -> tuple[Tokens, Hashes]:
    """The tokens of all mentions, and the papers of the members, numbered from 0; and the tokens of these papers."""
    found: Evidence = work.evidence
    numbers = np.full(len(work.row), -1, np.int32)
    distinct, numbers[members] = np.unique(papers[members], return_inverse=True)
    tokens = Tokens(found.starts, found.tokens, found.counts, found.field, numbers)
    return tokens, (distinct << FIELD_BITS) | np.uint64(PAPER)


def _form_names(work: Work) -> pl.DataFrame:
    """A written name of each form."""
    forms = work.evidence.forms
    row = np.zeros(len(forms.words), np.int64)
    row[forms.of_mention] = work.name
    return work.names.select("first", "middle", "last")[row]


def _held(work: Work, tokens: Tokens, block: Longs, starts: Longs, pool: Ints) -> Ints:
    """How often the block of each person holds each of its tokens."""
    wanted = np.zeros(len(work.keys), bool)
    wanted[block] = True
    sizes = np.diff(work.starts)
    members = np.flatnonzero(np.repeat(wanted, sizes)).astype(np.int64)
    groups = Groups(_starts(np.where(wanted, sizes, 0)), members)
    block_starts, block_pool = bags(tokens._replace(papers=np.full_like(tokens.papers, -1)), groups)
    return held_in_blocks(block, starts, pool, block_starts, block_pool)


@kernel
def held_in_blocks(block: Longs, starts: Longs, pool: Ints, block_starts: Longs, block_pool: Ints) -> Ints:
    """How often block[p] holds each token of bag p; 0 for what no block's bag has."""
    held = np.zeros(pool.shape[1], np.int32)
    for person in range(block.shape[0]):
        end = block_starts[block[person] + 1]
        for position in range(starts[person], starts[person + 1]):
            token = pool[0, position]
            place = first_not_below(block_pool, block_starts[block[person]], end, token)
            if place < end and block_pool[0, place] == token:
                held[position] = block_pool[1, place]
    return held
