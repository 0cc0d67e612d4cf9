"""Learning a parser without labels: rendered citations first, then expectation maximisation on the strings themselves.

Citations rendered in known styles (render.py) are read with their segments given; what is counted there is the prior.
Each round of EM then reads the user's strings with the present probabilities, and adds what is expected of them to
the prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.models.citations.parsing.corpus import Corpus, Index, encode
from samehand.models.citations.parsing.grammar import (
    LABELS,
    LISTED,
    SHAPES,
    STATES,
    STYLES,
    WORD_NUMBER,
    WORDS,
    grammar,
)
from samehand.models.citations.parsing.kernels import expect_all
from samehand.models.citations.parsing.model import (
    Counts,
    Floats,
    Model,
    emissions,
    enlarged,
    learnable,
    make_model,
    no_counts,
    spelt,
)
from samehand.models.citations.parsing.render import Rendered, from_references, invented
from samehand.models.citations.parsing.tokens import Shape, Tokens, tokenise

INVENTED = 905
"""How many citations are rendered from invented records: each style five times."""
PRIOR_WEIGHT = 0.2
"""What a rendered citation counts beside one of the user's."""
ROUNDS = 4
OWN = 0.5
"""How much of a citation's own words is not learned from it."""
MOST_TEXTS, MOST_REFERENCES = 2_000, 1_000
"""Of more strings or references, so many are learned from, evenly spaced."""


class Prior(NamedTuple):
    """What rendered citations teach."""

    known: Index
    counts: Counts


@cache
def invented_prior(seed: int) -> Prior:
    """What citations of invented records teach: read twice, first with what closed lists tell alone."""
    rendered = list(invented(INVENTED, seed))
    examples = [tokenise(example.text) for example in rendered]
    index = Index()
    for tokens in examples:
        index.add(tokens)
    spelling, counts = spelt(list(index.words)), listed(index)
    for _ in range(2):
        counts = _from_examples(make_model(index, counts, spelling), rendered, examples)
    return Prior(index, counts)


def taught(rendered: Sequence[Rendered], prior: Prior) -> Prior:
    """A prior, and what more rendered citations teach, read by its probabilities with their segments and styles known."""
    examples = [tokenise(example.text) for example in rendered]
    index = prior.known.copy()
    for tokens in examples:
        index.add(tokens)
    before = enlarged(prior.counts, index)
    counts = _from_examples(make_model(index, before, spelt(list(index.words))), rendered, examples)
    return Prior(index, before + counts)


def listed(index: Index) -> Counts:
    """What is known of closed lists before anything is read."""
    counts = no_counts(index)
    for name, words in LISTED.items():
        known = [index.words[word] for word in words.split() if word in index.words]
        counts.words[known, WORD_NUMBER[name]] = 10.0
    return counts


