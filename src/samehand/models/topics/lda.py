"""Fit topics on documents (lists of words, see normalise/tokens.py) and infer the topics of documents.

A word is used if it is no stop word, number or single letter, and if it is neither rare (in fewer than
`RARE` documents, it tells of no other word) nor common (in more than `COMMON` of the documents, and in more
than `COMMON_FLOOR` of them, it tells of none in particular).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa

from samehand.errors import ReadError, UsageError
from samehand.infer.random import stream
from samehand.models.topics.kernels import Corpus, Indices, Offsets, Reals, Tables, fold_all, sweep
from samehand.normalise.venues import STOP_WORDS as VENUE_STOP_WORDS

THRESHOLD = 0.1
"""A document has the topics whose probability is above this (2013 paper, section 2.3)."""

RARE, COMMON, COMMON_FLOOR = 3, 0.1, 100
FOLD_SWEEPS, FOLD_DROPPED = 60, 10

_VERBS = ("are", "be", "can", "do", "does", "has", "have", "is", "use", "used", "using", "was")
_PRONOUNS = ("it", "its", "our", "some", "that", "their", "these", "this", "we", "what", "which", "who")
_ADVERBS = ("how", "new", "not", "when", "where", "why")
_PREPOSITIONS = (
    "about",
    "between",
    "over",
    "through",
    "toward",
    "towards",
    "under",
    "via",
    "within",
    "without",
)
STOP_WORDS = VENUE_STOP_WORDS | frozenset((*_VERBS, *_PRONOUNS, *_ADVERBS, *_PREPOSITIONS))

TOPICS = pl.List(pl.Struct({"topic": pl.UInt32, "probability": pl.Float64}))
"""What `Topics.infer` says of a document, in the order of topic numbers."""


@dataclass(frozen=True)
class Topics:
    """Fitted topics: how often each word of the vocabulary has each topic (`counts`, words x topics)."""

    words: pl.Series
    counts: Indices
    alpha: float
    beta: float
    seed: int

    def infer(self, documents: pl.Series) -> pl.Series:
        """The topics of each document that have a probability above 0.1 (type `TOPICS`).

        The answer for a document depends on its words and on nothing else: not on their order, nor on the
        other documents. A document without a word of the vocabulary has no topics.

        >>> topics = fit(pl.Series([["red", "blue"], ["cat", "dog"]] * 20), topics=2, sweeps=20)
        >>> red, cat, other = topics.infer(pl.Series([["red"] * 5, ["cat"] * 5, ["unknown"]])).to_list()
        >>> len(red), red[0]["topic"] != cat[0]["topic"], other
        (1, True, [])
        """
        corpus = _encode(documents, self.words)
        sizes: Offsets = np.zeros(documents.len(), np.int64)
        width = int(np.ceil(1.0 / THRESHOLD)) - 1
        chosen = np.zeros((documents.len(), width), np.int32)
        probabilities = np.zeros((documents.len(), width))
        origin = stream(self.seed, "topics of a document")
        fold_all(
            origin, corpus, self.phi(), self.alpha, FOLD_SWEEPS, FOLD_DROPPED,
            THRESHOLD, chosen, probabilities, sizes,
        )  # fmt: skip
        return _lists(documents.name, chosen, probabilities, sizes)

    def phi(self) -> Reals:
        """The probability of each word in each topic: (n_wk + beta) / (n_k + V beta).

        >>> phi = fit(pl.Series([["red", "blue"]] * 9), topics=2, sweeps=1).phi()
        >>> phi.shape, bool(np.allclose(phi.sum(axis=0), 1.0))
        ((2, 2), True)
        """
        smoothed = self.counts.astype(np.float64) + self.beta
        return smoothed / smoothed.sum(axis=0)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The most frequent words of each topic, at most `n`, ties in alphabetical order.

        >>> fit(pl.Series([["red", "red", "blue"]] * 9), topics=1, sweeps=1).top_words(1)
        [['red']]
        """
        order = np.argsort(-self.counts, axis=0, kind="stable")[:n]
        return [
            self.words.gather(column[self.counts[column, topic] > 0]).to_list()
            for topic, column in enumerate(order.T)
        ]

    def save(self, path: Path) -> None:
        """Write a Parquet table `word, topic, count` of what is not zero, with the settings as metadata.

        >>> import tempfile
        >>> topics = fit(pl.Series([["red", "blue"]] * 9), topics=2, sweeps=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     topics.save(Path(folder, "topics.parquet"))
        ...     load(Path(folder, "topics.parquet")).top_words() == topics.top_words()
        True
        """
        settings = {"topics": self.counts.shape[1], "alpha": self.alpha, "beta": self.beta, "seed": self.seed}
        row, topic = np.nonzero(self.counts)
        table = pl.DataFrame(
            {"word": self.words.gather(row), "topic": topic, "count": self.counts[row, topic]},
            schema={"word": pl.String, "topic": pl.Int64, "count": pl.Int32},
        )
        table.write_parquet(path, metadata={"samehand.topics": json.dumps(settings)})


