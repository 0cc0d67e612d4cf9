"""Topics: the sampler against exact enumeration, its counts against a recount, its answers against a plan."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.errors import ReadError, UsageError
from samehand.infer.random import stream
from samehand.models.topics import Topics, fit
from samehand.models.topics.kernels import Corpus, Tables, fold, sweep
from samehand.models.topics.lda import load, new_tables

ALPHA, BETA = 0.4, 0.3


def corpus_of(documents: list[list[int]]) -> Corpus:
    starts = np.cumsum([0, *map(len, documents)]).astype(np.int64)
    return Corpus(starts, np.array([word for words in documents for word in words], np.int32))


def log_joint(corpus: Corpus, assigned, words: int, topics: int, alpha: float, beta: float) -> float:
    """log p(w, z), up to a constant, straight from the definition: two Dirichlet-multinomial products."""
    word_topic, document_topic = np.zeros((words, topics)), np.zeros((len(corpus.starts) - 1, topics))
    for document in range(len(corpus.starts) - 1):
        for token in range(corpus.starts[document], corpus.starts[document + 1]):
            word_topic[corpus.words[token], assigned[token]] += 1
            document_topic[document, assigned[token]] += 1
    log_gamma = np.vectorize(math.lgamma)
    of_words = log_gamma(word_topic + beta).sum() - log_gamma(word_topic.sum(axis=0) + words * beta).sum()
    return float(of_words + log_gamma(document_topic + alpha).sum())


def started(corpus: Corpus, words: int, topics: int) -> tuple[np.ndarray, Tables]:
    return np.full(corpus.words.size, -1, np.int32), new_tables(corpus, words, topics)


def test_visits_match_the_exact_posterior() -> None:
    corpus = corpus_of([[0, 0, 1], [1, 2, 2]])
    states = list(itertools.product(range(2), repeat=6))
    logs = np.array([log_joint(corpus, state, 3, 2, ALPHA, BETA) for state in states])
    exact = np.exp(logs - logs.max()) / np.exp(logs - logs.max()).sum()
    assigned, tables = started(corpus, 3, 2)
    random, visits, sweeps = stream(1), np.zeros(64), 60_000
    for _ in range(sweeps):
        sweep(random, corpus, assigned, tables, ALPHA, BETA)
        visits[int("".join(map(str, assigned.tolist())), 2)] += 1
    assert np.abs(visits / sweeps - exact).sum() / 2 < 0.02
    assert exact.max() > 0.05  # the posterior is far from flat: a wrong sampler could not pass


def test_folding_in_gives_the_exact_mean() -> None:
    phi = np.array([[0.7, 0.1, 0.2], [0.2, 0.1, 0.5], [0.1, 0.8, 0.3]])
    words = np.array([0, 1, 1, 2], np.int32)
    exact, total = np.zeros(3), 0.0
    for state in itertools.product(range(3), repeat=len(words)):
        counts = np.bincount(state, minlength=3)
        weight = math.exp(sum(math.lgamma(count + ALPHA) for count in counts))
        weight *= math.prod(phi[word, topic] for word, topic in zip(words, state, strict=True))
        exact += weight * (counts + ALPHA) / (len(words) + 3 * ALPHA)
        total += weight
    theta = np.empty(3)
    fold(stream(2), words, phi, ALPHA, 50_000, 100, theta)
    assert np.abs(theta - exact / total).max() < 0.005


documents_of_words = st.lists(st.lists(st.integers(0, 5), max_size=9), min_size=1, max_size=8)


@given(documents_of_words, st.integers(1, 7), st.integers(0, 99))
def test_counts_and_lists_are_those_of_the_assignments(documents, topics: int, seed: int) -> None:
    corpus = corpus_of(documents)
    assigned, tables = started(corpus, 6, topics)
    random = stream(seed)
    for _ in range(3):
        sweep(random, corpus, assigned, tables, ALPHA, BETA)
        recount = np.zeros((6, topics), int)
        np.add.at(recount, (corpus.words, assigned), 1)
        assert (tables.word_topic == recount).all()
        assert (tables.topic_totals == recount.sum(axis=0)).all()
        assert np.allclose(tables.inverse, 1 / (recount.sum(axis=0) + 6 * BETA))
        for word in range(6):
            start = tables.list_starts[word]
            listed = tables.listed[start : start + tables.list_sizes[word]]
            assert sorted(listed) == np.flatnonzero(recount[word]).tolist()


SUBJECTS = [[f"{stem}{i}" for i in range(12)] for stem in ("bone", "star", "verb", "soil")]


def planted(documents: int = 400, length: int = 7) -> tuple[pl.Series, list[int]]:
    """Documents that each draw their words from the twelve of one subject, and the subjects."""
    random = np.random.default_rng(4)
    subjects = random.integers(0, len(SUBJECTS), documents).tolist()
    words = [random.choice(SUBJECTS[subject], length).tolist() for subject in subjects]
    return pl.Series("words", words), subjects


@pytest.fixture(scope="module")
def fitted() -> Topics:
    return fit(planted()[0], topics=4, sweeps=60, alpha=0.1)


def subjects_found(topics: Topics) -> bool:
    return sorted(map(sorted, topics.top_words(12))) == sorted(map(sorted, SUBJECTS))


def test_planted_topics_are_found_from_nearly_every_start(fitted: Topics) -> None:
    """A sampler may stay where one topic holds two subjects and two share one: 2 starts in 20 are forgiven."""
    assert subjects_found(fitted)
    documents = planted()[0]
    fits = [fit(documents, topics=4, sweeps=60, alpha=0.1, seed=seed) for seed in range(20)]
    assert sum(map(subjects_found, fits)) >= 18


def test_documents_get_the_topic_of_their_subject(fitted: Topics) -> None:
    documents, subjects = planted()
    topic_of = {words[0][:4]: topic for topic, words in enumerate(fitted.top_words(1))}
    expected = [[topic_of[SUBJECTS[subject][0][:4]]] for subject in subjects]
    assert [[pair["topic"] for pair in pairs] for pairs in fitted.infer(documents).to_list()] == expected


def test_a_document_of_two_subjects_has_two_topics(fitted: Topics) -> None:
    (pairs,) = fitted.infer(pl.Series([SUBJECTS[0][:4] + SUBJECTS[2][:4]])).to_list()
    assert len(pairs) == 2
    assert all(pair["probability"] == pytest.approx(0.5, abs=0.1) for pair in pairs)


def test_likelihood_rises() -> None:
    random = np.random.default_rng(0)
    corpus = corpus_of([(random.integers(0, 12, 8) + 12 * (d % 4)).tolist() for d in range(200)])
    assigned, tables = started(corpus, 48, 4)
    state = stream(0)
    assigned[:] = random.integers(0, 4, corpus.words.size)
    worst = log_joint(corpus, assigned, 48, 4, 0.1, 0.01)
    assigned[:] = -1
    trace = []
    for _ in range(40):
        sweep(state, corpus, assigned, tables, 0.1, 0.01)
        trace.append(log_joint(corpus, assigned, 48, 4, 0.1, 0.01))
    assert worst < trace[0] < np.mean(trace[30:])


def test_same_seed_same_topics_and_another_seed_others(fitted: Topics) -> None:
    documents = planted()[0]
    assert (fit(documents, topics=4, sweeps=60, alpha=0.1, seed=0).counts == fitted.counts).all()
    assert (fit(documents, topics=4, sweeps=60, alpha=0.1, seed=3).counts != fitted.counts).any()


def test_a_document_does_not_depend_on_the_others_nor_on_the_order_of_its_words(fitted: Topics) -> None:
    random = np.random.default_rng(9)
    everything = [word for subject in SUBJECTS for word in subject]
    documents = [random.choice(everything, 6).tolist() for _ in range(30)]
    together = fitted.infer(pl.Series(documents)).to_list()
    alone = [fitted.infer(pl.Series([words])).to_list()[0] for words in documents]
    backwards = fitted.infer(pl.Series([words[::-1] for words in reversed(documents)])).to_list()[::-1]
    assert together == alone == backwards


def test_probabilities_are_above_a_tenth_and_at_most_one(fitted: Topics) -> None:
    found = fitted.infer(planted()[0]).explode().struct.field("probability")
    assert found.min() > 0.1
    assert found.max() < 1.0


def test_words_that_tell_nothing_are_left_out() -> None:
    documents = pl.Series(
        [
            ["the", "of", "using", "7", "1999", "x", "everywhere", f"unique{i}", f"pair{i % 50}"]
            for i in range(200)
        ]
    )
    assert fit(documents, topics=2, sweeps=1).words.to_list() == sorted(f"pair{i}" for i in range(50))


def test_nothing_to_fit_and_nothing_to_infer(fitted: Topics) -> None:
    nothing = pl.Series("words", [], dtype=pl.List(pl.String))
    blank = pl.Series("words", [[], None, ["", "unheard"]], dtype=pl.List(pl.String))
    for topics in (fit(nothing), fit(blank)):
        assert topics.words.len() == 0
        assert topics.infer(planted()[0]).list.len().max() == 0
        assert topics.top_words(3) == [[]] * 100
    assert fitted.infer(nothing).to_list() == []
    assert fitted.infer(blank).to_list() == [[], [], []]
    assert fitted.infer(nothing).dtype == fitted.infer(blank).dtype == fitted.infer(planted()[0]).dtype


def test_one_topic_and_a_long_document() -> None:
    topics = fit(pl.Series([["ox", "emu"] * 20_000, ["ox", "emu"], ["emu", "ox"]]), topics=1, sweeps=2)
    assert topics.infer(pl.Series([["ox"]])).to_list() == [[{"topic": 0, "probability": pytest.approx(1.0)}]]


@pytest.mark.parametrize("wrong", [{"topics": 0}, {"sweeps": 0}, {"alpha": 0.0}, {"beta": -1.0}])
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be positive"):
        fit(planted()[0], **wrong)


def test_texts_are_not_lists_of_words() -> None:
    with pytest.raises(UsageError, match="lists of words"):
        fit(pl.Series(["a title"]))


def test_saved_topics_come_back(fitted: Topics, tmp_path: Path) -> None:
    fitted.save(tmp_path / "topics.parquet")
    again = load(tmp_path / "topics.parquet")
    assert (again.counts == fitted.counts).all()
    assert again.infer(planted()[0]).to_list() == fitted.infer(planted()[0]).to_list()


def test_files_that_are_not_topics_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a table")
    pl.DataFrame({"word": ["a"]}).write_parquet(tmp_path / "other.parquet")
    for name in ("text", "other.parquet", "missing"):
        with pytest.raises(ReadError, match=r"Topics\.save"):
            load(tmp_path / name)
