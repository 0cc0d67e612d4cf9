"""All blocks of a run, each a pure function of its evidence, the weights and its own random stream."""

from __future__ import annotations

import numpy as np

from samehand.infer.random import State, stream
from samehand.infer.run import Run
from samehand.kernels import kernel
from samehand.models.persons.compare import Terms
from samehand.models.persons.layout import Bytes, Floats, Ints, Longs
from samehand.models.persons.nested import begun
from samehand.models.persons.posterior import posterior as how_sure
from samehand.models.persons.prepare import first_pool
from samehand.models.persons.search import prepare_block, search
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work, run_blocks


@kernel
def resolve_block(
    starts: Longs,
    tokens: Ints,
    counts: Ints,
    field: Ints,
    frequency: Longs,
    totals: Longs,
    distinct: Longs,
    years: Ints,
    forms: Ints,
    words: Ints,
    letters: Bytes,
    begin: Longs,
    rarity: Floats,
    nickname: Ints,
    weights: Floats,
    shape: Floats,
    block: Floats,
    same: Ints,
    apart: Ints,
    first: Ints,
    first_strengths: Floats,
    temperature: float,
    random: State,
    labels: Longs,
    probability: Floats,
    posterior: bool,
) -> None:
    """Search one block, the joins `first` already found; labels[m] becomes the mention that stands for its person, and,
    if asked, probability[m] how surely it is one of his."""
    mentions = starts.shape[0] - 1
    joins, strengths = np.empty((mentions, 2), np.int32), np.empty(mentions)
    nodes, own, own_counts, pool, form, form_pool, own_field, base, rising, relations, own_rarity = prepare_block(
        starts, tokens, counts, field, frequency, totals, distinct, years, forms, words, letters, begin,
        rarity, nickname, shape, mentions,
    )  # fmt: skip
    single = nodes.copy()
    made = search(
        mentions, nodes, own, own_counts, pool, form, form_pool, own_field, base, rising, relations,
        own_rarity, weights, shape, block, same, apart, first, first_strengths, joins, strengths, labels,
    )  # fmt: skip
    if not posterior:
        return
    how_sure(
        single, first_pool(own, own_counts), first_pool(form, np.ones(mentions, np.int32)),
        Terms(own_field, base, rising, relations, own_rarity, shape, block, weights, temperature), joins,
        strengths, made, labels, apart, random, probability,
    )  # fmt: skip


def resolve_work(work: Work, weights: Weights, run: Run, *, posterior: bool = True) -> tuple[Longs, Floats]:
    """Each mention's cluster and, with `posterior`, the probability that it belongs there."""
    found, forms = work.evidence, work.evidence.forms
    labels = np.empty(len(work.row), np.int64)
    probability = np.full(len(work.row), np.nan)

    def resolve(number: int) -> None:
        part = work.block(number)
        if part.stop - part.start == 1:
            labels[part], probability[part] = part.start, 1.0
            return
        same, apart = work.same[number], work.apart[number]
        first = begun(work, number, weights, same, apart)
        resolve_block(
            found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
            found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
            forms.begin, forms.rarity, forms.nickname, weights.features, weights.shape, work.ambiguity[number],
            same, apart, *first, weights.temperature, stream(run.seed, work.keys[number]), labels[part],
            probability[part], posterior,
        )  # fmt: skip
        labels[part] += part.start

    run_blocks(work, resolve, run.threads)
    return labels, probability
