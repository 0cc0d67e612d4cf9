"""Giant blocks: narrow keys first, and what they find is where the search of the whole block begins.

In a block of more than GIANT mentions, those that share a full first name are searched among themselves, group by group,
each on a thread of its own; groups of fewer than SOME are left to the whole. The joins they make are then made in the
whole block, with all it knows and under the same scores, and its own search goes on from there: it joins the groups'
persons with each other, with those whose first name is an initial, and with what is left. A mention that a curator's
decision names is in no group.

A group is a pure function of its mentions and of the block's statistics, so that threads change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from samehand.models.persons.forms import Forms
from samehand.models.persons.known_pairs import spans
from samehand.models.persons.layout import FORM_START, LENGTH, START, Codes, Floats, Ints, Longs
from samehand.models.persons.prepare import first_pool
from samehand.models.persons.search import prepare_block, search
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work

GIANT = 5_000
SOME = 50
"""Mentions with one first name, from which on they are a group of their own."""

NOBODY = np.empty((0, 2), np.int32)


class Prepared(NamedTuple):
    """A block as `search.prepare_block` makes it ready."""

    nodes: Longs
    own: Ints
    counts: Ints
    pool: Ints
    form: Ints
    form_pool: Ints
    field: Ints
    base: Floats
    rising: Floats
    relations: Codes
    rarity: Floats


class Begun(NamedTuple):
    """Joins in their order: two nodes each, of which the first lives on, and their scores."""

    pairs: Ints
    strengths: Floats


NOTHING = Begun(NOBODY, np.empty(0))


def narrow_groups(forms: Forms, form: Ints, decided: Ints) -> Iterator[Longs]:
    """The mentions of a block with one full first name each, the largest group first; form[m] is mention m's."""
    word = forms.words[form, 0]
    known = np.maximum(word, 0)
    full = (word >= 0) & (forms.begin[known + 1] - forms.begin[known] > 1)
    full[decided] = False
    members = np.flatnonzero(full)
    members = members[np.argsort(word[members], kind="stable")]
    _, sizes = np.unique(word[members], return_counts=True)
    groups = np.split(members, np.cumsum(sizes)[:-1])
    return iter(sorted((group for group in groups if len(group) >= SOME), key=len, reverse=True))


def begun(work: Work, number: int, weights: Weights, same: Ints, apart: Ints) -> Begun:
    """The joins with which the search of a block begins under a curator's decisions: none, if it is no giant."""
    part, found, forms = work.block(number), work.evidence, work.evidence.forms
    if part.stop - part.start <= GIANT:
        return NOTHING
    block = Prepared(*prepare_block(
        found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency, found.totals,
        found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters, forms.begin, forms.rarity,
        forms.nickname, weights.shape, part.stop - part.start,
    ))  # fmt: skip
    groups = narrow_groups(forms, forms.of_mention[part], np.concatenate([same.ravel(), apart.ravel()]))
    return narrow_joins(block, groups, weights.features, weights.shape, work.ambiguity[number])


def narrow_joins(
    block: Prepared, groups: Iterator[Longs], weights: Floats, shape: Floats, prior: Floats
) -> Begun:
    """The joins that the searches of all groups make, in the block's own numbers."""

    def narrow(members: Longs) -> Begun:
        joins, strengths = np.empty((len(members), 2), np.int32), np.empty(len(members))
        labels = np.empty(len(members), np.int64)
        known, form = np.unique(block.form[members], return_inverse=True)
        nodes, own_form = block.nodes[members], form.astype(np.int32)
        held = spans(nodes[:, START], nodes[:, LENGTH])
        own, counts = block.own[held], block.counts[held]
        nodes[:, START] = np.cumsum(nodes[:, LENGTH]) - nodes[:, LENGTH]
        nodes[:, FORM_START] = np.arange(len(members))
        made = search(
            len(members), nodes, own, counts, first_pool(own, counts), own_form,
            first_pool(own_form, np.ones(len(members), np.int32)), block.field, block.base, block.rising,
            np.ascontiguousarray(block.relations[:, known][:, :, known]), block.rarity[known], weights, shape, prior,
            NOBODY, NOBODY, *NOTHING, joins, strengths, labels,
        )  # fmt: skip
        return Begun(members[joins[:made]].astype(np.int32), strengths[:made])

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        found = [NOTHING, *threads.map(narrow, groups)]
    return Begun(
        np.concatenate([each.pairs for each in found]), np.concatenate([each.strengths for each in found])
    )