def load(path: Path) -> Topics:
    """What `Topics.save` wrote.

    >>> load(Path("no-such-file"))
    Traceback (most recent call last):
    ...
    samehand.errors.ReadError: no-such-file: not a table of topics; give a file that Topics.save wrote
    """
    try:
        settings = json.loads(pl.read_parquet_metadata(path)["samehand.topics"])
        table = pl.read_parquet(path, columns=["word", "topic", "count"])
        words = table["word"].unique().sort()
        counts = np.zeros((words.len(), settings["topics"]), np.int32)
        rows = words.search_sorted(table["word"]).to_numpy()
        counts[rows, table["topic"].to_numpy()] = table["count"].to_numpy()
        return Topics(words, counts, settings["alpha"], settings["beta"], settings["seed"])
    except (OSError, KeyError, ValueError, TypeError, IndexError, pl.exceptions.PolarsError) as error:
        raise ReadError(f"{path}: not a table of topics; give a file that Topics.save wrote") from error


def fit(
    documents: pl.Series,
    *,
    topics: int = 100,
    sweeps: int = 100,
    alpha: float = 0.03,
    beta: float = 0.01,
    seed: int = 0,
) -> Topics:
    """Fit topics by collapsed Gibbs sampling: the counts of the last of `sweeps` sweeps.

    `alpha` is the weight of each topic in a document before its words are seen. Titles are short: the customary
    50 / topics would drown their words. The first sweep assigns each token given those before it.

    >>> fit(pl.Series([["Latent", "hands"], []], dtype=pl.List(pl.String))).words.len()
    0
    """
    if min(topics, sweeps) < 1 or min(alpha, beta) <= 0.0:
        raise UsageError("topics, sweeps, alpha and beta must be positive")
    words = _vocabulary(documents)
    corpus = _encode(documents, words)
    tables = new_tables(corpus, words.len(), topics)
    assigned = np.full(corpus.words.size, -1, np.int32)
    state = stream(seed, "topics")
    for _ in range(sweeps if words.len() else 0):
        sweep(state, corpus, assigned, tables, alpha, beta)
    return Topics(words, tables.word_topic, alpha, beta, seed)


def new_tables(corpus: Corpus, word_count: int, topic_count: int) -> Tables:
    """Empty tables; a word's list has room for as many topics as it has tokens, and never for more than all.

    >>> new_tables(Corpus(np.array([0, 3]), np.array([0, 0, 1], np.int32)), 2, 100).list_starts.tolist()
    [0, 2, 3]
    """
    room = np.minimum(np.bincount(corpus.words, minlength=word_count), topic_count)
    list_starts: Offsets = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
    return Tables(
        word_topic=np.zeros((word_count, topic_count), np.int32),
        topic_totals=np.zeros(topic_count, np.int64),
        inverse=np.zeros(topic_count),
        listed=np.zeros(list_starts[-1], np.int32),
        list_starts=list_starts,
        list_sizes=np.zeros(word_count, np.int64),
    )


def _tokens(documents: pl.Series) -> pl.DataFrame:
    """One row for each word of each document: `document` (its position) and `word`."""
    if documents.dtype != pl.List(pl.String):
        raise UsageError(f"documents must be lists of words, not {documents.dtype}; see normalise.tokens")
    table = pl.DataFrame([documents.alias("word")]).with_row_index("document")
    return table.explode("word").drop_nulls()


def _vocabulary(documents: pl.Series) -> pl.Series:
    """The words worth counting, in alphabetical order."""
    in_documents = pl.col("document").n_unique()
    most = max(COMMON_FLOOR, COMMON * documents.len())
    telling = (
        (pl.col("word").str.len_chars() > 1)
        & ~pl.col("word").str.contains(r"^\d+$")
        & ~pl.col("word").is_in(sorted(STOP_WORDS))
    )
    counted = _tokens(documents).filter(telling).group_by("word").agg(in_documents)
    return counted.filter(pl.col("document").is_between(RARE, most))["word"].sort()


def _encode(documents: pl.Series, words: pl.Series) -> Corpus:
    """The documents as numbers of words; words not in the vocabulary are left out, the others sorted."""
    numbers = pl.DataFrame([words.alias("word")]).with_row_index("number")
    found = _tokens(documents).join(numbers, on="word").sort("document", "number")
    starts = np.searchsorted(found["document"].to_numpy(), np.arange(documents.len() + 1))
    return Corpus(starts.astype(np.int64), found["number"].cast(pl.Int32).to_numpy())


def _lists(name: str, chosen: Indices, probabilities: Reals, sizes: Offsets) -> pl.Series:
    """The first `sizes[d]` entries of each row d as a column of lists of (topic, probability)."""
    used = np.arange(chosen.shape[1]) < sizes[:, None]
    pairs = pa.StructArray.from_arrays(
        [chosen[used].astype(np.uint32), probabilities[used]], names=["topic", "probability"]
    )
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int64())
    return pl.Series(name, pl.from_arrow(pa.LargeListArray.from_arrays(offsets, pairs)), dtype=TOPICS)
