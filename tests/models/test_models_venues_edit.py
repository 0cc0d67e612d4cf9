"""The edit model is a distribution over strings, and the forward pass sums what an enumeration of alignments sums."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.models.venues.edit import (
    DELETE,
    INSERT,
    STOP,
    SUBSTITUTE,
    likeness,
    log_edit,
    substitutions,
    unigram_prior,
)
from samehand.models.venues.simulate import Distorter, simulate
from samehand.models.venues.words import MOST_WORDS, number_words, venue_words

WORDS = ("c", "conf", "hands")
TABLE = substitutions(number_words([WORDS]))


def probability(v, x):
    return math.exp(log_edit(np.array(v, np.int32), np.array(x, np.int32), TABLE))


def length_probabilities(left, most):
    """The probability of each length of v when `left` words of x are left: the operations without their words."""
    if left == 0:
        return np.array([STOP * INSERT**length for length in range(most + 1)])
    shorter = length_probabilities(left - 1, most)
    found = np.zeros(most + 1)
    for length in range(most + 1):
        found[length] = DELETE * shorter[length]
        if length > 0:
            found[length] += SUBSTITUTE * shorter[length - 1] + INSERT * found[length - 1]
    return found


@pytest.mark.parametrize("x", [(), (0,), (1,), (2,), (0, 1), (1, 1), (2, 0), (1, 2, 0)])
def test_the_probabilities_of_all_strings_sum_to_one(x):
    """Those of one length, enumerated, sum to the probability of the length, and the lengths' sum to one."""
    lengths = length_probabilities(len(x), 200)
    for length in range(7):
        strings = itertools.product(range(3), repeat=length)
        assert sum(probability(v, x) for v in strings) == pytest.approx(lengths[length], rel=1e-9)
    assert lengths.sum() == pytest.approx(1.0, abs=1e-12)


def sum_over_alignments(v, x, table):
    """p(v | x) as the model tells it: every sequence of operations that ends in v, one by one."""
    inserted = INSERT * (1 / 3) * sum_over_alignments(v[1:], x, table) if v else 0.0
    if not x:
        return inserted if v else STOP
    found = DELETE * sum_over_alignments(v, x[1:], table)
    if v:
        found += inserted
        found += SUBSTITUTE * table[x[0]][v[0]] * sum_over_alignments(v[1:], x[1:], table)
    return found


S = {
    0: {0: 8 / 9, 1: 1 / 9, 2: 0.0},
    1: {0: 1 / 9, 1: 8 / 9, 2: 0.0},
    2: {0: 0.0, 1: 0.0, 2: 1.0},
}
"""What each of WORDS may be substituted by: "c" abbreviates "conf", "hands" nothing."""

numbers = st.lists(st.integers(0, 2), max_size=5).map(tuple)


@settings(max_examples=60, deadline=None)
@given(numbers, numbers)
def test_the_forward_pass_sums_all_alignments(v, x):
    assert probability(v, x) == pytest.approx(sum_over_alignments(v, x, S), rel=1e-9)


def test_long_strings_keep_a_finite_probability():
    strings = number_words([tuple("abc") * 33, ("hands",), ()])
    assert np.isfinite(likeness(strings)).all()
    assert len(venue_words("hand " * 500)) == MOST_WORDS


def test_prefixes_are_found_by_comparing_numbers():
    words = ("a", "ab", "abc", "b", "ba", "c")
    strings = number_words([words])
    for place, word in enumerate(words):
        longer = [other for other in words if other.startswith(word) and other != word]
        assert strings.last[place] - place == len(longer)
        assert strings.prefixes[place] == sum(word.startswith(other) for other in words if other != word)


def test_an_acronym_is_nearer_to_its_full_name_in_letters_than_as_a_word():
    name = venue_words("Conference on Hand Surgery")
    others = [venue_words("Journal of Cardiac Surgery"), venue_words("Handbook of Hearing")]
    split = likeness(number_words([venue_words("CHS"), name, *others]))
    whole = likeness(number_words([("chs",), name, *others]))
    assert split[0, 1] > split[0, 2]
    assert whole[0, 1] == pytest.approx(whole[0, 2])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AAAI", tuple("aaai")),
        ("Proc. AAAI,", tuple("aaai")),
        ("Aaai", ("aaai",)),
        ("AAAI Conference", ("aaai", "conference")),
        ("KDD 99", ("kdd", "99")),
        ("Proceedings", ("proceedings",)),
        ("...", ()),
    ],
)
def test_words_of_a_venue(text, words):
    assert venue_words(text) == words


def test_the_unigram_prior_is_the_edit_model_on_nothing():
    strings = [(), ("hands",), ("c", "conf", "hands")]
    assert unigram_prior(number_words(strings)) == pytest.approx(likeness(number_words(strings))[:, 0])


def test_drawn_strings_are_as_frequent_as_the_model_says():
    distorter, random = Distorter(sorted(WORDS)), np.random.default_rng(3)
    draws = [tuple(distorter.distort(["conf", "hands"], random)) for _ in range(20_000)]
    for string in [("conf", "hands"), ("hands",), ("c", "hands"), ()]:
        expected = probability([WORDS.index(word) for word in string], (1, 2))
        assert draws.count(string) / len(draws) == pytest.approx(
            expected, abs=4 * math.sqrt(expected / 20_000)
        )


def test_drawn_mentions_are_the_same_for_the_same_seed():
    settings_of = {"beta": 5.0, "words": 30, "special": 0.5}
    assert simulate(20, 3, seed=4, **settings_of).equals(simulate(20, 3, seed=4, **settings_of))
    assert not simulate(20, 3, seed=4, **settings_of).equals(simulate(20, 3, seed=5, **settings_of))
