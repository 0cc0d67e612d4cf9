"""A parser of citations: learned once from the strings at hand, then asked for the readings of any string."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from samehand.models.citations.parsing.corpus import UNKNOWN, encode
from samehand.models.citations.parsing.fields import make_parse, pieces
from samehand.models.citations.parsing.grammar import LABELS, VISIBLE
from samehand.models.citations.parsing.learning import learn_model
from samehand.models.citations.parsing.listing import readings
from samehand.models.citations.parsing.model import Floats, Model, emissions, spelt
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.parsing.tokens import Tokens, tokenise

LEAST = 1e-6
"""Readings less probable than this are not listed."""
WAYS = 4
"""How many state sequences are listed for each reading asked for: a reading may be reached in several styles."""

_SEEN = np.array([sorted(set(VISIBLE.values())).index(VISIBLE[label]) for label in LABELS])
_NOTHING = Parse(0.0, "", (), "", None, "", "", "", "other", ())


@dataclass(frozen=True)
class Parser:
    """Reads citations with the probabilities it has learned."""

    model: Model

    def best(self, text: str) -> Parse:
        """The most probable reading of a citation."""
        return self.parses(text)[0]

    def parses(self, text: str, most: int = 20) -> list[Parse]:
        """The readings of a citation in order of probability, at most `most`; their probabilities sum to one.

        >>> parser = learn([])
        >>> parser.parses("J. Lee. On hands. Nature, 12:3-9, 1991.")[0].title
        'On hands'
        """
        return self.parses_of([text], most)[0]

    def parses_of(self, texts: Sequence[str], most: int = 20) -> list[list[Parse]]:
        """`parses` of many citations."""
        citations = [tokenise(text) for text in texts]
        corpus = encode(citations, self.model.known)
        words = [word for tokens in citations for word in tokens.words]
        unknown = spelt([words[place] for place in np.flatnonzero(corpus.word == UNKNOWN)])
        emission, _ = emissions(self.model, corpus, unknown)
        found = []
        for number, (text, tokens) in enumerate(zip(texts, citations, strict=True)):
            first, last = corpus.begins[number], corpus.begins[number + 1]
            gap = corpus.gap[first + number : last + number + 1]
            found.append(self._listed(text, tokens, emission[first:last], gap, most))
        return found

    def _listed(self, text: str, tokens: Tokens, emission: Floats, gap: np.ndarray, most: int) -> list[Parse]:
        if not tokens.words:
            return [_NOTHING]
        free = np.zeros(len(tokens.words), dtype=np.int64)
        scores, labels, begins = readings(emission, gap, free, self.model.tables, most * WAYS, LEAST / 10)
        alike: dict[bytes, list[int]] = {}
        for way in range(len(scores)):
            alike.setdefault(_SEEN[labels[way]].tobytes() + begins[way].tobytes(), []).append(way)
        chances = sorted(
            ((float(np.exp(scores[ways]).sum()), ways[0]) for ways in alike.values()), reverse=True
        )[:most]
        kept = [(chance, way) for chance, way in chances if chance >= LEAST] or chances[:1]
        whole = sum(chance for chance, _ in kept)
        return [
            make_parse(text, pieces(tokens, text, labels[way], begins[way]), math.log(chance / whole))
            for chance, way in kept
        ]


def learn(texts: Sequence[str], references: pl.DataFrame | None = None, seed: int = 0) -> Parser:
    """A parser learned from citation strings, and from structured references (schema `records.REFERENCES`) if given.

    >>> learn([]).best("Ann Lee and Bo Wu, On hands, Nature 12 (1991) 3-9").authors
    ('Ann Lee', 'Bo Wu')
    """
    return Parser(learn_model(texts, references, seed))
