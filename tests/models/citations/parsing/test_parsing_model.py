"""The model's distributions are distributions, and the grammar is what it says."""

import numpy as np
import pytest

from samehand.models.citations.parsing.corpus import encode
from samehand.models.citations.parsing.grammar import EDGE, LABELS, STATES, STYLES, WORDS, grammar, may_follow
from samehand.models.citations.parsing.learning import PRIOR_WEIGHT, expected, invented_prior, learn_model
from samehand.models.citations.parsing.model import emissions, enlarged, make_model, spelt
from samehand.models.citations.parsing.spelling import ALPHABET, Letters
from samehand.models.citations.parsing.tokens import tokenise

TEXTS = [
    "J. Lee and B. Wu. On the reading of hands. Journal of Hands, 12(3):4-19, 1991.",
    "Lee, J., Wu, B. (1991). On the reading of hands. Journal of Hands, 12, 4-19.",
    "K. Zork, The theory of feet, in Proc. Int. Conf. on Feet, pp. 1-9, 1993.",
]


@pytest.fixture(scope="module")
def model():
    return learn_model(TEXTS)


def test_words_of_every_distribution_sum_to_one_with_the_unseen(model):
    """What is not given to words of the index is left to spelling: its share, less what it gives to them."""
    spelling = spelt(list(model.known.words))
    left = model.unseen * (1.0 - spelling.sum(axis=0))
    assert model.words.sum(axis=0) + left == pytest.approx(np.ones(len(WORDS)), abs=1e-6)


def test_chained_words_sum_to_one(model):
    """p(. | v) over the words that followed v, and 3 p(w) / (n(v) + 3) for the others."""
    index, before = model.known, model.known.words["reading"]
    following = {two[1]: number for two, number in index.pairs.items() if two[0] == before}
    for name in ("title", "journal"):
        column = [words.name for words in WORDS].index(name)
        rest = 3.0 / (model.follows[before, column] + 3.0)
        total = sum(
            model.pairs[number, column] - rest * model.words[word, column]
            for word, number in following.items()
        )
        assert total + rest == pytest.approx(1.0)


def test_what_leaves_a_state_or_a_label_sums_to_one(model):
    net, tables = grammar(), model.tables
    stopped = np.array([gap.startswith("~") for gap in model.known.gaps])
    for kind in (stopped, ~stopped):
        moves = np.bincount(net.source, tables.moves[kind].sum(axis=0), minlength=len(STATES))
        assert moves + tables.stop == pytest.approx(np.ones(len(STATES)))
        for style in range(len(STYLES)):
            passed = np.bincount(net.source_label, tables.joints[kind, style].sum(axis=0), minlength=EDGE + 1)
            assert passed == pytest.approx(np.ones(EDGE + 1))
    assert np.bincount(net.label, tables.start) == pytest.approx(np.ones(len(LABELS)))
    assert tables.styles.sum() == pytest.approx(1.0)


def test_letters_sum_to_one():
    letters = Letters(["ab", "ba", "abba"], np.ones(3))
    words = ["", *ALPHABET] + [a + b for a in ALPHABET for b in ALPHABET]
    short = np.exp(letters.log_probability(words)).sum()
    longer = np.exp(
        letters.log_probability([a + b + c for a in ALPHABET for b in ALPHABET for c in ALPHABET])
    ).sum()
    assert 0.5 < short < short + longer < 1.0


def test_emissions_of_unknown_words_are_finite_and_scaled(model):
    tokens = tokenise("Qxyzzy, P. Frobnication of gnusto. 1999.")
    corpus = encode([tokens], model.known)
    unknown = spelt([word for word, number in zip(tokens.words, corpus.word, strict=True) if number < 0])
    emission, greatest = emissions(model, corpus, unknown)
    assert emission.max(axis=1) == pytest.approx(np.ones(len(tokens.words)))
    assert np.isfinite(greatest).all()


def test_a_title_comes_once_and_nothing_before_it_comes_after():
    title, journal, key = (LABELS.index(name) for name in ("title", "journal", "key"))
    assert may_follow(EDGE, key)
    assert may_follow(title, journal)
    assert not may_follow(title, LABELS.index("capital title"))
    assert not may_follow(journal, title)
    assert not may_follow(journal, LABELS.index("straight"))


def test_em_makes_the_strings_more_probable(model):
    corpus = encode([tokenise(text) for text in TEXTS], model.known)
    rendered_only = make_model(
        model.known,
        enlarged(invented_prior(0).counts, model.known) * PRIOR_WEIGHT,
        spelt(list(model.known.words)),
    )
    assert expected(model, corpus)[1].sum() > expected(rendered_only, corpus)[1].sum() + 10.0


def test_same_seed_same_probabilities():
    one, other = learn_model(TEXTS, seed=3), learn_model(TEXTS, seed=3)
    assert (one.tables.joints == other.tables.joints).all()
    assert (one.words == other.words).all()
