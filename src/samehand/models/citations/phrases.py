"""Phrase matching, the baseline of the citations paper (section 6; Lawrence, Bollacker and Giles 1999).

A citation's phrases are the bigrams of its segments between punctuation marks that are longer than two words. The
similarity of two citations is the mean of the Dice overlaps of their words and of their phrases; clusters are joined
by average link while it is above THRESHOLD, one for all collections.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.citations.texts import citation_texts
from samehand.models.papers.links import Links, Longs, agglomerate, with_decisions
from samehand.normalise.tokens import tokens
from samehand.records import CLUSTERING

THRESHOLD = 0.5
_MARKS = re.compile(r"[.,;:?!()\[\]\"“”]+|\s-+\s")


def phrases(text: str) -> set[str]:
    """The phrases of a citation.

    >>> sorted(phrases("Lee, A. On hands and feet. 1990."))
    ['and feet', 'hands and', 'on hands']
    """
    segments = (tokens(segment) for segment in _MARKS.split(text))
    return {f"{a} {b}" for words in segments if len(words) > 2 for a, b in pairwise(words)}


def matched(texts: list[str]) -> Longs:
    """The cluster of each citation by phrase matching alone.

    >>> texts = ["A. Lee. On hands and feet. 1990.", "Ann Lee, On hands and feet, 1990", "B. Day. Thumbs of apes."]
    >>> matched(texts).tolist()
    [0, 0, 1]
    """
    return agglomerate(_links(texts), np.arange(len(texts)))


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster citations by phrase matching, under a curator's decisions; no probabilities are claimed."""
    texts = citation_texts(blocked)
    links = with_decisions(_links(texts), constraints.different)
    labels = agglomerate(links, connected(len(texts), (), constraints.same))
    nothing = pl.repeat(None, len(texts), dtype=pl.Float64, eager=True)
    return pl.DataFrame(
        {"mention": blocked.mentions["id"], "cluster": labels.astype(np.uint32), "probability": nothing},
        schema=CLUSTERING,
    )


def _links(texts: list[str]) -> Links:
    """Similarities above the threshold's level of pairs that share a phrase; all others are at similarity 0."""
    words, pieces = [set(tokens(text)) for text in texts], [phrases(text) for text in texts]
    holders: dict[str, list[int]] = {}
    for citation, each in enumerate(pieces):
        for phrase in each:
            holders.setdefault(phrase, []).append(citation)
    pairs = sorted({(a, b) for them in holders.values() for a in them for b in them if a < b})
    odds = [(_dice(words[a], words[b]) + _dice(pieces[a], pieces[b])) / 2 - THRESHOLD for a, b in pairs]
    return Links(len(texts), np.array(pairs, np.int64).reshape(-1, 2), np.array(odds), -THRESHOLD)


def _dice(one: set[str], other: set[str]) -> float:
    return 2.0 * len(one & other) / max(len(one) + len(other), 1)