def learn_model(texts: Sequence[str], references: pl.DataFrame | None = None, seed: int = 0) -> Model:
    """The probabilities learned from strings and from the user's structured references."""
    prior = invented_prior(seed)
    if references is not None and references.height:
        taken = references.gather_every(max(1, -(-references.height // MOST_REFERENCES)))
        prior = taught(list(from_references(taken, seed)), prior)
    citations = [tokenise(text) for text in texts[:: max(1, -(-len(texts) // MOST_TEXTS))]]
    index = prior.known.copy()
    for tokens in citations:
        index.add(tokens)
    spelling, corpus = spelt(list(index.words)), encode(citations, index)
    known = enlarged(prior.counts, index) * PRIOR_WEIGHT
    trust = learnable(index) * others_share(corpus, corpus.word, len(index.words))[:, None]
    trust_pairs = others_share(corpus, corpus.pair, len(index.pairs))[:, None]
    model = make_model(index, known, spelling)
    for _ in range(ROUNDS if citations else 0):
        counts, _likelihood = expected(model, corpus)
        counts.words *= trust
        counts.pairs *= trust_pairs
        model = make_model(index, known + counts, spelling)
    return model


def others_share(corpus: Corpus, numbers: npt.NDArray[np.int64], size: int) -> Floats:
    """(k - 1/2) / k for a word (or pair) that stands in k citations: half of what the citation being read would say of it
    is taken out, or a word that occurs once would be learned to be whatever it was first taken for."""
    citation = np.repeat(np.arange(len(corpus.begins) - 1), np.diff(corpus.begins))
    pairs = np.unique(np.stack([numbers, citation])[:, numbers >= 0], axis=1)
    seen = np.bincount(pairs[0], minlength=size)
    share: Floats = np.maximum(seen - OWN, 0.0) / np.maximum(seen, 1)
    return share


def expected(
    model: Model,
    corpus: Corpus,
    allowed: npt.NDArray[np.bool_] | None = None,
    forced: npt.NDArray[np.int64] | None = None,
) -> tuple[Counts, Floats]:
    """Expected counts over a corpus, and the log probability of each citation; `allowed[t, state]` and `forced[t]`
    say what is known of the segments."""
    emission, greatest = emissions(model, corpus, np.zeros((0, len(WORDS))))
    if allowed is not None:
        emission = emission * allowed
    if forced is None:
        forced = np.zeros(len(corpus.word), dtype=np.int64)
    counts = no_counts(model.known)
    posterior, found = np.zeros_like(emission), np.zeros(len(corpus.begins) - 1)
    expect_all(corpus.begins, emission, corpus.gap, forced, model.tables, counts.grammar, posterior, found)
    _count_words(posterior, corpus, counts)
    scales = np.concatenate([[0.0], np.cumsum(greatest)])
    return counts, found + scales[corpus.begins[1:]] - scales[corpus.begins[:-1]]


def _count_words(posterior: Floats, corpus: Corpus, counts: Counts) -> None:
    net = grammar()
    of_words = np.zeros((len(posterior), len(WORDS)))
    of_shapes = np.zeros((len(posterior), len(SHAPES)))
    chained = np.zeros((len(posterior), len(WORDS)))
    for state in range(len(STATES)):
        of_words[:, net.words[state]] += posterior[:, state]
        of_shapes[:, net.shapes[state]] += posterior[:, state]
        if net.chained[state]:
            chained[:, net.words[state]] += posterior[:, state]
    np.add.at(counts.words, corpus.word, of_words)
    inner = corpus.pair >= 0
    np.add.at(counts.pairs, corpus.pair[inner], chained[inner])
    lettered = corpus.shape != Shape.OTHER
    np.add.at(
        counts.shapes.transpose(1, 2, 0),
        (corpus.small[lettered].astype(int), corpus.shape[lettered]),
        of_shapes[lettered],
    )


def _from_examples(model: Model, rendered: Sequence[Rendered], examples: Sequence[Tokens]) -> Counts:
    """What rendered citations, read with their segments and styles known, have of everything."""
    total = no_counts(model.known)
    for number, style in enumerate(STYLES):
        chosen = [place for place, example in enumerate(rendered) if example.heading == style]
        corpus = encode([examples[place] for place in chosen], model.known)
        allowed, forced = _known([rendered[place] for place in chosen], [examples[place] for place in chosen])
        one = np.zeros(len(STYLES))
        one[number] = 1.0
        sure = model._replace(tables=model.tables._replace(styles=one))
        total = total + expected(sure, corpus, allowed, forced)[0]
    return total


def _known(
    rendered: Sequence[Rendered], examples: Sequence[Tokens]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """Which states the segments of rendered citations allow at each word, and where segments begin."""
    labels = grammar().label
    allowed, forced = [], []
    for example, tokens in zip(rendered, examples, strict=True):
        for label, begins in _word_labels(example, tokens):
            allowed.append(labels == LABELS.index(label))
            forced.append(1 if begins else 2)
    return np.array(allowed).reshape(-1, len(STATES)), np.array(forced, dtype=np.int64)


def _word_labels(example: Rendered, tokens: Tokens) -> Iterable[tuple[str, bool]]:
    """The label of each word, and whether a segment begins with it."""
    place, last = 0, -1
    for start, _ in tokens.spans:
        while place + 1 < len(example.segments) and example.segments[place + 1][1] <= start:
            place += 1
        yield example.segments[place][0], place != last
        last = place
